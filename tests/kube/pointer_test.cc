#include "kube/pointer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::kube {
namespace {

TEST(Pointer, EscapesTildeBeforeSlash) {
  EXPECT_EQ(escape_segment("a~b/c"), "a~0b~1c");
  EXPECT_EQ(escape_segment("~1"), "~01");
  EXPECT_EQ(escape_segment("nvidia.com/gpu"), "nvidia.com~1gpu");
  EXPECT_EQ(escape_segment(""), "");
}

TEST(Pointer, BuildsFromKeysAndIndices) {
  std::string pointer;
  append_segment(pointer, "spec");
  append_segment(pointer, "containers");
  append_segment(pointer, std::size_t{0});
  append_segment(pointer, "a/b");
  EXPECT_EQ(pointer, "/spec/containers/0/a~1b");
}

TEST(Pointer, SplitsIntoUnescapedSegments) {
  using testing::ElementsAre;
  base::Arena arena;
  EXPECT_THAT(split_pointer("", arena).value(), ElementsAre());
  EXPECT_THAT(split_pointer("/", arena).value(), ElementsAre(""));
  EXPECT_THAT(split_pointer("/a~1b/~01/", arena).value(), ElementsAre("a/b", "~1", ""));
  EXPECT_THAT(split_pointer("//", arena).value(), ElementsAre("", ""));
}

TEST(Pointer, RefusesBadSyntax) {
  base::Arena arena;
  EXPECT_EQ(split_pointer("a/b", arena).error().text, "pointer 'a/b' does not start with '/'");
  for (const char* wrong : {"/a~", "/a~2", "/~/b"}) {
    EXPECT_FALSE(split_pointer(wrong, arena).has_value()) << wrong;
  }
}

TEST(Pointer, ReadsArrayIndices) {
  EXPECT_EQ(array_index("0"), 0U);
  EXPECT_EQ(array_index("10"), 10U);
  for (const char* wrong :
       {"", "-", "01", "-1", "+1", "1e0", " 1", "1 ", "99999999999999999999999"}) {
    EXPECT_EQ(array_index(wrong), std::nullopt) << wrong;
  }
}

TEST(Pointer, FollowsObjectsAndArrays) {
  base::Arena arena;
  const Json root = parse_json(R"({"a/b":{"~":[1,{"":"x"}]},"0":"zero","n":null})", arena).value();
  EXPECT_EQ(find_at(root, ""), &root);
  EXPECT_EQ(find_at(root, "/a~1b/~0/0")->as_int(), 1);
  EXPECT_EQ(find_at(root, "/a~1b/~0/1/")->string_or_empty(), "x");
  EXPECT_EQ(find_at(root, "/0")->string_or_empty(), "zero");
  EXPECT_TRUE(find_at(root, "/n")->is_null());
  for (const char* absent : {"a", "/b", "/n/x", "/0/0", "/a~1b/~0/2", "/a~1b/~0/-", "/a~1b/~0/00",
                             "/a~1b/~0/+1", "/a~", "/a~2b", "/"}) {
    EXPECT_EQ(find_at(root, absent), nullptr) << absent;
  }
}

}  // namespace
}  // namespace berth::kube
