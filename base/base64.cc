#include "base/base64.h"

#include <array>
#include <cstdint>
#include <cstring>

namespace berth::base {
namespace {

constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// The two digits of each twelve bits.
struct Pair {
  char digits[2];
};
constexpr auto kPairs = [] {
  std::array<Pair, 4096> out{};
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = {{kAlphabet[i >> 6], kAlphabet[i & 63]}};
  return out;
}();

}  // namespace

void append_base64(std::string& out, std::string_view bytes) {
  const std::size_t start = out.size();
  out.resize(start + (bytes.size() + 2) / 3 * 4);
  char* to = out.data() + start;
  const char* from = bytes.data();
  const auto at = [from](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(from[i]));
  };
  std::size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3) {
    const std::uint32_t three = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
    std::memcpy(to, kPairs.data() + (three >> 12), 2);
    std::memcpy(to + 2, kPairs.data() + (three & 4095), 2);
    to += 4;
  }
  if (i == bytes.size()) return;
  const bool two = bytes.size() - i == 2;
  const std::uint32_t rest = at(i) << 16 | (two ? at(i + 1) << 8 : 0);
  *to++ = kAlphabet[rest >> 18];
  *to++ = kAlphabet[rest >> 12 & 63];
  *to++ = two ? kAlphabet[rest >> 6 & 63] : '=';
  *to++ = '=';
}

namespace {

// Value of a digit, or -1.
int digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  return c == '/' ? 63 : -1;
}

bool is_blank(char c) {
  return c == '\n' || c == '\r' || c == ' ' || c == '\t';
}

}  // namespace

std::optional<std::string> decode_base64(std::string_view text) {
  std::string out;
  out.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  unsigned digits = 0;
  unsigned padding = 0;
  for (const char c : text) {
    if (is_blank(c)) continue;
    if (c == '=') {
      ++padding;
      continue;
    }
    const int value = digit(c);
    if (value < 0 || padding > 0) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    ++digits;
    if (digits % 4 == 0) {
      for (const unsigned shift : {16U, 8U, 0U}) out.push_back(static_cast<char>(bits >> shift));
    }
  }
  const unsigned left = digits % 4;
  if (left == 1 || padding != (4 - left) % 4) return std::nullopt;
  if (left == 2) out.push_back(static_cast<char>(bits >> 4));
  if (left == 3) {
    out.push_back(static_cast<char>(bits >> 10));
    out.push_back(static_cast<char>(bits >> 2));
  }
  return out;
}

}  // namespace berth::base
