// Facts that a rule test states outright, because its shorthand pod cannot show them.
#pragma once

#include <cstdint>
#include <string_view>

#include "rules/facts.h"

namespace berth::rules {

/// Empty and zero mean "not stated".
struct StatedFacts {
  std::string_view kind;
  std::string_view framework;
  std::int64_t pods = 0;
};

/// Puts what is stated over what was observed, and keeps the totals right.
void overlay(Facts& facts, const StatedFacts& stated);

}  // namespace berth::rules
