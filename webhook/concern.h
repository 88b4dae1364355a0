// Concern: what of an API server's traffic a rule set can do anything to, as the selectors and
// conditions of a webhook configuration can say it. Always a superset: an object that a rule could
// match is never left out, one that it could not may be in. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube/owner_kind_list.h"
#include "rules/rule.h"

namespace berth::webhook {

/// Which workload objects are sent beside pods.
enum class Owners : std::uint8_t {
  kNeeded,  ///< those for which a rule decides something that only an owner can carry
  kAll,
  kNone
};

struct Concern {
  bool updates = false;  ///< some rule is for UPDATE
  /// CEL over `object`, true for every pod that matters; empty: every pod does.
  std::string pods;
  std::string wide_rule;  ///< the rule because of which every pod matters; empty where none
  std::vector<kube::OwnerResource> owners;  ///< sorted by group and name
};

/// Rules that are disabled do not count; those in audit do, since they are judged. Besides what the
/// rules match, every pod that asks for an extended resource or a claim, or that has a key of
/// `label_prefix`, is of concern: it is warned about slips without any rule.
Concern concern_of(const rules::RuleSet& rules, std::string_view label_prefix, Owners owners);

}  // namespace berth::webhook
