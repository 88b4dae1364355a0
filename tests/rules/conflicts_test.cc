#include "rules/conflicts.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "fixtures.h"
#include <gtest/gtest.h>

#include "rules/engine.h"
#include "rules/loader.h"
#include "rules/match.h"

namespace berth::rules {
namespace {

using testing::assign;
using testing::constant;
using testing::RuleBook;

Assignment env(std::string value) {
  return assign(SlotKind::kEnv, "A", Text{constant(std::move(value))});
}

/// Loads one file of rules that set env.A to different values; the first problem, or "fine".
std::string verdict(const std::string& first, const std::string& second,
                    const std::string& head = "") {
  const std::string text = "apiVersion: berth.dev/v1alpha1\nkind: RuleSet\n" + head +
                           "rules:\n- name: a\n" + first + "  then: {env: {A: '1'}}\n- name: b\n" +
                           second + "  then: {env: {A: '2'}}\n";
  const base::SourceText source("t.yaml", text);
  const LoadResult result = load(std::span(&source, 1), LoadOptions{});
  for (const base::Problem& problem : result.problems.list()) {
    const std::size_t at = problem.text.find("such a pod");
    if (problem.code == "conflict") return problem.text.substr(at);
    return problem.code + ": " + problem.text;
  }
  return "fine";
}

struct Pair {
  std::string name;
  std::string first;
  std::string second;
  std::string verdict;
};

class ConflictPairs : public ::testing::TestWithParam<Pair> {};

TEST_P(ConflictPairs, AreJudged) {
  EXPECT_EQ(verdict(GetParam().first, GetParam().second), GetParam().verdict);
}

const Pair kPairs[] = {
    {"nothing_apart", "", "", "such a pod: any pod that asks for a GPU"},
    {"intents_differ", "  match: {intent: training}\n", "  match: {intent: inference}\n", "fine"},
    {"intents_share_one", "  match: {intent: [training, batch]}\n",
     "  match: {intent: [batch, inference]}\n", "such a pod: intent batch"},
    {"any_intent", "  match: {intent: '*'}\n", "  match: {intent: training}\n",
     "such a pod: intent training"},
    {"gpus_apart", "  match: {gpus: 1-7}\n", "  match: {gpus: '>=8'}\n", "fine"},
    {"gpus_meet", "  match: {gpus: 1-8}\n", "  match: {gpus: '>=8'}\n", "such a pod: 8 GPUs"},
    {"no_gpus_against_some", "  match: {gpus: 0}\n", "  match: {gpus: '>=1'}\n", "fine"},
    {"no_gpus_against_any_gpu", "  match: {gpus: 0}\n", "", "fine"},
    {"namespaces_by_wildcard", "  match: {namespaces: 'team-*'}\n",
     "  match: {namespaces: '*-nlp'}\n", "such a pod: namespace team-nlp"},
    {"namespaces_apart", "  match: {namespaces: 'team-*'}\n", "  match: {namespaces: 'x*'}\n",
     "fine"},
    {"excepted", "  except: {namespaces: team-x}\n", "  match: {namespaces: team-x}\n", "fine"},
    {"excepted_by_wildcard", "  except: {namespaces: 'team-*'}\n",
     "  match: {namespaces: [team-x, team-y]}\n", "fine"},
    {"excepted_in_part", "  except: {namespaces: 'team-*', intent: training}\n",
     "  match: {namespaces: team-x}\n", "such a pod: namespace team-x"},
    {"excepted_by_pieces", "  except: [{gpus: 1-4}, {gpus: '>=5'}]\n", "  match: {gpus: '>=1'}\n",
     "fine"},
    {"labels_apart", "  match: {labels: {tier: a}}\n", "  match: {labels: {tier: [b, c]}}\n",
     "fine"},
    {"label_present_and_absent", "  match: {labels: {tier: '*'}}\n",
     "  match:\n    labelSelector: {matchExpressions: [{key: tier, operator: DoesNotExist}]}\n",
     "fine"},
    {"selector_excludes_the_value", "  match: {labels: {tier: a}}\n",
     "  match:\n    labelSelector:\n      matchExpressions:\n"
     "      - {key: tier, operator: NotIn, values: [a]}\n",
     "fine"},
    {"namespace_labels_apart", "  match: {namespaceLabels: {env: prod}}\n",
     "  match: {namespaceLabels: {env: test}}\n", "fine"},
    {"different_labels_meet", "  match: {labels: {x: a}}\n", "  match: {labels: {y: b}}\n",
     "such a pod: label x=a, label y=b"},
    {"operations_apart", "", "  match: {operations: [UPDATE]}\n", "fine"},
    {"operations_meet", "  match: {operations: [CREATE, UPDATE]}\n",
     "  match: {operations: [UPDATE]}\n", "such a pod: operation UPDATE"},
    {"any_entry_is_enough", "  match: [{intent: x}, {kinds: Job}]\n", "  match: {intent: y}\n",
     "such a pod: intent y, kind Job"},
    {"precedence", "  precedence: 101\n", "", "fine"},
    {"disabled", "  mode: disabled\n", "", "fine"},
};

INSTANTIATE_TEST_SUITE_P(Table, ConflictPairs, ::testing::ValuesIn(kPairs),
                         [](const auto& row) { return row.param.name; });

const Pair kConditions[] = {
    {"facts_apart", "  when: workload.totalGpus >= 32\n", "  when: workload.totalGpus < 32\n",
     "fine"},
    {"facts_meet", "  when: workload.totalGpus >= 32\n", "  when: workload.pods == 4\n",
     "such a pod: 4 pods, 8 GPUs"},
    {"total_is_a_product", "  match: {gpus: '>=8'}\n", "  when: workload.totalGpus < 8\n", "fine"},
    {"large_pods", "  when: workload.pods == 1 && workload.totalGpus >= 5000\n", "",
     "such a pod: 5000 GPUs"},
    {"intent_in_a_list", "  when: workload.intent in ['a', 'b']\n", "  match: {intent: [b, c]}\n",
     "such a pod: intent b"},
    {"intent_is_not", "  when: workload.intent != 'a'\n", "  match: {intent: a}\n", "fine"},
    {"label_in_a_condition", "  when: workload.labels['t'] == 'a'\n", "  match: {labels: {t: b}}\n",
     "fine"},
    {"quantities_apart", "  when: workload.gpuMemory > quantity('8Gi')\n",
     "  when: workload.gpuMemory <= quantity('8Gi')\n", "fine"},
    {"quantities_meet", "  when: workload.gpuMemory >= quantity('8Gi')\n",
     "  when: workload.gpuMemory <= quantity('8Gi')\n",
     "such a pod, where the other conditions hold: any pod that asks for a GPU"},
    {"truth_values_apart", "  when: workload.shared\n", "  when: '!workload.shared'\n", "fine"},
    {"an_or_is_not_judged", "  when: workload.pods == 1 || workload.gpus == 1\n",
     "  when: workload.pods == 2\n", "such a pod, where the other conditions hold: 2 pods, 1 GPU"},
    {"not_in_a_list", "  when: workload.intent in ['a', 'b']\n",
     "  when: '!(workload.intent in [\"a\", \"b\"])'\n", "fine"},
    {"not_in_a_list_of_numbers", "  when: '!(workload.gpus in [1, 2])'\n",
     "  match: {gpus: '1-2'}\n", "fine"},
    {"not_in_a_list_leaves_the_rest", "  when: '!(workload.gpus in [1, 3])'\n",
     "  match: {gpus: '1-3'}\n", "such a pod: 2 GPUs"},
    {"fact_not_in_a_list", "  when: '!(workload.name in [\"a\", \"b\"])'\n",
     "  when: workload.name == 'a'\n", "fine"},
    {"negated_bound", "  when: '!(workload.gpuMemory < quantity(\"8Gi\"))'\n",
     "  when: workload.gpuMemory < quantity('8Gi')\n", "fine"},
    {"negated_count", "  when: '!(workload.pods > 1)'\n", "  when: workload.pods >= 2\n", "fine"},
    {"label_not_in_a_list", "  when: '!(workload.labels[\"t\"] in [\"a\"])'\n",
     "  match: {labels: {t: a}}\n", "fine"},
    {"an_or_of_one_fact", "  when: workload.intent == 'a' || workload.intent in ['b', 'c']\n",
     "  match: {intent: [d, e]}\n", "fine"},
    {"an_or_of_one_fact_meets", "  when: workload.intent == 'a' || workload.intent == 'b'\n",
     "  match: {intent: [b, e]}\n", "such a pod: intent b"},
    {"an_or_of_bounds_is_not_judged", "  when: workload.pods < 2 || workload.pods > 4\n",
     "  when: workload.pods == 3\n", "such a pod, where the other conditions hold: 3 pods, 1 GPU"},
    {"a_list_of_conditions", "  when: [workload.gpus >= 2, workload.gpus <= 4]\n",
     "  when: workload.gpus > 4\n", "fine"},
    {"namespace_in_a_condition", "  when: workload.namespace == 'a'\n",
     "  match: {namespaces: 'b*'}\n", "fine"},
};

INSTANTIATE_TEST_SUITE_P(Conditions, ConflictPairs, ::testing::ValuesIn(kConditions),
                         [](const auto& row) { return row.param.name; });

TEST(Conflicts, LookThroughVariables) {
  const std::string head = "variables: {large: workload.totalGpus >= 32}\n";
  EXPECT_EQ(verdict("  when: variables.large\n", "  when: workload.totalGpus < 32\n", head),
            "fine");
  EXPECT_EQ(verdict("  when: variables.large\n", "  when: '!variables.large'\n", head), "fine");
  EXPECT_EQ(verdict("  when: variables.large\n", "  when: workload.gpus == 8\n", head),
            "such a pod: 4 pods, 8 GPUs");
}

TEST(Conflicts, KeepVariablesOfDifferentRulesApart) {
  EXPECT_EQ(verdict("  variables: {v: workload.pods == 1 || workload.gpus == 1}\n"
                    "  when: variables.v\n",
                    "  variables: {v: workload.pods == 2 || workload.gpus == 2}\n"
                    "  when: '!variables.v'\n"),
            "such a pod, where the other conditions hold: any pod that asks for a GPU");
}

TEST(Conflicts, AreSettledByStrategyFirst) {
  EXPECT_EQ(verdict("  when: workload.gpus > 4\n", "", "strategy: first\n"), "fine");
}

// ------------------------------------------------------------------ values

bool clash(Assignment first, Assignment second, Rule first_more = {}, Rule second_more = {}) {
  RuleBook book;
  book.rule("a", {std::move(first)}).containers = first_more.containers;
  book.rule("b", {std::move(second)}).containers = second_more.containers;
  return !conflicts_of(book.set(), {true, true}, 10).empty();
}

TEST(Conflicts, CompareValuesByWhatTheyMean) {
  const auto shm = [](const char* size) {
    return assign(SlotKind::kShm, "", Text{constant(size)});
  };
  EXPECT_FALSE(clash(shm("1Gi"), shm("1024Mi"))) << "one amount in two spellings";
  EXPECT_TRUE(clash(shm("1Gi"), shm("1G")));
  const auto placed = [](LevelPlacement value) {
    return assign(SlotKind::kPlacement, "", std::move(value));
  };
  EXPECT_TRUE(clash(placed({"rack", {}, {}}), placed({{}, {"rack"}, {}})));
  EXPECT_FALSE(clash(placed({"rack", {}, {}}), placed({"rack", {}, {}})));
  Template computed;
  computed.pieces.push_back({"", 0});
  EXPECT_FALSE(clash(env("1"), assign(SlotKind::kEnv, "A", Text{computed})))
      << "only a request can tell";
}

TEST(Conflicts, CountContainersAsPartOfTheValue) {
  Rule all;
  all.containers.kind = ContainerChoice::Kind::kAll;
  EXPECT_TRUE(clash(env("1"), env("1"), all));
  EXPECT_FALSE(clash(env("1"), env("1"), all, all));
}

TEST(Conflicts, LeaveOutRulesThatAreNotSound) {
  RuleBook book;
  book.rule("a", {env("1")});
  book.rule("b", {env("2")});
  EXPECT_EQ(conflicts_of(book.set(), {true, true}, 10).size(), 1U);
  EXPECT_TRUE(conflicts_of(book.set(), {true, false}, 10).empty());
}

TEST(Conflicts, StopAtTheLimit) {
  RuleBook book;
  for (int i = 0; i < 100; ++i) book.rule("r" + std::to_string(i), {env(std::to_string(i))});
  EXPECT_EQ(conflicts_of(book.set(), std::vector<bool>(100, true), 7).size(), 7U);
}

// ------------------------------------------------------------------ the slow twin

/// A pod as facts; the labels live in the arena.
Facts facts_of(const Example& example, base::Arena& arena) {
  const auto labels = [&](const std::map<std::string, std::string>& from) {
    std::vector<kube::JsonMember> members;
    for (const auto& [key, value] : from) {
      members.push_back({arena.copy(std::string_view(key)), kube::make_string(arena, value)});
    }
    return kube::make_object(arena, members);
  };
  Facts facts;
  facts.intent = example.intent;
  facts.namespace_name = example.namespace_name;
  facts.labels = labels(example.labels);
  facts.namespace_object = kube::make_object(
      arena,
      {{"metadata", kube::make_object(arena, {{"labels", labels(example.namespace_labels)}})}});
  facts.kind = example.kind;
  facts.framework = example.framework;
  facts.vendor = example.vendor;
  facts.operation = example.operation;
  facts.gpus = example.gpus;
  facts.pods = example.pods;
  facts.total_gpus = example.gpus * example.pods;
  facts.wants_gpu = example.wants_gpu;
  return facts;
}

bool applies(const Rule& rule, const Facts& facts) {
  static const Match kEveryGpuPod;
  const bool matched = rule.match.empty()
                           ? holds(kEveryGpuPod, facts)
                           : std::any_of(rule.match.begin(), rule.match.end(),
                                         [&](const Match& match) { return holds(match, facts); });
  return matched && std::none_of(rule.except.begin(), rule.except.end(),
                                 [&](const Match& match) { return excepts(match, facts); });
}

/// Every kind of pod that the random matches below can tell apart.
std::vector<Example> universe() {
  std::vector<Example> out;
  for (const char* intent : {"", "a", "b", "other"}) {
    for (const char* name : {"team-a", "team-b", "team-c", "team-b-a", "team-c-a", "x-a", "xb",
                             "xb-a", "x", "q", "b", "b-a", "c-a"}) {
      for (const char* kind : {"Pod", "Job", "Other"}) {
        for (const char* label : {"-", "x", "y", "other"}) {
          for (const char* operation : {"CREATE", "UPDATE"}) {
            for (const std::int64_t gpus : {-1, 0, 1, 2, 3, 4, 5, 6}) {
              Example pod;
              pod.intent = intent;
              pod.namespace_name = name;
              pod.kind = kind;
              if (*label != '-') pod.labels["t"] = label;
              pod.operation = operation;
              pod.gpus = std::max<std::int64_t>(gpus, 0);
              pod.wants_gpu = gpus >= 0;  // -1: none at all, 0: a slice
              out.push_back(std::move(pod));
            }
          }
        }
      }
    }
  }
  return out;
}

class RandomMatches {
 public:
  explicit RandomMatches(unsigned seed) : random_(seed) {}

