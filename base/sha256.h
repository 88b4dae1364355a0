// SHA-256 (FIPS 180-4), for names of contents such as the generation of a rule set. Not for
// secrets. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace berth::base {

class Sha256 {
 public:
  void add(std::string_view bytes);
  /// Lower-case hexadecimal digest of all that was added. Ends the use of this object.
  std::string hex();

 private:
  void take_block(const unsigned char* block);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> block_{};
  std::uint64_t bytes_ = 0;
};

/// Digest of one text.
std::string sha256_hex(std::string_view bytes);

}  // namespace berth::base
