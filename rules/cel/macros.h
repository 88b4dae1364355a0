// Macros: calls that the parser turns into nodes of their own, because their arguments are not
// values but names and bodies.
#pragma once

#include <string>

#include "rules/cel/ast.h"

namespace berth::rules::cel {

/// Rewrites `call` in place where it is a macro by name, style and number of arguments. A non-empty
/// result is an error at `*error_at`.
std::string expand_macro(Ast& ast, Expr& call, const Expr** error_at);

}  // namespace berth::rules::cel
