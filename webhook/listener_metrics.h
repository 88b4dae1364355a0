// The TLS listener's counters as metrics: names, help and where each value is read.
#pragma once

#include <vector>

#include "webhook/listener_stats.h"
#include "webhook/metrics.h"

namespace berth::webhook {

/// Counters that only grow; the rejections have the label "reason". `stats` must outlive them.
std::vector<Metrics::Gauge> listener_counters(const ListenerStats& stats);

}  // namespace berth::webhook
