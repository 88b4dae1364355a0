// Replay: recorded reviews through one rule set, or through two and what differs: the blast radius
// of a change before it is made. Numbers first, by outcome, rule, namespace and field; examples
// after. Pure counting and printing.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "webhook/admit.h"
#include "webhook/review.h"

namespace berth::webhook {

/// How one review fares under the second set as compared with the first.
struct ReplayDifference {
  std::string name;   ///< "team-a/train-*"
  std::string place;  ///< where the review was read
  std::string namespace_name;
  std::string before;  ///< outcome word
  std::string after;
  std::set<std::string> fields;   ///< paths within the pod that end up different, list positions as
                                  ///< '*'; "warnings", "denials". Without berth's own record
  std::set<std::string> gained;   ///< rules that apply now
  std::set<std::string> lost;     ///< rules that no longer apply
  std::set<std::string> changed;  ///< rules that apply under both sets and do something else
  std::string example;            ///< one field: "path: old -> new", "denials: text"
};

class Replay {
 public:
  static constexpr std::size_t kExamples = 10;

  /// Judges one review by one set.
  void add(const Review& review, const World& world);
  /// Judges one review by both sets. `place` names the recording.
  void compare(const Review& review, const std::string& place, const World& before,
               const World& after);
  /// A recording that is no review.
  void skip() { ++unreadable_; }

  std::size_t reviews() const { return reviews_; }
  std::size_t different() const { return differences_.size(); }
  std::size_t unreadable() const { return unreadable_; }

  std::string text() const;
  std::string json() const;

 private:
  using Count = std::map<std::string, std::size_t>;
  void count_outcome(const Answer& answer);

  std::size_t reviews_ = 0;
  std::size_t unreadable_ = 0;
  bool two_sets_ = false;
  Count outcomes_;  // of the set that is judged (the second of two)
  Count rules_;     // how often each rule applied
  std::vector<ReplayDifference> differences_;
};

}  // namespace berth::webhook
