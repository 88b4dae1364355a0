#include "webhook/validate_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "webhook/reply.h"

namespace berth::webhook {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kGood[] = R"(apiVersion: berth.dev/v1alpha1
kind: RuleSet
rules:
- name: a
  match: {intent: training}
  then: {runtimeClass: nvidia}
)";

constexpr char kMisspelt[] = R"(apiVersion: berth.dev/v1alpha1
kind: RuleSet
rules:
- name: a
  match: {intnt: training}
  then: {runtimeClas: nvidia}
)";

constexpr char kUnusedVariable[] = R"(apiVersion: berth.dev/v1alpha1
kind: RuleSet
variables: {big: workload.gpus > 4}
rules:
- name: a
  then: {runtimeClass: nvidia}
)";

json config_map(const json& data, const json& labels = {{"berth.dev/rules", "true"}}) {
  json out = {{"apiVersion", "v1"},
              {"kind", "ConfigMap"},
              {"metadata", {{"name", "berth-rules"}, {"namespace", "berth"}}},
              {"data", data}};
  if (!labels.empty()) out["metadata"]["labels"] = labels;
  return out;
}

json review_of(const json& object, const char* operation = "CREATE", const json& old = nullptr) {
  const json kind = {{"group", ""}, {"version", "v1"}, {"kind", object["kind"]}};
  return {{"apiVersion", "admission.k8s.io/v1"},
          {"kind", "AdmissionReview"},
          {"request",
           {{"uid", "u-1"},
            {"kind", kind},
            {"namespace", "berth"},
            {"name", "berth-rules"},
            {"operation", operation},
            {"object", object},
            {"oldObject", old}}}};
}

RulesVerdict judge(const json& review, const rules::LoadOptions& options = {}) {
  base::Arena arena;
  const auto document = kube::parse_json(review.dump(), arena);
  return validate_rules(*read_review(*document), options);
}

TEST(ValidateRules, AcceptsAConfigMapThatLoads) {
  const RulesVerdict verdict = judge(review_of(config_map({{"rules.yaml", kGood}})));
  EXPECT_EQ(verdict.outcome, RulesOutcome::kAccepted);
  EXPECT_THAT(verdict.warnings, IsEmpty());
  EXPECT_EQ(verdict.message, "");
}

TEST(ValidateRules, RefusesWithEveryPlaceValueAndExpectation) {
  const RulesVerdict verdict =
      judge(review_of(config_map({{"a.yaml", kGood}, {"b.yaml", kMisspelt}})));
  EXPECT_EQ(verdict.outcome, RulesOutcome::kRefused);
  EXPECT_EQ(verdict.problems, 2U);
  EXPECT_EQ(verdict.message,
            R"(2 errors in the rule files of ConfigMap berth/berth-rules:
b.yaml:5:11: error: unknown key 'intnt'; did you mean 'intent'? [rule b/a, key match]
  5 |   match: {intnt: training}
    |           ^
b.yaml:6:10: error: unknown key 'runtimeClas'; did you mean 'runtimeClass'? [rule b/a, key then]
  6 |   then: {runtimeClas: nvidia}
    |          ^)");
}

TEST(ValidateRules, LoadsAllFilesAsOneSet) {
  std::string other(kGood);
  other.replace(other.find("nvidia"), 6, "kata");
  const RulesVerdict verdict = judge(review_of(config_map({{"a.yaml", kGood}, {"b.yml", other}})));
  EXPECT_EQ(verdict.outcome, RulesOutcome::kRefused);
  EXPECT_THAT(verdict.message, HasSubstr("rules a/a (a.yaml:4) and b/a (b.yml:4) can both match"));
  EXPECT_THAT(verdict.message, HasSubstr("such a pod: intent training"));
}

TEST(ValidateRules, PassesWarningsOn) {
  const RulesVerdict verdict = judge(review_of(config_map({{"rules.yaml", kUnusedVariable}})));
  EXPECT_EQ(verdict.outcome, RulesOutcome::kAccepted);
  EXPECT_THAT(verdict.warnings, ElementsAre(HasSubstr("rules.yaml:3:13: warning: variable 'big'")));
}

TEST(ValidateRules, LeavesOtherObjectsAlone) {
  struct Row {
    const char* why;
    json review;
  };
  json pod = config_map({{"rules.yaml", kMisspelt}});
  pod["kind"] = "Pod";
  json own_group = review_of(config_map({{"rules.yaml", kMisspelt}}));
  own_group["request"]["kind"]["group"] = "example.com";
  const Row rows[] = {
      {"another kind", review_of(pod)},
      {"a ConfigMap of another group", own_group},
      {"no rule file in it, no label", review_of(config_map({{"x.yaml", "a: ["}}, json::object()))},
      {"the label says something else",
       review_of(config_map({{"x.yaml", "a: ["}}, {{"berth.dev/rules", "none"}}))},
      {"deleted", review_of(config_map({{"rules.yaml", kMisspelt}}), "DELETE")},
      {"a key that berth does not read, no label",
       review_of(config_map({{"rules.txt", kMisspelt}}, json::object()))},
  };
  for (const Row& row : rows) {
    const RulesVerdict verdict = judge(row.review);
    EXPECT_EQ(verdict.outcome, RulesOutcome::kIgnored) << row.why;
    EXPECT_NE(verdict.reason, "") << row.why;
  }
}

TEST(ValidateRules, KnowsRuleFilesWithoutTheLabel) {
  const RulesVerdict verdict = judge(
      review_of(config_map({{"app.yaml", "a: ["}, {"rules.yaml", kMisspelt}}, json::object())));
  EXPECT_EQ(verdict.outcome, RulesOutcome::kRefused);
  EXPECT_THAT(verdict.message, HasSubstr("2 errors"));
}

