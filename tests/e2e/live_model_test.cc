// The live model against a real API server, with the rights of manifests/base/rbac.yaml and no
// more: what berth shows of the cluster equals what `berth topology` makes of a fresh list, after
// objects came, changed and went, after the API server was killed, and no pod is refused meanwhile.
#include <fstream>
#include <optional>

#include <gmock/gmock.h>

#include "tests/e2e/control_plane.h"
#include "tests/e2e/end_to_end.h"
#include "tests/e2e/lab.h"
#include "tests/e2e/registration.h"
#include "tests/e2e/webhook_server.h"

namespace berth::e2e {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr char kName[] = "live";
constexpr auto kSettle = std::chrono::seconds(60);

constexpr char kRule[] = R"(apiVersion: berth.dev/v1alpha1
kind: RuleSet
metadata: {name: live}
rules:
- name: always
  match: {gpus: ">=1"}
  then:
    tolerate: [nvidia.com/gpu]
- name: where-it-fits
  match: {gpus: ">=1"}
  when: topology.free('L40S') >= 4
  then:
    labels: {example.com/fits: "yes"}
)";

std::string berth_program() {
  const std::string chosen = environment_value("BERTH_BIN");
  return chosen.empty() ? BERTH_BIN : chosen;
}

// A control plane of its own, since it is killed.
class LiveModel : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto binaries = find_kube_binaries({"etcd", "kube-apiserver", "kubectl"});
    if (!binaries && environment_value("BERTH_E2E_REQUIRED").empty()) {
      GTEST_SKIP() << binaries.error().text;
    }
    E2E_ASSERT_OK(binaries);
    auto plane = ControlPlane::start(*binaries);
    E2E_ASSERT_OK(plane);
    plane_ = std::move(*plane);
    E2E_ASSERT_OK(create_lab(kubectl()));
    E2E_ASSERT_OK(create_nodes(kubectl()));
    grant_rights();
    start();
  }

  // The role of the manifest, for the user berth.
  void grant_rights() {
    const std::string manifest = std::string(BERTH_SOURCE_DIR) + "/manifests/base/rbac.yaml";
    ASSERT_TRUE(kubectl()({"apply", "-f", manifest}).ok());
    const Answer bound = kubectl()(
        {"create", "clusterrolebinding", "berth-user", "--clusterrole=berth", "--user=berth"});
    ASSERT_TRUE(bound.ok()) << bound.err;
  }

  void start() {
    const auto rules = plane_->folder() / "live-rules.yaml";
    write_file(rules, kRule);
    const auto pair = plane_->authority().issue("live", hosts_of(kName));
    E2E_ASSERT_OK(pair);
    auto started = WebhookServer::start({.rules = {rules},
                                         .cluster = {},
                                         .kubeconfig = plane_->berth_kubeconfig(),
                                         .config = lab_configuration()},
                                        *pair, plane_->folder());
    E2E_ASSERT_OK(started);
    berth_ = std::move(*started);
  }

  std::filesystem::path lab_configuration() const {
    return std::string(BERTH_SOURCE_DIR) + "/tests/data/cases/checks/config.yaml";
  }

  const Kubectl& kubectl() { return plane_->kubectl(); }

  // What a picture says, without its number.
  static json comparable_model(const std::string& text) {
    json model = json::parse(text, nullptr, false);
    if (model.is_object()) model.erase("generation");
    return model;
  }

  json seen() { return comparable_model(berth_->admin("/debug/topology")); }

  // The same of a fresh list that kubectl makes.
  json listed() {
    const Answer list = kubectl()(
        {"get", "nodes,pods,namespaces,priorityclasses,runtimeclasses", "-A", "-o", "json"});
    if (!list.ok()) return list.err;
    const auto file = plane_->folder() / "listed.json";
    write_file(file, list.out);
    const auto ran = run({berth_program(),
                          {"topology", "--format", "json", "--cluster", file.string(), "--config",
                           lab_configuration().string()},
                          {"PATH=/usr/bin:/bin", "HOME=/", "NO_COLOR=1"}});
    return ran ? comparable_model(ran->out) : json(ran.error().text);
  }

  void expect_same(const std::string& when) {
    const json wanted = listed();
    ASSERT_TRUE(wanted.is_object()) << wanted;
    const bool same = wait_until(kSettle, [&] { return seen() == wanted; });
    EXPECT_TRUE(same) << when << ": " << json::diff(wanted, seen()).dump(1).substr(0, 1500) << "\n"
                      << berth_->log_tail();
  }

  void make_pod(const std::string& name, const std::string& node, int gpus) {
    json pod = gpu_pod("sandbox", name, gpus);
    if (!node.empty()) pod["spec"]["nodeName"] = node;
    const Answer made = kubectl().create(pod);
    ASSERT_TRUE(made.ok()) << made.err;
  }

  void must(std::vector<std::string> arguments) {
    const Answer answer = kubectl()(std::move(arguments));
    ASSERT_TRUE(answer.ok()) << answer.err;
  }

  std::unique_ptr<ControlPlane> plane_;
  std::unique_ptr<WebhookServer> berth_;
};

