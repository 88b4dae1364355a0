// Standing: what must not be set on a workload because of how it stands: pods of a DaemonSet, pods
// bound by name, groups that began without us, JobSets that place themselves, long-lived owners.
// Pure.
#pragma once

#include "rules/decision.h"
#include "rules/facts.h"
#include "topology/snapshot.h"

namespace berth::rules {

/// Takes such settings out of the decision; where a user would miss them, with a warning.
void respect_standing(const Subject& subject, const Facts& facts, const topology::Snapshot& cluster,
                      Decision& decision);

}  // namespace berth::rules
