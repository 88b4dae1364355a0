// Lists: Kubernetes' own functions (sum, min, max, isSorted, indexOf, lastIndexOf) and the lists
// extension (slice, flatten, sort, distinct, reverse, first, last, lists.range).
#include <algorithm>

#include "rules/cel/library.h"
#include "rules/cel/number.h"
#include "rules/cel/operators.h"

namespace berth::rules::cel {
namespace {

using Arguments = std::span<const Value>;

Value is_sorted(Frame&, Arguments a) {
  for (std::size_t i = 1; i < a[0].size(); ++i) {
    const auto order = compare(a[0].item(i - 1), a[0].item(i));
    if (!order.has_value()) return fail(kNotComparable);
    if (*order == Order::kGreater) return Value::boolean(false);
  }
  return Value::boolean(true);
}

// The zero that a sum starts from: of the kind of the first item, so that a list whose type was not
// known at load comes out right.
Value zero_like(Value item) {
  if (item.is(Kind::kUint)) return Value::unsigned_integer(0);
  if (item.is(Kind::kDouble)) return Value::real(0);
  if (item.is(Kind::kDuration)) return Value::duration(0);
  return Value::integer(0);
}

Value sum_from(Frame& frame, Value if_empty, Value list) {
  if (list.size() == 0) return if_empty;
  Value out = zero_like(list.item(0));
  for (std::size_t i = 0; i < list.size() && !out.is_error(); ++i) {
    out = arithmetic(frame, Op::kAdd, out, list.item(i));
  }
  return out;
}

Value sum_ints(Frame& frame, Arguments a) {
  return sum_from(frame, Value::integer(0), a[0]);
}
Value sum_uints(Frame& frame, Arguments a) {
  return sum_from(frame, Value::unsigned_integer(0), a[0]);
}
Value sum_doubles(Frame& frame, Arguments a) {
  return sum_from(frame, Value::real(0), a[0]);
}
Value sum_durations(Frame& frame, Arguments a) {
  return sum_from(frame, Value::duration(0), a[0]);
}

Value extreme(Value list, Order better) {
  if (list.size() == 0) return fail(kEmptyList);
  Value out = list.item(0);
  if (!compare(out, out).has_value()) return fail(kNotComparable);
  for (std::size_t i = 1; i < list.size(); ++i) {
    const auto order = compare(list.item(i), out);
    if (!order.has_value()) return fail(kNotComparable);
    if (*order == better) out = list.item(i);
  }
  return out;
}

Value min(Frame&, Arguments a) {
  return extreme(a[0], Order::kLess);
}
Value max(Frame&, Arguments a) {
  return extreme(a[0], Order::kGreater);
}

// Comparing with one item, against each item of the list.
bool pay_for_search(Frame& frame, Value list, Value item) {
  return frame.spend(static_cast<std::int64_t>(list.size()) * (1 + comparison_units(item, item)) /
                     4);
}

Value index_of(Frame& frame, Arguments a) {
  if (!pay_for_search(frame, a[0], a[1])) return fail(kCostLimit);
  for (std::size_t i = 0; i < a[0].size(); ++i) {
    if (equal(a[0].item(i), a[1])) return Value::integer(static_cast<std::int64_t>(i));
  }
  return Value::integer(-1);
}

Value last_index_of(Frame& frame, Arguments a) {
  if (!pay_for_search(frame, a[0], a[1])) return fail(kCostLimit);
  for (std::size_t i = a[0].size(); i-- > 0;) {
    if (equal(a[0].item(i), a[1])) return Value::integer(static_cast<std::int64_t>(i));
  }
  return Value::integer(-1);
}

Value slice(Frame& frame, Arguments a) {
  const auto begin = a[1].as_int();
  const auto end = a[2].as_int();
  const auto size = static_cast<std::int64_t>(a[0].size());
  if (begin < 0 || end < 0) return fail(kNegative);
  if (begin > end || begin > size || end > size) return fail(kBadSlice);
  const auto items = frame.make_items(static_cast<std::size_t>(end - begin));
  if (items.data() == nullptr) return fail(kCostLimit);
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i] = a[0].item(static_cast<std::size_t>(begin) + i);
  }
  return Value::list(items);
}

