#include "base/keys.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace berth::base {
namespace {

TEST(Keys, AreTheSameByAllTheirBytes) {
  EXPECT_TRUE(same_key("", ""));
  EXPECT_TRUE(same_key("nvidia.com/gpu", "nvidia.com/gpu"));
  EXPECT_FALSE(same_key("nvidia.com/gpu", "nvidia.org/gpu"));
  EXPECT_FALSE(same_key("nvidia.com/gpu", "nvidia.com/gpU"));
  EXPECT_FALSE(same_key("a", "aa"));
}

TEST(Keys, DifferWhereverOneByteDoes) {
  for (std::size_t size = 1; size <= 40; ++size) {
    const std::string key(size, 'k');
    EXPECT_TRUE(same_key(key, std::string(size, 'k'))) << size;
    for (std::size_t place = 0; place < size; ++place) {
      std::string other = key;
      other[place] = 'x';
      EXPECT_FALSE(same_key(key, other)) << size << " bytes, at " << place;
    }
  }
}

TEST(Keys, FindsTheRepeatedOneInListsOfAnyLength) {
  for (const std::size_t length : {2u, 3u, 47u, 64u, 65u, 500u}) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < length; ++i) texts.push_back("key-" + std::to_string(i));
    std::vector<std::string_view> keys(texts.begin(), texts.end());
    EXPECT_EQ(repeated_key(keys), std::nullopt) << length;
    keys.back() = keys.front();
    EXPECT_EQ(repeated_key(keys), "key-0") << length;
  }
  EXPECT_EQ(repeated_key(std::vector<std::string_view>()), std::nullopt);
}

}  // namespace
}  // namespace berth::base
