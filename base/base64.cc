#include "base/base64.h"

#include <cstdint>

namespace berth::base {

void append_base64(std::string& out, std::string_view bytes) {
  static constexpr char kAlphabet[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t start = out.size();
  out.resize(start + (bytes.size() + 2) / 3 * 4);
  char* to = out.data() + start;
  const auto at = [bytes](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i]));
  };
  std::size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3) {
    const std::uint32_t three = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
    *to++ = kAlphabet[three >> 18];
    *to++ = kAlphabet[three >> 12 & 63];
    *to++ = kAlphabet[three >> 6 & 63];
    *to++ = kAlphabet[three & 63];
  }
  if (i == bytes.size()) return;
  const bool two = bytes.size() - i == 2;
  const std::uint32_t rest = at(i) << 16 | (two ? at(i + 1) << 8 : 0);
  *to++ = kAlphabet[rest >> 18];
  *to++ = kAlphabet[rest >> 12 & 63];
  *to++ = two ? kAlphabet[rest >> 6 & 63] : '=';
  *to++ = '=';
}

}  // namespace berth::base
