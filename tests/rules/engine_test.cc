#include "rules/engine.h"

#include "fixtures.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules/cel/compile.h"
#include "rules/environment.h"
#include "rules/index.h"
#include "rules/rollout.h"
#include "tests/support/allocation_count.h"

namespace berth::rules {
namespace {

using testing::constant;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::json_of;
using testing::label;
using testing::priority;
using testing::RuleBook;

// A training pod of two GPUs in team-nlp.
constexpr std::string_view kPod =
    "{metadata: {name: train-0, labels: {berth.dev/intent: training, x: y}}, "
    "spec: {containers: [{name: main, resources: {limits: {nvidia.com/gpu: 2}}}]}}";

struct Decided {
  base::Arena arena;
  Subject subject;
  Facts facts;
  Decision decision;
  std::string json;
};

class Engine : public ::testing::Test {
 protected:
  /// Decides on a pod, by default kPod.
  const Decision& decide_on(std::string_view yaml = kPod, const DecideOptions& options = {}) {
    decided_ = std::make_unique<Decided>();
    decided_->subject = testing::pod_subject(json_of(yaml, decided_->arena));
    const Request request = testing::request_in("team-nlp");
    decided_->facts = observe(decided_->subject, request, *cluster_, {});
    decided_->decision = decide(decided_->subject, request, decided_->facts, book_.set(), *cluster_,
                                decided_->arena, options);
    decided_->json = kube::to_json(to_json(decided_->decision, decided_->arena));
    return decided_->decision;
  }

  /// Adds a program to the set; its index.
  int program(const std::string& text, const std::string& expected = "dyn") {
    static const std::vector<std::string> kLevels = {"node", "nvlink", "rack", "block", "zone"};
    auto compiled = cel::compile(text, rule_environment(kLevels), expected);
    EXPECT_NE(compiled.program, nullptr) << text;
    book_.set().programs.push_back(compiled.program);
    return static_cast<int>(book_.set().programs.size()) - 1;
  }
  Expression condition(const std::string& text) { return {text, {}, program(text, "bool")}; }
  /// A template of one expression between two literals.
  Template mixed(std::string before, const std::string& expression, std::string after) {
    Template out;
    out.text = before + "${" + expression + "}" + after;
    if (!before.empty()) out.pieces.push_back({std::move(before), -1});
    out.pieces.push_back({"", program(expression)});
    if (!after.empty()) out.pieces.push_back({std::move(after), -1});
    return out;
  }

  const std::string& json() const { return decided_->json; }
  std::vector<std::string> ids(const std::vector<const Rule*>& rules) const {
    std::vector<std::string> out;
    for (const Rule* rule : rules) out.push_back(rule->id);
    return out;
  }
  static std::vector<std::string> texts(const std::vector<Message>& messages) {
    std::vector<std::string> out;
    for (const Message& message : messages) out.push_back(message.text);
    return out;
  }

  RuleBook book_;
  testing::Cluster cluster_ = testing::nothing_known();

