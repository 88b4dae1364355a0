// Facts that a rule test states outright, because its shorthand pod cannot show them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "rules/facts.h"

namespace berth::rules {

struct StatedFacts {
  std::string_view kind;                      ///< empty: not stated
  std::optional<std::string_view> framework;  ///< a stated empty one is "none"
  std::int64_t pods = 0;                      ///< 0: not stated
};

/// Puts what is stated over what was observed, and keeps the totals right.
void overlay(Facts& facts, const StatedFacts& stated);

}  // namespace berth::rules
