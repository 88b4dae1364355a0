// decide: facts and rules to a decision. Pure: same arguments, same decision; no clock, lock or
// I/O.
#pragma once

#include "base/arena.h"
#include "rules/decision.h"
#include "rules/facts.h"
#include "rules/rule.h"
#include "topology/snapshot.h"

namespace berth::rules {

struct DecideOptions {
  enum class Reasons : std::uint8_t {
    kNone,
    kAll
  } reasons = Reasons::kNone;  ///< fill Decision::not_applied
  enum class Effort : std::uint8_t {
    kFull,
    kReduced
  } effort = Effort::kFull;  ///< kReduced: no audit rules
  enum class RolloutDraw : std::uint8_t {
    kHash,
    kIn,
    kOut
  } rollout = RolloutDraw::kHash;  ///< rule tests pin it
};

/// Judges every rule on the subject as it came, then merges the effects slot by slot (highest
/// precedence wins, the lower rule id among equals), then turns topology words into definite
/// values.
Decision decide(const Subject& subject, const Request& request, const Facts& facts,
                const RuleSet& rules, const topology::Snapshot& cluster, base::Arena& arena,
                const DecideOptions& options = {});

/// The same into a decision whose memory is used again. With a warm arena and a set that has its
/// index, nothing is allocated but for messages, for reasons, and for answers about the topology.
void decide_into(Decision& decision, const Subject& subject, const Request& request,
                 const Facts& facts, const RuleSet& rules, const topology::Snapshot& cluster,
                 base::Arena& arena, const DecideOptions& options = {});

}  // namespace berth::rules
