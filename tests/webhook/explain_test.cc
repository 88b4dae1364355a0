#include "webhook/explain.h"

#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "tests/support/world.h"

namespace berth::webhook {
namespace {

constexpr char kHead[] = "apiVersion: berth.dev/v1alpha1\nkind: RuleSet\n";
constexpr char kPod[] =
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"team-a",
        "labels":{"berth.dev/intent":"training"}},"spec":{"containers":[{"name":"main","image":"x",
        "resources":{"limits":{"nvidia.com/gpu":"8"}}}]}})";

base::SourceText set_of(const std::string& path, const std::string& rules) {
  return {path, kHead + rules};
}

::testing::AssertionResult says(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "no '" << part << "' in\n" << text;
}

struct Explained {
  std::string text;
  std::string json;
};

Explained explained(const std::vector<base::SourceText>& rules,
                    const rules::LoadOptions& options = {}) {
  auto world =
      berth::testing::world_from({set_of("t.yaml", "rules: [{name: a, then: {warn: w}}]")}, {});
  const rules::LoadResult loaded = rules::load(rules, options);
  EXPECT_NE(loaded.rules, nullptr) << berth::testing::all_problems(loaded.problems);
  world.rules = loaded.rules;
  world.limits.decide.reasons = rules::DecideOptions::Reasons::kAll;
  const auto judged = berth::testing::judge(kPod, world.view());
  ExplainOptions all;
  all.rules = ExplainOptions::Rules::kAll;
  return {explain_text(judged.review, judged.answer, *world.rules, all),
          explain_json(judged.review, judged.answer, world.view(), *judged.arena)};
}

TEST(Explain, NamesThePrecedencesThatDecided) {
  const auto out = explained({set_of("a.yaml",
                                     "rules:\n- {name: hi, precedence: 101, then: {queue: x}}\n"
                                     "- {name: lo, then: {queue: y}}\n")});
  EXPECT_TRUE(says(out.text, "overruled: a/lo on queue by a/hi (precedence 101 over 100)\n"));
  EXPECT_TRUE(says(out.json, R"("why":"precedence 101 over 100")"));
}

TEST(Explain, NamesTheDirectoriesOfTheBandsThatDecided) {
  rules::LoadOptions options;
  options.bands = {{"platform", 500, 1000}, {"teams", 0, 499}};
  const auto out = explained({set_of("platform/p.yaml", "rules:\n- {name: hi, then: {queue: x}}\n"),
                              set_of("teams/t.yaml", "rules:\n- {name: lo, then: {queue: y}}\n")},
                             options);
  EXPECT_TRUE(says(out.text,
                   "overruled: t/lo on queue by p/hi (precedence 500 of directory 'platform' over "
                   "100 of directory 'teams')\n"));
}

// What the rules of manifests/base do to the pod where the GPU nodes have this spec.
Explained explained_by_default(const std::string& node_spec) {
  std::ifstream file(BERTH_SOURCE_DIR "/manifests/base/rules.yaml");
  const std::string rules{std::istreambuf_iterator<char>(file), {}};
  const std::string node =
      "apiVersion: v1\nkind: Node\nmetadata: {name: a, labels: {kubernetes.io/hostname: a, "
      "nvidia.com/gpu.product: H100}}\nspec: " +
      node_spec + "\nstatus: {allocatable: {nvidia.com/gpu: '8', cpu: '96', memory: 1Ti}}\n";
  const auto world = berth::testing::world_from({{"base.yaml", rules}}, {{"cluster.yaml", node}});
  const auto judged = berth::testing::judge(kPod, world.view());
  return {explain_text(judged.review, judged.answer, *world.rules, {}),
          explain_json(judged.review, judged.answer, world.view(), *judged.arena)};
}

constexpr char kNamed[] = "1 nodes named: a (0 GPUs left, wasted +0.00)";
constexpr char kByDefault[] = R"("packing":[{"rule":"base/keep-nodes-whole","text":")";

TEST(Explain, TellsWhichNodesArePreferredAndWhy) {
  const auto out = explained_by_default("{taints: [{key: nvidia.com/gpu, effect: NoSchedule}]}");
  EXPECT_TRUE(says(out.text, std::string("packing: ") + kNamed));
  EXPECT_TRUE(says(out.json, std::string(kByDefault) + kNamed + R"("}])"));
}

TEST(Explain, TheDefaultRulesNameNoNodeThatIsOpenToPodsWithoutGpus) {
  const auto out = explained_by_default("{}");
  EXPECT_TRUE(says(
      out.json, std::string(kByDefault) + "no node is named: pods without GPUs may take the CPU"));
}

TEST(Explain, SaysWhyEachOtherRuleDoesNotApply) {
  struct Row {
    const char* rule;
    const char* reason;
  };
  const Row rows[] = {
      {"when: workload.totalGpus >= 32", "when: workload.totalGpus >= 32: is 8"},
      {"when: ['workload.gpus == 8', 'workload.pods > 2']", "when: workload.pods > 2: is 1"},
      {"match: {intent: batch}", "match.intent: wants batch, has training"},
      {"match: [{intent: batch}, {gpus: 4, intent: training}]",
       "match.intent: wants batch, has training; match.gpus: wants 4, has 8"},
      {"except: [{intent: batch}, {namespaces: 'team-*'}]",
       "except.namespaces: excepts team-*, has team-a"},
      {"rollout: 0%", "rollout: 0% of the workloads, not this one"},
      {"mode: disabled", "mode: disabled"},
  };
  for (const Row& row : rows) {
    const auto out = explained(
        {set_of("a.yaml", "rules: [{name: x, " + std::string(row.rule) + ", then: {warn: w}}]")});
    EXPECT_TRUE(says(out.text, "not applied: a/x  a.yaml:3  " + std::string(row.reason) + "\n"));
  }
}

TEST(Explain, PrintsEachTextOnOneLineWithoutControlCharacters) {
  const auto out = explained({set_of("a.yaml",
                                     "rules:\n- name: x\n  then:\n    warn: \"one\\ntwo\\e[2J\"\n"
                                     "    deny: \"three\\nfour\"\n"
                                     "    annotations: {k: \"five\\nsix\"}\n")});
  EXPECT_TRUE(says(out.text, "warning: one two [2J   a/x  a.yaml:4\n"));
  EXPECT_TRUE(says(out.text, "denied: three four   a/x  a.yaml:4\n"));
  EXPECT_TRUE(says(out.text, "users see: three four (rule a/x)\n"));
}

TEST(Explain, CutsAValueAtAWholeCharacter) {
  std::string value;
  for (int i = 0; i < 40; ++i) value += "\xC3\xA4";
  const auto shown = [](const std::string& text) {
    return explained(
               {set_of("a.yaml", "rules: [{name: x, then: {annotations: {k: " + text + "}}}]")})
        .text;
  };
  EXPECT_TRUE(says(shown(value), R"({"k":")" + value.substr(0, 54) + "...   a/x"));
  EXPECT_TRUE(says(shown("x" + value), R"({"k":"x)" + value.substr(0, 52) + "...   a/x"));
}

TEST(Explain, SaysThatATieGoesToTheLowerName) {
  const auto out = explained({set_of("a.yaml",
                                     "rules:\n- {name: x, then: {queue: '${workload.kind}'}}\n"
                                     "- {name: y, then: {queue: '${workload.name}'}}\n")});
  EXPECT_TRUE(says(
      out.text, "overruled: a/y on queue by a/x (both have precedence 100, the lower name wins)"));
}

}  // namespace
}  // namespace berth::webhook
