// Rule tests: reading the format, and that each expectation can fail.
#include "webhook/rule_test.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules/loader.h"

namespace berth::webhook {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kRules[] = R"(apiVersion: berth.dev/v1alpha1
kind: RuleSet
metadata: {name: set}
rules:
- name: small
  match: {gpus: "<=2"}
  then: {runtimeClass: nvidia, labels: {size: small}}
- name: big
  match: {gpus: ">=8"}
  then: {deny: "no pods of ${workload.gpus} GPUs", warn: "very big"}
- name: watched
  mode: audit
  match: {intent: batch}
  then: {runtimeClass: kata}
- name: urgent
  precedence: 500
  match: {intent: urgent}
  then: {runtimeClass: fast}
- name: fails
  when: 1 / (workload.pods - 1) > 0
  then: {labels: {never: "yes"}}
)";

base::Result<base::SourceText> no_files(const std::string& path) {
  return base::Error{base::ErrorCode::kNotFound, "no file '" + path + "'"};
}

std::string head() {
  return "apiVersion: berth.dev/v1alpha1\nkind: RuleTest\nrules: [set.yaml]\ntests:\n";
}

std::string problems_of(const std::string& text) {
  base::Arena arena;
  base::Problems problems;
  read_rule_tests({"t.yaml", text}, no_files, arena, problems);
  std::string out;
  for (const base::Problem& problem : problems.list()) {
    out += to_text(problem.place) + ": " + problem.text +
           (problem.hint.empty() ? "" : "; " + problem.hint) + "\n";
  }
  return out;
}

/// The failures of one test, written as an item of `tests`.
std::vector<std::string> failures_of(const std::string& test, std::string* recorded = nullptr,
                                     const Limits& limits = {}) {
  static const auto rules =
      rules::load(std::vector<base::SourceText>{{"set.yaml", kRules}}, {}).rules;
  base::Arena arena;
  base::Problems problems;
  const base::SourceText text("t.yaml", head() + test);
  const RuleTestFile file = read_rule_tests(text, no_files, arena, problems);
  for (const base::Problem& problem : problems.list()) ADD_FAILURE() << to_text(problem);
  if (rules == nullptr || file.tests.size() != 1) return {"could not be read"};
  const RuleTestResult result = run_rule_test(file, file.tests[0], {*rules, {}, limits});
  if (recorded != nullptr) *recorded = result.outcome_yaml;
  return result.failures;
}

TEST(RuleTest, NamesWhatIsWrongAndWhere) {
  struct Row {
    const char* why;
    std::string text;
    const char* said;
  };
  const std::string one = "- name: a\n  pod: {namespace: x, gpus: 1}\n  expect: {rules: []}\n";
  const Row rows[] = {
      {"nothing", "", "t.yaml:1:1: expected one document of kind RuleTest\n"},
      {"two documents", head() + one + "---\n" + head() + one,
       "t.yaml:1:1: expected one document of kind RuleTest\n"},
      {"no rules", "apiVersion: berth.dev/v1alpha1\nkind: RuleTest\ntests:\n" + one,
       "t.yaml:1:1: key 'rules' is missing; expected a list, each item a text\n"},
      {"a list", "[a]\n", "t.yaml:1:1: expected a rule test, a mapping of keys\n"},
      {"a misspelt key of a test", head() + "- name: a\n  pd: {namespace: x}\n",
       "t.yaml:6:3: unknown key 'pd'; did you mean 'pod'?\n"},
      {"a misspelt expectation",
       head() + "- name: a\n  pod: {namespace: x}\n  expect: {warning: a}\n",
       "t.yaml:7:12: unknown key 'warning'; did you mean 'warnings'?\n"},
      {"a number that is none", head() + "- name: a\n  pod: {namespace: x, gpus: many}\n",
       "t.yaml:6:29: 'gpus' is 'many'; expected a whole number from 0 to 1000000\n"},
      {"a word outside of its list",
       head() + "- name: a\n  rollout: maybe\n  pod: {namespace: x}\n  expect: {rules: []}\n",
       "t.yaml:6:12: rollout 'maybe' is not known; expected one of in, out, hash\n"},
      {"two inputs",
       head() + "- name: a\n  pod: {namespace: x}\n  object: {kind: Pod}\n  expect: {rules: []}\n",
       "t.yaml:5:3: a test needs exactly one of pod, podFile and object\n"},
      {"no input", head() + "- name: a\n  expect: {rules: []}\n",
       "t.yaml:5:3: a test needs exactly one of pod, podFile and object\n"},
      {"a file that is not there", head() + "- name: a\n  podFile: p.yaml\n  expect: {rules: []}\n",
       "t.yaml:6:12: 'p.yaml' cannot be read: no file 'p.yaml'\n"},
  };
  for (const Row& row : rows) EXPECT_EQ(problems_of(row.text), row.said) << row.why;
}

