// resolve: words that depend on the topology ("narrowest", "mig", "H100") to definite values of
// this cluster at this moment. Hard terms only where capacity can never hold the workload
// otherwise; what is merely full now is ranked. Pure.
#pragma once

#include "base/arena.h"
#include "rules/decision.h"
#include "rules/facts.h"
#include "topology/snapshot.h"

namespace berth::rules {

/// What the answers rest on.
struct Resolving {
  const Subject& subject;
  const Facts& facts;
  const topology::Snapshot& cluster;
  base::Arena& arena;
  Decision& decision;            ///< warnings and denials are added
  kube::Json extra_tolerations;  ///< those of the rules that won, and of the GPUs' own taint
};

/// Fills the answer of every setting that needs one. Views point into the snapshot, the rule set or
/// the arena.
void resolve(const Subject& subject, const Facts& facts, const topology::Snapshot& cluster,
             base::Arena& arena, Decision& decision);

/// The same for one setting, by slot.
void resolve_gpu(Resolving& resolving, Setting& setting);
void resolve_level(Resolving& resolving, Setting& setting);
void resolve_spread(Resolving& resolving, Setting& setting);
void resolve_products(Resolving& resolving, Setting& setting);

/// A list of tolerations: those that settings add, and for each vendor's GPUs the taint that its
/// nodes usually carry (the API server's own plug-in tolerates it for extended resources).
kube::Json tolerations_in_force(const Decision& decision, const Facts& facts, base::Arena& arena);

/// A warning with the setting's rule.
void warn(Resolving& resolving, const Setting& setting, std::string text);

}  // namespace berth::rules
