// Diagnostic: what is wrong with an expression and where in it. The owner of the file turns it into
// a base::Problem by adding the place of the expression.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/problem.h"

namespace berth::rules::cel {

struct Diagnostic {
  base::Severity severity = base::Severity::kError;
  /// "cel-syntax", "cel-unknown-name", "cel-unknown-field", "cel-unknown-function", "cel-type",
  /// "cel-unavailable", "cel-constant", "cel-regex", "cel-limit", "cel-cost", "cel-pod-field".
  std::string code;
  std::string text;
  std::string hint;         ///< may be empty
  std::uint32_t begin = 0;  ///< bytes from the start of the expression
  std::uint32_t end = 0;

  bool operator==(const Diagnostic&) const = default;
};

/// "offset: error: text; hint", for tests and for people without a file.
std::string to_text(const Diagnostic& diagnostic);

bool has_errors(const std::vector<Diagnostic>& diagnostics);

}  // namespace berth::rules::cel
