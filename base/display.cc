#include "base/display.h"

#include <algorithm>

namespace berth::base {
namespace {

// Bytes of the character at the beginning of the text where it must not reach a terminal, else 0.
std::size_t hidden_character(std::string_view text) {
  const auto byte = [text](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const unsigned first = byte(0);
  if (first < 0x20 || first == 0x7F) return 1;
  if (first == 0xC2) return byte(1) >= 0x80 && byte(1) <= 0x9F ? 2 : 0;  // U+0080 to U+009F
  if (first != 0xE2) return 0;
  const unsigned last = byte(2);
  // U+200E, U+200F and U+2028 to U+202E; U+2066 to U+2069
  const bool hidden =
      (byte(1) == 0x80 && (last == 0x8E || last == 0x8F || (last >= 0xA8 && last <= 0xAE))) ||
      (byte(1) == 0x81 && last >= 0xA6 && last <= 0xA9);
  return hidden ? 3 : 0;
}

}  // namespace

std::string without_controls(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t hidden = hidden_character(text.substr(at));
    out += hidden > 0 ? ' ' : text[at];
    at += std::max<std::size_t>(hidden, 1);
  }
  return out;
}

std::string_view whole_characters(std::string_view text, std::size_t most_bytes) {
  if (text.size() <= most_bytes) return text;
  std::size_t end = most_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

}  // namespace berth::base
