// manifests/ on a real API server: what Kustomize and Helm make of them is accepted, its pods are
// allowed in a namespace that enforces PodSecurity `restricted`, and nothing stays behind when it
// is removed. And the configuration that `berth webhook-config` prints, in force.
#include <set>

#include <gmock/gmock.h>

#include "tests/e2e/end_to_end.h"

namespace berth::e2e {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::filesystem::path kManifests = std::filesystem::path(BERTH_SOURCE_DIR) / "manifests";

/// Kinds of which the manifests make objects.
constexpr char kKinds[] =
    "namespaces,serviceaccounts,clusterroles,clusterrolebindings,configmaps,services,deployments,"
    "replicasets,pods,secrets,poddisruptionbudgets,networkpolicies,mutatingwebhookconfigurations,"
    "validatingwebhookconfigurations,validatingadmissionpolicies,"
    "validatingadmissionpolicybindings";

class Manifests : public EndToEndWithControllers {
 protected:
  void SetUp() override {
    EndToEndWithControllers::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    const auto found = find_kube_binaries({"kustomize", "helm"});
    if (!found) GTEST_SKIP() << found.error().text << " (tools/kube-bin --only kustomize helm)";
    binaries_ = *found;
    before_ = everything();
  }

  Finished tool(const std::string& name, std::vector<std::string> arguments) {
    const std::string home = (plane().folder() / "helm-home").string();
    const auto done = run({binaries_ / name, std::move(arguments), {"HOME=" + home}});
    EXPECT_TRUE(done.has_value()) << done.error().text;
    return done ? *done : Finished{127, "", ""};
  }

  std::string kustomized(const std::string& folder) {
    const Finished built = tool("kustomize", {"build", (kManifests / folder).string()});
    EXPECT_EQ(built.status, 0) << built.err;
    return built.out;
  }

  Finished helm(std::vector<std::string> arguments) {
    arguments.push_back("--kubeconfig=" +
                        (plane().folder() / "platform-admin.kubeconfig").string());
    arguments.push_back("--namespace=berth");
    return tool("helm", std::move(arguments));
  }

  /// All objects by kind, namespace and name.
  std::set<std::string> everything() {
    const Answer all = kubectl()({"get", kKinds, "-A", "-o",
                                  "jsonpath={range .items[*]}{.kind}/{.metadata.namespace}/"
                                  "{.metadata.name}{\"\\n\"}{end}"});
    EXPECT_TRUE(all.ok()) << all.err;
    std::set<std::string> names;
    std::istringstream lines(all.out);
    for (std::string line; std::getline(lines, line);) names.insert(line);
    return names;
  }

  /// Nothing but what was there before; `with`: what people make by hand.
  void expect_nothing_left(const std::set<std::string>& with = {}) {
    std::set<std::string> allowed = before_;
    allowed.insert(with.begin(), with.end());
    std::set<std::string> left;
    wait_until(std::chrono::seconds(60), [&] {
      left.clear();
      for (const std::string& name : everything()) {
        if (!allowed.contains(name)) left.insert(name);
      }
      return left.empty();
    });
    EXPECT_THAT(left, IsEmpty());
  }

  void expect_two_restricted_pods() {
    json pods;
    EXPECT_TRUE(wait_until(std::chrono::seconds(30), [&] {
      pods = kubectl()({"get", "pods", "-n", "berth", "-o", "json"}).json();
      return pods["items"].size() == 2;
    })) << kubectl()({"get", "events", "-n", "berth"}).out;
    EXPECT_EQ(pods["items"][0]["spec"]["priorityClassName"], "system-cluster-critical");
  }

  void delete_namespace() {
    kubectl()({"delete", "pods", "--all", "-n", "berth", "--force", "--grace-period=0"});
    kubectl()({"delete", "namespace", "berth", "--ignore-not-found", "--wait=true"});
  }

