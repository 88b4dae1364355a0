#include "base/display.h"

#include <gtest/gtest.h>

namespace berth::base {
namespace {

TEST(Display, ShowsControlCharactersAsSpaces) {
  EXPECT_EQ(without_controls("a\n\tb\x1B[31m\x7F"), "a  b [31m ");
  EXPECT_EQ(without_controls("caf\u00e9"), "caf\u00e9");
}

TEST(Display, CutsBetweenCharacters) {
  EXPECT_EQ(whole_characters("abc", 3), "abc");
  EXPECT_EQ(whole_characters("abcd", 3), "abc");
  EXPECT_EQ(whole_characters("ab\u00e9", 3), "ab");
  EXPECT_EQ(whole_characters("ab\u00e9", 4), "ab\u00e9");
  EXPECT_EQ(whole_characters("\U0001F600", 3), "");
}

}  // namespace
}  // namespace berth::base
