// Live cluster: where the API server is (a kubeconfig, or the service account of this pod), and the
// feed that reads from it, with its metrics. For serve and topology.
#pragma once

#include <memory>

#include "base/published.h"
#include "base/result.h"
#include "kube/credentials.h"
#include "topology/feed.h"
#include "topology/snapshot.h"
#include "webhook/metrics.h"
#include "webhook/options.h"

namespace berth::cli {

/// Credentials of the cluster that the options or the environment of a pod name, read once to see
/// that they can be; an empty function where cluster files are named or neither is there. The
/// source reads them anew each time, so that rotated files count.
base::Result<kube::CredentialSource> find_cluster(const webhook::Options& options);

/// A feed that is not started yet. `out` must outlive it.
std::unique_ptr<topology::Feed> make_feed(const kube::CredentialSource& source,
                                          const webhook::Options& options,
                                          base::Published<topology::Snapshot>& out);

inline constexpr const char* kClusterAge = "berth_cluster_age_seconds";
inline constexpr const char* kClusterAgeHelp =
    "Seconds since the source was last read or heard from; -1 never";

/// Adds what is known of each source of the feed, which must outlive the metrics' last reading.
void add_metrics_of(const topology::Feed& feed, webhook::Metrics& metrics);

}  // namespace berth::cli
