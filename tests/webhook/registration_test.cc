// The webhook configuration that fits a rule set: what it lets through must hold all that the rules
// can do anything to, and the manifests must have what the command prints.
#include "webhook/registration.h"

#include <set>

#include <gmock/gmock.h>

#include "rules/cel/compile.h"
#include "tests/support/command.h"
#include "tests/support/world.h"
#include "topology/watched_kinds.h"

namespace berth::webhook {
namespace {

using berth::testing::data_dir;
using berth::testing::file_text;
using berth::testing::output_of;
using berth::testing::source_dir;
using berth::testing::TestWorld;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kHead[] = "apiVersion: berth.dev/v1alpha1\nkind: RuleSet\nrules:\n";

std::shared_ptr<const rules::RuleSet> rules_of(const std::string& lines) {
  const std::vector<base::SourceText> files = {{"rules.yaml", kHead + lines}};
  rules::LoadResult loaded = rules::load(files, {});
  EXPECT_NE(loaded.rules, nullptr) << berth::testing::all_problems(loaded.problems);
  return loaded.rules;
}

Concern concern(const std::string& lines, Owners owners = Owners::kNeeded) {
  return concern_of(*rules_of(lines), "berth.dev", owners);
}

/// A condition on `object`, as an API server evaluates it.
class Condition {
 public:
  explicit Condition(const std::string& text) {
    slot_ = environment_.declare("object", "dyn");
    const auto compiled = rules::cel::compile_unchecked(text, environment_);
    program_ = compiled.program;
    EXPECT_NE(program_, nullptr) << text;
  }

  rules::cel::Value operator()(kube::Json object, base::Arena& arena) const {
    rules::cel::Activation activation;
    activation.bind(slot_, object);
    rules::cel::Budget budget;
    return evaluate(*program_, activation, arena, budget);
  }

  bool holds(const std::string& pod) const {
    base::Arena arena;
    const auto object = kube::parse_json(pod, arena);
    EXPECT_TRUE(object) << pod;
    const rules::cel::Value value = (*this)(*object, arena);
    EXPECT_FALSE(value.is_error()) << pod;
    return value.is_true();
  }

 private:
  rules::cel::Environment environment_;
  int slot_ = 0;
  std::shared_ptr<const rules::cel::Program> program_;
};

std::vector<std::string> owner_names(const Concern& concern) {
  std::vector<std::string> out;
  for (const kube::OwnerResource& owner : concern.owners)
    out.push_back(owner.name + '.' + owner.group);
  return out;
}

// ------------------------------------------------------------------ the manifests

TEST(Registration, OfTheBaseManifestIsWhatTheCommandPrints) {
  const std::string base = (source_dir() / "manifests/base").string();
  EXPECT_EQ(output_of(BERTH_BIN " webhook-config --rules " + base + "/rules.yaml"),
            file_text(base + "/webhook.yaml"));
}

// ------------------------------------------------------------------ pods

TEST(Concern, HoldsEveryRecordedPodThatTheExampleRulesDoAnythingTo) {
  const TestWorld world =
      berth::testing::world_from(berth::testing::texts_in(data_dir() / "rule-examples", ".yaml"),
                                 {{"lab.yaml", file_text(data_dir() / "cases/checks/lab.yaml")}});
  const Concern found = concern_of(*world.rules, "berth.dev", Owners::kNeeded);
  ASSERT_FALSE(found.pods.empty()) << "because of " << found.wide_rule;
  const Condition condition(found.pods);
  int concerned = 0;
  int left_out = 0;
  for (const base::SourceText& text :
       berth::testing::texts_in(data_dir() / "cases/reviews", ".json")) {
    const berth::testing::Judged judged = berth::testing::judge(text.text(), world.view());
    if (judged.review.kind != "Pod" || !judged.review.object.is_object()) continue;
    const auto value = condition(judged.review.object, *judged.arena);
    ASSERT_FALSE(value.is_error()) << text.name();
    const bool does_something =
        judged.answer.outcome == Outcome::kPatched || judged.answer.outcome == Outcome::kDenied ||
        (judged.answer.outcome != Outcome::kIgnored && !judged.answer.warnings.empty());
    EXPECT_TRUE(value.is_true() || !does_something) << text.name();
    (value.is_true() ? concerned : left_out) += 1;
  }
  EXPECT_GT(concerned, 50);
  EXPECT_GT(left_out, 0) << "a condition that lets everything through proves nothing";
}

struct PodRow {
  const char* what;
  const char* pod;
  bool concerns;
};

constexpr PodRow kPods[] = {
    {"nothing of ours", R"({"metadata": {}, "spec": {"containers": [{"name": "a"}]}})", false},
    {"cpu and memory",
     R"({"metadata": {"labels": {"app": "x"}, "annotations": {"a/b": "c"}}, "spec": {"containers": [
        {"resources": {"limits": {"cpu": "1"}, "requests": {"memory": "1Gi"}}}]}})",
     false},
    {"a GPU in limits",
     R"({"metadata": {}, "spec": {"containers": [{"name": "a"},
        {"resources": {"limits": {"nvidia.com/gpu": "1"}}}]}})",
     true},
    {"a GPU in requests only",
     R"({"metadata": {}, "spec": {"containers": [{"resources": {"requests": {"amd.com/gpu": 1}}}]}})",
     true},
    {"an init container",
     R"({"metadata": {}, "spec": {"containers": [], "initContainers": [
        {"resources": {"limits": {"nvidia.com/mig-1g.10gb": "1"}}}]}})",
     true},
    {"a claim",
     R"({"metadata": {}, "spec": {"containers": [], "resourceClaims": [{"name": "gpu"}]}})", true},
    {"a resource that a DeviceClass names",
     R"({"metadata": {}, "spec": {"containers": [{"resources": {"limits": {"corp.example/x": 1}}}]}})",
     true},
    {"an intent as label",
     R"({"metadata": {"labels": {"berth.dev/intent": "x"}}, "spec": {"containers": []}})", true},
    {"an intent as annotation",
     R"({"metadata": {"annotations": {"berth.dev/gpu-memory": "x"}}, "spec": {"containers": []}})",
     true},
    {"a prefix that only looks like ours",
     R"({"metadata": {"labels": {"berth.developer/intent": "x"}}, "spec": {"containers": []}})",
     false},
};

