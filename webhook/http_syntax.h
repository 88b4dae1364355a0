// Character classes of HTTP/1.1 (RFC 9110, RFC 9112) as one table. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace berth::webhook {

inline constexpr std::uint8_t kTokenChar = 1;   ///< of methods and field names
inline constexpr std::uint8_t kValueChar = 2;   ///< of field values: visible, blank, tab, above 127
inline constexpr std::uint8_t kTargetChar = 4;  ///< of request targets: visible ASCII without '#'

constexpr std::array<std::uint8_t, 256> make_character_classes() {
  std::array<std::uint8_t, 256> classes{};
  constexpr std::string_view kTokenMarks = "!#$%&'*+-.^_`|~";
  for (std::size_t c = 0; c < 256; ++c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool digit = c >= '0' && c <= '9';
    const bool mark = kTokenMarks.find(static_cast<char>(c)) != std::string_view::npos;
    std::uint8_t bits = 0;
    if (letter || digit || mark) bits |= kTokenChar;
    if (c == '\t' || (c >= ' ' && c != 127)) bits |= kValueChar;
    if (c > ' ' && c < 127 && c != '#') bits |= kTargetChar;
    classes[c] = bits;
  }
  return classes;
}

inline constexpr std::array<std::uint8_t, 256> kCharacterClasses = make_character_classes();

inline bool is(std::uint8_t wanted, char c) {
  return (kCharacterClasses[static_cast<unsigned char>(c)] & wanted) != 0;
}

inline bool all_are(std::uint8_t wanted, std::string_view text) {
  for (const char c : text) {
    if (!is(wanted, c)) return false;
  }
  return true;
}

/// At most 40 characters of foreign text in single quotes, with '?' for what cannot be printed.
std::string quoted(std::string_view foreign);

}  // namespace berth::webhook
