#include "base/sha256.h"

#include <string>

#include <gtest/gtest.h>

namespace berth::base {
namespace {

// Vectors of FIPS 180-4 (examples) and of RFC 6234 section 8.5.
TEST(Sha256, GivesTheDigestsOfTheStandard) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotMindHowTheTextArrives) {
  const std::string text(200, 'x');
  for (const std::size_t step : {1U, 3U, 55U, 64U, 65U}) {
    Sha256 hash;
    for (std::size_t at = 0; at < text.size(); at += step) hash.add(text.substr(at, step));
    EXPECT_EQ(hash.hex(), sha256_hex(text)) << step;
  }
}

}  // namespace
}  // namespace berth::base
