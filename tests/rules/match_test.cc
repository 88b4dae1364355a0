#include "rules/match.h"

#include <random>

#include "fixtures.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::rules {
namespace {

using testing::json_of;

Facts gpu_facts() {
  Facts facts;
  facts.operation = "CREATE";
  facts.namespace_name = "team-nlp";
  facts.kind = "Job";
  facts.intent = "training";
  facts.framework = "pytorch";
  facts.vendor = "nvidia";
  facts.gpus = 2;
  facts.wants_gpu = true;
  return facts;
}

TEST(Match, OfNothingGivenHoldsForEveryGpuPodAtCreate) {
  Facts facts = gpu_facts();
  EXPECT_TRUE(holds({}, facts));
  facts.operation = "UPDATE";
  EXPECT_FALSE(holds({}, facts));
  facts = gpu_facts();
  facts.gpus = 0;
  facts.wants_gpu = false;
  EXPECT_FALSE(holds({}, facts));
}

struct KeyCase {
  const char* name;
  void (*give)(Match&);
  bool holds;
  const char* failure;  // as users read it
};

const KeyCase kKeyCases[] = {
    {"an intent",
     [](Match& m) {
       m.intents = {"batch", "training"};
     },
     true, ""},
    {"any intent", [](Match& m) { m.intents = {"*"}; }, true, ""},
    {"another intent",
     [](Match& m) {
       m.intents = {"inference", "batch"};
     },
     false, "intent: wants inference, batch, has training"},
    {"a namespace by glob", [](Match& m) { m.namespaces = {"team-*"}; }, true, ""},
    {"another namespace", [](Match& m) { m.namespaces = {"kube-*"}; }, false,
     "namespaces: wants kube-*, has team-nlp"},
    {"a kind", [](Match& m) { m.kinds = {"Job"}; }, true, ""},
    {"another kind", [](Match& m) { m.kinds = {"Deployment"}; }, false,
     "kinds: wants Deployment, has Job"},
    {"a framework", [](Match& m) { m.frameworks = {"pytorch"}; }, true, ""},
    {"another vendor", [](Match& m) { m.vendors = {"amd"}; }, false,
     "vendors: wants amd, has nvidia"},
    {"GPUs at least",
     [](Match& m) {
       m.gpus = GpuRange{2, INT64_MAX};
     },
     true, ""},
    {"GPUs too few",
     [](Match& m) {
       m.gpus = GpuRange{4, INT64_MAX};
     },
     false, "gpus: wants >=4, has 2"},
    {"GPUs one number",
     [](Match& m) {
       m.gpus = GpuRange{1, 1};
     },
     false, "gpus: wants 1, has 2"},
    {"GPUs a range",
     [](Match& m) {
       m.gpus = GpuRange{3, 8};
     },
     false, "gpus: wants 3-8, has 2"},
    {"GPUs at most",
     [](Match& m) {
       m.gpus = GpuRange{0, 1};
     },
     false, "gpus: wants <=1, has 2"},
    {"an operation", [](Match& m) { m.operations = {"UPDATE"}; }, false,
     "operations: wants UPDATE, has CREATE"},
    {"a label",
     [](Match& m) {
       m.labels = {{"tier", {"gold"}}};
     },
     true, ""},
    {"a label present",
     [](Match& m) {
       m.labels = {{"tier", {"*"}}};
     },
     true, ""},
    {"a label absent",
     [](Match& m) {
       m.labels = {{"size", {"*"}}};
     },
     false, "labels: wants size=*, has none"},
    {"a namespace label",
     [](Match& m) {
       m.namespace_labels = {{"team", {"nlp", "cv"}}};
     },
     true, ""},
    {"another namespace label",
     [](Match& m) {
       m.namespace_labels = {{"team", {"cv"}}};
     },
     false, "namespaceLabels: wants team=cv, has nlp"},
};

TEST(Match, TestsEachKeyAndSaysWhatFailed) {
  base::Arena arena;
  Facts facts = gpu_facts();
  facts.labels = json_of("{tier: gold}", arena);
  facts.namespace_object = json_of("{metadata: {labels: {team: nlp}}}", arena);
  for (const KeyCase& row : kKeyCases) {
    Match match;
    row.give(match);
    EXPECT_EQ(holds(match, facts), row.holds) << row.name;
    EXPECT_EQ(first_failure(match, facts), row.failure) << row.name;
    EXPECT_EQ(first_failure(match, facts).empty(), holds(match, facts)) << row.name;
  }
}

TEST(Match, OfZeroGpusMeansNoneInAnyForm) {
  Facts facts = gpu_facts();
  facts.gpus = 0;
  Match none;
  none.gpus = GpuRange{0, 0};
  Match few;
  few.gpus = GpuRange{0, 4};
  EXPECT_FALSE(holds(none, facts));
  EXPECT_EQ(first_failure(none, facts), "gpus: wants 0, has a slice or a share");
  EXPECT_TRUE(holds(few, facts));
  facts.wants_gpu = false;
  EXPECT_TRUE(holds(none, facts));
  EXPECT_TRUE(holds(few, facts));
}

TEST(Match, KnowsLabelSelectors) {
  base::Arena arena;
  Facts facts = gpu_facts();
  facts.labels = json_of("{tier: gold}", arena);
  Match match;
  match.label_selector =
      json_of("matchExpressions: [{key: tier, operator: NotIn, values: [gold]}]", arena);
  EXPECT_FALSE(holds(match, facts));
  EXPECT_EQ(first_failure(match, facts),
            R"(labelSelector: wants {"matchExpressions":[{"key":"tier","operator":"NotIn",)"
            R"("values":["gold"]}]}, has tier=gold)");
}

TEST(Match, SaysWhatAnExceptionExcepts) {
  base::Arena arena;
  Facts facts = gpu_facts();
  facts.labels = json_of("{tier: gold, size: big}", arena);
  Match except;
  except.namespaces = {"kube-*", "team-*"};
  except.gpus = GpuRange{2, INT64_MAX};
  except.labels = {{"size", {"*"}}, {"tier", {"gold", "silver"}}};
  ASSERT_TRUE(excepts(except, facts));
  EXPECT_EQ(exception_text(except, facts),
            "except.gpus: excepts >=2, has 2; except.namespaces: excepts kube-*, team-*, has "
            "team-nlp; except.labels: excepts size=*, tier=gold, silver, has big, gold");
}

TEST(Match, AnUnknownFactIsInNoList) {
  Facts facts = gpu_facts();
  facts.intent = "";
  facts.framework = "";
  Match match;
  match.intents = {"*"};
  EXPECT_FALSE(holds(match, facts));
  match = {};
  match.frameworks = {""};
  EXPECT_FALSE(holds(match, facts));
}

TEST(Match, AnExceptionLooksAtGivenKeysOnly) {
  Facts facts = gpu_facts();
  facts.wants_gpu = false;
  facts.gpus = 0;
  facts.operation = "UPDATE";
  Match except;
  except.namespaces = {"team-*"};
  EXPECT_FALSE(holds(except, facts));
  EXPECT_TRUE(excepts(except, facts));
  except.gpus = GpuRange{1, 8};
  EXPECT_FALSE(excepts(except, facts));
}

TEST(Glob, StandsForAnyRunOfCharacters) {
  EXPECT_TRUE(glob_matches("*", ""));
  EXPECT_TRUE(glob_matches("team-*", "team-"));
  EXPECT_TRUE(glob_matches("*-gpu-*", "a-gpu-gpu-b"));
  EXPECT_TRUE(glob_matches("a*b*c", "aXbXbc"));
  EXPECT_FALSE(glob_matches("team-*", "team"));
  EXPECT_FALSE(glob_matches("", "x"));
  EXPECT_FALSE(glob_matches("a*b", "abc"));
  EXPECT_TRUE(glob_matches(std::string(60, '*') + "b", std::string(5000, 'a') + "b"));
}

// The slow twin: by definition.
bool glob_by_definition(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '*') {
    for (std::size_t i = 0; i <= text.size(); ++i) {
      if (glob_by_definition(pattern.substr(1), text.substr(i))) return true;
    }
    return false;
  }
  return !text.empty() && text[0] == pattern[0] &&
         glob_by_definition(pattern.substr(1), text.substr(1));
}

std::string random_text(std::mt19937& random, std::string_view letters, std::size_t most) {
  std::string out(random() % (most + 1), ' ');
  for (char& c : out) c = letters[random() % letters.size()];
  return out;
}

TEST(Glob, AgreesWithItsDefinition) {
  std::mt19937 random(7);
  for (int i = 0; i < 20'000; ++i) {
    const std::string pattern = random_text(random, "ab*", 6);
    const std::string text = random_text(random, "ab", 8);
    ASSERT_EQ(glob_matches(pattern, text), glob_by_definition(pattern, text))
        << pattern << " against " << text;
  }
}

}  // namespace
}  // namespace berth::rules
