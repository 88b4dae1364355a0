#include "rules/index.h"

#include <bit>
#include <random>

#include "fixtures.h"
#include <gtest/gtest.h>

#include "rules/judge.h"

namespace berth::rules {
namespace {

using testing::RuleBook;
using Random = std::mt19937;

std::size_t below(Random& random, std::size_t limit) {
  return random() % limit;
}

std::vector<std::string> some(Random& random, const std::vector<std::string>& words) {
  std::vector<std::string> out;
  if (below(random, 2) == 0) return out;
  for (std::size_t i = 0, n = 1 + below(random, 2); i < n; ++i) {
    out.push_back(words[below(random, words.size())]);
  }
  return out;
}

const std::vector<std::string> kIntents = {"training", "inference", "batch", "*"};
const std::vector<std::string> kNamespaces = {"team-a", "team-b", "team-*", "kube-*", "*-b"};
const std::vector<std::string> kKinds = {"Job", "Pod", "Deployment"};
const std::vector<std::string> kFrameworks = {"pytorch", "vllm"};
const std::vector<std::string> kVendors = {"nvidia", "amd"};
const std::vector<std::string> kOperations = {"CREATE", "UPDATE"};

Match random_match(Random& random) {
  Match match;
  match.intents = some(random, kIntents);
  match.namespaces = some(random, kNamespaces);
  match.kinds = some(random, kKinds);
  match.frameworks = some(random, kFrameworks);
  match.vendors = some(random, kVendors);
  match.operations = below(random, 4) == 0 ? some(random, kOperations) : std::vector<std::string>();
  if (below(random, 2) == 0) {
    const auto low = static_cast<std::int64_t>(below(random, 9));
    const auto width = static_cast<std::int64_t>(below(random, 4));
    match.gpus = GpuRange{low, width == 3 ? INT64_MAX : low + width};
  }
  if (below(random, 4) == 0) match.labels = {{"tier", {"gold"}}};
  return match;
}

void fill(RuleBook& book, Random& random, std::size_t rules) {
  for (std::size_t i = 0; i < rules; ++i) {
    Rule& rule = book.rule("r" + std::to_string(i));
    for (std::size_t n = below(random, 3); n > 0; --n) rule.match.push_back(random_match(random));
    if (below(random, 20) == 0) rule.mode = Mode::kDisabled;
  }
}

std::string_view any_of(Random& random, const std::vector<std::string>& words) {
  const std::size_t i = below(random, words.size() + 1);
  return i == words.size() || words[i] == "*" ? std::string_view{} : std::string_view(words[i]);
}

Facts random_facts(Random& random) {
  Facts facts;
  facts.operation = below(random, 5) == 0 ? "UPDATE" : "CREATE";
  facts.namespace_name = below(random, 2) == 0 ? "team-a" : "kube-b";
  facts.intent = any_of(random, kIntents);
  facts.kind = any_of(random, kKinds);
  facts.framework = any_of(random, kFrameworks);
  facts.vendor = any_of(random, kVendors);
  facts.gpus = static_cast<std::int64_t>(below(random, 12));
  facts.wants_gpu = facts.gpus > 0 || below(random, 2) == 0;
  return facts;
}

bool has(std::span<const std::uint64_t> bits, std::size_t rule) {
  return (bits[rule / 64] >> (rule % 64) & 1) != 0;
}

TEST(Index, AgreesWithTestingEveryRule) {
  Random random(23);
  std::size_t candidates = 0;
  std::size_t matches = 0;
  for (int round = 0; round < 40; ++round) {
    RuleBook book;
    fill(book, random, 1 + below(random, 150));
    const RuleIndex index(book.set());
    for (int i = 0; i < 100; ++i) {
      base::Arena arena;
      const Facts facts = random_facts(random);
      const auto bits = index.candidates(facts, arena);
      for (std::size_t r = 0; r < book.set().rules.size(); ++r) {
        const Rule& rule = book.set().rules[r];
        const bool matched = rule.mode != Mode::kDisabled && any_match(rule, facts);
        candidates += has(bits, r) ? 1U : 0U;
        matches += matched ? 1U : 0U;
        ASSERT_TRUE(!matched || has(bits, r)) << rule.id << " is missing";
      }
    }
  }
  // The index would be of no use if it let most rules through.
  EXPECT_LT(candidates, 3 * matches);
  EXPECT_GT(matches, 1000U);
}

TEST(Index, DecidesAsWithoutIt) {
  Random random(31);
  for (int round = 0; round < 20; ++round) {
    RuleBook book;
    book.file("chain", round % 2 == 0);
    fill(book, random, 100);
    for (std::size_t i = 0; i < book.set().rules.size(); ++i) {
      book.set().rules[i].assignments = {
          testing::label("l" + std::to_string(i % 7), "v" + std::to_string(i % 5))};
      book.set().rules[i].precedence = static_cast<int>(i % 3);
    }
    index_rules(book.set());
    const auto cluster = testing::nothing_known();
    for (int i = 0; i < 50; ++i) {
      base::Arena arena;
      const Facts facts = random_facts(random);
      const Subject subject = testing::pod_subject(testing::json_of("{spec: {}}", arena));
      const Request request = testing::request_in(facts.namespace_name);
      DecideOptions scan;
      scan.reasons = DecideOptions::Reasons::kAll;  // looks at every rule
      const Decision slow = decide(subject, request, facts, book.set(), *cluster, arena, scan);
      const Decision fast = decide(subject, request, facts, book.set(), *cluster, arena);
      EXPECT_EQ(fast.applied, slow.applied);
      EXPECT_EQ(kube::to_json(to_json(fast, arena)), kube::to_json(to_json(slow, arena)));
      EXPECT_EQ(slow.applied.size() + slow.not_applied.size(), book.set().rules.size());
    }
  }
}

TEST(Index, KnowsIntentsAndTolerations) {
  RuleBook book;
  Toleration toleration;
  toleration.key = "k";
  Rule& rule = book.rule("a", {testing::assign(SlotKind::kTolerate, "k:", toleration)});
  rule.match.push_back({});
  rule.match[0].intents = {"training", "*", "batch"};
  book.rule("b");
  const RuleIndex index(book.set());
  EXPECT_EQ(
      std::vector<std::string_view>(index.known_intents().begin(), index.known_intents().end()),
      (std::vector<std::string_view>{"batch", "training"}));
  ASSERT_EQ(index.tolerating().size(), 1U);
  EXPECT_EQ(index.tolerating()[0], 0U);
  EXPECT_FALSE(index.asks_topology());
}

TEST(Index, OfNoRulesHasNoCandidates) {
  RuleBook book;
  const RuleIndex index(book.set());
  base::Arena arena;
  EXPECT_TRUE(index.candidates({}, arena).empty());
}

}  // namespace
}  // namespace berth::rules
