// Rollout: which workloads a rule with `rollout` reaches. A hash of the rule's id and the workload
// (or its namespace): the same for all pods of a workload, for every replica and at every retry; a
// larger percentage only adds workloads. Pure.
#pragma once

#include "rules/facts.h"
#include "rules/rule.h"

namespace berth::rules {

/// Where the workload falls for this rule: 0 inclusive to 100 exclusive.
double rollout_draw(const Rule& rule, const Facts& facts);

/// The rule reaches the workload.
bool reaches(const Rule& rule, const Facts& facts);

}  // namespace berth::rules
