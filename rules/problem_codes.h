// The table of problem codes of rule files: what each means, how severe it is. `berth check` prints
// the codes in its JSON form, docs/rules.md lists them, and tests/bad has a file for each. Static
// data.
#pragma once

#include <span>
#include <string_view>

#include "base/problem.h"

namespace berth::rules {

struct ProblemCode {
  std::string_view code;
  base::Severity severity = base::Severity::kError;
  std::string_view meaning;  ///< one line
};

/// All codes that loading rule files can give, by name.
std::span<const ProblemCode> problem_codes();

}  // namespace berth::rules
