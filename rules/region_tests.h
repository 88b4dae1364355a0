// What a test of a fact against a constant leaves possible. Part of rules/region.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rules/cel/program.h"
#include "rules/value_sets.h"

namespace berth::rules {

/// The texts that `==`, `!=` or `in` names; nothing for any other test.
std::optional<std::vector<std::string>> wanted_texts(const cel::FactTest& test);

/// The whole numbers for which the test holds; nothing where the constant is no whole number.
std::optional<CountSet> wanted_counts(const cel::FactTest& test);

/// A test of a fact of any type.
struct PathTest {
  cel::Comparison comparison = cel::Comparison::kEqual;
  cel::Value constant;
};

/// False where no value of one fact can pass all tests. True where that is not certain.
bool can_hold_together(std::span<const PathTest> tests);

}  // namespace berth::rules
