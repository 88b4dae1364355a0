// advise: warnings about the workload as it will be created, which no rule has to ask for: a pod
// that no node can ever take, two GPUs on nodes with one, a rolling update that waits for its own
// GPU, a model server that is told to use more or fewer GPUs than it has. Pure.
#pragma once

#include <vector>

#include "rules/decision.h"
#include "rules/facts.h"
#include "topology/snapshot.h"

namespace berth::rules {

/// `after`: the subject with the changes made. Texts of at most 120 characters, in a fixed order.
std::vector<Message> advise(const Subject& after, const Facts& facts,
                            const topology::Snapshot& cluster);

}  // namespace berth::rules