 private:
  std::filesystem::path binaries_;
  std::set<std::string> before_;
};

TEST_F(Manifests, OfKustomizeAreAcceptedAndLeaveNothing) {
  const std::string text = kustomized("base");
  // A dry run cannot see the namespace that the same text makes.
  ASSERT_TRUE(kubectl()({"apply", "-f", (kManifests / "base/namespace.yaml").string()}).ok());
  const Answer tried = kubectl()({"apply", "--dry-run=server", "-f", "-"}, text);
  EXPECT_TRUE(tried.ok()) << tried.err;
  EXPECT_THAT(tried.warnings, IsEmpty());

  const Answer applied = kubectl()({"apply", "-f", "-"}, text);
  EXPECT_TRUE(applied.ok()) << applied.err;
  EXPECT_THAT(applied.warnings, IsEmpty()) << "PodSecurity or a deprecated field";
  expect_two_restricted_pods();
  const Answer again = kubectl()({"diff", "-f", "-"}, text);
  EXPECT_EQ(again.status, 0) << "applying it again would change something:\n"
                             << again.out;

  const Answer removed = kubectl()({"delete", "--timeout=60s", "-f", "-"}, text);
  EXPECT_TRUE(removed.ok()) << removed.err;
  delete_namespace();
  expect_nothing_left();
}

TEST_F(Manifests, OfHelmAreAcceptedKeepTheirCertificateAndLeaveNothing) {
  const std::string chart = (kManifests / "helm/berth").string();
  ASSERT_TRUE(kubectl()({"apply", "-f", (kManifests / "base/namespace.yaml").string()}).ok());
  const std::vector<std::string> values = {"--set=certificate.source=generated"};
  const auto with_values = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), values.begin(), values.end());
    return helm(std::move(arguments));
  };
  const Finished tried = with_values({"install", "berth", chart, "--dry-run=server"});
  EXPECT_EQ(tried.status, 0) << tried.err;
  const Finished installed = with_values({"install", "berth", chart});
  ASSERT_EQ(installed.status, 0) << installed.err;
  EXPECT_THAT(installed.err, ::testing::Not(HasSubstr("PodSecurity")));
  EXPECT_THAT(installed.out, HasSubstr("helm test berth"));
  expect_two_restricted_pods();

  const json secret = kubectl().get("secret", "berth", "berth-tls").json();
  const auto bundle = [&] {
    return kubectl()
        .get("mutatingwebhookconfiguration", "", "00-berth")
        .json()["webhooks"][0]["clientConfig"]["caBundle"];
  };
  EXPECT_EQ(bundle(), secret["data"]["ca.crt"]);
  const Finished upgraded = with_values({"upgrade", "berth", chart, "--set=replicas=3"});
  ASSERT_EQ(upgraded.status, 0) << upgraded.err;
  EXPECT_EQ(kubectl().get("secret", "berth", "berth-tls").json()["data"], secret["data"]);
  EXPECT_EQ(bundle(), secret["data"]["ca.crt"]);
  EXPECT_EQ(kubectl().get("deployment", "berth", "berth").json()["spec"]["replicas"], 3);

  const Finished removed = helm({"uninstall", "berth"});
  EXPECT_EQ(removed.status, 0) << removed.err;
  delete_namespace();
  expect_nothing_left();
}

TEST_F(Manifests, AnUpgradeLeavesABundleThatWasFilledInAtRunTime) {
  const std::string chart = (kManifests / "helm/berth").string();
  ASSERT_EQ(helm({"install", "berth", chart, "--create-namespace"}).status, 0);
  const std::string patch =
      R"([{"op": "add", "path": "/webhooks/0/clientConfig/caBundle", "value": ")" +
      plane().authority().bundle() + "\"}]";
  ASSERT_TRUE(
      kubectl()({"patch", "mutatingwebhookconfiguration", "00-berth", "--type=json", "-p", patch})
          .ok());
  const Finished upgraded =
      helm({"upgrade", "berth", chart, "--set=webhook.timeoutSeconds=5,replicas=3"});
  ASSERT_EQ(upgraded.status, 0) << upgraded.err;
  const json webhook =
      kubectl().get("mutatingwebhookconfiguration", "", "00-berth").json()["webhooks"][0];
  EXPECT_EQ(webhook["timeoutSeconds"], 5);
  EXPECT_EQ(webhook["clientConfig"]["caBundle"], plane().authority().bundle());
  EXPECT_EQ(helm({"uninstall", "berth"}).status, 0);
  delete_namespace();
  expect_nothing_left();
}

