// merge: the effects of all rules that hold, slot by slot. The highest precedence wins a slot, the
// lower rule id among equals; who loses with another value is reported. Pure.
#pragma once

#include <span>

#include "rules/decision.h"
#include "rules/judge.h"

namespace berth::rules {

/// A rule that holds, with the values of its assignments.
struct Holding {
  const Rule* rule = nullptr;
  std::span<const Rendered> rendered;
};

/// Fills settings (in order of slots), overruled, and a warning where only the rule id decided.
void merge(std::span<const Holding> holdings, Decision& decision, base::Arena& arena);

}  // namespace berth::rules
