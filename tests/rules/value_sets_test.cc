#include "rules/value_sets.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rules/match.h"

namespace berth::rules {
namespace {

TEST(TextSet, IntersectsSomeAndAllBut) {
  const TextSet ab = TextSet::only({"b", "a", "a"});
  const TextSet no_b = TextSet::all_but({"b"});
  EXPECT_TRUE(ab.intersect(no_b).contains("a"));
  EXPECT_FALSE(ab.intersect(no_b).contains("b"));
  EXPECT_TRUE(TextSet::only({"b"}).intersect(no_b).is_empty());
  EXPECT_TRUE(no_b.intersect(TextSet::all_but({"c"})).contains("d"));
  EXPECT_FALSE(no_b.intersect(TextSet::all_but({"c"})).contains("c"));
  EXPECT_TRUE(ab.intersect(ab.complement()).is_empty());
  EXPECT_TRUE(TextSet().is_any());
}

TEST(TextSet, PicksWhatReadsWell) {
  EXPECT_EQ(TextSet().pick("x"), "x");
  EXPECT_EQ(TextSet::all_but({"x"}).pick("x"), "x-1");
  EXPECT_EQ(TextSet::only({"", "b"}).pick("x"), "b");
  EXPECT_EQ(TextSet::all_but({std::string(kAbsent)}).pick(kAbsent), "other-1");
}

TEST(TextSet, HasMasksThatMeetWhereTheSetsDo) {
  EXPECT_NE(TextSet::only({"a"}).mask() & TextSet::only({"a", "b"}).mask(), 0U);
  EXPECT_NE(TextSet::only({"a"}).mask() & TextSet::all_but({"b"}).mask(), 0U);
  EXPECT_EQ(TextSet::only({}).mask(), 0U);
}

TEST(CountSet, IntersectsAndTurnsInsideOut) {
  const CountSet middle = CountSet::range(2, 4);
  EXPECT_TRUE(CountSet::range(8, 4).is_empty());
  EXPECT_FALSE(middle.complement().contains(3));
  EXPECT_TRUE(middle.complement().contains(1));
  EXPECT_TRUE(middle.complement().contains(INT64_MAX));
  EXPECT_TRUE(middle.complement().intersect(middle).is_empty());
  EXPECT_TRUE(CountSet().complement().is_empty());
  EXPECT_TRUE(CountSet::range(5, INT64_MAX).complement().contains(0));
  EXPECT_TRUE(middle.overlaps(CountSet::range(4, 9)));
  EXPECT_FALSE(middle.overlaps(CountSet::range(5, 9)));
}

std::string example(std::vector<std::vector<std::string>> groups,
                    std::vector<std::string> none = {}) {
  const GlobSet set{std::move(groups), std::move(none)};
  return set.example().value_or("none");
}

TEST(GlobSet, GivesANameThatAllGroupsMatch) {
  EXPECT_EQ(example({}), "team-a");
  EXPECT_EQ(example({{"team-*"}, {"*-nlp"}}), "team-nlp");
  EXPECT_EQ(example({{"a", "b"}, {"b", "c"}}), "b");
  EXPECT_EQ(example({{"a*"}, {"*b"}, {"*c*"}}), "acb");
  EXPECT_EQ(example({{"team-*"}}, {"team-a"}), "team-b");
  EXPECT_EQ(example({}, {"*-*", "a"}), "b");
}

TEST(GlobSet, KnowsWhereThereIsNone) {
  EXPECT_EQ(example({{"team-*"}, {"x*"}}), "none");
  EXPECT_EQ(example({{"team-*"}}, {"*-*"}), "none");
  EXPECT_EQ(example({{"team-"}}), "none") << "no namespace ends with '-'";
  EXPECT_EQ(example({{"a"}, {"b"}}), "none");
  EXPECT_EQ(example({{"*"}}, {"*"}), "none");
}

TEST(GlobSet, StopsWhereTheSearchGrows) {
  const std::string stars = "*a*b*c*d*e*f*";
  EXPECT_NE(example({{stars}, {"*f*e*d*c*b*a*"}, {"*1*2*3*4*"}}, {"*x", "y*"}), "none")
      << "not certain, so it counts as possible";
}

}  // namespace
}  // namespace berth::rules
