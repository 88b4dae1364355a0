// The proof that no two rules give one field two values: pairs of rules that set one slot to
// different constants with the same precedence are intersected, and where some pod could match
// both, that pod is the example. What only a request can tell (topology, a condition that is no
// plain test of a fact) counts as possible. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/problem.h"
#include "base/source_text.h"
#include "rules/region.h"
#include "rules/rule.h"

namespace berth::rules {

/// Two assignments of one slot that can meet.
struct Conflict {
  const Rule* first = nullptr;
  const Rule* second = nullptr;
  const Assignment* first_assignment = nullptr;
  const Assignment* second_assignment = nullptr;
  Example example;
};

/// Conflicts between the rules of a set, in the order of the rules; at most `limit`. Rules that are
/// not sound (`sound` has an entry a rule) take no part.
std::vector<Conflict> conflicts_of(const RuleSet& set, const std::vector<bool>& sound,
                                   std::size_t limit);

/// The same as problems with places, values and ways out.
void report_conflicts(const RuleSet& set, const std::vector<bool>& sound,
                      std::span<const base::SourceText> sources, base::Problems& problems);

}  // namespace berth::rules
