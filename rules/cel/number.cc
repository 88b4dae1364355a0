#include "rules/cel/number.h"

#include <array>
#include <charconv>
#include <cmath>

namespace berth::rules::cel {
namespace {

template <typename T>
Order order_of(const T& a, const T& b) {
  if (a < b) return Order::kLess;
  if (b < a) return Order::kGreater;
  return a == b ? Order::kEqual : Order::kUnordered;
}

constexpr double kTwo63 = 9223372036854775808.0;
constexpr double kTwo64 = 18446744073709551616.0;

Order int_with_double(std::int64_t whole, double real) {
  if (std::isnan(real)) return Order::kUnordered;
  if (real < -kTwo63) return Order::kGreater;
  if (real > kTwo63) return Order::kLess;
  return order_of(static_cast<double>(whole), real);
}

Order uint_with_double(std::uint64_t whole, double real) {
  if (std::isnan(real)) return Order::kUnordered;
  if (real < 0) return Order::kGreater;
  if (real > kTwo64) return Order::kLess;
  return order_of(static_cast<double>(whole), real);
}

Order int_with_uint(std::int64_t a, std::uint64_t b) {
  if (a < 0) return Order::kLess;
  return order_of(static_cast<std::uint64_t>(a), b);
}

Order turned(Order order) {
  if (order == Order::kLess) return Order::kGreater;
  return order == Order::kGreater ? Order::kLess : order;
}

}  // namespace

Order compare_numbers(Value a, Value b) {
  if (a.kind() > b.kind()) return turned(compare_numbers(b, a));
  if (a.is(Kind::kInt)) {
    if (b.is(Kind::kInt)) return order_of(a.as_int(), b.as_int());
    if (b.is(Kind::kUint)) return int_with_uint(a.as_int(), b.as_uint());
    return int_with_double(a.as_int(), b.as_double());
  }
  if (a.is(Kind::kUint)) {
    if (b.is(Kind::kUint)) return order_of(a.as_uint(), b.as_uint());
    return uint_with_double(a.as_uint(), b.as_double());
  }
  return order_of(a.as_double(), b.as_double());
}

std::optional<Order> compare(Value a, Value b) {
  if (a.is_number() && b.is_number()) return compare_numbers(a, b);
  if (a.kind() != b.kind()) return std::nullopt;
  switch (a.kind()) {
    case Kind::kBool:
      return order_of(a.as_bool(), b.as_bool());
    case Kind::kString:
    case Kind::kBytes:
      return order_of(a.text(), b.text());
    case Kind::kTimestamp:
      return order_of(a.as_timestamp(), b.as_timestamp());
    case Kind::kDuration:
      return order_of(a.as_duration(), b.as_duration());
    case Kind::kQuantity:
      return order_of(a.as_quantity(), b.as_quantity());
    case Kind::kError:
    case Kind::kNull:
    case Kind::kInt:
    case Kind::kUint:
    case Kind::kDouble:
    case Kind::kList:
    case Kind::kMap:
    case Kind::kType:
    case Kind::kOptional:
    case Kind::kStruct:
      break;
  }
  return std::nullopt;
}

std::string number_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  std::array<char, 64> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

}  // namespace berth::rules::cel
