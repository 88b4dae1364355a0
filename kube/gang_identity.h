// Gang identity: one name for all pods of a gang, from what stands on each of them at CREATE. Pure.
#pragma once

#include <string>
#include <string_view>

#include "kube/pod.h"

namespace berth::kube {

/// "berth-" and the uid of what started the pods (with the attempt, where restarts make new pods of
/// the same owner); the name where not all members know the uid; the leader's name in a
/// LeaderWorkerSet. `group` is a name that the author gave to pods without an owner. Empty where
/// nothing tells the pods of a gang apart from others: pods are never grouped by a like name. Always
/// a DNS label.
std::string gang_name_of(const Pod& pod, std::string_view group);

}  // namespace berth::kube
