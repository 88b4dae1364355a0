#include "rules/cel/operators.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "rules/cel/number.h"
#include "rules/cel/time.h"

namespace berth::rules::cel {
namespace {

constexpr auto kMinInt = std::numeric_limits<std::int64_t>::min();

Value int_arithmetic(Op op, std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  switch (op) {
    case Op::kAdd:
      return __builtin_add_overflow(a, b, &out) ? fail(kIntOverflow) : Value::integer(out);
    case Op::kSubtract:
      return __builtin_sub_overflow(a, b, &out) ? fail(kIntOverflow) : Value::integer(out);
    case Op::kMultiply:
      return __builtin_mul_overflow(a, b, &out) ? fail(kIntOverflow) : Value::integer(out);
    case Op::kDivide:
      if (b == 0) return fail(kDivideByZero);
      return a == kMinInt && b == -1 ? fail(kIntOverflow) : Value::integer(a / b);
    case Op::kModulo:
      if (b == 0) return fail(kModulusByZero);
      return a == kMinInt && b == -1 ? fail(kIntOverflow) : Value::integer(a % b);
    case Op::kNegate:
    case Op::kNot:
    case Op::kEqual:
    case Op::kNotEqual:
    case Op::kLess:
    case Op::kAtMost:
    case Op::kGreater:
    case Op::kAtLeast:
    case Op::kIn:
      break;
  }
  return fail(kNoSuchOverload);
}

Value uint_arithmetic(Op op, std::uint64_t a, std::uint64_t b) {
  std::uint64_t out = 0;
  if (op == Op::kAdd) {
    return __builtin_add_overflow(a, b, &out) ? fail(kIntOverflow) : Value::unsigned_integer(out);
  }
  if (op == Op::kSubtract) {
    return __builtin_sub_overflow(a, b, &out) ? fail(kIntOverflow) : Value::unsigned_integer(out);
  }
  if (op == Op::kMultiply) {
    return __builtin_mul_overflow(a, b, &out) ? fail(kIntOverflow) : Value::unsigned_integer(out);
  }
  if (op == Op::kDivide) return b == 0 ? fail(kDivideByZero) : Value::unsigned_integer(a / b);
  return b == 0 ? fail(kModulusByZero) : Value::unsigned_integer(a % b);
}

Value double_arithmetic(Op op, double a, double b) {
  if (op == Op::kAdd) return Value::real(a + b);
  if (op == Op::kSubtract) return Value::real(a - b);
  if (op == Op::kMultiply) return Value::real(a * b);
  if (op == Op::kDivide) return Value::real(a / b);
  return fail(kNoSuchOverload);
}

Value join_texts(Frame& frame, Value a, Value b) {
  const auto room = frame.make_text(a.size() + b.size());
  if (room.data() == nullptr) return fail(kCostLimit);
  a.text().copy(room.data(), a.size());
  b.text().copy(room.data() + a.size(), b.size());
  const std::string_view text(room.data(), room.size());
  return a.is(Kind::kString) ? Value::string(text) : Value::bytes(text);
}

Value join_lists(Frame& frame, Value a, Value b) {
  if (a.size() == 0) return b;
  if (b.size() == 0) return a;
  const auto items = frame.make_items(a.size() + b.size());
  if (items.data() == nullptr) return fail(kCostLimit);
  for (std::size_t i = 0; i < a.size(); ++i) items[i] = a.item(i);
  for (std::size_t i = 0; i < b.size(); ++i) items[a.size() + i] = b.item(i);
  return Value::list(items);
}

Value holds(Op op, Order order) {
  switch (op) {
    case Op::kLess:
      return Value::boolean(order == Order::kLess);
    case Op::kAtMost:
      return Value::boolean(order == Order::kLess || order == Order::kEqual);
    case Op::kGreater:
      return Value::boolean(order == Order::kGreater);
    case Op::kAtLeast:
      return Value::boolean(order == Order::kGreater || order == Order::kEqual);
    case Op::kNegate:
    case Op::kNot:
    case Op::kAdd:
    case Op::kSubtract:
    case Op::kMultiply:
    case Op::kDivide:
    case Op::kModulo:
    case Op::kEqual:
    case Op::kNotEqual:
    case Op::kIn:
      break;
  }
  return fail(kNoSuchOverload);
}

// The position that a number names in a list, where it is whole.
Value list_item(Value list, Value key) {
  std::uint64_t position = 0;
  if (key.is(Kind::kInt)) {
    if (key.as_int() < 0) return fail(kIndexOutOfBounds);
    position = static_cast<std::uint64_t>(key.as_int());
  } else if (key.is(Kind::kUint)) {
    position = key.as_uint();
  } else if (key.is(Kind::kDouble)) {
    const double real = key.as_double();
    if (!(real >= 0) || real > 4294967295.0 || std::trunc(real) != real) {
      return fail(kIndexOutOfBounds);
    }
    position = static_cast<std::uint64_t>(real);
  } else {
    return fail(kNoSuchOverload);
  }
  if (position >= list.size()) return fail(kIndexOutOfBounds);
  return list.item(position);
}

bool is_key(Value key) {
  return key.is(Kind::kString) || key.is(Kind::kBool) || key.is_number();
}

Value no_such_key(Frame& frame, std::string_view key) {
  return Value::error(frame.arena(), kNoSuchKey.text, key);
}

Value map_value(Frame& frame, Value map, Value key) {
  if (!is_key(key)) return fail(kBadKey);
  Value found;
  if (find(map, key, &found)) return found;
  return key.is(Kind::kString) ? no_such_key(frame, key.text()) : fail(kNoSuchKey);
}

Value struct_field(Frame& frame, Value operand, std::string_view field) {
  const auto& ref = operand.as_struct();
  const FieldRow* row = ref.type->field(field);
  return row == nullptr ? no_such_key(frame, field) : row->get(ref.object, frame.arena());
}

// Absence becomes none(), everything else an optional with the value.
Value as_optional(Frame& frame, Value value) {
  if (!value.is_error()) return Value::some(frame.arena(), value);
  const auto text = value.failure().text;
  const bool absent = text == kNoSuchKey.text || text == kIndexOutOfBounds.text;
  return absent ? Value::none() : value;
}

// Items of a value, its own and those below, up to a bound that is over any budget.
std::int64_t weight(Value value) {
  constexpr std::int64_t kEnough = 100'000;
  if (!value.is(Kind::kList) && !value.is(Kind::kMap)) return 1;
  const bool map = value.is(Kind::kMap);
  std::int64_t out = 1;
  for (std::size_t i = 0; i < value.size() && out < kEnough; ++i) {
    // Entries of a map are looked for in the other one.
    out += weight(map ? value.value_at(i) : value.item(i)) +
           (map ? static_cast<std::int64_t>(value.size() / 8) : 0);
  }
  return out;
}

}  // namespace

Value arithmetic(Frame& frame, Op op, Value a, Value b) {
  if (a.kind() == b.kind()) {
    if (a.is(Kind::kInt)) return int_arithmetic(op, a.as_int(), b.as_int());
    if (a.is(Kind::kUint)) return uint_arithmetic(op, a.as_uint(), b.as_uint());
    if (a.is(Kind::kDouble)) return double_arithmetic(op, a.as_double(), b.as_double());
    if (op == Op::kAdd) {
      if (a.is(Kind::kString) || a.is(Kind::kBytes)) return join_texts(frame, a, b);
      if (a.is(Kind::kList)) return join_lists(frame, a, b);
    }
  }
  if (op == Op::kAdd || op == Op::kSubtract) return time_arithmetic(op, a, b);
  return fail(kNoSuchOverload);
}

Value negate(Value a) {
  if (a.is(Kind::kInt)) {
    return a.as_int() == kMinInt ? fail(kIntOverflow) : Value::integer(-a.as_int());
  }
  if (a.is(Kind::kDouble)) return Value::real(-a.as_double());
  return fail(kNoSuchOverload);
}

Value relation(Op op, Value a, Value b) {
  if (op == Op::kEqual) return Value::boolean(equal(a, b));
  if (op == Op::kNotEqual) return Value::boolean(!equal(a, b));
  const auto order = compare(a, b);
  return order.has_value() ? holds(op, *order) : fail(kNoSuchOverload);
}

Value contains(Frame& frame, Value item, Value container) {
  if (container.is(Kind::kMap)) {
    Value found;
    return Value::boolean(is_key(item) && find(container, item, &found));
  }
  if (!container.is(Kind::kList)) return fail(kNoSuchOverload);
  if (!frame.spend(static_cast<std::int64_t>(container.size() / 4))) return fail(kCostLimit);
  for (std::size_t i = 0; i < container.size(); ++i) {
    if (equal(item, container.item(i))) return Value::boolean(true);
  }
  return Value::boolean(false);
}

Value select(Frame& frame, Value operand, std::string_view field, Access access) {
  if (operand.is(Kind::kOptional)) {
    if (!operand.has_value()) return operand;
    operand = operand.optional_value();
    access = Access::kOptional;
  }
  Value out = fail(operand.is(Kind::kNull) ? kFieldOfNull : kNoSuchOverload);
  if (operand.is(Kind::kMap)) {
    Value found;
    out = find(operand, field, &found) ? found : no_such_key(frame, field);
  } else if (operand.is(Kind::kStruct)) {
    out = struct_field(frame, operand, field);
  }
  return access == Access::kOptional ? as_optional(frame, out) : out;
}

Value index(Frame& frame, Value operand, Value key, Access access) {
  if (operand.is(Kind::kOptional)) {
    if (!operand.has_value()) return operand;
    operand = operand.optional_value();
    access = Access::kOptional;
  }
  Value out = fail(kNoSuchOverload);
  if (operand.is(Kind::kList)) {
    out = list_item(operand, key);
  } else if (operand.is(Kind::kMap)) {
    out = map_value(frame, operand, key);
  }
  return access == Access::kOptional ? as_optional(frame, out) : out;
}

Value has(Value operand, std::string_view field) {
  if (operand.is(Kind::kOptional)) {
    if (!operand.has_value()) return Value::boolean(false);
    operand = operand.optional_value();
  }
  if (operand.is(Kind::kMap)) {
    Value found;
    return Value::boolean(find(operand, field, &found));
  }
  if (operand.is(Kind::kStruct)) {
    return Value::boolean(operand.as_struct().type->field(field) != nullptr);
  }
  return Value::boolean(false);  // a scalar has no fields, which is no error
}

std::int64_t comparison_units(Value a, Value b) {
  if (a.kind() != b.kind()) return 0;
  if (a.is(Kind::kString) || a.is(Kind::kBytes)) {
    return static_cast<std::int64_t>(std::min(a.size(), b.size()) / 64);
  }
  return a.is(Kind::kList) || a.is(Kind::kMap) ? weight(a) : 0;
}

Value sorted(Frame& frame, std::span<Value> items, std::span<Value> keys) {
  for (const Value key : keys) {
    const bool fits =
        key.kind() == keys[0].kind() && compare(key, key).has_value() && !key.is(Kind::kQuantity);
    if (!fits) return fail(kNotComparable);
  }
  if (!frame.spend(static_cast<std::int64_t>(items.size()))) return fail(kCostLimit);
  const auto order = frame.arena().make_array<std::uint32_t>(items.size());
  std::iota(order.begin(), order.end(), 0U);
  // NaN goes first, so that the order is total; position decides between equals.
  std::sort(order.begin(), order.end(), [keys](std::uint32_t a, std::uint32_t b) {
    switch (compare(keys[a], keys[b]).value_or(Order::kEqual)) {
      case Order::kLess:
        return true;
      case Order::kGreater:
        return false;
      case Order::kEqual:
        return a < b;
      case Order::kUnordered:
        break;
    }
    const bool a_first = std::isnan(keys[a].as_double());
    const bool b_first = std::isnan(keys[b].as_double());
    return a_first == b_first ? a < b : a_first;
  });
  for (std::size_t i = 0; i < items.size(); ++i) keys[i] = items[order[i]];
  return Value::list(keys);
}

Value size_of(Value value) {
  const auto size = value.is(Kind::kString) ? code_points(value.text()) : value.size();
  return Value::integer(static_cast<std::int64_t>(size));
}

}  // namespace berth::rules::cel
