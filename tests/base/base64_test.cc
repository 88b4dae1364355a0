#include "base/base64.h"

#include <random>

#include <gtest/gtest.h>

namespace berth::base {
namespace {

TEST(Base64, ReadsWhatItWrites) {
  std::mt19937 random(1);
  for (std::size_t size = 0; size < 70; ++size) {
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i) bytes.push_back(static_cast<char>(random()));
    std::string text;
    append_base64(text, bytes);
    EXPECT_EQ(decode_base64(text), bytes);
    text.insert(text.size() / 2, "\n  ");
    EXPECT_EQ(decode_base64(text), bytes) << "blanks do not count";
  }
}

TEST(Base64, RefusesWhatIsNone) {
  for (const char* text : {"A", "AB", "ABC", "ABC==", "A===", "AB=C", "AB*=", "====", "AB===="}) {
    EXPECT_EQ(decode_base64(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace berth::base
