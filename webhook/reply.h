// Reply: an answer as the AdmissionReview that goes back, in the version that asked. Nobody
// assembles a reply by hand. Limits: kubernetes/apiserver pkg/endpoints/filters/warning.go,
// admission/v1 types.go.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rules/rule.h"
#include "webhook/admit.h"
#include "webhook/validate_rules.h"

namespace berth::webhook {

inline constexpr std::size_t kWarningCharacters = 120;  ///< kubectl shows longer ones cut
inline constexpr std::size_t kWarningsBytes =
    4096;  ///< budget of one API request, all webhooks together
inline constexpr std::size_t kAuditChangesBytes = 4096;

/// One line, no control characters, at most 120 characters, cut between characters with "...".
std::string short_text(std::string_view text);

/// The warnings as users see them: short, the rule's id behind the text where there is room, within
/// the budget.
std::vector<std::string> short_warnings(const Answer& answer);

/// The text of a denial: all of them, each with its rule, and whom to ask.
std::string denial_text(const Answer& answer, const rules::RuleSet& rules);

/// The whole body, appended. `rules` is the set that was in force.
void append_reply(std::string& out, const Review& review, const Answer& answer,
                  const rules::RuleSet& rules, base::Arena& arena);

/// The whole body for a validated ConfigMap, appended.
void append_reply(std::string& out, const Review& review, const RulesVerdict& verdict);

}  // namespace berth::webhook
