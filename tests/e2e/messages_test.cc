// What rules say to people reaches the person with kubectl: warnings, denials, and nothing else.
#include <gmock/gmock.h>

#include "tests/e2e/end_to_end.h"

namespace berth::e2e {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr char kTalkingRules[] = R"(apiVersion: berth.dev/v1alpha1
kind: RuleSet
metadata: {name: talk}
rules:
- name: one
  match: {gpus: ">=4"}
  then: {warn: "four GPUs and more wait longer"}
- name: two
  match: {gpus: ">=8"}
  then: {warn: "a whole node is reserved"}
- name: no-batch-here
  match: {intent: batch}
  then: {deny: "batch work has its own cluster"}
)";

class Messages : public EndToEnd {
 protected:
  void SetUp() override {
    EndToEnd::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    E2E_ASSERT_OK(start_berth_with(kTalkingRules));
  }
};

TEST_F(Messages, WarningsReachKubectl) {
  const Answer created = kubectl().create(gpu_pod("sandbox", "four", 4));
  ASSERT_TRUE(created.ok()) << created.err;
  EXPECT_THAT(created.warnings, ElementsAre(HasSubstr("four GPUs and more wait longer")));
}

TEST_F(Messages, WarningsOfAllRulesReachKubectl) {
  const Answer created = kubectl().create(gpu_pod("sandbox", "eight", 8));
  ASSERT_TRUE(created.ok()) << created.err;
  EXPECT_THAT(created.warnings, UnorderedElementsAre(HasSubstr("four GPUs and more wait longer"),
                                                     HasSubstr("a whole node is reserved")));
}

TEST_F(Messages, WarningsReachKubectlInADryRun) {
  const Answer tried = kubectl().create(gpu_pod("sandbox", "four", 4), {"--dry-run=server"});
  ASSERT_TRUE(tried.ok()) << tried.err;
  EXPECT_THAT(tried.warnings, ElementsAre(HasSubstr("four GPUs and more wait longer")));
}

TEST_F(Messages, NoRuleMatchedMeansNoWarning) {
  const Answer created = kubectl().create(gpu_pod("sandbox", "one", 1));
  ASSERT_TRUE(created.ok()) << created.err;
  EXPECT_THAT(created.warnings, IsEmpty());
}

TEST_F(Messages, ADenialRefusesThePodAndGivesTheReason) {
  const Answer refused =
      kubectl().create(gpu_pod("sandbox", "batch", 1, {{"berth.dev/intent", "batch"}}));
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, HasSubstr("denied the request"));
  EXPECT_THAT(refused.err, HasSubstr("batch work has its own cluster"));
  EXPECT_FALSE(kubectl().get("pod", "sandbox", "batch").ok()) << "the pod was stored";
}

}  // namespace
}  // namespace berth::e2e
