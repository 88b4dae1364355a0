#include "tests/e2e/end_to_end.h"

#include <map>
#include <utility>

namespace berth::e2e {
namespace {

using base::Error;
using base::Result;
using base::Status;
using nlohmann::json;

constexpr char kRecorder[] = "a-recorder";
constexpr char kBerth[] = "berth";
constexpr char kLater[] = "z-later";

/// The control planes started so far; stopped when all tests have run.
class SharedPlanes : public ::testing::Environment {
 public:
  Result<ControlPlane*> get(Plane kind, const std::filesystem::path& binaries) {
    auto& plane = planes_[kind];
    if (plane != nullptr) return plane.get();
    auto started = ControlPlane::start(binaries);
    if (!started) return started.error();
    if (kind == Plane::kControllers) {
      if (auto done = (*started)->start_controllers(); !done) return done.error();
    }
    if (auto done = create_lab((*started)->kubectl()); !done) return done.error();
    plane = std::move(*started);
    return plane.get();
  }

  void TearDown() override { planes_.clear(); }

 private:
  std::map<Plane, std::unique_ptr<ControlPlane>> planes_;
};

SharedPlanes& shared_planes() {
  static auto* const planes = [] {
    auto* environment = new SharedPlanes;  // owned by the test program
    ::testing::AddGlobalTestEnvironment(environment);
    return environment;
  }();
  return *planes;
}

// Before main, since the test program takes no environment once the tests run.
[[maybe_unused]] const SharedPlanes& registered_early = shared_planes();

}  // namespace

void EndToEnd::SetUp() {
  const auto binaries = find_kube_binaries(programs_);
  if (!binaries) {
    if (!environment_value("BERTH_E2E_REQUIRED").empty()) FAIL() << binaries.error().text;
    GTEST_SKIP() << binaries.error().text;
  }
  const auto plane = shared_planes().get(kind_, *binaries);
  ASSERT_TRUE(plane.has_value()) << plane.error().text;
  plane_ = *plane;
}

void EndToEnd::TearDown() {
  if (plane_ == nullptr) return;
  if (HasFailure() && berth_ != nullptr) {
    GTEST_LOG_(INFO) << "berth's log ends:\n" << berth_->log_tail();
  }
  while (!registered_.empty()) {
    const auto [name, calls] = registered_.back();
    registered_.pop_back();
    const auto done = unregister_webhook(kubectl(), name, calls);
    EXPECT_TRUE(done.has_value()) << done.error().text;
  }
  if (berth_ != nullptr && berth_->is_running()) {
    EXPECT_EQ(berth_->metric("berth_failed_safe_total"), 0) << berth_->log_tail();
    EXPECT_EQ(berth_->stop(), 0) << berth_->log_tail();
  }
  delete_all_pods(kubectl());
}

Status EndToEnd::register_and_note(const Registration& registration, const CallCount& calls) {
  registered_.emplace_back(registration.name, calls);
  return register_webhook(kubectl(), plane().authority(), registration, calls);
}

Status EndToEnd::start_recorder(const std::vector<Resource>& resources) {
  const auto pair = plane().authority().issue(kRecorder, hosts_of(kRecorder));
  if (!pair) return pair.error();
  auto webhook = SideWebhook::start(*pair, no_edit);
  if (!webhook) return webhook.error();
  recorder_ = std::move(*webhook);
  Registration registration{.name = kRecorder, .port = recorder_->port()};
  registration.reinvocation_policy = "Never";
  registration.resources = resources;
  return register_and_note(registration,
                           [this] { return static_cast<double>(recorder_->count()); });
}

Status EndToEnd::start_berth(const std::vector<std::filesystem::path>& rules,
                             Registration registration) {
  if (auto done = start_recorder(registration.resources); !done) return done;
  const auto pair = plane().authority().issue(kBerth, hosts_of(kBerth));
  if (!pair) return pair.error();
  const std::filesystem::path config = plane().folder() / "berth.yaml";
  write_file(config, read_file(lab_config_file()) + more_configuration());
  auto server = WebhookServer::start(
      {.rules = rules, .cluster = lab_cluster_file(), .config = config}, *pair, plane().folder());
  if (!server) return server.error();
  berth_ = std::move(*server);
  registration.name = kBerth;
  registration.port = berth_->port();
  return register_and_note(registration, [this] { return berth_->requests(); });
}

Status EndToEnd::start_berth_with(const std::string& rule_text, Registration registration) {
  const std::filesystem::path file = plane().folder() / "own-rule.yaml";
  write_file(file, rule_text);
  return start_berth({file}, std::move(registration));
}

Status EndToEnd::take_berth_away() {
  const auto [name, calls] = registered_.back();
  if (name != kBerth) {
    return Error{base::ErrorCode::kInternal, "berth is not the latest registration"};
  }
  registered_.pop_back();
  return unregister_webhook(kubectl(), name, calls);
}

Status EndToEnd::start_later_webhook(SideWebhook::Edit edit) {
  const auto pair = plane().authority().issue(kLater, hosts_of(kLater));
  if (!pair) return pair.error();
  auto webhook = SideWebhook::start(*pair, std::move(edit));
  if (!webhook) return webhook.error();
  later_ = std::move(*webhook);
  return register_and_note({.name = kLater, .port = later_->port()},
                           [this] { return static_cast<double>(later_->count()); });
}

std::string EndToEnd::latest_review(const std::string& kind) {
  const std::vector<std::string> bodies = recorder().bodies();
  for (auto body = bodies.rbegin(); body != bodies.rend(); ++body) {
    const json request = json::parse(*body)["request"];
    if (request["kind"]["kind"] == kind && request["operation"] == "CREATE") return *body;
  }
  return "";
}

std::vector<std::string> EndToEnd::reviews_of(const std::string& kind, const std::string& space) {
  std::vector<std::string> found;
  for (const std::string& body : recorder().bodies()) {
    const json request = json::parse(body)["request"];
    if (request["kind"]["kind"] == kind && request["operation"] == "CREATE" &&
        request["namespace"] == space && !request.value("dryRun", false)) {
      found.push_back(body);
    }
  }
  return found;
}

Result<json> EndToEnd::explained(const std::string& review) {
  const auto object = berth().explain(review, "object");
  if (!object) return object.error();
  return comparable(*object);
}

json gpu_pod(const std::string& space, const std::string& name, int gpus, const json& labels) {
  const json container = {{"name", "main"},
                          {"image", "registry.example.com/base/cuda:13"},
                          {"resources", {{"limits", {{"nvidia.com/gpu", std::to_string(gpus)}}}}}};
  json pod = {{"apiVersion", "v1"},
              {"kind", "Pod"},
              {"metadata", {{"name", name}, {"namespace", space}}},
              {"spec", {{"containers", {container}}}}};
  if (!labels.empty()) pod["metadata"]["labels"] = labels;
  return pod;
}

}  // namespace berth::e2e
