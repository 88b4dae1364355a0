// Plain text: what a JSON text or a log line holds as it is. Pure; any thread.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace berth::base {

/// No byte of the text is a quote, a backslash, below a space, or DEL (0x7F): between quotes it
/// needs no escape, and on a terminal it does nothing.
inline bool is_plain_text(std::string_view text) {
  using Bytes = unsigned char __attribute__((vector_size(16)));
  using Words = std::uint64_t __attribute__((vector_size(16)));
  const auto are_plain = [](Bytes bytes) {
    const auto found =
        std::bit_cast<Words>((bytes < 0x20) | (bytes == '"') | (bytes == '\\') | (bytes == 0x7F));
    return (found[0] | found[1]) == 0;
  };
  const auto load = [text](std::size_t at, std::size_t size) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, size);
    return word;
  };
  const std::size_t size = text.size();
  if (size >= 16) {
    Bytes bytes;
    for (std::size_t i = 0; i + 16 < size; i += 16) {
      std::memcpy(&bytes, text.data() + i, 16);
      if (!are_plain(bytes)) return false;
    }
    std::memcpy(&bytes, text.data() + size - 16, 16);  // the rest, with what comes before it
    return are_plain(bytes);
  }
  Words words = {0x2020202020202020, 0x2020202020202020};  // spaces where the text has no byte
  if (size >= 8) {
    words = Words{load(0, 8), load(size - 8, 8)};
  } else if (size >= 4) {
    words[0] = load(0, 4) << 32 | load(size - 4, 4);
  } else {
    for (const char c : text) words[0] = words[0] << 8 | static_cast<unsigned char>(c);
  }
  return are_plain(std::bit_cast<Bytes>(words));
}

}  // namespace berth::base
