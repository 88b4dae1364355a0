// apply: a decision to recorded changes, slot by slot in a fixed order. What the author wrote is
// kept unless the rule says otherwise; nothing written contradicts it. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "kube/json.h"
#include "mutate/editor.h"
#include "rules/decision.h"
#include "rules/facts.h"
#include "topology/snapshot.h"

namespace berth::mutate {

/// A value of the author that stayed although a rule wanted another.
struct Kept {
  const rules::Rule* rule = nullptr;
  rules::Slot slot;
  std::string path;    ///< pointer from the root of the object
  std::string wanted;  ///< what the rule wanted, as text
  std::string found;   ///< what stayed
};

struct Outcome {
  kube::Json object;  ///< after the changes
  Changes changes;
  std::vector<Kept> kept;
  std::vector<rules::Message>
      warnings;  ///< contradictions, conflicts, fields that could not be written
  std::vector<rules::Message> denials;  ///< of `existing: deny` and `orElse: deny`
  std::vector<rules::Message> notes;    ///< for explain: which nodes are named and why, or why none
  std::size_t nodes_named = 0;          ///< by `placement: {pack}`
};

struct GangPlan;

struct ApplyOptions {
  std::string_view label_prefix = "berth.dev";
  const GangPlan* gang = nullptr;  ///< of the workload; null: no gang is set up
};

/// Kueue compares the owner's templates with a Workload that somebody made from it: they stay.
bool has_prebuilt_workload(kube::Json owner);

Outcome apply(const rules::Decision& decision, const rules::Subject& subject,
              const rules::Facts& facts, const topology::Snapshot& cluster, base::Arena& arena,
              const ApplyOptions& options);

}  // namespace berth::mutate
