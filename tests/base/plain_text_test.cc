#include "base/plain_text.h"

#include <string>

#include <gtest/gtest.h>

namespace berth::base {
namespace {

// Every byte at every place of texts of every length up to several words: the ends overlap.
TEST(PlainText, IsWhatHasNoQuoteBackslashOrControlByte) {
  for (std::size_t size = 0; size <= 50; ++size) {
    EXPECT_TRUE(is_plain_text(std::string(size, 'a'))) << size;
    for (std::size_t place = 0; place < size; ++place) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string text(size, 'a');
        text[place] = static_cast<char>(byte);
        const bool plain = byte >= 0x20 && byte != '"' && byte != '\\' && byte != 0x7F;
        ASSERT_EQ(is_plain_text(text), plain) << size << " bytes, " << byte << " at " << place;
      }
    }
  }
}

TEST(PlainText, LooksAtNothingBesideTheText) {
  const std::string_view all = "\"\"\"\"\"\"\"\"plain\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"";
  EXPECT_TRUE(is_plain_text(all.substr(8, 5)));
  EXPECT_TRUE(is_plain_text(all.substr(9, 3)));
  EXPECT_TRUE(is_plain_text({}));
  EXPECT_FALSE(is_plain_text(all.substr(7, 6)));
}

}  // namespace
}  // namespace berth::base
