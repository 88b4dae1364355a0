// Handler: what the TLS port answers: POST /mutate, GET /livez and /readyz. Reads each published
// thing once a request, calls admit, counts, logs one line and writes. May be called from every
// loop thread at once.
#pragma once

#include <memory>

#include "base/published.h"
#include "rules/rule.h"
#include "topology/snapshot.h"
#include "webhook/admit.h"
#include "webhook/health.h"
#include "webhook/http_message.h"
#include "webhook/metrics.h"

namespace berth::webhook {

/// What the handler reads. All of it outlives the handler.
struct HandlerParts {
  const base::Published<rules::RuleSet>& rules;
  const base::Published<topology::Snapshot>& cluster;
  const Limits& limits;
  const Health& health;
  Metrics& metrics;
};

/// The function for the TLS listener.
Handler make_handler(HandlerParts parts);

}  // namespace berth::webhook