TEST(RuleTest, TakesEveryKeyOfTheTable) {
  EXPECT_EQ(problems_of("apiVersion: berth.dev/v1alpha1\nkind: RuleTest\n"
                        "metadata: {name: mine, description: all of it}\nrules: [set.yaml]\n"
                        "topology: {nodes: [{name: n, product: H100, gpus: 8, free: 2}]}\n"
                        "namespaces: {x: {team: a}}\npriorityClasses: {high: 100}\ntests:\n"
                        "- name: a\n  stale: true\n  rollout: in\n  again: true\n  used: {n: 3}\n"
                        "  request: {operation: CREATE}\n"
                        "  pod: {namespace: x, gpus: 1, pods: 2, image: i, name: p}\n"
                        "  expect: {allowed: true}\n"),
            "");
}

TEST(RuleTest, EachExpectationHoldsAndFails) {
  struct Row {
    const char* pod;
    const char* holds;
    const char* fails;
    const char* said;
  };
  const Row rows[] = {
      {"gpus: 1", "rules: [set/small]", "rules: []", "rules: wanted none, got set/small"},
      {"gpus: 1", "rules: set/small", "rules: set/big", "rules: wanted set/big, got set/small"},
      {"gpus: 1", "notRules: set/big", "notRules: set/small",
       "notRules: wanted not set/small, got set/small"},
      {"gpus: 4, intent: batch", "audited: [set/watched]", "audited: [set/small]",
       "audited: wanted set/small, got set/watched"},
      {"gpus: 1", "decision: {runtimeClass: nvidia}", "decision: {runtimeClass: kata}",
       "decision: wanted {\"runtimeClass\":\"kata\"}"},
      {"gpus: 1", "patched: {spec.runtimeClassName: nvidia}", "patched: {spec.runtimeClassName: x}",
       "spec.runtimeClassName: wanted \"x\", got \"nvidia\""},
      {"gpus: 4", "absent: spec.runtimeClassName", "absent: spec.containers",
       "spec.containers: wanted nothing, got"},
      {"gpus: 1, spec: {runtimeClassName: mine}", "kept: runtimeClass", "kept: queue",
       "kept: wanted queue, got runtimeClass"},
      {"gpus: 1, intent: urgent", "overruled: set/small.runtimeClass", "overruled: set/big.queue",
       "overruled: wanted set/big.queue, got set/small.runtimeClass"},
      {"gpus: 8", "warnings: very", "warnings: [very, other]", "warnings: wanted other, got"},
      {"gpus: 8", "denied: pods of 8 GPUs", "denied: pods of 9", "denied: wanted pods of 9, got"},
      {"gpus: 8", "allowed: false", "allowed: true", "allowed: wanted true, got false"},
      {"gpus: 4", "errors: set/fails", "errors: set/big", "errors: wanted set/big, got set/fails"},
      {"gpus: 4", "unchanged: true", "unchanged: false", "unchanged: wanted false, got true"},
  };
  for (const Row& row : rows) {
    const std::string test = std::string("- name: a\n  pod: {namespace: x, ") + row.pod + "}\n";
    EXPECT_THAT(failures_of(test + "  expect: {" + row.holds + "}\n"), IsEmpty()) << row.holds;
    EXPECT_THAT(failures_of(test + "  expect: {" + row.fails + "}\n"),
                ElementsAre(HasSubstr(row.said)))
        << row.fails;
  }
}

TEST(RuleTest, ATestWithoutExpectationsFailsAndSaysHowToGetThem) {
  EXPECT_THAT(failures_of("- name: a\n  pod: {namespace: x, gpus: 1}\n"),
              ElementsAre("no expectations; berth test --record prints the present outcome"));
}

TEST(RuleTest, WhatIsRecordedKeepsAllElseOfTheTest) {
  std::string recorded;
  failures_of(
      "- name: a\n  rollout: in\n  stale: true\n  again: true\n  used: {n: 1}\n"
      "  request: {operation: CREATE}\n"
      "  topology: {nodes: [{name: n, product: H100, gpus: 8}]}\n  expect: {rules: [set/x]}\n"
      "  object: {apiVersion: v1, kind: Pod, metadata: {name: p, namespace: x}}\n",
      &recorded);
  for (const char* kept : {"rollout: in\n", "stale: true\n", "again: true\n", "operation: CREATE\n",
                           "product: H100\n", "kind: Pod\n", "used:\n"}) {
    EXPECT_THAT(recorded, HasSubstr(kept));
  }
  EXPECT_THAT(recorded, Not(HasSubstr("set/x")));
  EXPECT_THAT(failures_of(recorded), IsEmpty()) << recorded;
}

TEST(RuleTest, IsJudgedUnderTheLimitsOfTheConfiguration) {
  Limits limits;
  limits.excluded_namespaces = {"x"};
  EXPECT_THAT(
      failures_of("- name: a\n  pod: {namespace: x, gpus: 1}\n  expect: {unchanged: true}\n",
                  nullptr, limits),
      IsEmpty());
}

TEST(RuleTest, WhatIsRecordedHolds) {
  for (const char* pod : {"gpus: 1", "gpus: 8, intent: batch", "gpus: 0", "gpus: 4, intent: batch",
                          "gpus: 1, intent: urgent, spec: {runtimeClassName: mine}"}) {
    std::string recorded;
    failures_of(std::string("- name: \"a: #1\"\n  pod: {namespace: x, ") + pod + "}\n", &recorded);
    EXPECT_THAT(failures_of(recorded), IsEmpty()) << recorded;
  }
}

}  // namespace
}  // namespace berth::webhook
