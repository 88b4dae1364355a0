#include "base/utf8.h"

#include <cstdint>
#include <cstring>

namespace berth::base {
namespace {

struct Sequence {
  std::size_t length = 0;  // 0: no lead byte
  unsigned char low = 0x80;
  unsigned char high = 0xBF;  // bounds of the second byte
};

Sequence sequence_of(unsigned char lead) {
  if (lead >= 0xC2 && lead <= 0xDF) return {2, 0x80, 0xBF};
  if (lead == 0xE0) return {3, 0xA0, 0xBF};
  if (lead == 0xED) return {3, 0x80, 0x9F};
  if (lead >= 0xE1 && lead <= 0xEF) return {3, 0x80, 0xBF};
  if (lead == 0xF0) return {4, 0x90, 0xBF};
  if (lead >= 0xF1 && lead <= 0xF3) return {4, 0x80, 0xBF};
  if (lead == 0xF4) return {4, 0x80, 0x8F};
  return {};
}

// How many ASCII bytes stand at a place: all of them in a long run, up to a block before its end.
std::size_t ascii_run(std::string_view text, std::size_t at) {
  constexpr std::uint64_t kHighs = 0x8080808080808080;
  std::size_t i = at;
  for (std::uint64_t block[4]; text.size() - i >= sizeof block; i += sizeof block) {
    std::memcpy(block, text.data() + i, sizeof block);
    if (((block[0] | block[1] | block[2] | block[3]) & kHighs) != 0) break;
  }
  while (i < text.size() && static_cast<unsigned char>(text[i]) < 0x80) ++i;
  return i - at;
}

}  // namespace

std::optional<std::size_t> first_bad_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80) {
      i += ascii_run(text, i);
      continue;
    }
    const Sequence sequence = sequence_of(lead);
    if (sequence.length == 0 || i + sequence.length > text.size()) return i;
    const auto second = static_cast<unsigned char>(text[i + 1]);
    if (second < sequence.low || second > sequence.high) return i;
    for (std::size_t k = 2; k < sequence.length; ++k) {
      if ((static_cast<unsigned char>(text[i + k]) & 0xC0) != 0x80) return i;
    }
    i += sequence.length;
  }
  return std::nullopt;
}

}  // namespace berth::base