TEST(Concern, IsAboutGpusAndIntent) {
  const Condition condition(concern("- name: r\n  then: {env: {A: b}}\n").pods);
  for (const PodRow& row : kPods) EXPECT_EQ(condition.holds(row.pod), row.concerns) << row.what;
}

constexpr char kPlainPod[] =
    R"({"metadata": {"labels": {"app": "x"}}, "spec": {"containers": []}})";
constexpr char kTeamPod[] =
    R"({"metadata": {"labels": {"team": "nlp"}}, "spec": {"containers": []}})";

TEST(Concern, WidensToTheLabelsOfRulesForPodsWithoutGpus) {
  for (const char* match : {"{gpus: '>=0', labels: {team: nlp}}", "{gpus: 0, labels: {team: '*'}}",
                            "{gpus: '<=1', labelSelector: {matchLabels: {team: nlp}}}"}) {
    const Condition condition(
        concern(std::string("- name: r\n  match: ") + match + "\n  then: {warn: hello}\n").pods);
    EXPECT_TRUE(condition.holds(kTeamPod)) << match;
    EXPECT_FALSE(condition.holds(kPlainPod)) << match;
  }
}

TEST(Concern, IsEveryPodWhereARuleMatchesPodsOfNoMark) {
  const Concern found = concern(
      "- {name: narrow, match: {gpus: 0, intent: batch}, then: {warn: a}}\n"
      "- {name: wide, match: [{vendors: nvidia}, {gpus: 0, namespaces: 'team-*'}], then: {warn: "
      "b}}\n");
  EXPECT_EQ(found.pods, "");
  EXPECT_THAT(found.wide_rule, HasSubstr("wide"));
  EXPECT_THAT(to_yaml({}, found), Not(HasSubstr("of-concern")));
  const Concern off = concern(
      "- {name: wide, mode: disabled, match: {gpus: 0}, then: {warn: b}}\n"
      "- {name: other, then: {warn: b}}\n");
  EXPECT_NE(off.pods, "") << "a disabled rule does nothing";
  EXPECT_EQ(concern("- {name: wide, mode: audit, match: {gpus: 0}, then: {warn: b}}\n").pods, "");
}

