// Lexer: text of an expression to tokens, one at a time. Positions are byte offsets. Strings are
// unescaped into an arena.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/arena.h"

namespace berth::rules::cel {

enum class TokenKind : std::uint8_t {
  kEnd,
  kError,   // `text` says what is wrong
  kName,    // also reserved words
  kQuoted,  // `name in backquotes`, only behind a dot
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kSymbol,  // operators and punctuation; `text` is what stands there
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::string_view text;  ///< as written; of strings the unescaped content; of errors the message

  bool is(std::string_view symbol) const { return kind == TokenKind::kSymbol && text == symbol; }
  bool is_name(std::string_view name) const { return kind == TokenKind::kName && text == name; }
};

class Lexer {
 public:
  /// The text and the arena must outlive the tokens.
  Lexer(std::string_view text, base::Arena& arena) : text_(text), arena_(arena) {}

  Token next();

 private:
  void skip_blanks();
  Token name_or_string();
  Token number();
  Token quoted_name();
  Token symbol();
  Token string(std::size_t begin, std::size_t quote, TokenKind kind, bool raw);
  Token token(TokenKind kind, std::size_t begin) const;
  Token error(std::size_t begin, std::string_view message) const;

  std::string_view text_;
  std::size_t at_ = 0;
  base::Arena& arena_;
};

/// Unescapes the inside of a string or bytes literal into the arena. Returns false and sets `error`
/// and `error_at` (offset in `body`) where an escape is wrong.
bool unescape(std::string_view body, TokenKind kind, base::Arena& arena, std::string_view* out,
              std::string_view* error, std::size_t* error_at);

/// Words that CEL keeps for the future ("for", "namespace", ...): no variable may have such a name.
bool is_reserved(std::string_view word);

}  // namespace berth::rules::cel
