// Parser: text of an expression to its tree, by operator precedence (Pratt). Macros (has, all,
// exists, map, cel.bind, ...) become nodes of their own. The first error ends it.
#pragma once

#include <string_view>
#include <vector>

#include "rules/cel/ast.h"
#include "rules/cel/diagnostic.h"

namespace berth::rules::cel {

/// Parses the whole text into `ast`. Returns false and adds one diagnostic where it is not an
/// expression, or over a limit of compile.h. The tree views the text, which must outlive it.
bool parse(std::string_view text, Ast& ast, std::vector<Diagnostic>& diagnostics);

}  // namespace berth::rules::cel
