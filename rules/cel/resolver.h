// Resolver: says what the names of a tree mean, before types are looked at: variables of macros,
// declared variables (also with dots in their names), `variables.x`, types as values, and functions
// in a namespace such as math.greatest.
#pragma once

#include <string_view>
#include <vector>

#include "rules/cel/ast.h"
#include "rules/cel/diagnostic.h"
#include "rules/cel/environment.h"

namespace berth::rules::cel {

/// Whether an unknown name is an error now, or when it is evaluated.
enum class Checking : std::uint8_t { kChecked, kUnchecked };

void resolve(Ast& ast, const Environment& environment, Checking checking,
             std::vector<Diagnostic>& diagnostics);

}  // namespace berth::rules::cel
