#include "webhook/reply.h"

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace berth::webhook {
namespace {

TEST(Reply, CutsWarningsBetweenCharacters) {
  EXPECT_EQ(short_text("plain"), "plain");
  EXPECT_EQ(short_text("a\nb\tc\x7f"), "a b c ");
  const std::string hundred_twenty(120, 'x');
  EXPECT_EQ(short_text(hundred_twenty), hundred_twenty);
  EXPECT_EQ(short_text(hundred_twenty + "y"), std::string(117, 'x') + "...");
  std::string smileys;
  for (int i = 0; i < 130; ++i) smileys += "😀";
  const std::string cut = short_text(smileys);
  EXPECT_EQ(cut.size(), 117U * 4 + 3);
  EXPECT_TRUE(base::is_utf8(cut));
}

TEST(Reply, NamesTheRuleWhereThereIsRoom) {
  rules::Rule rule;
  rule.id = "set/rule";
  Answer answer;
  answer.warnings.push_back({&rule, "short"});
  answer.warnings.push_back({&rule, std::string(118, 'x')});
  answer.warnings.push_back({nullptr, "short"});
  EXPECT_EQ(short_warnings(answer),
            (std::vector<std::string>{"short [set/rule]", std::string(118, 'x'), "short"}));
}

TEST(Reply, KeepsWarningsWithinTheBudget) {
  Answer answer;
  for (int i = 0; i < 100; ++i)
    answer.warnings.push_back({nullptr, std::to_string(i) + std::string(100, 'w')});
  std::size_t bytes = 0;
  for (const std::string& warning : short_warnings(answer)) bytes += warning.size();
  EXPECT_LE(bytes, kWarningsBytes);
  EXPECT_GE(bytes, kWarningsBytes - 120);
}

TEST(Reply, SaysADenialInFull) {
  rules::RuleSet set;
  set.files.push_back({"guardrails", "06.yaml", "gpu-platform", false, {}});
  rules::Rule rule;
  rule.id = "guardrails/small";
  Review review;
  review.api_version = "admission.k8s.io/v1";
  review.uid = "u-1";
  Answer answer;
  answer.outcome = Outcome::kDenied;
  answer.denials.push_back({&rule, "at most 2 GPUs"});
  base::Arena arena;
  std::string out;
  append_reply(out, review, answer, set, arena);
  EXPECT_EQ(
      out,
      R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"u-1","allowed":false,)"
      R"("status":{"code":403,"reason":"Forbidden",)"
      R"x("message":"at most 2 GPUs (rule guardrails/small, ask gpu-platform)"},)x"
      R"("auditAnnotations":{"outcome":"denied","generation":""}}})");
}

TEST(Reply, HasNoPatchKeysWithoutAPatch) {
  const rules::RuleSet set;
  Review review;
  review.api_version = "admission.k8s.io/v1beta1";
  review.uid = "u-2";
  Answer answer;
  answer.outcome = Outcome::kIgnored;
  base::Arena arena;
  std::string out;
  append_reply(out, review, answer, set, arena);
  EXPECT_EQ(
      out,
      R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1","response":{"uid":"u-2",)"
      R"("allowed":true,"auditAnnotations":{"outcome":"ignored","generation":""}}})");
}

}  // namespace
}  // namespace berth::webhook
