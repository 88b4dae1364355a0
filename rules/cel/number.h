// Numbers of CEL: int, uint and double compare across kinds and never mix in arithmetic. Overflow
// is an error, never a wrap.
#pragma once

#include <optional>
#include <string>

#include "rules/cel/value.h"

namespace berth::rules::cel {

enum class Order { kLess, kEqual, kGreater, kUnordered };

/// As the specification asks: across int and uint exactly, with a double after a range check as
/// doubles. Requires: both are numbers.
Order compare_numbers(Value a, Value b);

/// Order of two values of one comparable kind, or of numbers; nothing where they do not compare.
std::optional<Order> compare(Value a, Value b);

/// Double as text: the shortest that reads back the same, "1e+100", "NaN", "Infinity".
std::string number_text(double value);

}  // namespace berth::rules::cel
