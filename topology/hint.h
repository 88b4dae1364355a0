// Hint: the nodes that a pod's preferred node affinity names one by one, as berth writes them and
// the model reads them back. Pure; any thread.
#pragma once

#include <string_view>
#include <vector>

#include "kube/json.h"

namespace berth::topology {

inline constexpr std::string_view kHostLabel = "kubernetes.io/hostname";

/// The hosts that the spec of a pod prefers one by one (terms that ask for just that host), in
/// their order: berth writes the best first.
std::vector<std::string_view> hinted_nodes(kube::Json pod_spec);

/// Some term of the spec, required or preferred, or its node selector speaks of host names.
bool names_hosts(kube::Json pod_spec);

}  // namespace berth::topology
