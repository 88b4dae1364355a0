// Live cluster: where the API server is (a kubeconfig, or the service account of this pod), and the
// feed that reads from it. For serve and topology.
#pragma once

#include <memory>

#include "base/published.h"
#include "base/result.h"
#include "kube/credentials.h"
#include "topology/feed.h"
#include "topology/snapshot.h"
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

}  // namespace berth::cli
