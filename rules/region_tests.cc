#include "rules/region_tests.h"

#include <algorithm>
#include <compare>

namespace berth::rules {
namespace {

using cel::Comparison;
using cel::Kind;
using cel::Value;

std::vector<Value> values_of(const cel::Value& constant) {
  if (!constant.is(Kind::kList)) return {constant};
  std::vector<Value> out;
  for (std::size_t i = 0; i < constant.size(); ++i) out.push_back(constant.item(i));
  return out;
}

std::optional<std::int64_t> count_of(const Value& value) {
  if (value.is(Kind::kInt)) return value.as_int();
  if (value.is(Kind::kUint) && value.as_uint() <= static_cast<std::uint64_t>(INT64_MAX))
    return static_cast<std::int64_t>(value.as_uint());
  return std::nullopt;
}

long double number_of(const Value& value) {
  if (value.is(Kind::kInt)) return static_cast<long double>(value.as_int());
  if (value.is(Kind::kUint)) return static_cast<long double>(value.as_uint());
  return static_cast<long double>(value.as_double());
}

template <typename T>
std::partial_ordering order(const T& a, const T& b) {
  return a <=> b;
}

/// Unordered where the two cannot be compared.
std::partial_ordering compare(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) return order(number_of(a), number_of(b));
  if (a.kind() != b.kind()) return std::partial_ordering::unordered;
  if (a.is(Kind::kString)) return order(a.text(), b.text());
  if (a.is(Kind::kBool)) return order(a.as_bool(), b.as_bool());
  if (a.is(Kind::kQuantity)) return order(a.as_quantity(), b.as_quantity());
  if (a.is(Kind::kDuration)) return order(a.as_duration(), b.as_duration());
  if (a.is(Kind::kTimestamp)) return order(a.as_timestamp(), b.as_timestamp());
  return std::partial_ordering::unordered;
}

/// Whether a value passes; what cannot be compared passes, since it is not certain.
bool passes(const Value& value, const PathTest& test) {
  if (test.comparison == Comparison::kIn) {
    const auto list = values_of(test.constant);
    return std::any_of(list.begin(), list.end(), [&](const Value& item) {
      const auto found = compare(value, item);
      return found == 0 || found == std::partial_ordering::unordered;
    });
  }
  if (test.comparison == Comparison::kNotIn) {
    const auto list = values_of(test.constant);
    return std::none_of(list.begin(), list.end(),
                        [&](const Value& item) { return compare(value, item) == 0; });
  }
  const auto found = compare(value, test.constant);
  if (found == std::partial_ordering::unordered) return true;
  switch (test.comparison) {
    case Comparison::kEqual:
      return found == 0;
    case Comparison::kNotEqual:
      return found != 0;
    case Comparison::kLess:
      return found < 0;
    case Comparison::kAtMost:
      return found <= 0;
    case Comparison::kGreater:
      return found > 0;
    case Comparison::kAtLeast:
      return found >= 0;
    case Comparison::kIn:
    case Comparison::kNotIn:
      return true;
  }
  return true;
}

bool is_lower_bound(Comparison comparison) {
  return comparison == Comparison::kGreater || comparison == Comparison::kAtLeast;
}

bool is_upper_bound(Comparison comparison) {
  return comparison == Comparison::kLess || comparison == Comparison::kAtMost;
}

/// Each lower bound lies below each upper bound, with room between them or on them.
bool bounds_meet(std::span<const PathTest> tests) {
  for (const PathTest& low : tests) {
    for (const PathTest& high : tests) {
      if (!is_lower_bound(low.comparison) || !is_upper_bound(high.comparison)) continue;
      const auto found = compare(low.constant, high.constant);
      if (found > 0) return false;
      const bool both =
          low.comparison == Comparison::kAtLeast && high.comparison == Comparison::kAtMost;
      if (found == 0 && !both) return false;
    }
  }
  return true;
}

}  // namespace

std::optional<std::vector<std::string>> wanted_texts(const cel::FactTest& test) {
  if (is_lower_bound(test.comparison) || is_upper_bound(test.comparison)) return std::nullopt;
  std::vector<std::string> out;
  for (const Value& value : values_of(test.constant)) {
    if (!value.is(Kind::kString)) return std::nullopt;
    out.emplace_back(value.text());
  }
  return out;
}

std::optional<CountSet> wanted_counts(const cel::FactTest& test) {
  if (test.comparison == Comparison::kIn || test.comparison == Comparison::kNotIn) {
    CountSet none = CountSet().complement();
    for (const Value& value : values_of(test.constant)) {
      const auto count = count_of(value);
      if (!count) return std::nullopt;
      none = none.complement().intersect(CountSet::range(*count, *count).complement()).complement();
    }
    return test.comparison == Comparison::kIn ? none : none.complement();
  }
  const auto count = count_of(test.constant);
  if (!count || *count == INT64_MAX) return std::nullopt;
  switch (test.comparison) {
    case Comparison::kEqual:
      return CountSet::range(*count, *count);
    case Comparison::kNotEqual:
      return CountSet::range(*count, *count).complement();
    case Comparison::kLess:
      return CountSet::range(0, *count - 1);
    case Comparison::kAtMost:
      return CountSet::range(0, *count);
    case Comparison::kGreater:
      return CountSet::range(*count + 1, INT64_MAX);
    case Comparison::kAtLeast:
      return CountSet::range(*count, INT64_MAX);
    case Comparison::kIn:
    case Comparison::kNotIn:
      break;
  }
  return std::nullopt;
}

bool can_hold_together(std::span<const PathTest> tests) {
  for (const PathTest& test : tests) {
    if (test.comparison != Comparison::kEqual && test.comparison != Comparison::kIn) continue;
    const auto candidates = values_of(test.constant);
    return std::any_of(candidates.begin(), candidates.end(), [&](const Value& candidate) {
      return std::all_of(tests.begin(), tests.end(),
                         [&](const PathTest& other) { return passes(candidate, other); });
    });
  }
  return bounds_meet(tests);
}

}  // namespace berth::rules
