// Who may ask for what: rules by namespace, group and service account, and keys that only berth
// writes.
#include "tests/webhook/gang_fixture.h"

namespace berth::webhook {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The rule of docs/rules.md.
constexpr const char* kUrgent =
    "apiVersion: berth.dev/v1alpha1\nkind: RuleSet\nmetadata: {name: t}\nvariables:\n"
    "  user: request.userInfo.username\n"
    "  asked: \"!variables.user.startsWith('system:') || variables.user.startsWith("
    "'system:serviceaccount:' + workload.namespace + ':')\"\n"
    "rules:\n- name: urgent\n  match: {labels: {berth.dev/priority: urgent}, gpus: '>=0'}\n"
    "  when:\n  - variables.asked\n"
    "  - \"!('on-call' in request.userInfo.?groups.orValue([]))\"\n"
    "  then: {deny: \"not for ${variables.user}\"}\n";

std::string urgent_job() {
  std::string job = job_of(2);
  for (std::size_t at = 0; (at = job.find("training}", at)) != std::string::npos; at += 30) {
    job.replace(at, 8, "training, berth.dev/priority: urgent");
  }
  return job;
}

Outcome asked_by(const std::string& user, const std::string& groups = {}) {
  GangRun run{"", urgent_job()};
  run.rules = kUrgent;
  run.user = user;
  run.groups = groups;
  return GangWorld(run).outcome();
}

TEST(WhoMayAsk, AGroupOrAServiceAccountByConditions) {
  EXPECT_EQ(asked_by("alice"), Outcome::kDenied);
  EXPECT_EQ(asked_by("alice", R"("on-call","dev")"), Outcome::kUnchanged);
  EXPECT_EQ(asked_by("system:serviceaccount:team-nlp:ci"), Outcome::kDenied);
  EXPECT_EQ(asked_by("system:serviceaccount:kube-system:job-controller"), Outcome::kUnchanged);
}

TEST(WhoMayAsk, ANamespaceByItsNameAndLabels) {
  const std::string space =
      "{apiVersion: v1, kind: Namespace, metadata: {name: team-nlp, labels: {tier: research}}}";
  const auto priority_for = [&](const std::string& match) {
    GangRun run{"", job_of(2), {space}};
    run.rules =
        "apiVersion: berth.dev/v1alpha1\nkind: RuleSet\nmetadata: {name: t}\nrules:\n- name: p\n  "
        "match: " +
        match + "\n  then: {priorityClass: high}\n";
    return GangWorld(run).at("/spec/template/spec/priorityClassName");
  };
  EXPECT_EQ(priority_for("{namespaces: 'team-*'}"), "high");
  EXPECT_EQ(priority_for("{namespaceLabels: {tier: research}}"), "high");
  EXPECT_EQ(priority_for("{namespaceLabels: {tier: production}}"), "absent");
}

TEST(WhoMayAsk, OptingOutIsALimitedRight) {
  GangRun run{"tolerate: x", job_of(2, ", annotations: {berth.dev/ignore: 'true'}")};
  EXPECT_EQ(GangWorld(run).outcome(), Outcome::kIgnored);
  run.opt_out = "team-n*";
  EXPECT_EQ(GangWorld(run).outcome(), Outcome::kIgnored);
  run.opt_out = "sandbox";
  const GangWorld elsewhere(run);
  EXPECT_EQ(elsewhere.at("/spec/template/spec/tolerations/0/key"), "x");
  EXPECT_TRUE(has(elsewhere.warnings(), "berth.dev/ignore does not count in namespace team-nlp"))
      << elsewhere.warnings();
}

// ---------------------------------------------------------------- forged keys

const std::string kRules = "/metadata/annotations/berth.dev~1rules";

TEST(ForgedRecord, IdsThatNoRuleHasAreTakenOut) {
  const GangWorld run({"tolerate: x", pod_of_job("berth.dev/rules: 'platform/exempt,t/gang,a/b'")});
  EXPECT_EQ(run.at(kRules), "t/gang");
  EXPECT_TRUE(has(run.warnings(), "berth.dev/rules is berth's own record")) << run.warnings();
  const GangWorld alone({"tolerate: x", pod_of_job("berth.dev/rules: 'platform/exempt'")});
  EXPECT_EQ(alone.at(kRules), "t/gang");
}

TEST(ForgedRecord, ARecordOfNothingGoesAsAWhole) {
  std::string pod = pod_of_job("berth.dev/rules: 'platform/exempt', a: b");
  pod.replace(pod.find("training"), 8, "batch");
  const GangWorld run({"tolerate: x", pod});
  EXPECT_EQ(run.at(kRules), "absent");
  EXPECT_EQ(run.at("/metadata/annotations/a"), "b");
  EXPECT_EQ(run.outcome(), Outcome::kPatched);
}

TEST(ForgedRecord, OfAnOwnerAndItsTemplatesGoesAsWell) {
  const GangWorld run({"tolerate: x", job_of(2,
                                             ", annotations: {berth.dev/rules: z/z, "
                                             "berth.dev/decision: 'let me in'}")});
  EXPECT_EQ(run.at(kRules), "absent");
  EXPECT_EQ(run.at("/spec/template" + kRules), "t/gang");
  EXPECT_FALSE(has(run.at("/metadata/annotations/berth.dev~1decision"), "let me in"));
  EXPECT_FALSE(has(run.at("/spec/template/metadata/annotations/berth.dev~1decision"), "let me in"));
}

TEST(ForgedRecord, ADecisionOfAPodOnItsOwnIsRemoved) {
  const GangWorld run({"tolerate: x", pod_of_job("berth.dev/decision: '{}'"), {}, {}, "alice"});
  EXPECT_EQ(run.at("/metadata/annotations/berth.dev~1decision"), "absent");
  EXPECT_EQ(run.at("/spec/tolerations/0/key"), "x");
}

}  // namespace
}  // namespace berth::webhook
