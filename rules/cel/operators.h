// Operators on values: arithmetic that fails on overflow, comparison, membership, selection and
// index. Each gives an error value where the kinds do not fit.
#pragma once

#include <string_view>

#include "rules/cel/ast.h"
#include "rules/cel/frame.h"
#include "rules/cel/value.h"

namespace berth::rules::cel {

/// `a op b` for + - * / %. Requires: neither is an error.
Value arithmetic(Frame& frame, Op op, Value a, Value b);
/// -a.
Value negate(Value a);
/// `a op b` for == != < <= > >=. Requires: neither is an error.
Value relation(Op op, Value a, Value b);
/// `item in container`.
Value contains(Frame& frame, Value item, Value container);

/// Whether `.x` and `[x]` give the value or, with `.?` and `[?`, an optional. On an optional both
/// give one.
enum class Access : std::uint8_t { kPlain, kOptional };

Value select(Frame& frame, Value operand, std::string_view field, Access access);
Value index(Frame& frame, Value operand, Value key, Access access);
/// has(operand.field).
Value has(Value operand, std::string_view field);

/// What comparing two values costs beyond a unit: long texts and aggregates are not free.
std::int64_t comparison_units(Value a, Value b);

/// Items in the order of their keys, stable. An error where the keys are not of one comparable
/// kind. The keys are used up.
Value sorted(Frame& frame, std::span<Value> items, std::span<Value> keys);

/// What a value counts as in size(): code points, bytes, items or entries. Requires: one of these.
Value size_of(Value value);

}  // namespace berth::rules::cel
