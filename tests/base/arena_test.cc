#include "base/arena.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::base {
namespace {

using testing::ElementsAre;

TEST(Arena, JoinsTexts) {
  Arena arena(32);
  EXPECT_EQ(arena.joined({}), "");
  EXPECT_EQ(arena.joined({"", std::string_view()}), "");
  EXPECT_EQ(arena.joined({"/spec", "", "/volumes", "/0"}), "/spec/volumes/0");
  const std::string large(100, 'x');
  EXPECT_EQ(arena.joined({large, "/", large}), large + "/" + large);
}

TEST(Arena, CopiesWithRoomForMore) {
  Arena arena(32);
  const std::vector<int> from = {1, 2, 3};
  EXPECT_THAT(arena.copy(std::span<const int>(from)), ElementsAre(1, 2, 3));
  EXPECT_THAT(arena.copy_and_grow(std::span<const int>(from), 2), ElementsAre(1, 2, 3, 0, 0));
  EXPECT_THAT(arena.copy_and_grow(std::span<const int>(), 1), ElementsAre(0));
  EXPECT_THAT(arena.copy(std::span<const int>()), ElementsAre());
}

TEST(Arena, KeepsItsMemory) {
  Arena arena(64);
  for (int i = 0; i < 100; ++i) arena.make_array<int>(10);
  const std::size_t held = arena.capacity_bytes();
  arena.reset();
  for (int i = 0; i < 100; ++i) arena.make_array<int>(10);
  EXPECT_EQ(arena.capacity_bytes(), held);
}

}  // namespace
}  // namespace berth::base
