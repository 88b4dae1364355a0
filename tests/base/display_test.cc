#include "base/display.h"

#include <gtest/gtest.h>

namespace berth::base {
namespace {

TEST(Display, ShowsControlCharactersAsSpaces) {
  EXPECT_EQ(without_controls("a\n\tb\x1B[31m\x7F"), "a  b [31m ");
  EXPECT_EQ(without_controls("caf\u00e9"), "caf\u00e9");
  EXPECT_EQ(without_controls(std::string_view("a\0b", 3)), "a b");
  EXPECT_EQ(without_controls("a\u0085b\u009bc"), "a b c") << "C1";
  EXPECT_EQ(without_controls("a\u202Eb\u200Fc\u2028d\u2066e"), "a b c d e") << "direction";
  EXPECT_EQ(without_controls("\u2030 \u4e2d \xC2"), "\u2030 \u4e2d \xC2");
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
