// Candidates: the nodes that can take a pod now, by the scheduler's own predicates. Pure; any
// thread.
#pragma once

#include "topology/node_set.h"
#include "topology/records.h"
#include "topology/snapshot.h"

namespace berth::topology {

/// The nodes that take new pods, meet the selector and required affinity of a pod that waits, have
/// no taint that it does not tolerate, and have its GPU units and room for one more pod. CPU and
/// memory are not looked at. Requires: pod.waits().
NodeSet candidates(const Snapshot& snapshot, const PodRecord& pod);

}  // namespace berth::topology
