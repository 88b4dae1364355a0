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

/// Of an owner whose pods come over months: an answer about the topology is given at each pod's own
/// door, once its owner has been decided.
bool is_long_lived(std::string_view kind);
/// Leaves only what is answered at the pod's door then.
void keep_what_ages(Decision& decision);
/// Leaves only `placement: {pack}`, which is for each pod, and not for members of a gang.
void keep_pack(Decision& decision);

}  // namespace berth::rules
