#include "rules/cel/lexer.h"

#include <algorithm>
#include <array>
#include <string>

#include "rules/cel/utf8.h"

namespace berth::rules::cel {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool in_name(char c) {
  return starts_name(c) || is_digit(c);
}

constexpr std::array<std::string_view, 6> kTwoBytes = {"&&", "||", "==", "!=", "<=", ">="};
constexpr std::string_view kOneByte = "<>!-+*/%()[]{}.,?:";

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  return (c >= 'a' ? c - 'a' : c - 'A') + 10;
}

// One escape of a literal, at the byte behind the backslash.
class Unescaper {
 public:
  Unescaper(std::string_view body, TokenKind kind) : body_(body), kind_(kind) {}

  bool run(std::string* out);
  std::string_view error() const { return error_; }
  std::size_t error_at() const { return at_; }

 private:
  bool escape(std::string* out);
  bool number(std::string* out, std::size_t digits, unsigned base);
  bool put(std::string* out, char32_t code, std::size_t digits);

  std::string_view body_;
  TokenKind kind_;
  std::size_t at_ = 0;
  std::string_view error_;
};

bool Unescaper::run(std::string* out) {
  while (at_ < body_.size()) {
    const char c = body_[at_];
    if (c != '\\') {
      // A line end in a literal is one \n however the file ends its lines.
      if (c != '\r') {
        out->push_back(c);
      } else if (at_ + 1 >= body_.size() || body_[at_ + 1] != '\n') {
        out->push_back('\n');
      }
      ++at_;
    } else if (!escape(out)) {
      return false;
    }
  }
  return true;
}

bool Unescaper::escape(std::string* out) {
  static constexpr std::string_view kFrom = "abfnrtv\\?\"'`";
  static constexpr std::string_view kTo = "\a\b\f\n\r\t\v\\?\"'`";
  if (at_ + 1 >= body_.size()) {
    error_ = "unfinished escape";
    return false;
  }
  const char c = body_[at_ + 1];
  if (const auto simple = kFrom.find(c); simple != std::string_view::npos) {
    out->push_back(kTo[simple]);
    at_ += 2;
    return true;
  }
  switch (c) {
    case 'x':
    case 'X':
      at_ += 2;
      return number(out, 2, 16);
    case 'u':
      at_ += 2;
      return number(out, 4, 16);
    case 'U':
      at_ += 2;
      return number(out, 8, 16);
    default:
      break;
  }
  if (c >= '0' && c <= '3') {
    at_ += 1;
    return number(out, 3, 8);
  }
  error_ = "unknown escape; a backslash itself is written '\\\\', or use a raw string r'...'";
  return false;
}

bool Unescaper::number(std::string* out, std::size_t digits, unsigned base) {
  char32_t code = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    const char c = at_ < body_.size() ? body_[at_] : '\0';
    if (!is_hex(c) || hex_value(c) >= static_cast<int>(base)) {
      error_ = "an escape is too short: \\x has 2 hexadecimal digits, \\u 4, \\U 8, octal 3 digits";
      return false;
    }
    code = code * base + static_cast<char32_t>(hex_value(c));
    ++at_;
  }
  return put(out, code, digits);
}

bool Unescaper::put(std::string* out, char32_t code, std::size_t digits) {
  if (kind_ == TokenKind::kBytes) {
    if (digits > 3) {
      error_ = "\\u and \\U are not for bytes; write the bytes as \\x";
      return false;
    }
    out->push_back(static_cast<char>(code));
    return true;
  }
  if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
    error_ = "the escape names no character";
    return false;
  }
  append_utf8(*out, code);
  return true;
}

}  // namespace

bool unescape(std::string_view body, TokenKind kind, base::Arena& arena, std::string_view* out,
              std::string_view* error, std::size_t* error_at) {
  if (body.find_first_of("\\\r") == std::string_view::npos) {
    *out = arena.copy(body);
    return true;
  }
  std::string text;
  Unescaper unescaper(body, kind);
  if (!unescaper.run(&text)) {
    *error = unescaper.error();
    *error_at = std::min(unescaper.error_at(), body.size());
    return false;
  }
  *out = arena.copy(std::string_view(text));
  return true;
}

bool is_reserved(std::string_view word) {
  static constexpr std::array<std::string_view, 17> kWords = {
      "as",  "break",     "const",   "continue", "else", "for",  "function", "if",  "import",
      "let", "namespace", "package", "return",   "var",  "void", "while",    "loop"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

Token Lexer::token(TokenKind kind, std::size_t begin) const {
  return {kind, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_),
          text_.substr(begin, at_ - begin)};
}

Token Lexer::error(std::size_t begin, std::string_view message) const {
  return {TokenKind::kError, static_cast<std::uint32_t>(begin),
          static_cast<std::uint32_t>(std::min(std::max(at_, begin + 1), text_.size())), message};
}

void Lexer::skip_blanks() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f') {
      ++at_;
    } else if (text_.substr(at_, 2) == "//") {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else {
      return;
    }
  }
}

