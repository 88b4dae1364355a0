// Optionals: values that may be absent. `or` and `orValue` are nodes of their own, since their
// right side is evaluated only when it is needed; their rows are for the checker.
#include "rules/cel/library.h"

namespace berth::rules::cel {
namespace {

using Arguments = std::span<const Value>;

bool is_zero(Value value) {
  switch (value.kind()) {
    case Kind::kNull:
      return true;
    case Kind::kBool:
      return !value.as_bool();
    case Kind::kInt:
    case Kind::kUint:
      return value.as_uint() == 0;
    case Kind::kDouble:
      return value.as_double() == 0;
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kList:
    case Kind::kMap:
      return value.size() == 0;
    case Kind::kDuration:
      return value.as_duration() == 0;
    case Kind::kOptional:
      return !value.has_value();
    case Kind::kError:
    case Kind::kType:
    case Kind::kTimestamp:
    case Kind::kQuantity:
    case Kind::kStruct:
      break;
  }
  return false;
}

Value of(Frame& frame, Arguments a) {
  return Value::some(frame.arena(), a[0]);
}

Value of_non_zero(Frame& frame, Arguments a) {
  return is_zero(a[0]) ? Value::none() : Value::some(frame.arena(), a[0]);
}

Value none(Frame&, Arguments) {
  return Value::none();
}

Value has_value(Frame&, Arguments a) {
  return Value::boolean(a[0].has_value());
}

Value value(Frame&, Arguments a) {
  return a[0].has_value() ? a[0].optional_value() : fail(kNoneHasNoValue);
}

Value unwrap(Frame& frame, Arguments a) {
  const auto items = frame.make_items(a[0].size());
  if (items.data() == nullptr) return fail(kCostLimit);
  std::size_t count = 0;
  for (std::size_t i = 0; i < a[0].size(); ++i) {
    const Value item = a[0].item(i);
    if (!item.is(Kind::kOptional)) return fail(kNoSuchOverload);
    if (item.has_value()) items[count++] = item.optional_value();
  }
  return Value::list(items.first(count));
}

constexpr FunctionRow kRows[] = {
    {"optional.of(A) -> optional(A)", of},
    {"optional.ofNonZeroValue(A) -> optional(A)", of_non_zero},
    {"optional.none() -> optional(A)", none},
    {"optional.unwrap(list(optional(A))) -> list(A)", unwrap, Work::kCopy},
    {"list(optional(A)).unwrapOpt() -> list(A)", unwrap, Work::kCopy},
    {"optional(A).hasValue() -> bool", has_value},
    {"optional(A).value() -> A", value},
    {"optional(A).or(optional(A)) -> optional(A)"},
    {"optional(A).orValue(A) -> A"},
};

}  // namespace

std::span<const FunctionRow> optional_rows() {
  return kRows;
}

}  // namespace berth::rules::cel
