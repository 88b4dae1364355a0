// Gang advice: gang keys of the author that the scheduler will not read as meant, as warnings. In:
// the object as it came. Pure.
#pragma once

#include <vector>

#include "rules/decision.h"
#include "rules/facts.h"

namespace berth::rules {

/// A size on the template instead of the owner, keys of two gang systems on one pod, a pod group of
/// Kueue without its count.
std::vector<Message> advise_gang(const Subject& subject);

}  // namespace berth::rules