// ------------------------------------------------------------------ in force

constexpr char kEnvForGpuPods[] = R"(apiVersion: berth.dev/v1alpha1
kind: RuleSet
rules:
- name: say-hello
  then: {annotations: {gpu.example.com/seen: "yes"}}
)";

/// berth registered by its own command, and nothing else.
class PrintedRegistration : public EndToEnd {
 protected:
  void register_printed(const std::string& rule_text, std::vector<std::string> options = {}) {
    E2E_ASSERT_OK(start_berth_with(rule_text));
    E2E_ASSERT_OK(take_berth_away());
    const std::string rules = (plane().folder() / "own-rule.yaml").string();
    std::vector<std::string> arguments = {"webhook-config",
                                          "--rules",
                                          rules,
                                          "--service-namespace",
                                          "webhooks",
                                          "--service-name",
                                          "berth",
                                          "--service-port",
                                          std::to_string(berth().port()),
                                          "--ca-bundle",
                                          plane().authority().certificate().string()};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const auto printed = run({BERTH_BIN, arguments});
    ASSERT_TRUE(printed.has_value()) << printed.error().text;
    ASSERT_EQ(printed->status, 0) << printed->err;
    text_ = printed->out;
    const Answer applied = kubectl()({"apply", "-f", "-"}, text_);
    ASSERT_TRUE(applied.ok()) << applied.err;
    EXPECT_THAT(applied.warnings, IsEmpty());
    ASSERT_TRUE(wait_until(std::chrono::seconds(30), [&] {
      return asked_about(gpu_pod("team-nlp", "probe", 1));
    })) << "the API server never asked";
  }

  void TearDown() override {
    if (!text_.empty()) kubectl()({"delete", "-f", "-"}, text_);
    EndToEnd::TearDown();
  }

  /// Creates it in a dry run; whether berth was asked.
  bool asked_about(const json& object) {
    const double before = berth().requests();
    const Answer made = kubectl().create(object, {"--dry-run=server"});
    EXPECT_TRUE(made.ok()) << made.err;
    return berth().requests() > before;
  }

 private:
  std::string text_;
};

json plain_pod(const std::string& space, const std::string& name) {
  json pod = gpu_pod(space, name, 1);
  pod["spec"]["containers"][0].erase("resources");
  return pod;
}

TEST_F(PrintedRegistration, SendsWhatTheRulesConcernAndNothingElse) {
  ASSERT_NO_FATAL_FAILURE(register_printed(kEnvForGpuPods));
  json init = plain_pod("team-nlp", "init");
  init["spec"]["initContainers"] = gpu_pod("team-nlp", "x", 1)["spec"]["containers"];
  init["spec"]["initContainers"][0]["name"] = "first";
  json marked = plain_pod("team-nlp", "marked");
  marked["metadata"]["annotations"] = {{"berth.dev/intent", "training"}};
  json out = gpu_pod("team-nlp", "out", 1, {{"berth.dev/ignore", "true"}});
  EXPECT_TRUE(asked_about(gpu_pod("team-nlp", "gpu", 8)));
  EXPECT_TRUE(asked_about(init));
  EXPECT_TRUE(asked_about(marked));
  EXPECT_FALSE(asked_about(plain_pod("team-nlp", "plain")));
  EXPECT_FALSE(asked_about(out)) << "opted out by label";

  const Answer made = kubectl().create(gpu_pod("team-nlp", "stored", 1));
  ASSERT_TRUE(made.ok()) << made.err;
  EXPECT_EQ(made.json()["metadata"]["annotations"]["gpu.example.com/seen"], "yes");
}