Token Lexer::next() {
  skip_blanks();
  if (at_ >= text_.size()) return token(TokenKind::kEnd, at_);
  const char c = text_[at_];
  if (starts_name(c)) return name_or_string();
  if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) {
    return number();
  }
  if (c == '"' || c == '\'') return string(at_, at_, TokenKind::kString, false);
  if (c == '`') return quoted_name();
  return symbol();
}

Token Lexer::name_or_string() {
  const auto begin = at_;
  // A prefix of at most one b and one r, directly before a quote, makes a literal.
  auto quote = begin;
  auto kind = TokenKind::kString;
  bool raw = false;
  for (; quote < text_.size() && quote < begin + 2; ++quote) {
    const char c = text_[quote];
    if ((c == 'b' || c == 'B') && kind == TokenKind::kString) {
      kind = TokenKind::kBytes;
    } else if ((c == 'r' || c == 'R') && !raw) {
      raw = true;
    } else {
      break;
    }
  }
  if (quote > begin && quote < text_.size() && (text_[quote] == '"' || text_[quote] == '\'')) {
    return string(begin, quote, kind, raw);
  }
  while (at_ < text_.size() && in_name(text_[at_])) ++at_;
  return token(TokenKind::kName, begin);
}

Token Lexer::string(std::size_t begin, std::size_t quote, TokenKind kind, bool raw) {
  const char mark = text_[quote];
  const bool triple = text_.substr(quote, 3) == std::string(3, mark);
  const std::size_t width = triple ? 3 : 1;
  const auto body = quote + width;
  at_ = body;
  while (true) {
    if (at_ >= text_.size() || (!triple && (text_[at_] == '\n' || text_[at_] == '\r'))) {
      return error(begin, "the string does not end");
    }
    if (text_[at_] == '\\' && !raw) {
      at_ += 2;
    } else if (text_[at_] == mark && (!triple || text_.substr(at_, 3) == std::string(3, mark))) {
      break;
    } else {
      ++at_;
    }
  }
  const auto inside = text_.substr(body, at_ - body);
  at_ += width;
  Token out = token(kind, begin);
  std::string_view problem;
  std::size_t problem_at = 0;
  if (raw) {
    out.text = arena_.copy(inside);
  } else if (!unescape(inside, kind, arena_, &out.text, &problem, &problem_at)) {
    return error(body + problem_at, problem);
  }
  return out;
}

Token Lexer::number() {
  const auto begin = at_;
  auto kind = TokenKind::kInt;
  const auto digits = [this] {
    const auto from = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    return at_ > from;
  };
  if (text_.substr(at_, 2) == "0x" || text_.substr(at_, 2) == "0X") {
    at_ += 2;
    while (at_ < text_.size() && is_hex(text_[at_])) ++at_;
    if (at_ == begin + 2) return error(begin, "hexadecimal digits are missing");
  } else {
    digits();
    if (at_ + 1 < text_.size() && text_[at_] == '.' && is_digit(text_[at_ + 1])) {
      kind = TokenKind::kDouble;
      ++at_;
      digits();
    }
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      kind = TokenKind::kDouble;
      ++at_;
      if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
      if (!digits()) return error(begin, "the exponent has no digits");
    }
  }
  if (kind == TokenKind::kInt && at_ < text_.size() && (text_[at_] == 'u' || text_[at_] == 'U')) {
    kind = TokenKind::kUint;
    ++at_;
  }
  if (at_ < text_.size() && in_name(text_[at_])) {
    while (at_ < text_.size() && in_name(text_[at_])) ++at_;
    return error(begin, "not a number");
  }
  return token(kind, begin);
}

Token Lexer::quoted_name() {
  const auto begin = at_++;
  while (at_ < text_.size() && (in_name(text_[at_]) || text_[at_] == '.' || text_[at_] == '-' ||
                                text_[at_] == '/' || text_[at_] == ' ')) {
    ++at_;
  }
  if (at_ >= text_.size() || text_[at_] != '`' || at_ == begin + 1) {
    return error(begin, "a name in backquotes has letters, digits, '_', '.', '-', '/' or blanks");
  }
  ++at_;
  Token out = token(TokenKind::kQuoted, begin);
  out.text = out.text.substr(1, out.text.size() - 2);
  return out;
}

Token Lexer::symbol() {
  const auto begin = at_;
  for (const auto two : kTwoBytes) {
    if (text_.substr(at_, 2) == two) {
      at_ += 2;
      return token(TokenKind::kSymbol, begin);
    }
  }
  if (kOneByte.find(text_[at_]) != std::string_view::npos) {
    ++at_;
    return token(TokenKind::kSymbol, begin);
  }
  static constexpr std::array<std::pair<char, std::string_view>, 4> kHints = {{
      {'&', "a single '&' is no operator; did you mean '&&'?"},
      {'|', "a single '|' is no operator; did you mean '||'?"},
      {'=', "a single '=' is no operator; did you mean '=='?"},
      {'$', "'$' has no meaning inside an expression"},
  }};
  for (const auto& [byte, hint] : kHints) {
    if (text_[at_] == byte) return error(begin, hint);
  }
  at_ += std::max<std::size_t>(utf8_length(text_.substr(at_)), 1);
  return error(begin, "the character has no meaning here");
}

}  // namespace berth::rules::cel
