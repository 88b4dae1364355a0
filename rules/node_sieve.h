// Node sieve: can any node of the cluster ever take this pod, and if not, which of its terms leaves
// none? Free capacity, cordons and health play no part: those pass. Pure.
#pragma once

#include <optional>
#include <string>

#include "kube/json.h"
#include "kube/pod.h"
#include "topology/snapshot.h"

namespace berth::rules {

/// The term that leaves no node, in words ("no node with nvidia.com/gpu has pool=research"), or
/// nothing where some node passes. `tolerated` is a list of tolerations that count beside the
/// pod's. Amounts are not looked at, only that the node has the pod's GPU resources at all.
std::optional<std::string> term_without_nodes(const kube::Pod& pod, kube::Json tolerated,
                                              const topology::Snapshot& cluster);

}  // namespace berth::rules