std::size_t flat_size(Value list, std::int64_t depth) {
  std::size_t out = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Value item = list.item(i);
    out += item.is(Kind::kList) && depth > 0 ? flat_size(item, depth - 1) : 1;
  }
  return out;
}

std::size_t flatten_into(std::span<Value> room, std::size_t at, Value list, std::int64_t depth) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Value item = list.item(i);
    if (item.is(Kind::kList) && depth > 0) {
      at = flatten_into(room, at, item, depth - 1);
    } else {
      room[at++] = item;
    }
  }
  return at;
}

Value flatten(Frame& frame, Arguments a) {
  const auto depth = a.size() == 2 ? a[1].as_int() : 1;
  if (depth < 0) return fail(kNegative);
  if (!frame.spend(comparison_units(a[0], a[0]))) return fail(kCostLimit);
  const auto room = frame.make_items(flat_size(a[0], depth));
  if (room.data() == nullptr) return fail(kCostLimit);
  flatten_into(room, 0, a[0], depth);
  return Value::list(room);
}

Value sort(Frame& frame, Arguments a) {
  const auto items = frame.make_items(a[0].size());
  const auto keys = frame.make_items(a[0].size());
  if (items.data() == nullptr || keys.data() == nullptr) return fail(kCostLimit);
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = keys[i] = a[0].item(i);
  return sorted(frame, items, keys);
}

Value distinct(Frame& frame, Arguments a) {
  const auto items = frame.make_items(a[0].size());
  if (items.data() == nullptr) return fail(kCostLimit);
  std::size_t count = 0;
  for (std::size_t i = 0; i < a[0].size(); ++i) {
    const Value item = a[0].item(i);
    const Value so_far = Value::list(items.first(count));
    if (!pay_for_search(frame, so_far, item)) return fail(kCostLimit);
    const bool seen = std::any_of(items.begin(), items.begin() + static_cast<long>(count),
                                  [item](Value other) { return equal(item, other); });
    if (!seen) items[count++] = item;
  }
  return Value::list(items.first(count));
}

Value reverse(Frame& frame, Arguments a) {
  const auto items = frame.make_items(a[0].size());
  if (items.data() == nullptr) return fail(kCostLimit);
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = a[0].item(items.size() - 1 - i);
  return Value::list(items);
}

Value range(Frame& frame, Arguments a) {
  if (a[0].as_int() < 0) return fail(kNegative);
  const auto items = frame.make_items(static_cast<std::size_t>(a[0].as_int()));
  if (items.data() == nullptr) return fail(kCostLimit);
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i] = Value::integer(static_cast<std::int64_t>(i));
  }
  return Value::list(items);
}

Value first(Frame& frame, Arguments a) {
  return a[0].size() == 0 ? Value::none() : Value::some(frame.arena(), a[0].item(0));
}

Value last(Frame& frame, Arguments a) {
  return a[0].size() == 0 ? Value::none() : Value::some(frame.arena(), a[0].item(a[0].size() - 1));
}

