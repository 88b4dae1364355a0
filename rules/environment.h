// The names that conditions and ${...} may use, with their types: object, oldObject, request,
// namespaceObject, workload, topology. A rule file adds its `variables` to a copy. The getters are
// in rules/activation.
#pragma once

#include <span>
#include <string>

#include "rules/cel/environment.h"

namespace berth::rules {

/// The environment of every expression in rule files. Constant level names in calls on `topology`
/// must be among `levels`.
cel::Environment rule_environment(std::span<const std::string> levels);

}  // namespace berth::rules
