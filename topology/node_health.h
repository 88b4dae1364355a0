// Node health: may a node take new pods at all, and does any label or condition speak against its
// GPUs. Known signals of GPU Operator, MIG manager, OKE, HyperPod, AKS, EKS and
// node-problem-detector, and conditions that the configuration names. Pure; any thread.
#pragma once

#include <span>
#include <string>

#include "kube/json.h"

namespace berth::topology {

/// Neither cordoned nor on the way out, and the kubelet reports Ready. A node without any Ready
/// condition (files written by hand) counts as ready.
bool is_schedulable(kube::Json node);

/// What speaks against the node's GPUs ("nvidia.com/mig.config.state=failed"), or empty.
/// `more_conditions` are condition types that are bad when True, beside the known ones.
std::string find_ailment(kube::Json node, std::span<const std::string> more_conditions);

}  // namespace berth::topology