TEST(ValidateRules, WithTheLabelEveryFileMustBeOne) {
  const RulesVerdict verdict = judge(review_of(config_map({{"app.yaml", "a: ["}})));
  EXPECT_EQ(verdict.outcome, RulesOutcome::kRefused);
  EXPECT_THAT(verdict.message, HasSubstr("app.yaml:1"));
}

TEST(ValidateRules, WarnsOfALabelledConfigMapWithoutRuleFiles) {
  for (const json& data : {json({{"notes.txt", "x"}}), json(nullptr)}) {
    const RulesVerdict verdict = judge(review_of(config_map(data)));
    EXPECT_EQ(verdict.outcome, RulesOutcome::kAccepted);
    EXPECT_THAT(verdict.warnings, ElementsAre(HasSubstr("no rule file")));
  }
}

TEST(ValidateRules, RefusesAFileThatIsNoText) {
  json object = config_map({{"a.yaml", kGood}});
  object["binaryData"] = {{"b.yaml", "/w=="}};
  const RulesVerdict verdict = judge(review_of(object));
  EXPECT_EQ(verdict.outcome, RulesOutcome::kRefused);
  EXPECT_THAT(verdict.message, HasSubstr("b.yaml: error: the file stands under binaryData"));
}

TEST(ValidateRules, AnUpdateThatLeavesTheFilesAloneIsNeverRefused) {
  const json bad = config_map({{"rules.yaml", kMisspelt}});
  json annotated = bad;
  annotated["metadata"]["annotations"] = {{"a", "b"}};
  const RulesVerdict kept = judge(review_of(annotated, "UPDATE", bad));
  EXPECT_EQ(kept.outcome, RulesOutcome::kAccepted);
  EXPECT_THAT(kept.warnings, ElementsAre(HasSubstr("'intnt'"), HasSubstr("'runtimeClas'")));

  json changed = bad;
  changed["data"]["rules.yaml"] = std::string(kMisspelt) + "# more\n";
  EXPECT_EQ(judge(review_of(changed, "UPDATE", bad)).outcome, RulesOutcome::kRefused);
  const json unlabelled = config_map({{"app.yaml", "a: ["}}, json::object());
  const json labelled = config_map({{"app.yaml", "a: ["}});
  EXPECT_EQ(judge(review_of(labelled, "UPDATE", unlabelled)).outcome, RulesOutcome::kRefused)
      << "the label is what makes it a rule file";
}

TEST(ValidateRules, TakesLabelPrefixAndLevelsFromTheOptions) {
  rules::LoadOptions options;
  options.label_prefix = "gpu.example.com";
  options.levels = {"host"};
  const json data = {{"rules.yaml", R"(apiVersion: berth.dev/v1alpha1
kind: RuleSet
rules:
- name: a
  then: {placement: {require: rack}}
)"}};
  const json labels = {{"gpu.example.com/rules", "true"}};
  const RulesVerdict verdict = judge(review_of(config_map(data, labels)), options);
  EXPECT_EQ(verdict.outcome, RulesOutcome::kRefused);
  EXPECT_THAT(verdict.message, HasSubstr("'rack'"));
}

TEST(ValidateRules, TakesTheNameOfTheConfigMapForTheDirectoryOfABand) {
  rules::LoadOptions options;
  options.bands = {{"berth-rules", 500, 1000}, {"teams", 0, 499}};
  const json data = {{"rules.yaml", R"(apiVersion: berth.dev/v1alpha1
kind: RuleSet
precedence: 100
rules:
- name: a
  then: {runtimeClass: nvidia}
)"}};
  EXPECT_THAT(judge(review_of(config_map(data)), options).message,
              HasSubstr("precedence is 100; expected 500 to 1000"));
  options.bands[0].directory = "other";
  EXPECT_EQ(judge(review_of(config_map(data)), options).outcome, RulesOutcome::kAccepted);
}

TEST(ValidateRules, CutsAVeryLongMessageAtAWholeError) {
  std::string many = "apiVersion: berth.dev/v1alpha1\nkind: RuleSet\nrules:\n";
  for (int i = 0; i < 1000; ++i) {
    const std::string name = "r" + std::to_string(i);
    many += "- {name: " + name + ", match: {intnt: a}, then: {runtimeClass: x}}\n";
  }
  const RulesVerdict verdict = judge(review_of(config_map({{"rules.yaml", many}})));
  EXPECT_THAT(verdict.message, HasSubstr("1000 errors in the rule files"));
  EXPECT_LE(verdict.message.size(), 33U * 1024);
  EXPECT_THAT(verdict.message, ::testing::MatchesRegex("(.|\n)*\nand [0-9]+ more errors"));
}

TEST(ValidateRules, TheReplyIsAnAdmissionReview) {
  base::Arena arena;
  const std::string body = review_of(config_map({{"rules.yaml", kMisspelt}})).dump();
  const Review review = *read_review(*kube::parse_json(body, arena));
  std::string out;
  append_reply(out, review, validate_rules(review, {}));
  const json reply = json::parse(out);
  EXPECT_EQ(reply["apiVersion"], "admission.k8s.io/v1");
  EXPECT_EQ(reply["response"]["uid"], "u-1");
  EXPECT_EQ(reply["response"]["allowed"], false);
  EXPECT_EQ(reply["response"]["status"]["code"], 403);
  EXPECT_THAT(reply["response"]["status"]["message"].get<std::string>(), HasSubstr("'intnt'"));
  EXPECT_FALSE(reply["response"].contains("patch"));
}

}  // namespace
}  // namespace berth::webhook
