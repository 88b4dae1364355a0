// The math extension. The parser packs the arguments of math.greatest and math.least into a list
// where there are several.
#include <cmath>
#include <limits>

#include "rules/cel/library.h"
#include "rules/cel/number.h"

namespace berth::rules::cel {
namespace {

using Arguments = std::span<const Value>;

Value extreme(Value value, Order better) {
  if (value.is_number()) return value;
  if (!value.is(Kind::kList)) return fail(kNoSuchOverload);
  if (value.size() == 0) return fail(kEmptyList);
  Value out = value.item(0);
  for (std::size_t i = 0; i < value.size(); ++i) {
    const Value item = value.item(i);
    if (!item.is_number()) return fail(kNoSuchOverload);
    if (compare_numbers(item, out) == better) out = item;
  }
  return out;
}

Value greatest(Frame&, Arguments a) {
  return extreme(a[0], Order::kGreater);
}
Value least(Frame&, Arguments a) {
  return extreme(a[0], Order::kLess);
}

Value ceil(Frame&, Arguments a) {
  return Value::real(std::ceil(a[0].as_double()));
}
Value floor(Frame&, Arguments a) {
  return Value::real(std::floor(a[0].as_double()));
}
Value round(Frame&, Arguments a) {
  return Value::real(std::round(a[0].as_double()));
}
Value trunc(Frame&, Arguments a) {
  return Value::real(std::trunc(a[0].as_double()));
}
Value is_nan(Frame&, Arguments a) {
  return Value::boolean(std::isnan(a[0].as_double()));
}
Value is_inf(Frame&, Arguments a) {
  return Value::boolean(std::isinf(a[0].as_double()));
}
Value is_finite(Frame&, Arguments a) {
  return Value::boolean(std::isfinite(a[0].as_double()));
}

Value sqrt(Frame&, Arguments a) {
  const double value = a[0].is(Kind::kInt)    ? static_cast<double>(a[0].as_int())
                       : a[0].is(Kind::kUint) ? static_cast<double>(a[0].as_uint())
                                              : a[0].as_double();
  return Value::real(std::sqrt(value));
}

Value abs(Frame&, Arguments a) {
  if (a[0].is(Kind::kDouble)) return Value::real(std::fabs(a[0].as_double()));
  if (a[0].is(Kind::kUint) || a[0].as_int() >= 0) return a[0];
  if (a[0].as_int() == std::numeric_limits<std::int64_t>::min()) return fail(kIntOverflow);
  return Value::integer(-a[0].as_int());
}

Value sign(Frame&, Arguments a) {
  if (a[0].is(Kind::kUint)) return Value::unsigned_integer(a[0].as_uint() == 0 ? 0 : 1);
  if (a[0].is(Kind::kInt)) return Value::integer((a[0].as_int() > 0) - (a[0].as_int() < 0));
  const double value = a[0].as_double();
  return value > 0 ? Value::real(1) : value < 0 ? Value::real(-1) : a[0];
}

// The result of an operation on bits, of the kind that the first argument has.
Value bits(Value like, std::uint64_t value) {
  return like.is(Kind::kInt) ? Value::integer(static_cast<std::int64_t>(value))
                             : Value::unsigned_integer(value);
}

Value bit_and(Frame&, Arguments a) {
  return bits(a[0], a[0].as_uint() & a[1].as_uint());
}
Value bit_or(Frame&, Arguments a) {
  return bits(a[0], a[0].as_uint() | a[1].as_uint());
}
Value bit_xor(Frame&, Arguments a) {
  return bits(a[0], a[0].as_uint() ^ a[1].as_uint());
}
Value bit_not(Frame&, Arguments a) {
  return bits(a[0], ~a[0].as_uint());
}
Value shift_left(Frame&, Arguments a) {
  if (a[1].as_int() < 0) return fail(kNegative);
  return bits(a[0], a[1].as_int() > 63 ? 0 : a[0].as_uint() << a[1].as_uint());
}
Value shift_right(Frame&, Arguments a) {
  if (a[1].as_int() < 0) return fail(kNegative);
  return bits(a[0], a[1].as_int() > 63 ? 0 : a[0].as_uint() >> a[1].as_uint());
}

constexpr FunctionRow kRows[] = {
    {"math.greatest(int) -> int", greatest},
    {"math.greatest(uint) -> uint", greatest},
    {"math.greatest(double) -> double", greatest},
    {"math.greatest(list(int)) -> int", greatest, Work::kScan},
    {"math.greatest(list(uint)) -> uint", greatest, Work::kScan},
    {"math.greatest(list(double)) -> double", greatest, Work::kScan},
    {"math.least(int) -> int", least},
    {"math.least(uint) -> uint", least},
    {"math.least(double) -> double", least},
    {"math.least(list(int)) -> int", least, Work::kScan},
    {"math.least(list(uint)) -> uint", least, Work::kScan},
    {"math.least(list(double)) -> double", least, Work::kScan},
    {"math.ceil(double) -> double", ceil},
    {"math.floor(double) -> double", floor},
    {"math.round(double) -> double", round},
    {"math.trunc(double) -> double", trunc},
    {"math.isNaN(double) -> bool", is_nan},
    {"math.isInf(double) -> bool", is_inf},
    {"math.isFinite(double) -> bool", is_finite},
    {"math.sqrt(double) -> double", sqrt},
    {"math.sqrt(int) -> double", sqrt},
    {"math.sqrt(uint) -> double", sqrt},
    {"math.abs(int) -> int", abs},
    {"math.abs(uint) -> uint", abs},
    {"math.abs(double) -> double", abs},
    {"math.sign(int) -> int", sign},
    {"math.sign(uint) -> uint", sign},
    {"math.sign(double) -> double", sign},
    {"math.bitAnd(int, int) -> int", bit_and},
    {"math.bitAnd(uint, uint) -> uint", bit_and},
    {"math.bitOr(int, int) -> int", bit_or},
    {"math.bitOr(uint, uint) -> uint", bit_or},
    {"math.bitXor(int, int) -> int", bit_xor},
    {"math.bitXor(uint, uint) -> uint", bit_xor},
    {"math.bitNot(int) -> int", bit_not},
    {"math.bitNot(uint) -> uint", bit_not},
    {"math.bitShiftLeft(int, int) -> int", shift_left},
    {"math.bitShiftLeft(uint, int) -> uint", shift_left},
    {"math.bitShiftRight(int, int) -> int", shift_right},
    {"math.bitShiftRight(uint, int) -> uint", shift_right},
};

}  // namespace

std::span<const FunctionRow> math_rows() {
  return kRows;
}

}  // namespace berth::rules::cel
