// explain: an answer for people and for programs: what was recognised, what changed and which rule
// line did it, what was kept, overruled, refused. Pure printing of an Answer.
#pragma once

#include <cstdint>
#include <string>

#include "rules/rule.h"
#include "topology/snapshot.h"
#include "webhook/admit.h"
#include "webhook/review.h"

namespace berth::webhook {

struct ExplainOptions {
  enum class Rules : std::uint8_t {
    kApplied,
    kAll
  } rules = Rules::kApplied;  ///< kAll: why each other rule did not apply
  enum class Colour : std::uint8_t { kNever, kAlways } colour = Colour::kNever;
};

/// "team-a/train-0"; generateName with a star where there is no name.
std::string display_name(const Review& review);

/// One block an object, ending with a newline.
std::string explain_text(const Review& review, const Answer& answer, const rules::RuleSet& rules,
                         const ExplainOptions& options);

/// One JSON object on one line, without a newline; the fields are listed in docs/explain.md.
std::string explain_json(const Review& review, const Answer& answer, const World& world,
                         base::Arena& arena);

}  // namespace berth::webhook
