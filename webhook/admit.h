// admit: the heart. (review, rules, cluster) -> answer, pure: same arguments, same bytes; no clock,
// lock or I/O. The server, explain, rule tests, replay and the fuzzers all call this function.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "kube/json.h"
#include "mutate/apply.h"
#include "rules/decision.h"
#include "rules/engine.h"
#include "rules/facts.h"
#include "rules/rule.h"
#include "rules/stated_facts.h"
#include "topology/snapshot.h"
#include "webhook/review.h"

namespace berth::webhook {

/// The same words are metric labels, audit values and `explain` output.
enum class Outcome : std::uint8_t { kPatched, kUnchanged, kDenied, kIgnored, kFailedSafe };
std::string_view to_text(Outcome outcome);

/// What is the same for all requests of a server.
struct Limits {
  std::string label_prefix = "berth.dev";
  std::vector<std::string> excluded_namespaces = {"kube-system", "kube-public", "kube-node-lease",
                                                  "berth"};
  /// Where `<prefix>/ignore` counts; with '*' as wildcard.
  std::vector<std::string> opt_out_namespaces = {"*"};
  rules::DecideOptions decide;
  rules::StatedFacts stated;  ///< rule tests state what a shorthand pod cannot show
};

struct World {
  const rules::RuleSet& rules;
  const topology::Snapshot& cluster;
  const Limits& limits;
};

/// One pod template of the object (a Pod has one, itself), decided and written.
struct Part {
  rules::Subject subject;
  rules::Facts facts;
  rules::Decision decision;
  mutate::Outcome outcome;
  bool malformed = false;  ///< a value has a type that no pod has there: left as it is
};

struct Answer {
  Outcome outcome = Outcome::kIgnored;
  std::string reason;  ///< why ignored, or what the self-check found
  std::vector<Part> parts;
  std::size_t main_part = 0;  ///< the part that asks for most GPUs; meaningless when there is none
  kube::Json object;          ///< after the changes; as it came when nothing is changed
  mutate::Changes changes;
  std::vector<rules::Message> warnings;
  std::vector<rules::Message> denials;

  bool allowed() const { return outcome != Outcome::kDenied; }
};

/// Decides on one review. Everything the answer points to lives in the review, the world or the
/// arena.
Answer admit(const Review& review, const World& world, base::Arena& arena);

/// The answer when something unforeseen happened: allowed, unchanged, with a warning.
Answer fail_safe(const Review& review, std::string reason);

}  // namespace berth::webhook
