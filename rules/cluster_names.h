// Cluster names: names in rules that the cluster has no object of. In: a rule set that loaded and a
// picture of the cluster. Out: warnings, since the object may come later. Pure.
#pragma once

#include <span>

#include "base/problem.h"
#include "base/source_text.h"
#include "rules/rule.h"
#include "topology/snapshot.h"

namespace berth::rules {

/// Constant names of priority classes and runtime classes that do not exist, and of LocalQueues
/// that a namespace of the rule's match does not have. Kinds that the picture does not know are
/// left out. Code "unknown-object".
base::Problems unknown_names(const RuleSet& set, const topology::Snapshot& cluster,
                             std::span<const base::SourceText> sources);

}  // namespace berth::rules
