// Index: which rules can match a workload at all, without looking at each. For every dimension of
// `match` a table from value to a set of rules; a workload's candidates are the AND of its values'
// sets. What the index does not know (label selectors, `except`, conditions) is tested on the
// candidates. Made once for a rule set, read from every thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "rules/facts.h"
#include "rules/rule.h"

namespace berth::rules {

/// One bit a rule, in words of 64.
using RuleBits = std::vector<std::uint64_t>;

class RuleIndex {
 public:
  explicit RuleIndex(const RuleSet& set);

  /// The rules that may match, as bits in the arena: every rule that does match is among them.
  std::span<const std::uint64_t> candidates(const Facts& facts, base::Arena& arena) const;

  /// Intents that some rule names, sorted.
  std::span<const std::string_view> known_intents() const { return known_intents_; }
  /// Rules in force that add tolerations without a condition, by index.
  std::span<const std::size_t> tolerating() const { return tolerating_; }
  /// Some rule that is not disabled is for updates.
  bool covers_updates() const { return covers_updates_; }
  /// Some condition or text asks about the topology.
  bool asks_topology() const { return asks_topology_; }

 private:
  /// Value -> rules, sorted by value; and the rules that do not look at this dimension.
  struct Dimension {
    struct Row {
      std::string_view value;
      RuleBits rules;
    };
    std::vector<Row> rows;
    RuleBits any;        ///< "*": every value but none
    RuleBits dont_care;  ///< also those that cannot be told apart here

    const RuleBits* find(std::string_view value) const;
    RuleBits& at(std::string_view value, std::size_t words);
  };
  struct Glob {
    std::string_view pattern;
    RuleBits rules;
  };

  void add(std::size_t rule, const Match& match);
  void add_words(Dimension& dimension, std::size_t rule, const std::vector<std::string>& words);
  void add_namespaces(std::size_t rule, const Match& match);
  void add_gpus(std::size_t rule, const Match& match);
  void find_bounds(const RuleSet& set);
  void note_rule(const RuleSet& set, std::size_t rule);

  std::size_t words_ = 0;
  Dimension operations_;
  Dimension intents_;
  Dimension vendors_;
  Dimension kinds_;
  Dimension frameworks_;
  Dimension namespaces_;                 ///< without wildcards
  std::vector<Glob> globs_;              ///< with them
  std::vector<std::int64_t> bounds_;     ///< where the answer may change, sorted; bounds_[0] is 0
  std::vector<RuleBits> rules_by_gpus_;  ///< for counts from bounds_[i] up to the next bound
  RuleBits any_gpu_;                     ///< rules without `gpus`: any GPU capacity will do
  std::vector<std::string_view> known_intents_;
  std::vector<std::size_t> tolerating_;
  bool covers_updates_ = false;
  bool asks_topology_ = false;
};

/// Makes the set's index. Call once the rules are complete; they must not move afterwards.
void index_rules(RuleSet& set);

}  // namespace berth::rules
