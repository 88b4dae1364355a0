// Text with ${...}: cut into literal parts and expressions, before any expression is compiled. A
// brace inside a CEL string or map does not end the expression; "$${" stands for "${". Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::rules {

struct TemplatePart {
  enum class Kind { kLiteral, kExpression } kind = Kind::kLiteral;
  std::string text;        ///< of an expression: what is between the braces
  std::size_t offset = 0;  ///< of an expression: of its first character in the template
};

struct TemplateParts {
  std::vector<TemplatePart> parts;     ///< in order
  std::optional<std::size_t> unended;  ///< offset of a "${" that has no end
};
TemplateParts template_parts(std::string_view text);

}  // namespace berth::rules
