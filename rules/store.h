// Store: the rule set in force. refresh() reads the files again; a set without errors is built
// aside and put in force in one step, a bad one changes nothing and is remembered with its
// problems. Content decides, not file times: a mounted ConfigMap is swapped by a symlink. Readers:
// every thread. refresh(): one thread at a time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/problem.h"
#include "base/published.h"
#include "base/source_text.h"
#include "rules/loader.h"
#include "rules/rule.h"

namespace berth::rules {

/// Why the files as they are now are not in force.
struct LoadFailure {
  base::Problems problems;
};

enum class Refresh { kUnchanged, kReplaced, kRefused };

class Store {
 public:
  /// Reads all rule files; what cannot be read is a problem.
  using ReadTexts = std::function<std::vector<base::SourceText>(base::Problems&)>;

  Store(ReadTexts read, LoadOptions options);

  /// kRefused once for each distinct bad content; the same bad content again is kUnchanged.
  Refresh refresh();

  /// The set in force; its value is null until the first good load.
  const base::Published<RuleSet>& published() const { return published_; }
  /// The problems of the last attempt when it failed; null while it was good.
  std::shared_ptr<const LoadFailure> failure() const { return failure_.get(); }
  /// Warnings of the set in force.
  std::shared_ptr<const LoadFailure> warnings() const { return warnings_.get(); }

 private:
  ReadTexts read_;
  LoadOptions options_;
  std::string seen_;  // refresh() only: what the last attempt saw
  base::Published<RuleSet> published_;
  base::Published<LoadFailure> failure_;
  base::Published<LoadFailure> warnings_;
};

}  // namespace berth::rules
