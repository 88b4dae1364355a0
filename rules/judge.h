// judge: one rule on one workload. Match, except, conditions, rollout, and the ${...} of its
// actions, in that order; the first that fails tells why. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/arena.h"
#include "rules/cel/program.h"
#include "rules/engine.h"
#include "rules/facts.h"
#include "rules/rule.h"

namespace berth::rules {

/// What the judgement of all rules of one request shares.
struct Judging {
  const RuleSet& rules;
  const Facts& facts;
  const cel::Activation& activation;
  base::Arena& arena;
  const DecideOptions& options;
  cel::Budget budget = {};
};

/// The value of an assignment whose text holds ${...}, or that is constant.
struct Rendered {
  std::string_view text;  ///< in the rule set or the arena
  kube::Json json;        ///< of a Scalar: the value with its type
};

struct Verdict {
  enum class Kind : std::uint8_t {
    kHolds,
    kNo,      ///< a condition does not hold
    kFailed,  ///< something could not be evaluated
  };
  Kind kind = Kind::kNo;
  /// Why it does not hold (empty unless asked for) or what failed.
  std::string reason;
  /// One for each assignment, in order; of a rule that holds.
  std::span<const Rendered> rendered;
};

/// Some entry of the rule's `match` holds; no entry at all means every GPU pod at CREATE.
bool any_match(const Rule& rule, const Facts& facts);

Verdict judge(const Rule& rule, Judging& judging);

/// A message with its ${...} filled in; a part that fails prints "?".
std::string render_message(const Template& message, Judging& judging);

}  // namespace berth::rules
