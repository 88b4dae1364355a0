#include "webhook/replay.h"

#include <gtest/gtest.h>

#include "tests/support/world.h"

namespace berth::webhook {
namespace {

constexpr char kPod[] =
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"team-a"},
        "spec":{"containers":[{"name":"main","image":"x",
        "resources":{"limits":{"nvidia.com/gpu":"8"}}}]}})";
constexpr char kDeployment[] =
    R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d","namespace":"team-b"},
        "spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},
        "spec":{"containers":[{"name":"main","image":"x",
        "resources":{"limits":{"nvidia.com/gpu":"1"}}}]}}}})";

std::string compared(const std::string& before, const std::string& after,
                     const std::vector<const char*>& objects = {kPod}) {
  const std::string head =
      "apiVersion: berth.dev/v1alpha1\nkind: RuleSet\nmetadata: {name: r}\nrules:\n";
  const auto old_world = berth::testing::world_from({{"r.yaml", head + before}}, {});
  const auto new_world = berth::testing::world_from({{"r.yaml", head + after}}, {});
  Replay replay;
  for (const char* object : objects) {
    base::Arena arena;
    const Review review = review_of(*kube::parse_json(object, arena), arena);
    replay.compare(review, "t.json", old_world.view(), new_world.view());
  }
  return replay.text();
}

TEST(Replay, FindsNothingWhereOnlyTheTextOfTheRulesDiffers) {
  const std::string rule = "- {name: a, then: {runtimeClass: nvidia, queue: q}}\n";
  EXPECT_EQ(compared(rule, "# a comment\n" + rule, {kPod, kDeployment}),
            "2 reviews\noutcomes\n      2  patched\n0 of 2 differ\n");
}

TEST(Replay, GroupsWhatDiffersByOutcomeRuleNamespaceAndField) {
  EXPECT_EQ(
      compared("- {name: a, then: {runtimeClass: nvidia}}\n- {name: b, then: {shm: 1Gi}}\n",
               "- {name: a, then: {runtimeClass: kata}}\n- {name: c, then: {shm: 1Gi}}\n",
               {kPod, kDeployment}),
      "2 reviews\noutcomes\n      2  patched\n2 of 2 differ\nby outcome\n      2  patched, "
      "otherwise\nby rule (+ applies now, - no longer, ~ otherwise)\n      2  + r/c\n      2  - "
      "r/b\n      2  ~ r/a\nby namespace\n      1  team-a\n      1  team-b\nby field\n      2  "
      "/spec/runtimeClassName\nexamples\n  team-a/p (t.json): patched -> patched; "
      "/spec/runtimeClassName: \"nvidia\" -> \"kata\"\n  team-b/d (t.json): patched -> patched; "
      "/spec/template/spec/runtimeClassName: \"nvidia\" -> \"kata\"\n");
}

TEST(Replay, CountsNoFieldsOfARefusedObject) {
  EXPECT_EQ(compared("- {name: a, then: {runtimeClass: nvidia}}\n",
                     "- {name: a, then: {runtimeClass: nvidia}}\n- {name: b, then: {deny: no}}\n"),
            "1 reviews\noutcomes\n      1  denied\n1 of 1 differ\nby outcome\n      1  patched -> "
            "denied\nby rule (+ applies now, - no longer, ~ otherwise)\n      1  + r/b\nby "
            "namespace\n      1  team-a\nby field\n      1  denials\nexamples\n  team-a/p "
            "(t.json): patched -> denied; denials: no\n");
}

TEST(Replay, CountsWarnings) {
  EXPECT_EQ(compared("- {name: a, then: {warn: one}}\n", "- {name: a, then: {warn: two}}\n"),
            "1 reviews\noutcomes\n      1  unchanged\n1 of 1 differ\nby outcome\n      1  "
            "unchanged, otherwise\nby rule (+ applies now, - no longer, ~ otherwise)\n      1  ~ "
            "r/a\nby namespace\n      1  team-a\nby field\n      1  warnings\nexamples\n  team-a/p "
            "(t.json): unchanged -> unchanged; warnings: two\n");
}

}  // namespace
}  // namespace berth::webhook