TEST_F(PrintedRegistration, NeverFailsToEvaluateOnTheRecordedPods) {
  ASSERT_NO_FATAL_FAILURE(register_printed(kEnvForGpuPods, {"--failure-policy", "Fail"}));
  for (const auto& manifest : admitted_pod_manifests()) {
    const Answer made = kubectl()({"create", "--dry-run=server", "-f", manifest.string()});
    EXPECT_TRUE(made.ok()) << manifest << ": " << made.err;
  }
}

TEST_F(PrintedRegistration, SendsOwnersWhereARuleNeedsThem) {
  ASSERT_NO_FATAL_FAILURE(
      register_printed(std::string(kEnvForGpuPods) +
                       "- name: queue\n  match: {kinds: Job}\n  then: {queue: gpus}\n"));
  json job = {{"apiVersion", "batch/v1"},
              {"kind", "Job"},
              {"metadata", {{"name", "train"}, {"namespace", "team-nlp"}}},
              {"spec", {{"template", {{"spec", plain_pod("", "")["spec"]}}}}}};
  job["spec"]["template"]["spec"]["restartPolicy"] = "Never";
  EXPECT_TRUE(asked_about(job));
  job["metadata"]["ownerReferences"] =
      json::array({{{"apiVersion", "batch/v1"},
                    {"kind", "CronJob"},
                    {"name", "nightly"},
                    {"uid", "0b4f7f86-6ab3-4c4c-9d3e-5b0b7c1d2e3f"},
                    {"controller", true}}});
  EXPECT_FALSE(asked_about(job)) << "made by a CronJob";
  json deployment = {{"apiVersion", "apps/v1"},
                     {"kind", "Deployment"},
                     {"metadata", {{"name", "d"}, {"namespace", "team-nlp"}}}};
  deployment["spec"]["selector"]["matchLabels"]["app"] = "d";
  deployment["spec"]["template"]["metadata"]["labels"]["app"] = "d";
  deployment["spec"]["template"]["spec"] = plain_pod("", "")["spec"];
  EXPECT_FALSE(asked_about(deployment)) << "no rule is for it";
}

// The policy only writes to the audit log; bound with Warn, its judgement reaches kubectl.
TEST_F(PrintedRegistration, UnmarkedGpuPodsAreNoticed) {
  ASSERT_NO_FATAL_FAILURE(register_printed(kEnvForGpuPods));
  const std::string file = (kManifests / "base/unmarked-pods.yaml").string();
  const Answer shown = kubectl()({"create", "--dry-run=client", "-o", "json", "-f", file});
  ASSERT_TRUE(shown.ok()) << shown.err;
  std::string text = shown.out;
  const std::size_t audit = text.find("\"Audit\"");
  ASSERT_NE(audit, std::string::npos);
  text.replace(audit, 7, "\"Warn\"");
  const Answer applied = kubectl()({"apply", "-f", "-"}, text);
  ASSERT_TRUE(applied.ok()) << applied.err;
  const json ignored = gpu_pod("team-nlp", "a", 1, {{"app", "a"}});
  const auto warnings = [&](const json& pod) {
    return kubectl().create(pod, {"--dry-run=server"}).warnings;
  };
  kubectl()({"delete", "mutatingwebhookconfiguration", "00-berth"});
  EXPECT_TRUE(wait_until(std::chrono::seconds(30), [&] { return !warnings(ignored).empty(); }));
  EXPECT_THAT(warnings(ignored), Contains(HasSubstr("asks for GPUs and has no mark of berth")));
  json marked = ignored;
  marked["metadata"]["annotations"] = {{"berth.dev/rules", "own/say-hello"}};
  EXPECT_THAT(warnings(marked), IsEmpty());
  EXPECT_THAT(warnings(plain_pod("team-nlp", "b")), IsEmpty());
  EXPECT_THAT(warnings(gpu_pod("team-nlp", "c", 1, {{"berth.dev/ignore", "true"}})), IsEmpty());
  kubectl()({"delete", "-f", "-"}, text);
}

}  // namespace
}  // namespace berth::e2e
