// Rules for updates (`operations: [UPDATE]`): what they may write to an object that exists, what
// they may refuse, and what stays untouched whatever they say.
#include <string>

#include <gtest/gtest.h>

#include "tests/webhook/mutate_bench.h"

namespace berth::webhook {
namespace {

OtherJson update_of(const OtherJson& review) {
  OtherJson out = review;
  out["request"]["operation"] = "UPDATE";
  out["request"]["oldObject"] = out[kPod];
  return out;
}

MutateBench bench(const std::string& then, const std::string& match = "operations: [UPDATE]") {
  return MutateBench(WholeFile{},
                     "apiVersion: berth.dev/v1alpha1\nkind: RuleSet\nmetadata: {name: t}\nrules:\n"
                     "- name: r\n  match: {gpus: '>=0', " +
                         match + "}\n  then: " + then + "\n");
}

TEST(Update, IsIgnoredWhereNoRuleIsForIt) {
  EXPECT_TRUE(MutateBench({kLabel, kDeny}).admit(update_of(base_review())).unchanged());
  EXPECT_EQ(MutateBench({kDeny}).admit(update_of(base_review())).response["allowed"], true);
  EXPECT_TRUE(bench("{labels: {a: b}}", "operations: [CREATE]")
                  .admit(update_of(base_review()))
                  .unchanged());
}

TEST(Update, TakesLabelsAnnotationsAndTolerationsOnly) {
  const Admitted admitted =
      bench(
          "{labels: {gpu.example.com/a: b}, annotations: {gpu.example.com/c: d}, tolerate: "
          "[nvidia.com/gpu], shm: 1Gi, runtimeClass: nvidia}")
          .admit(update_of(base_review()));
  EXPECT_EQ(admitted.object["metadata"]["labels"]["gpu.example.com/a"], "b");
  EXPECT_EQ(admitted.object["metadata"]["annotations"]["gpu.example.com/c"], "d");
  EXPECT_EQ(admitted.object["spec"]["tolerations"].size(), 3U);
  OtherJson rest = admitted.object["spec"];
  rest["tolerations"] = base_review()[kPod]["spec"]["tolerations"];
  EXPECT_EQ(rest, base_review()[kPod]["spec"]);
  EXPECT_TRUE(admitted.warns("shm not written: it cannot change in an update"));
  EXPECT_TRUE(admitted.warns("runtimeClass not written: it cannot change in an update"));
}

TEST(Update, IsNotAnsweredByTheRulesOfACreate) {
  const MutateBench both(
      WholeFile{},
      "apiVersion: berth.dev/v1alpha1\nkind: RuleSet\nmetadata: {name: t}\nrules:\n"
      "- {name: c, match: {gpus: '>=0'}, then: {labels: {made: 'yes'}}}\n"
      "- {name: u, match: {gpus: '>=0', operations: [UPDATE]}, then: {labels: {seen: 'yes'}}}\n");
  const OtherJson updated = both.admit(update_of(base_review())).object["metadata"]["labels"];
  EXPECT_FALSE(updated.contains("made"));
  EXPECT_TRUE(updated.contains("seen"));
  const OtherJson made = both.admit(base_review()).object["metadata"]["labels"];
  EXPECT_TRUE(made.contains("made"));
  EXPECT_FALSE(made.contains("seen"));
}

TEST(Update, MayBeRefusedWithTheOldObjectInView) {
  const MutateBench guard(
      WholeFile{},
      "apiVersion: berth.dev/v1alpha1\nkind: RuleSet\nmetadata: {name: t}\nrules:\n"
      "- name: keep-app\n  match: {gpus: '>=0', operations: [UPDATE]}\n"
      "  when: object.metadata.labels['app'] != oldObject.metadata.labels['app']\n"
      "  then: {deny: the label app stays}\n");
  OtherJson review = update_of(base_review());
  EXPECT_EQ(guard.admit(review).response["allowed"], true);
  review[kPod]["metadata"]["labels"]["app"] = "other";
  const Admitted refused = guard.admit(review);
  EXPECT_EQ(refused.response["allowed"], false);
  EXPECT_NE(refused.response["status"]["message"].get<std::string>().find("the label app stays"),
            std::string::npos);
}

TEST(Update, NeverHoldsBackWhatIsOnItsWayOutOrASubResource) {
  const MutateBench guard = bench("{deny: never}");
  OtherJson review = update_of(base_review());
  EXPECT_EQ(guard.admit(review).response["allowed"], false);
  review[kPod]["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  EXPECT_EQ(guard.admit(review).response["allowed"], true);
  OtherJson resized = update_of(base_review());
  resized["request"]["subResource"] = "resize";
  EXPECT_EQ(guard.admit(resized).response["allowed"], true);
}

TEST(Update, LeavesTheTemplateOfAnOwner) {
  OtherJson review = update_of(base_review());
  const OtherJson pod = review[kPod];
  review["request"]["kind"] = {{"group", "apps"}, {"version", "v1"}, {"kind", "Deployment"}};
  review[kPod] = {
      {"apiVersion", "apps/v1"},
      {"kind", "Deployment"},
      {"metadata", {{"name", "web"}}},
      {"spec",
       {{"replicas", 2},
        {"selector", {{"matchLabels", {{"app", "train"}}}}},
        {"template", {{"metadata", {{"labels", {{"app", "train"}}}}}, {"spec", pod["spec"]}}}}}};
  const Admitted admitted = bench("{labels: {a: b}, shm: 1Gi}").admit(review);
  EXPECT_TRUE(admitted.unchanged()) << admitted.patch;
  EXPECT_EQ(bench("{deny: not now}").admit(review).response["allowed"], false);
}

}  // namespace
}  // namespace berth::webhook
