// compile: text of an expression to a program, or everything that is wrong with it. Names and types
// are checked against the environment, constants folded, patterns compiled and the worst-case cost
// estimated, all at load.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rules/cel/diagnostic.h"
#include "rules/cel/environment.h"
#include "rules/cel/program.h"

namespace berth::rules::cel {

// Limits of one expression.
inline constexpr std::size_t kMaxTextBytes = 4096;
inline constexpr int kMaxNesting = 250;
inline constexpr int kMaxNodes = 2000;
inline constexpr std::int64_t kMaxWorstUnits = 10 * kUnitsPerExpression;

struct Compilation {
  std::shared_ptr<const Program> program;  ///< null where there are errors
  std::vector<Diagnostic> diagnostics;     ///< errors and warnings, by offset
};

/// Compiles with type check. `expected` is a type text, or several with `|` between them
/// ("string|int"); "dyn" takes every type.
Compilation compile(std::string_view text, const Environment& environment,
                    std::string_view expected = "dyn");

/// Parses and evaluates without type check: unknown names and functions fail when evaluated. For
/// conformance cases and dynamic tools; rules always use compile().
Compilation compile_unchecked(std::string_view text, const Environment& environment);

/// Names after `variables.` in a text, sorted, without any check: what a loader needs to compile
/// computed variables in order and to find cycles. Empty where the text does not parse.
std::vector<std::string> computed_names(std::string_view text);

}  // namespace berth::rules::cel
