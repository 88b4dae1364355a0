// Lints: rules that load, but most likely do not do what their author wants. Warnings only. Pure.
#pragma once

#include <span>
#include <vector>

#include "base/problem.h"
#include "base/source_text.h"
#include "rules/rule.h"

namespace berth::rules {

/// Rules that can never apply, rules that another covers, slices for pods of any size, several
/// schedulers for the same nodes. Rules that are not sound (`sound` has an entry a rule) are left
/// out.
void report_lints(const RuleSet& set, const std::vector<bool>& sound,
                  std::span<const base::SourceText> sources, base::Problems& problems);

}  // namespace berth::rules
