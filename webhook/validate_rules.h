// Validating rule files where they live: the review of a ConfigMap in, a verdict out. What berth
// would not load is refused at `kubectl apply`, before it ever reaches a mounted folder. Pure; may
// be called from every thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rules/loader.h"
#include "webhook/review.h"

namespace berth::webhook {

enum class RulesOutcome {
  kIgnored,   ///< not a ConfigMap with rule files, or not being written
  kAccepted,  ///< its rule files make a set
  kRefused,   ///< they do not
};

std::string_view to_text(RulesOutcome outcome);

struct RulesVerdict {
  RulesOutcome outcome = RulesOutcome::kIgnored;
  std::string reason;                 ///< of kIgnored, for the log
  std::string message;                ///< of kRefused: every problem with its place
  std::vector<std::string> warnings;  ///< what the person should know all the same
  std::size_t problems = 0;           ///< errors and warnings found
};

/// Loads the rule files of a ConfigMap (keys that end in .yaml, .yml or .json) as one set, as serve
/// would. A ConfigMap concerns us when it carries the label PREFIX/rules: "true", or without the
/// label when a file says that it is a RuleSet of berth. An update that leaves the files as they
/// were is never refused.
RulesVerdict validate_rules(const Review& review, const rules::LoadOptions& options);

}  // namespace berth::webhook
