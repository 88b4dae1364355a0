// Region: the pods that a rule can apply to, as a product of sets of values, one a fact. Regions
// are made of match entries and of top-level `fact op constant` tests in conditions; they can be
// intersected, and an entry of `except` can be taken away. A region that is not empty gives an
// example of a pod in it. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/cel/program.h"
#include "rules/rule.h"
#include "rules/value_sets.h"

namespace berth::rules {

/// A pod that two rules would both match, as their facts.
struct Example {
  std::string intent;
  std::string namespace_name;
  std::map<std::string, std::string> labels;
  std::map<std::string, std::string> namespace_labels;
  std::string kind;
  std::string framework;
  std::string vendor;
  std::string operation;
  std::int64_t gpus = 0;
  std::int64_t pods = 1;
  bool wants_gpu = true;
  /// Every condition was judged: such a pod really is matched. Else it depends on conditions that
  /// only a request can tell.
  bool certain = true;
  std::string text;  ///< "intent training, namespace team-nlp, 8 GPUs"
};

class Region {
 public:
  /// All pods.
  Region();
  /// The pods of a match entry.
  explicit Region(const Match& match);

  Region intersect(const Region& other) const;

  /// Narrows to the pods for which the conditions of a rule hold, as far as they are plain tests.
  /// Parts that are not make the region uncertain.
  void narrow(const Rule& rule, const RuleSet& set);

  bool is_empty() const;
  /// A quick answer: true only where the intersection is empty for sure.
  bool is_surely_disjoint(const Region& other) const;
  bool is_certain() const { return certain_; }
  /// Requires: not empty.
  Example example() const;

  /// What absent keys of an entry mean: in `match` any GPU and CREATE, in `except` nothing.
  enum class Keys : std::uint8_t { kOfMatch, kOfExcept };

  /// The pods of the region that are pods of the entry, too.
  Region within(const Match& entry, Keys keys) const;
  /// What is left of the region when one fact must lie outside of what the entry wants, for each
  /// fact that it names. Their union is the region without the entry's pods.
  std::vector<Region> without(const Match& entry, Keys keys) const;
  /// Some pod of the region asks for several whole GPUs.
  bool has_several_gpus() const;

 private:
  enum class Word : std::uint8_t { kIntent, kKind, kFramework, kVendor, kOperation, kWantsGpu };
  static constexpr std::size_t kWords = 6;
  struct Constraint;  // what one key of a match wants of one fact
  struct Test {       // what a condition wants of a fact that no key of a match knows
    std::string path;
    cel::Comparison comparison = cel::Comparison::kEqual;
    cel::Value constant;
  };
  struct Counts {
    std::int64_t gpus = 0;
    std::int64_t pods = 1;
  };

  static std::vector<Constraint> constraints_of(const Match& match, Keys keys);
  void apply(const Constraint& constraint);
  void narrow_by_program(const cel::Program& program, const Rule& rule, const RuleSet& set,
                         int depth);
  void narrow_by_test(const cel::FactTest& test, const Rule& rule, const RuleSet& set, int depth);
  bool take_label(const cel::FactTest& test);
  bool take_word(const cel::FactTest& test);
  bool take_count(const cel::FactTest& test);
  void seal();

  TextSet& word(Word which) { return words_[static_cast<std::size_t>(which)]; }
  const TextSet& word(Word which) const { return words_[static_cast<std::size_t>(which)]; }
  std::optional<Counts> find_counts() const;
  std::optional<std::int64_t> find_pods(std::int64_t gpus) const;
  bool tests_can_hold() const;
  std::string describe(const Example& example) const;

  TextSet words_[kWords];
  std::map<std::string, TextSet, std::less<>> labels_;
  std::map<std::string, TextSet, std::less<>> namespace_labels_;
  GlobSet namespaces_;
  CountSet gpus_;
  CountSet pods_;
  CountSet total_;
  std::vector<Test> tests_;
  bool certain_ = true;
  std::uint64_t masks_[kWords] = {};  // of the words
};

/// Entries to keep out of, with what their absent keys mean.
struct Exclusion {
  const Match* entry = nullptr;
  Region::Keys keys = Region::Keys::kOfExcept;
};

/// The part of the region that is outside of all entries, or nothing where there is none. Where
/// the search would take too long, a part that may be inside of some.
std::optional<Region> find_outside(const Region& region, std::span<const Exclusion> exclusions);

/// The pods that a rule can apply to, but for its `except`: one region an entry of its match.
std::vector<Region> regions_of(const Rule& rule, const RuleSet& set);

/// The entries of `except`. The rule must outlive them.
std::vector<Exclusion> exclusions_of(const Rule& rule);

}  // namespace berth::rules
