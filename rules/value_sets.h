// Sets of values that a fact may have, for the proof of conflicts: texts (some, or all but some)
// and whole numbers (intervals). Values; pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::rules {

/// Stands for a label that is not there.
inline constexpr std::string_view kAbsent{"\0", 1};

/// Texts: those listed, or all but those listed.
class TextSet {
 public:
  /// Every text.
  TextSet() = default;
  static TextSet only(std::vector<std::string> texts) { return {false, std::move(texts)}; }
  static TextSet all_but(std::vector<std::string> texts) { return {true, std::move(texts)}; }

  bool is_any() const { return all_but_ && texts_.empty(); }
  bool is_empty() const { return !all_but_ && texts_.empty(); }
  bool contains(std::string_view text) const;
  TextSet complement() const { return {!all_but_, texts_}; }
  TextSet intersect(const TextSet& other) const;
  bool overlaps(const TextSet& other) const;
  /// A text of the set that is neither empty nor kAbsent if there is one, `preferred` above all.
  /// Requires: not empty.
  std::string pick(std::string_view preferred) const;
  /// Sets whose masks have no bit in common are disjoint.
  std::uint64_t mask() const;

 private:
  TextSet(bool all_but, std::vector<std::string> texts);

  bool all_but_ = true;
  std::vector<std::string> texts_;  // sorted, each once
};

/// Whole numbers from 0 up.
class CountSet {
 public:
  using Interval = std::pair<std::int64_t, std::int64_t>;  ///< inclusive

  /// Every number.
  CountSet() : intervals_{{0, INT64_MAX}} {}
  /// From low to high; empty where low > high.
  static CountSet range(std::int64_t low, std::int64_t high);

  bool is_any() const { return intervals_ == CountSet().intervals_; }
  bool is_empty() const { return intervals_.empty(); }
  bool contains(std::int64_t number) const;
  CountSet complement() const;
  CountSet intersect(const CountSet& other) const;
  bool overlaps(const CountSet& other) const;
  /// Sorted, disjoint.
  const std::vector<Interval>& intervals() const { return intervals_; }

 private:
  explicit CountSet(std::vector<Interval> intervals) : intervals_(std::move(intervals)) {}

  std::vector<Interval> intervals_;
};

/// Names of namespaces: each group of globs must have one that matches, and no glob of `none`.
struct GlobSet {
  std::vector<std::vector<std::string>> groups;
  std::vector<std::string> none;

  bool is_any() const { return groups.empty() && none.empty(); }
  /// No glob of the groups has a wildcard.
  bool is_plain() const;
  /// A quick answer: true only where no name is in both.
  bool is_surely_disjoint(const GlobSet& other) const;
  /// A valid name in the set, or nothing where there is none. Where the search would take too
  /// long, a name that is only likely to be in the set.
  std::optional<std::string> example() const;
};

}  // namespace berth::rules