 private:
  std::unique_ptr<Decided> decided_;
};

TEST_F(Engine, MergesFieldByFieldAndReportsLosers) {
  book_.file("strong").rule("a", {label("tier", "gold")}).precedence = 200;
  book_.file("weak").rule("b", {label("tier", "tin"), label("extra", "1")});
  const Decision& decision = decide_on();
  EXPECT_EQ(json(), R"({"labels":{"extra":"1","tier":"gold"}})");
  EXPECT_THAT(ids(decision.applied), ElementsAre("strong/a", "weak/b"));
  ASSERT_EQ(decision.overruled.size(), 1U);
  EXPECT_EQ(decision.overruled[0].rule->id, "weak/b");
  EXPECT_EQ(decision.overruled[0].by->id, "strong/a");
  EXPECT_THAT(decision.warnings, IsEmpty());
}

TEST_F(Engine, EqualValuesAreNoConflict) {
  book_.file("strong").rule("a", {label("tier", "gold")}).precedence = 200;
  book_.file("weak").rule("b", {label("tier", "gold")});
  EXPECT_THAT(decide_on().overruled, IsEmpty());
}

TEST_F(Engine, BreaksATieByTheRuleIdAndSaysSo) {
  book_.file("b").rule("x", {priority("low")});
  book_.file("a").rule("y", {priority("high")});
  const Decision& decision = decide_on();
  EXPECT_EQ(json(), R"({"priorityClass":"high"})");
  EXPECT_THAT(texts(decision.warnings),
              ElementsAre("rules a/y and b/x both set priorityClass; the former wins by its name"));
}

TEST_F(Engine, TakesTheFirstRuleOfAChain) {
  book_.file("t", true);
  book_.rule("counted", {label("a", "audited")}).mode = Mode::kAudit;
  book_.rule("off", {label("a", "off")}).mode = Mode::kDisabled;
  book_.rule("elsewhere", {label("a", "elsewhere")}).match.push_back({});
  book_.set().rules.back().match[0].namespaces = {"kube-*"};
  book_.rule("taken", {label("a", "taken")});
  book_.rule("rest", {label("b", "rest")});
  DecideOptions all;
  all.reasons = DecideOptions::Reasons::kAll;
  const Decision& decision = decide_on(kPod, all);
  EXPECT_EQ(json(), R"({"labels":{"a":"taken"}})");
  EXPECT_THAT(ids(decision.audited), ElementsAre("t/counted"));
  std::vector<std::string> reasons;
  for (const NotApplied& not_applied : decision.not_applied) {
    reasons.push_back(not_applied.rule->name + ": " + not_applied.reason);
  }
  EXPECT_THAT(reasons, ElementsAre("off: mode: disabled",
                                   "elsewhere: match.namespaces: wants kube-*, has team-nlp",
                                   "rest: strategy: t/taken applies"));
}

TEST_F(Engine, LeavesAuditOutWhenItsEffortIsReduced) {
  book_.rule("counted").mode = Mode::kAudit;
  DecideOptions reduced;
  reduced.effort = DecideOptions::Effort::kReduced;
  EXPECT_THAT(decide_on(kPod, reduced).audited, IsEmpty());
}

TEST_F(Engine, AddsUpDenialsAndHonoursExceptions) {
  book_.rule("few").deny = constant("too few");
  book_.rule("closed").deny = constant("closed");
  Rule& exempt = book_.rule("exempt");
  exempt.deny = constant("never");
  exempt.except.push_back({});
  exempt.except[0].intents = {"training"};
  const Decision& decision = decide_on();
  EXPECT_THAT(texts(decision.denials), ElementsAre("too few", "closed"));
  EXPECT_TRUE(decision.denied());
}

TEST_F(Engine, NeverTouchesDaemonsButWhereTheirKindIsNamed) {
  constexpr std::string_view kDaemon =
      "{metadata: {ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: probe, uid: u, "
      "controller: true}]}, "
      "spec: {containers: [{name: main, resources: {limits: {nvidia.com/gpu: 1}}}]}}";
  book_.rule("wide", {label("wide", "1"), priority("p")});
  Rule& named = book_.rule("named", {label("named", "1"), priority("p")});
  named.match.push_back({});
  named.match[0].kinds = {"DaemonSet"};
  const Decision& decision = decide_on(kDaemon);
  EXPECT_THAT(ids(decision.applied), ElementsAre("t/named"));
  EXPECT_EQ(json(), R"({"labels":{"named":"1"}})");
}

TEST_F(Engine, LeavesPlacementOfBoundPodsAlone) {
  constexpr std::string_view kBound =
      "{spec: {nodeName: cpu-1, containers: [{name: main, resources: {limits: {nvidia.com/gpu: "
      "1}}}]}}";
  book_.rule("much", {label("a", "1"),
                      testing::assign(SlotKind::kScheduler, "", Text{constant("volcano")})});
  const Decision& decision = decide_on(kBound);
  EXPECT_EQ(json(), R"({"labels":{"a":"1"}})");
  ASSERT_EQ(decision.warnings.size(), 1U);
  EXPECT_THAT(decision.warnings[0].text, HasSubstr("bound to node 'cpu-1'"));
}

TEST_F(Engine, KeepsItsHandsOffAPodWhoseCountCannotBeRead) {
  book_.rule("any", {label("a", "1")});
  Rule& none = book_.rule("none", {label("b", "1")});
  none.match.push_back({});
  none.match[0].gpus = GpuRange{0, 0};
  const Decision& decision =
      decide_on("{spec: {containers: [{name: main, resources: {limits: {nvidia.com/gpu: abc}}}]}}");
  EXPECT_THAT(decision.applied, IsEmpty());
}

TEST_F(Engine, PointsOutAnIntentThatNoRuleKnows) {
  Rule& rule = book_.rule("a");
  rule.match.push_back({});
  rule.match[0].intents = {"training"};
  const std::string pod =
      "{metadata: {labels: {berth.dev/intent: trainning}}, spec: {containers: [{name: main, "
      "resources: {limits: {nvidia.com/gpu: 1}}}]}}";
  EXPECT_THAT(texts(decide_on(pod).warnings),
              ElementsAre("no rule knows the intent 'trainning'; did you mean 'training'?"));
}

TEST_F(Engine, DecidesTheSameTwice) {
  book_.rule("a", {label("a", "1"), priority("p")}).rollout.percent = 50;
  decide_on();
  const std::string first = json();
  decide_on();
  EXPECT_EQ(json(), first);
}

// ------------------------------------------------------------------ conditions

TEST_F(Engine, JudgesConditionsAndShowsTheirValues) {
  book_.rule("large", {label("a", "large")}).when = {condition("workload.totalGpus >= 32")};
  book_.rule("small", {label("b", "small")}).when = {condition("workload.gpus == 2"),
                                                     condition("workload.intent == 'training'")};
  DecideOptions all;
  all.reasons = DecideOptions::Reasons::kAll;
  const Decision& decision = decide_on(kPod, all);
  EXPECT_EQ(json(), R"({"labels":{"b":"small"}})");
  ASSERT_EQ(decision.not_applied.size(), 1U);
  EXPECT_EQ(decision.not_applied[0].reason, "when: workload.totalGpus >= 32: is 2");
}

TEST_F(Engine, SkipsOrDeniesWhereAConditionFails) {
  const std::string absent = "object.metadata.labels['nothing'] == 'x'";
  book_.rule("skips", {label("a", "1")}).when = {condition(absent)};
  Rule& denies = book_.rule("denies", {label("b", "1")});
  denies.when = {condition(absent)};
  denies.on_error = OnError::kDeny;
  const Decision& decision = decide_on();
  EXPECT_THAT(decision.applied, IsEmpty());
  ASSERT_EQ(decision.failed.size(), 2U);
  EXPECT_THAT(decision.failed[0].text, HasSubstr("nothing"));
  ASSERT_EQ(decision.denials.size(), 1U);
  EXPECT_THAT(decision.denials[0].text, HasSubstr("t/denies cannot be evaluated"));
}

TEST_F(Engine, AFalseConditionWinsOverOneThatFailed) {
  Rule& rule = book_.rule("a", {label("a", "1")});
  rule.when = {condition("object.metadata.labels['nothing'] == 'x'"), condition("1 > 2")};
  rule.on_error = OnError::kDeny;
  const Decision& decision = decide_on();
  EXPECT_THAT(decision.failed, IsEmpty());
  EXPECT_THAT(decision.denials, IsEmpty());
}

TEST_F(Engine, FailsTopologyFunctionsWhileNodesAreNotKnown) {
  book_.rule("fits", {label("a", "1")}).when = {condition("topology.fits('rack')")};
  const Decision& decision = decide_on();
  ASSERT_EQ(decision.failed.size(), 1U);
  EXPECT_THAT(decision.failed[0].text, HasSubstr("no nodes are known"));
}

TEST_F(Engine, FillsTemplatesAndKeepsTypesOfWholeOnes) {
  book_.rule("a",
             {testing::assign(SlotKind::kLabel, "n", Text{mixed("has-", "workload.gpus", "-gpus")}),
              testing::assign(SlotKind::kSet, "spec.x",
                              Scalar{"/spec/x", {}, mixed("", "workload.gpus * 60", "")})});
  decide_on();
  EXPECT_EQ(json(), R"({"labels":{"n":"has-2-gpus"},"set":{"spec.x":120}})");
}

TEST_F(Engine, AnActionThatFailsFailsItsRule) {
  book_.file("t", true);
  book_.rule("fails", {testing::assign(SlotKind::kQueue, "",
                                       Text{mixed("q-", "workload.labels['nothing']", "")}),
                       label("a", "1")});
  book_.rule("next", {label("a", "2")});
  const Decision& decision = decide_on();
  EXPECT_EQ(json(), R"({"labels":{"a":"2"}})");
  ASSERT_EQ(decision.failed.size(), 1U);
  EXPECT_THAT(decision.failed[0].text, HasSubstr("queue"));
}

TEST_F(Engine, PrintsAQuestionMarkWhereAMessageFails) {
  book_.rule("a").warn = mixed("queue ", "workload.labels['nothing']", "!");
  EXPECT_THAT(texts(decide_on().warnings), ElementsAre("queue ?!"));
}

// ------------------------------------------------------------------ memory

TEST_F(Engine, TouchesNoHeapOnceWarm) {
  for (int i = 0; i < 200; ++i) {
    Rule& rule = book_.rule("r" + std::to_string(i), {label("l" + std::to_string(i),
                                                            "a value that "
                                                            "is too long for a short string"),
                                                      priority("p")});
    rule.match.push_back({});
    rule.match[0].intents = {i % 3 == 0 ? "training" : "inference"};
    if (i % 2 == 0) rule.when = {condition("workload.gpus >= 2 && workload.intent != ''")};
    if (i % 5 == 0)
      rule.when = {condition("object.metadata.labels['nothing'] == 'x'"),
                   condition("workload.totalGpus > 100")};
    rule.assignments.push_back(testing::assign(
        SlotKind::kQueue, "", Text{mixed("queue-of-the-team-named-", "workload.namespace", "")}));
  }
  index_rules(book_.set());
  base::Arena input;
  const Subject subject = testing::pod_subject(json_of(kPod, input));
  const Request request = testing::request_in("team-nlp");
  const Facts facts = observe(subject, request, *cluster_, {});
  base::Arena arena;
  Decision decision;
  std::size_t counted = 0;
  for (int round = 0; round < 3; ++round) {
    arena.reset();
    const std::size_t before = berth::testing::allocation_count();
    decide_into(decision, subject, request, facts, book_.set(), *cluster_, arena);
    counted = berth::testing::allocation_count() - before;
  }
  EXPECT_EQ(counted, 0U);
  EXPECT_GT(decision.applied.size(), 30U);
}

// ------------------------------------------------------------------ rollout

TEST(Rollout, IsStableAndGrowsOnly) {
  Rule rule;
  rule.id = "canary/mps";
  int before = 0;
  for (const double percent : {0.0, 5.0, 25.0, 50.0, 99.0, 100.0}) {
    rule.rollout.percent = percent;
    int reached = 0;
    for (int i = 0; i < 2000; ++i) {
      Facts facts;
      const std::string name = "workload-" + std::to_string(i);
      facts.namespace_name = "team";
      facts.kind = "Job";
      facts.name = name;
      reached += reaches(rule, facts) ? 1 : 0;
    }
    EXPECT_NEAR(reached / 20.0, percent, 4.0);
    EXPECT_GE(reached, before);
    before = reached;
  }
  EXPECT_EQ(before, 2000);
}

TEST(Rollout, TreatsPodsOfAWorkloadAlikeAndNamespacesWhereAsked) {
  Rule rule;
  rule.id = "a/b";
  Facts one;
  one.namespace_name = "team";
  one.kind = "Job";
  one.name = "x";
  Facts other = one;
  other.pod_name = "x-1";
  EXPECT_EQ(rollout_draw(rule, one), rollout_draw(rule, other));
  other.name = "y";
  EXPECT_NE(rollout_draw(rule, one), rollout_draw(rule, other));
  rule.rollout.by = Rollout::By::kNamespace;
  EXPECT_EQ(rollout_draw(rule, one), rollout_draw(rule, other));
}

TEST(Rollout, IsTheSameInEveryRelease) {
  Rule rule;
  rule.id = "canary-mps/small-models-share-one-gpu";
  Facts facts;
  facts.namespace_name = "team-a";
  facts.kind = "Deployment";
  facts.name = "serve";
  EXPECT_NEAR(rollout_draw(rule, facts), 0, 100);
}

}  // namespace
}  // namespace berth::rules