TEST(Concern, HasUpdatesOnlyWhereARuleIsForThem) {
  EXPECT_FALSE(concern("- {name: r, then: {warn: a}}\n").updates);
  const Concern found = concern("- {name: r, match: {operations: [UPDATE]}, then: {warn: a}}\n");
  EXPECT_TRUE(found.updates);
  const std::string yaml = to_yaml({}, found);
  EXPECT_THAT(yaml, HasSubstr("operations: [CREATE, UPDATE]"));
  EXPECT_THAT(yaml, HasSubstr("deletionTimestamp"));
}

// ------------------------------------------------------------------ owners

TEST(Concern, HasTheOwnersThatARuleNeeds) {
  EXPECT_THAT(owner_names(concern("- {name: r, then: {env: {A: b}, priorityClass: x}}\n")),
              IsEmpty());
  EXPECT_THAT(owner_names(concern("- {name: r, match: {kinds: [PyTorchJob, Pod, JobSet]}, then: "
                                  "{gang: {backend: auto}}}\n")),
              ElementsAre("jobsets.jobset.x-k8s.io", "pytorchjobs.kubeflow.org"));
  const auto gang = owner_names(concern("- {name: r, then: {gang: {backend: auto}}}\n"));
  EXPECT_THAT(gang, Contains("jobs.batch"));
  EXPECT_THAT(gang, Contains("jobs.batch.volcano.sh"));
  EXPECT_THAT(gang, Not(Contains("deployments.apps"))) << "its pods do not start together";
  const auto queue = owner_names(concern("- {name: r, then: {queue: a}}\n"));
  EXPECT_THAT(queue, Contains("deployments.apps"));
  EXPECT_THAT(queue, Not(Contains("daemonsets.apps")));
  EXPECT_THAT(owner_names(concern("- {name: r, then: {placement: {narrowest: [node, rack]}}}\n")),
              Contains("jobs.batch"));
  EXPECT_THAT(owner_names(concern("- {name: r, then: {placement: {require: rack}}}\n")), IsEmpty());
}

TEST(Concern, HasOwnersWhereARuleAsksWhoSentTheRequest) {
  for (const char* lines :
       {"- {name: r, when: \"request.userInfo.username == 'a'\", then: {warn: a}}\n",
        "- {name: r, variables: {u: request.userInfo.username, v: variables.u + 'x'}, when: "
        "variables.v == 'a', then: {deny: a}}\n",
        "- {name: r, then: {warn: \"hello ${request.userInfo.username}\"}}\n"}) {
    EXPECT_THAT(owner_names(concern(lines)), Contains("deployments.apps")) << lines;
  }
  EXPECT_THAT(owner_names(concern("- {name: r, when: workload.pods > 1, then: {deny: a}}\n")),
              IsEmpty());
}

TEST(Concern, HasAllOwnersOrNoneWhereAsked) {
  const std::string queue = "- {name: r, then: {queue: a}}\n";
  EXPECT_THAT(owner_names(concern(queue, Owners::kNone)), IsEmpty());
  const auto all = owner_names(concern("- {name: r, then: {warn: a}}\n", Owners::kAll));
  EXPECT_THAT(all, Contains("daemonsets.apps"));
  EXPECT_THAT(all, Contains("trainjobs.trainer.kubeflow.org")) << "it has a queue and resources";
  EXPECT_THAT(all, Not(Contains("workflows.argoproj.io"))) << "it has no pod template";
}

TEST(OwnerResource, IsNamedAsTheApiServesTheKind) {
  for (const topology::WatchedKind& kind : topology::watched_kinds())
    EXPECT_EQ(kube::plural_of(kind.kind), kind.resource);
  EXPECT_EQ(kube::plural_of("NetworkPolicy"), "networkpolicies");
  EXPECT_EQ(kube::plural_of("Ingress"), "ingresses");
  EXPECT_EQ(kube::plural_of("Gateway"), "gateways");
}

// ------------------------------------------------------------------ the file

