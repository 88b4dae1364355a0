#include "webhook/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::webhook {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Metrics, CountsAnswersByOutcome) {
  Metrics metrics;
  Answer answer;
  answer.outcome = Outcome::kPatched;
  metrics.count_answer(answer, 0.0002);
  answer.outcome = Outcome::kFailedSafe;
  metrics.count_answer(answer, 0.0002);
  const std::string text = metrics.text();
  EXPECT_THAT(text, HasSubstr("berth_admission_requests_total{outcome=\"patched\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("berth_admission_requests_total{outcome=\"denied\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("berth_failed_safe_total 1\n"));
  EXPECT_THAT(text, HasSubstr("berth_admission_duration_seconds_bucket{le=\"0.00025\"} 2\n"));
}

TEST(Metrics, ShowsOneGenerationOnly) {
  Metrics metrics;
  metrics.set_rules("sha256:a", 3);
  metrics.set_rules("sha256:b", 4);
  const std::string text = metrics.text();
  EXPECT_THAT(text, HasSubstr("berth_rules_generation_info{generation=\"sha256:b\"} 1\n"));
  EXPECT_THAT(text, Not(HasSubstr("sha256:a")));
  EXPECT_THAT(text, HasSubstr("berth_rules 4\n"));
}

TEST(Metrics, ReadsForeignValuesWhenScraped) {
  Metrics metrics;
  double age = 1;
  metrics.add_gauge({"berth_cluster_age_seconds", "Age", "source", "file", [&age] { return age; }});
  age = 7;
  EXPECT_THAT(metrics.text(), HasSubstr("berth_cluster_age_seconds{source=\"file\"} 7\n"));
}

TEST(Metrics, CountsRulesThatAppliedAndFailed) {
  Metrics metrics;
  rules::Rule rule;
  rule.id = "set/rule";
  Answer answer;
  answer.outcome = Outcome::kUnchanged;
  answer.parts.resize(1);
  answer.parts[0].decision.applied.push_back(&rule);
  answer.parts[0].decision.failed.push_back({&rule, "not a number"});
  metrics.count_answer(answer, 0.001);
  EXPECT_THAT(metrics.text(), HasSubstr("berth_rule_applied_total{rule=\"set/rule\"} 1\n"));
  EXPECT_THAT(metrics.text(), HasSubstr("berth_rule_errors_total{rule=\"set/rule\"} 1\n"));
}

}  // namespace
}  // namespace berth::webhook
