#include "rules/template_parts.h"

#include <utility>

namespace berth::rules {
namespace {

/// Offset just behind the CEL string that starts with a quote at `at`, or npos.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string_view three = text.substr(at, 3);
  const bool triple = three.size() == 3 && three[1] == quote && three[2] == quote;
  const bool raw = at > 0 && (text[at - 1] == 'r' || text[at - 1] == 'R');
  for (std::size_t i = at + (triple ? 3 : 1); i < text.size(); ++i) {
    if (text[i] == '\\' && !raw) {
      ++i;
    } else if (triple && text.substr(i, 3) == three) {
      return i + 3;
    } else if (!triple && text[i] == quote) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

/// Offset of the brace that ends the expression which starts at `at`, or npos.
std::size_t end_of_expression(std::string_view text, std::size_t at) {
  int open = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '\'' || c == '"') {
      at = end_of_string(text, at);
      continue;
    }
    if (c == '{') ++open;
    if (c == '}' && open-- == 0) return at;
    ++at;
  }
  return std::string_view::npos;
}

}  // namespace

TemplateParts template_parts(std::string_view text) {
  TemplateParts out;
  std::string literal;
  const auto end_literal = [&] {
    if (literal.empty()) return;
    out.parts.push_back({TemplatePart::Kind::kLiteral, std::exchange(literal, {}), 0});
  };
  for (std::size_t at = 0; at < text.size();) {
    if (text.substr(at, 3) == "$${") {
      literal += "${";
      at += 3;
    } else if (text.substr(at, 2) == "${") {
      const std::size_t end = end_of_expression(text, at + 2);
      if (end == std::string_view::npos) {
        out.unended = at;
        return out;
      }
      end_literal();
      out.parts.push_back({TemplatePart::Kind::kExpression,
                           std::string(text.substr(at + 2, end - at - 2)), at + 2});
      at = end + 1;
    } else {
      literal += text[at++];
    }
  }
  end_literal();
  return out;
}

}  // namespace berth::rules
