#include "base/yaml_hints.h"

#include <algorithm>

namespace berth::base {
namespace {

bool looks_like_expression(std::string_view line) {
  static constexpr std::string_view kSigns[] = {
      "==", "!=", "&&", "||", ">=", "<=", "(", " ? ", " > ", " < ", " + ", "!"};
  return std::any_of(std::begin(kSigns), std::end(kSigns),
                     [&](auto sign) { return line.find(sign) != std::string_view::npos; });
}

/// The part of a line that a key or a dash stands before.
std::string_view value_part(std::string_view line) {
  line = trimmed(line);
  while (line.starts_with("- ")) line = trimmed(line.substr(2));
  const auto colon = line.find(": ");
  const auto quote = line.find_first_of("'\"");
  if (colon != std::string_view::npos && colon < quote) line = trimmed(line.substr(colon + 2));
  return line;
}

}  // namespace

std::string_view trimmed(std::string_view line) {
  const auto first = line.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

std::string quote_hint(std::string_view line) {
  const std::string_view value = value_part(line);
  if (value.empty()) return {};
  const bool starts_badly =
      std::string_view("![{*&'\"@`%").find(value.front()) != std::string_view::npos;
  const bool flow = value.front() == '{' || value.front() == '[';
  const bool breaks_inside =
      !flow && (value.find(": ") != std::string_view::npos || value.ends_with(':') ||
                value.find(" #") != std::string_view::npos);
  if (!starts_badly && !breaks_inside) return {};
  if (looks_like_expression(value)) return "quote the expression";
  return breaks_inside ? "quote the text" : "";
}

bool is_indented_by_tab(std::string_view line) {
  const auto first = line.find_first_not_of(' ');
  return first != std::string_view::npos && line[first] == '\t';
}

std::size_t end_of_quoted(std::string_view text, std::size_t offset) {
  const char quote = text[offset];
  for (std::size_t i = offset + 1; i < text.size(); ++i) {
    if (text[i] == '\\' && quote == '"') {
      ++i;
    } else if (text[i] == quote) {
      if (quote == '"' || i + 1 == text.size() || text[i + 1] != quote) return i + 1;
      ++i;
    }
  }
  return std::string_view::npos;
}

std::string_view tag_hint(std::string_view line) {
  return looks_like_expression(value_part(line)) ? "quote the expression" : "quote the text";
}

}  // namespace berth::base