TEST_F(LiveModel, EqualsAFreshListThroughChangesAndACrashOfTheApiServer) {
  expect_same("at first");
  EXPECT_EQ(berth_->metric("berth_cluster_fresh"), 1);

  make_pod("one", "h100-r1-1", 3);
  make_pod("two", "h100-r1-2", 8);
  must({"label", "node", "h100-r1-3", "lab.example.com/rack=r9", "--overwrite"});
  must({"cordon", "h100-r2-1"});
  must({"taint", "node", "h100-r2-2", "example.com/kept=yes:NoSchedule"});
  must({"delete", "node", "h100-r3-1"});
  expect_same("after changes");

  must({"delete", "pod", "one", "-n", "sandbox", "--force", "--grace-period=0"});
  plane_->kill_api_server();
  EXPECT_TRUE(
      wait_until(kSettle, [&] { return berth_->metric("berth_cluster_failures_total") > 0; }));
  EXPECT_THAT(berth_->admin("/readyz?verbose"), HasSubstr("[+]cluster ok"));
  E2E_ASSERT_OK(plane_->start_api_server());
  must({"uncordon", "h100-r2-1"});
  make_pod("three", "h100-r2-1", 2);
  must({"delete", "pod", "two", "-n", "sandbox", "--force", "--grace-period=0"});
  expect_same("after a crash of the API server");
}

TEST_F(LiveModel, DecidesOnWhatIsFreeNow) {
  Registration registration;
  registration.name = kName;
  registration.port = berth_->port();
  E2E_ASSERT_OK(register_webhook(kubectl(), plane_->authority(), registration,
                                 [this] { return berth_->requests(); }));
  const auto fits = [this](const std::string& name) {
    const Answer made = kubectl().create(gpu_pod("sandbox", name, 1));
    EXPECT_TRUE(made.ok()) << made.err;
    // Nothing binds it: as long as it is there it counts on a node that could take it.
    must({"delete", "pod", name, "-n", "sandbox", "--force", "--grace-period=0"});
    return made.json()["metadata"]["labels"].contains("example.com/fits");
  };
  EXPECT_TRUE(fits("before")) << berth_->admin("/debug/topology").substr(0, 2000);
  make_pod("filler", "l40s-1", 4);
  make_pod("filler-2", "l40s-2", 4);
  expect_same("with the nodes full");
  EXPECT_FALSE(fits("after"));
  must({"delete", "pod", "filler", "-n", "sandbox", "--force", "--grace-period=0"});
  expect_same("with a node empty again");
  EXPECT_TRUE(fits("again"));

  // The model is as it was while the API server is away, and pods are admitted once it is back.
  plane_->kill_api_server();
  E2E_ASSERT_OK(plane_->start_api_server());
  EXPECT_TRUE(fits("back"));
  E2E_ASSERT_OK(unregister_webhook(kubectl(), kName, [this] { return berth_->requests(); }));
}

}  // namespace
}  // namespace berth::e2e