  bool one_in(int n) { return std::uniform_int_distribution<int>(1, n)(random_) == 1; }
  std::vector<std::string> some(std::vector<std::string> from) {
    std::shuffle(from.begin(), from.end(), random_);
    from.resize(one_in(3) ? 2 : 1);
    return from;
  }
  Match match() {
    Match out;
    if (one_in(3)) out.intents = some({"a", "b", "*"});
    if (one_in(3)) out.namespaces = some({"team-a", "team-*", "*-a", "x*", "*b*"});
    if (one_in(4)) out.kinds = some({"Pod", "Job"});
    if (one_in(3)) out.labels["t"] = some({"x", "y", "*"});
    if (one_in(4)) out.operations = some({"CREATE", "UPDATE"});
    if (one_in(2)) {
      std::uniform_int_distribution<std::int64_t> any(0, 3);
      const std::int64_t low = any(random_);
      out.gpus = GpuRange{low, one_in(2) ? INT64_MAX : low + any(random_) - 1};
    }
    return out;
  }
  std::vector<Match> matches(int most) {
    std::vector<Match> out;
    while (most-- > 0 && !one_in(2)) out.push_back(match());
    return out;
  }
  std::vector<Match> exceptions() {
    std::vector<Match> out = matches(3);
    std::erase_if(out, [](const Match& m) {  // an entry without a key is refused at load
      return m.intents.empty() && m.namespaces.empty() && m.kinds.empty() && m.labels.empty() &&
             m.operations.empty() && !m.gpus;
    });
    return out;
  }

