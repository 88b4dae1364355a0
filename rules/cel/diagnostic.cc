#include "rules/cel/diagnostic.h"

#include <algorithm>

namespace berth::rules::cel {

std::string to_text(const Diagnostic& diagnostic) {
  std::string out = std::to_string(diagnostic.begin);
  out += ": ";
  out += base::to_text(diagnostic.severity);
  out += ": " + diagnostic.text;
  if (!diagnostic.hint.empty()) out += "; " + diagnostic.hint;
  return out;
}

bool has_errors(const std::vector<Diagnostic>& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& d) { return d.severity == base::Severity::kError; });
}

}  // namespace berth::rules::cel
