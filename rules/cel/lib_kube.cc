// What Kubernetes adds to CEL: quantities, and regular expressions (RE2). Patterns are constants
// that are compiled at load; the rows that compile one when called serve unchecked evaluation only.
#include <re2/re2.h>

#include "rules/cel/library.h"
#include "rules/cel/regex.h"

namespace berth::rules::cel {
namespace {

using Arguments = std::span<const Value>;
using kube::Quantity;

Value quantity(Frame& frame, Arguments a) {
  const auto parsed = Quantity::parse(a[0].text());
  if (parsed.has_value()) return Value::quantity(frame.arena(), *parsed);
  return Value::error(frame.arena(), kBadQuantity.text, a[0].text());
}

Value is_quantity(Frame&, Arguments a) {
  return Value::boolean(Quantity::parse(a[0].text()).has_value());
}

Value is_greater(Frame&, Arguments a) {
  return Value::boolean(a[0].as_quantity() > a[1].as_quantity());
}

Value is_less(Frame&, Arguments a) {
  return Value::boolean(a[0].as_quantity() < a[1].as_quantity());
}

Value compare_to(Frame&, Arguments a) {
  const auto order = a[0].as_quantity() <=> a[1].as_quantity();
  return Value::integer(order < 0 ? -1 : order > 0 ? 1 : 0);
}

Value is_integer(Frame&, Arguments a) {
  return Value::boolean(a[0].as_quantity().whole().has_value());
}

Value as_integer(Frame&, Arguments a) {
  const auto whole = a[0].as_quantity().whole();
  return whole.has_value() ? Value::integer(*whole) : fail(kNotWhole);
}

Value as_float(Frame&, Arguments a) {
  return Value::real(a[0].as_quantity().as_double());
}

Value sign(Frame&, Arguments a) {
  return Value::integer(a[0].as_quantity().sign());
}

Quantity operand(Value value) {
  return value.is(Kind::kInt) ? Quantity::of(value.as_int()) : value.as_quantity();
}

Value add(Frame& frame, Arguments a) {
  return Value::quantity(frame.arena(), a[0].as_quantity() + operand(a[1]));
}

Value sub(Frame& frame, Arguments a) {
  return Value::quantity(frame.arena(), a[0].as_quantity() - operand(a[1]));
}

constexpr FunctionRow kQuantityRows[] = {
    {"quantity(string) -> quantity", quantity},
    {"isQuantity(string) -> bool", is_quantity},
    {"quantity.isGreaterThan(quantity) -> bool", is_greater},
    {"quantity.isLessThan(quantity) -> bool", is_less},
    {"quantity.compareTo(quantity) -> int", compare_to},
    {"quantity.isInteger() -> bool", is_integer},
    {"quantity.asInteger() -> int", as_integer},
    {"quantity.asApproximateFloat() -> double", as_float},
    {"sign(quantity) -> int", sign},
    {"quantity.sign() -> int", sign},
    {"quantity.add(quantity) -> quantity", add},
    {"quantity.add(int) -> quantity", add},
    {"quantity.sub(quantity) -> quantity", sub},
    {"quantity.sub(int) -> quantity", sub},
};

Value with_pattern(Frame& frame, Arguments a, RegexUse use) {
  const auto regex = compile_regex(a[1].text());
  if (!regex->ok()) return fail(kBadRegex);
  return run_regex(frame, *regex, use, a[0], a.size() == 3 ? a[2] : Value::integer(-1));
}

Value matches(Frame& frame, Arguments a) {
  return with_pattern(frame, a, RegexUse::kMatches);
}
Value find_first(Frame& frame, Arguments a) {
  return with_pattern(frame, a, RegexUse::kFind);
}
Value find_all(Frame& frame, Arguments a) {
  return with_pattern(frame, a, RegexUse::kFindAll);
}

constexpr FunctionRow kRegexRows[] = {
    {"string.matches(string) -> bool", matches, Work::kScanBoth},
    {"matches(string, string) -> bool", matches, Work::kScanBoth},
    {"string.find(string) -> string", find_first, Work::kScanBoth},
    {"string.findAll(string) -> list(string)", find_all, Work::kScanBoth},
    {"string.findAll(string, int) -> list(string)", find_all, Work::kScanBoth},
};

}  // namespace

std::span<const FunctionRow> quantity_rows() {
  return kQuantityRows;
}

std::span<const FunctionRow> regex_rows() {
  return kRegexRows;
}

}  // namespace berth::rules::cel
