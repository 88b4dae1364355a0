// Rule files to a rule set, or all problems of all files. The same function serves serve, check,
// test and the validating endpoint.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/problem.h"
#include "base/source_text.h"
#include "rules/precedence_band.h"
#include "rules/rule.h"

namespace berth::rules {

struct LoadOptions {
  std::vector<std::string> levels = {"node", "nvlink", "rack", "block",
                                     "zone"};  ///< names that rules may use
  std::string label_prefix = "berth.dev";
  std::vector<PrecedenceBand> bands;  ///< empty: every file may use every precedence
  std::string folder;                 ///< stands for the folder of texts whose name has none
};

struct LoadResult {
  std::shared_ptr<const RuleSet> rules;  ///< null when there is an error
  base::Problems problems;               ///< sorted by place
};

/// Loads all texts as one set. Problems: syntax, unknown keys with suggestions, wrong types and
/// ranges, conflicts between rules, rules that can never apply.
LoadResult load(std::span<const base::SourceText> texts, const LoadOptions& options);

}  // namespace berth::rules
