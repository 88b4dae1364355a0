#include "tests/e2e/live_cluster.h"

#include <utility>

#include "tests/e2e/lab.h"
#include "tests/e2e/registration.h"

namespace berth::e2e {
namespace {

using nlohmann::json;

constexpr char kName[] = "live";
constexpr auto kSettle = std::chrono::seconds(60);

std::string berth_program() {
  const std::string chosen = environment_value("BERTH_BIN");
  return chosen.empty() ? BERTH_BIN : chosen;
}

// What the usual pods could not use tells of all pods that were seen, also of those that have gone.
void forget_usual_pods(json& model) {
  if (model.is_object()) model.erase("unusable");
  if (!model.is_structured()) return;
  for (json& part : model) forget_usual_pods(part);
}

json comparable_model(const std::string& text) {
  json model = json::parse(text, nullptr, false);
  if (model.is_object()) {
    model.erase("generation");
    forget_usual_pods(model);
  }
  return model;
}

}  // namespace

LiveCluster::LiveCluster(std::vector<std::string> programs) : programs_(std::move(programs)) {
  programs_.insert(programs_.end(), {"etcd", "kube-apiserver", "kubectl"});
}

void LiveCluster::SetUp() {
  const auto binaries = find_kube_binaries(programs_);
  if (!binaries && environment_value("BERTH_E2E_REQUIRED").empty()) {
    GTEST_SKIP() << binaries.error().text;
  }
  E2E_ASSERT_OK(binaries);
  auto plane = ControlPlane::start(*binaries);
  E2E_ASSERT_OK(plane);
  plane_ = std::move(*plane);
  E2E_ASSERT_OK(create_lab(kubectl()));
  fill();
  grant_rights();
  start();
}

void LiveCluster::fill() {
  E2E_ASSERT_OK(create_nodes(kubectl()));
}

// The role of the manifest, for the user berth.
void LiveCluster::grant_rights() {
  must({"apply", "-f", std::string(BERTH_SOURCE_DIR) + "/manifests/base/rbac.yaml"});
  must({"create", "clusterrolebinding", "berth-user", "--clusterrole=berth", "--user=berth"});
}

void LiveCluster::start() {
  auto relay = Relay::start(plane_->api_port());
  E2E_ASSERT_OK(relay);
  relay_ = std::move(*relay);
  plane_->write_berth_kubeconfig(relay_->port());
  const auto file = plane_->folder() / "live-rules.yaml";
  write_file(file, rules());
  const auto pair = plane_->authority().issue(kName, hosts_of(kName));
  E2E_ASSERT_OK(pair);
  auto started = WebhookServer::start({.rules = {file},
                                       .cluster = {},
                                       .kubeconfig = plane_->berth_kubeconfig(),
                                       .config = lab_config_file()},
                                      *pair, plane_->folder());
  E2E_ASSERT_OK(started);
  berth_ = std::move(*started);
}

void LiveCluster::register_berth(std::vector<Resource> more) {
  Registration registration;
  registration.name = kName;
  registration.port = berth_->port();
  registration.resources.insert(registration.resources.end(), more.begin(), more.end());
  E2E_ASSERT_OK(register_webhook(kubectl(), plane_->authority(), registration,
                                 [this] { return berth_->requests(); }));
}

void LiveCluster::unregister_berth() {
  E2E_ASSERT_OK(unregister_webhook(kubectl(), kName, [this] { return berth_->requests(); }));
}

void LiveCluster::must(std::vector<std::string> arguments, std::string input) {
  const Answer answer = kubectl()(std::move(arguments), std::move(input));
  ASSERT_TRUE(answer.ok()) << answer.err;
}

void LiveCluster::make_pod(const std::string& name, const std::string& node, int gpus) {
  json pod = gpu_pod("sandbox", name, gpus);
  if (!node.empty()) pod["spec"]["nodeName"] = node;
  const Answer made = kubectl().create(pod);
  ASSERT_TRUE(made.ok()) << made.err;
}

json LiveCluster::seen() {
  return comparable_model(berth_->admin("/debug/topology"));
}

json LiveCluster::listed() {
  const Answer list = kubectl()(
      {"get", "nodes,pods,namespaces,priorityclasses,runtimeclasses", "-A", "-o", "json"});
  if (!list.ok()) return list.err;
  const auto file = plane_->folder() / "listed.json";
  write_file(file, list.out);
  const auto ran = run({berth_program(),
                        {"topology", "--format", "json", "--cluster", file.string(), "--config",
                         lab_config_file().string()},
                        {"PATH=/usr/bin:/bin", "HOME=/", "NO_COLOR=1"}});
  return ran ? comparable_model(ran->out) : json(ran.error().text);
}

void LiveCluster::expect_same(const std::string& when) {
  const json wanted = listed();
  ASSERT_TRUE(wanted.is_object()) << wanted;
  const bool same = wait_until(kSettle, [&] { return seen() == wanted; });
  EXPECT_TRUE(same) << when << ": " << json::diff(wanted, seen()).dump(1).substr(0, 1500) << "\n"
                    << berth_->log_tail();
}

}  // namespace berth::e2e
