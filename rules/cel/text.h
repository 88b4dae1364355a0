// Texts made in an arena: conversions, format(), messages. No heap.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/arena.h"
#include "rules/cel/frame.h"
#include "rules/cel/value.h"

namespace berth::rules::cel {

class TextBuilder {
 public:
  /// Takes at most `limit` bytes; what is beyond is dropped and full() says so.
  TextBuilder(base::Arena& arena, std::size_t limit) : arena_(arena), limit_(limit) {}

  void append(std::string_view text);
  void append(char c) { append(std::string_view(&c, 1)); }
  void append_int(std::int64_t value);
  void append_uint(std::uint64_t value, int base = 10);
  /// Shortest form that reads back the same; NaN, +Inf and -Inf.
  void append_double(double value);

  std::string_view view() const { return {room_.data(), size_}; }
  bool full() const { return full_; }

 private:
  base::Arena& arena_;
  std::size_t limit_;
  std::span<char> room_;
  std::size_t size_ = 0;
  bool full_ = false;
};

/// How values look inside a text.
enum class Style : std::uint8_t {
  kMessage,  // for people: quantities short, strings in lists plain
  kSource,   // as an author would write it
};
void append_value(TextBuilder& out, Value value, Style style);

/// A string in double quotes with escapes.
void append_quoted(TextBuilder& out, std::string_view text);

/// Bytes that a frame can still pay for.
std::size_t text_limit(const Frame& frame);
/// The text that was built, paid for; the cost error where it was too long.
Value built_text(Frame& frame, const TextBuilder& builder);

void append_base64(TextBuilder& out, std::string_view bytes);

}  // namespace berth::rules::cel