 private:
  std::mt19937 random_;
};

TEST(Conflicts, AreFoundExactlyWhereSomePodIsMatchedByBoth) {
  const std::vector<Example> pods = universe();
  std::vector<Facts> facts;
  base::Arena arena;
  for (const Example& pod : pods) facts.push_back(facts_of(pod, arena));
  RandomMatches random(20260801);
  int clashes = 0;
  for (int round = 0; round < 1000; ++round) {
    RuleBook book;
    for (const char* name : {"a", "b"}) {
      Rule& rule = book.rule(name, {env(name)});
      rule.match = random.matches(2);
      rule.except = random.exceptions();
    }
    const Rule& a = book.set().rules[0];
    const Rule& b = book.set().rules[1];
    const bool common = std::any_of(facts.begin(), facts.end(), [&](const Facts& pod) {
      return applies(a, pod) && applies(b, pod);
    });
    const auto found = conflicts_of(book.set(), {true, true}, 1);
    ASSERT_EQ(!found.empty(), common)
        << "round " << round << ": " << (found.empty() ? "" : found[0].example.text);
    if (found.empty()) continue;
    ++clashes;
    ASSERT_TRUE(found[0].example.certain);
    const Facts example = facts_of(found[0].example, arena);
    EXPECT_TRUE(applies(a, example) && applies(b, example))
        << "round " << round << ": " << found[0].example.text;
  }
  EXPECT_GT(clashes, 300);
  EXPECT_LT(clashes, 900) << "the random matches should tell pods apart";
}

TEST(Conflicts, ShowAPodOnWhichTheEngineSeesTheClash) {
  RandomMatches random(7);
  int clashes = 0;
  const testing::Cluster cluster = testing::nothing_known();
  for (int round = 0; round < 200; ++round) {
    RuleBook book;
    for (const char* name : {"a", "b"}) {
      Rule& rule = book.rule(name, {env(name)});
      rule.match = random.matches(2);
      rule.except = random.exceptions();
    }
    const auto found = conflicts_of(book.set(), {true, true}, 1);
    if (found.empty()) continue;
    ++clashes;
    base::Arena arena;
    const Facts facts = facts_of(found[0].example, arena);
    const kube::Json pod =
        testing::json_of("{metadata: {name: p}, spec: {containers: [{name: main}]}}", arena);
    Request request = testing::request_in(facts.namespace_name);
    request.operation = facts.operation;
    const Decision decision =
        decide(testing::pod_subject(pod), request, facts, book.set(), *cluster, arena, {});
    EXPECT_EQ(decision.applied.size(), 2U) << found[0].example.text;
    ASSERT_EQ(decision.overruled.size(), 1U) << found[0].example.text;
    EXPECT_EQ(decision.overruled[0].rule->id, "t/b") << "the lower id wins among equals";
  }
  EXPECT_GT(clashes, 50);
}

}  // namespace
}  // namespace berth::rules