TEST(Registration, SaysWhatAServerWouldDefault) {
  const std::string yaml = to_yaml({}, concern("- {name: r, then: {queue: a}}\n"));
  for (const char* line :
       {"matchPolicy: Equivalent", "sideEffects: None", "timeoutSeconds: 3", "scope: Namespaced",
        "failurePolicy: Ignore", "reinvocationPolicy: IfNeeded", "port: 443", "path: /mutate"}) {
    EXPECT_THAT(yaml, HasSubstr(line));
  }
  EXPECT_THAT(yaml, Not(HasSubstr("caBundle")));
  EXPECT_THAT(yaml, HasSubstr("o.controller")) << "made owners are their maker's business";
}

TEST(Registration, TakesItsOptions) {
  Registration options;
  options.name = "10-gpus";
  options.service_namespace = "gpu-system";
  options.service_port = 8443;
  options.failure_policy = FailurePolicy::kFail;
  options.ca_bundle = "pem";
  options.label_prefix = "gpu.example.com";
  options.excluded_namespaces = {"kube-system", "gpu-system"};
  const std::string yaml = to_yaml(options, concern("- {name: r, then: {warn: a}}\n"));
  EXPECT_THAT(yaml, HasSubstr("name: 10-gpus\n"));
  EXPECT_THAT(yaml, HasSubstr("{namespace: gpu-system, name: berth, path: /mutate, port: 8443}"));
  EXPECT_THAT(yaml, HasSubstr("failurePolicy: Fail"));
  EXPECT_THAT(yaml, HasSubstr("caBundle: cGVt\n"));
  EXPECT_THAT(yaml, HasSubstr("values: [gpu-system, kube-system]}"));
  EXPECT_THAT(yaml, HasSubstr("key: gpu.example.com/ignore"));
}

TEST(Registration, SplitsByPolicyWhereNamespacesAreStrict) {
  Registration options;
  options.strict_label = "berth.dev/strict";
  options.strict_value = "true";
  const std::string yaml = to_yaml(options, concern("- {name: r, then: {warn: a}}\n"));
  const std::size_t strict = yaml.find("- name: pods-strict.berth.dev");
  ASSERT_NE(strict, std::string::npos);
  EXPECT_THAT(yaml.substr(0, strict), HasSubstr("berth.dev/strict, operator: NotIn"));
  EXPECT_THAT(yaml.substr(0, strict), Not(HasSubstr("Fail\n")));
  EXPECT_THAT(yaml.substr(strict), HasSubstr("berth.dev/strict, operator: In, values: [\"true\"]"));
  EXPECT_THAT(yaml.substr(strict), HasSubstr("failurePolicy: Fail"));
}

// ------------------------------------------------------------------ the command

std::string command(const std::string& arguments) {
  const std::string rules = (source_dir() / "manifests/base/rules.yaml").string();
  return output_of(BERTH_BIN " webhook-config --rules " + rules + ' ' + arguments +
                   " 2>&1; echo status $?");
}

TEST(WebhookConfigCommand, RefusesWhatWouldMakeABrokenFile) {
  struct Row {
    const char* arguments;
    const char* says;
  };
  for (const Row& row :
       {Row{"--name 'a: b'", "'a: b' is no name of an object"},
        Row{"--service-namespace UPPER", "'UPPER' is no name"}, Row{"--timeout 31", "1 to 30"},
        Row{"--failure-policy ignore", "Ignore"}, Row{"--strict-namespaces strict", "KEY=VALUE"},
        Row{"--strict-namespaces a/b/c=true", "KEY=VALUE"},
        Row{"--strict-namespaces strict=-yes", "KEY=VALUE"},
        Row{"--service-name a..b", "'a..b' is no name"},
        Row{"--ca-bundle /does/not/exist", "/does/not/exist"},
        Row{"--ca-bundle " BERTH_SOURCE_DIR "/LICENSE", "has no certificate"}}) {
    const std::string out = command(row.arguments);
    EXPECT_THAT(out, HasSubstr(row.says)) << row.arguments;
    EXPECT_THAT(out, HasSubstr("status 2")) << row.arguments;
  }
  const std::string bad = (source_dir() / "tests/bad/rule-misspelt-key.yaml").string();
  EXPECT_THAT(output_of(BERTH_BIN " webhook-config --rules " + bad + " 2>&1; echo status $?"),
              HasSubstr("status 1"));
  EXPECT_THAT(output_of(BERTH_BIN " webhook-config 2>&1; echo status $?"),
              HasSubstr("no rules; name files or folders by --rules\nstatus 2"));
}

}  // namespace
}  // namespace berth::webhook
