// Problem: the currency of every loader (rules, configuration, cluster files, rule tests). A loader
// returns all problems of all its inputs; one function prints them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/source_text.h"

namespace berth::base {

enum class Severity { kError, kWarning, kNote };

std::string_view to_text(Severity severity);

struct Problem {
  Severity severity = Severity::kError;
  std::string code;  ///< stable, kebab-case, from the owner's table: "unknown-key", "conflict"
  Place place;
  std::string text;     ///< lower case, no full stop; the author's word in single quotes
  std::string hint;     ///< what to do, may be empty: "did you mean 'totalGpus'?"
  std::string context;  ///< parents when the place alone does not tell: "rule size-tiers/one-node,
                        ///< key placement"
  std::string snippet;  ///< the line at the place, empty when unknown
  std::vector<Place> also;  ///< other places that the text speaks of

  bool operator==(const Problem&) const = default;
};

/// All problems of a load. Order is by place once sorted.
class Problems {
 public:
  void add(Problem problem) { list_.push_back(std::move(problem)); }
  void append(Problems other);

  bool empty() const { return list_.empty(); }
  bool has_errors() const;
  bool has_warnings() const;
  std::span<const Problem> list() const { return list_; }

  /// Sorts by place, stable, and drops exact duplicates.
  void sort();

 private:
  std::vector<Problem> list_;
};

/// "file:line:column: error: text; hint [context]", then the snippet with a caret. No trailing
/// newline.
std::string to_text(const Problem& problem);

/// Fills place and snippet of a problem from an offset in a text.
Problem problem_at(const SourceText& source, std::size_t offset, std::string code,
                   std::string text);

/// The candidate nearest to `word` by edit distance, or empty when none is near (distance > 2, or
/// more than a third of the word).
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

/// "did you mean 'x'?" or, with eight candidates or fewer, "expected one of a, b, c"; empty when
/// neither helps.
std::string suggestion(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace berth::base