constexpr FunctionRow kRows[] = {
    {"list(int).isSorted() -> bool", is_sorted, Work::kScan},
    {"list(uint).isSorted() -> bool", is_sorted, Work::kScan},
    {"list(double).isSorted() -> bool", is_sorted, Work::kScan},
    {"list(bool).isSorted() -> bool", is_sorted, Work::kScan},
    {"list(duration).isSorted() -> bool", is_sorted, Work::kScan},
    {"list(timestamp).isSorted() -> bool", is_sorted, Work::kScan},
    {"list(string).isSorted() -> bool", is_sorted, Work::kScan},
    {"list(bytes).isSorted() -> bool", is_sorted, Work::kScan},
    {"list(int).sum() -> int", sum_ints, Work::kScan},
    {"list(uint).sum() -> uint", sum_uints, Work::kScan},
    {"list(double).sum() -> double", sum_doubles, Work::kScan},
    {"list(duration).sum() -> duration", sum_durations, Work::kScan},
    {"list(int).min() -> int", min, Work::kScan},
    {"list(uint).min() -> uint", min, Work::kScan},
    {"list(double).min() -> double", min, Work::kScan},
    {"list(bool).min() -> bool", min, Work::kScan},
    {"list(duration).min() -> duration", min, Work::kScan},
    {"list(timestamp).min() -> timestamp", min, Work::kScan},
    {"list(string).min() -> string", min, Work::kScan},
    {"list(bytes).min() -> bytes", min, Work::kScan},
    {"list(int).max() -> int", max, Work::kScan},
    {"list(uint).max() -> uint", max, Work::kScan},
    {"list(double).max() -> double", max, Work::kScan},
    {"list(bool).max() -> bool", max, Work::kScan},
    {"list(duration).max() -> duration", max, Work::kScan},
    {"list(timestamp).max() -> timestamp", max, Work::kScan},
    {"list(string).max() -> string", max, Work::kScan},
    {"list(bytes).max() -> bytes", max, Work::kScan},
    {"list(A).indexOf(A) -> int", index_of},
    {"list(A).lastIndexOf(A) -> int", last_index_of},
    {"list(A).slice(int, int) -> list(A)", slice, Work::kCopy},
    {"list(list(A)).flatten() -> list(A)", flatten, Work::kCopy},
    {"list(dyn).flatten(int) -> list(dyn)", flatten, Work::kCopy},
    {"list(int).sort() -> list(int)", sort, Work::kCopy},
    {"list(uint).sort() -> list(uint)", sort, Work::kCopy},
    {"list(double).sort() -> list(double)", sort, Work::kCopy},
    {"list(bool).sort() -> list(bool)", sort, Work::kCopy},
    {"list(duration).sort() -> list(duration)", sort, Work::kCopy},
    {"list(timestamp).sort() -> list(timestamp)", sort, Work::kCopy},
    {"list(string).sort() -> list(string)", sort, Work::kCopy},
    {"list(bytes).sort() -> list(bytes)", sort, Work::kCopy},
    {"list(A).distinct() -> list(A)", distinct, Work::kCopy},
    {"list(A).reverse() -> list(A)", reverse, Work::kCopy},
    {"list(A).first() -> optional(A)", first},
    {"list(A).last() -> optional(A)", last},
    {"lists.range(int) -> list(int)", range, Work::kRange},
};

// ---------------------------------------------------------------- sets

bool pay_for_pairs(Frame& frame, Arguments a) {
  const auto pairs = static_cast<std::int64_t>(a[0].size()) * (1 + comparison_units(a[1], a[1]));
  return frame.spend(pairs / 4);
}

bool holds(Value list, Value item) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (equal(list.item(i), item)) return true;
  }
  return false;
}

bool holds_all(Value list, Value items) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!holds(list, items.item(i))) return false;
  }
  return true;
}

Value set_contains(Frame& frame, Arguments a) {
  if (!pay_for_pairs(frame, a)) return fail(kCostLimit);
  return Value::boolean(holds_all(a[0], a[1]));
}

Value set_equivalent(Frame& frame, Arguments a) {
  if (!pay_for_pairs(frame, a) || !pay_for_pairs(frame, a)) return fail(kCostLimit);
  return Value::boolean(holds_all(a[0], a[1]) && holds_all(a[1], a[0]));
}

Value set_intersects(Frame& frame, Arguments a) {
  if (!pay_for_pairs(frame, a)) return fail(kCostLimit);
  for (std::size_t i = 0; i < a[0].size(); ++i) {
    if (holds(a[1], a[0].item(i))) return Value::boolean(true);
  }
  return Value::boolean(false);
}

constexpr FunctionRow kSetRows[] = {
    {"sets.contains(list(A), list(A)) -> bool", set_contains, Work::kScanBoth},
    {"sets.equivalent(list(A), list(A)) -> bool", set_equivalent, Work::kScanBoth},
    {"sets.intersects(list(A), list(A)) -> bool", set_intersects, Work::kScanBoth},
};

}  // namespace

std::span<const FunctionRow> list_rows() {
  return kRows;
}

std::span<const FunctionRow> set_rows() {
  return kSetRows;
}

}  // namespace berth::rules::cel
