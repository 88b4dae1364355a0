// What a real API server goes through - cut connections, a history that is forgotten, rotated
// tokens, nodes that go and come back, a storm of updates - and after each the live model equals a
// fresh list, compared whole, while no pod is refused or lost and berth's memory stays as it is.
#include <atomic>
#include <cstdio>
#include <thread>

#include <httplib.h>

#include "tests/e2e/live_cluster.h"

namespace berth::e2e {
namespace {

using nlohmann::json;

constexpr auto kSettle = std::chrono::seconds(60);
constexpr double kGrowthMib = 16;  // of a storm, after its first third

// The goal is 1,000 updates a second for 30 s; the plain run takes a shorter storm.
std::chrono::seconds storm_length() {
  return std::chrono::seconds(environment_value("BERTH_E2E_LONG").empty() ? 6 : 30);
}

constexpr char kRule[] = R"(apiVersion: berth.dev/v1alpha1
kind: RuleSet
metadata: {name: chaos}
rules:
- name: placed
  match: {gpus: ">=1"}
  then:
    tolerate: [nvidia.com/gpu]
    placement: {narrowest: [node, rack]}
    labels: {example.com/seen: "yes"}
)";

class Chaos : public LiveCluster {
 protected:
  std::string rules() const override { return kRule; }

  void SetUp() override {
    LiveCluster::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    register_berth();
    expect_same("at first");
    ask();
  }

  // A pod through berth, which must be admitted.
  void ask() {
    const std::string name = "asked-" + std::to_string(asked_++);
    const Answer made = kubectl().create(gpu_pod("sandbox", name, 1));
    ASSERT_TRUE(made.ok()) << name << ": " << made.err;
    EXPECT_TRUE(made.json()["metadata"]["labels"].contains("example.com/seen")) << made.out;
  }

  // All pods are there, those through berth too.
  void expect_all_pods() {
    const json pods = kubectl()({"get", "pods", "-n", "sandbox", "-o", "json"}).json();
    int found = 0;
    for (const json& pod : pods["items"]) {
      const std::string name = pod["metadata"]["name"];
      if (name.starts_with("asked-")) ++found;
    }
    EXPECT_EQ(found, asked_);
    EXPECT_EQ(berth_->metric("berth_failed_safe_total"), 0);
  }

  // Deletes a node with all that the API server has of it and makes it anew.
  void renew(const std::string& node) {
    const Answer was = kubectl()({"get", "node", node, "-o", "json"});
    ASSERT_TRUE(was.ok()) << was.err;
    json object = was.json();
    for (const char* own : {"uid", "resourceVersion", "creationTimestamp", "managedFields"}) {
      object["metadata"].erase(own);
    }
    must({"delete", "node", node});
    const Answer made = kubectl().create(object);
    ASSERT_TRUE(made.ok()) << made.err;
  }

  void cut_watches();
  void forget_history();
  void rotate_token();
  void storm_of_updates();

  double lists() { return berth_->metric("berth_cluster_lists_total"); }

  int asked_ = 0;
};

// Watches go on where they were.
void Chaos::cut_watches() {
  const double before = lists();
  for (int i = 0; i < 5; ++i) {
    relay_->cut();
    must({"label", "node", "h100-r1-1", "example.com/cut=c" + std::to_string(i), "--overwrite"});
    make_pod("bound-" + std::to_string(i), "h100-r1-2", 1);
    ask();
  }
  renew("h100-r2-1");
  expect_same("after five cuts");
  EXPECT_GE(relay_->ended(), 5);
  EXPECT_EQ(lists(), before) << "nothing had to be listed anew";
  expect_all_pods();
}

// The history is forgotten while berth is away, and listed anew.
void Chaos::forget_history() {
  relay_->close();
  ask();
  make_pod("bound", "h100-r1-2", 4);
  renew("h100-r2-1");
  must({"delete", "node", "h100-r3-1"});
  must({"label", "node", "h100-r1-3", "lab.example.com/rack=r9", "--overwrite"});
  E2E_ASSERT_OK(plane_->compact_etcd());
  plane_->kill_api_server();
  E2E_ASSERT_OK(plane_->start_api_server());
  const double before = lists();
  relay_->open();
  expect_same("after a time away");
  EXPECT_GT(lists(), before) << "410 came, and a list after it";
  ask();
  expect_all_pods();
}

// The token that berth has is no longer good, and read again.
void Chaos::rotate_token() {
  plane_->rotate_token_of_berth();
  plane_->kill_api_server();
  E2E_ASSERT_OK(plane_->start_api_server());
  ask();
  make_pod("bound-again", "h100-r1-2", 4);
  must({"cordon", "h100-r2-1"});
  expect_same("with another token");
  expect_all_pods();
}

// Updates nodes as fast as the API server takes them, up to 1,000 a second.
class Storm {
 public:
  Storm(int api_port, const std::string& token, std::vector<std::string> nodes) {
    const auto start = std::chrono::steady_clock::now();
    for (int worker = 0; worker < kWorkers; ++worker) {
      threads_.emplace_back([=, this](const std::stop_token& stop) {
        httplib::SSLClient client("127.0.0.1", api_port);
        client.enable_server_certificate_verification(false);
        client.set_keep_alive(true);
        client.set_bearer_token_auth(token.c_str());
        for (int i = 0; !stop.stop_requested(); ++i) {
          std::this_thread::sleep_until(start + std::chrono::milliseconds(kWorkers) * i);
          const auto number = static_cast<std::size_t>(i * kWorkers + worker);
          const json change = {
              {"metadata", {{"annotations", {{"example.com/beat", std::to_string(i)}}}}}};
          const auto answer = client.Patch("/api/v1/nodes/" + nodes[number % nodes.size()],
                                           change.dump(), "application/merge-patch+json");
          if (answer && answer->status == 404) continue;  // a node that is just being renewed
          (answer && answer->status == 200 ? done_ : failed_) += 1;
        }
      });
    }
  }

  int done() const { return done_; }
  int failed() const { return failed_; }
  void stop() { threads_.clear(); }

 private:
  static constexpr int kWorkers = 8;

  std::atomic<int> done_{0};
  std::atomic<int> failed_{0};
  std::vector<std::jthread> threads_;
};

// Updates are followed in the same memory.
void Chaos::storm_of_updates() {
  const json list = kubectl()({"get", "nodes", "-o", "json"}).json();
  std::vector<std::string> nodes;
  for (const json& node : list["items"]) nodes.push_back(node["metadata"]["name"]);
  ASSERT_FALSE(nodes.empty());
  const double events = berth_->metric("berth_cluster_events_total");
  const auto start = std::chrono::steady_clock::now();
  const auto passed = [&] { return std::chrono::steady_clock::now() - start; };
  Storm storm(plane_->api_port(), plane_->administrator_token(), nodes);
  double early = 0;
  while (passed() < storm_length()) {
    if (early == 0 && passed() > storm_length() / 3) early = berth_->resident_mib();
    ask();
    renew("h100-r2-" + std::to_string(1 + asked_ % 2));
  }
  storm.stop();
  const double seconds = std::chrono::duration<double>(passed()).count();
  expect_same("after the storm");
  const double late = berth_->resident_mib();
  EXPECT_EQ(storm.failed(), 0);
  EXPECT_GE(berth_->metric("berth_cluster_events_total") - events, storm.done());
  EXPECT_LE(late, early + kGrowthMib);
  expect_all_pods();
  std::printf(
      "storm: %d node updates in %.1f s, %.0f a second; %d pods let through; resident %.1f "
      "MiB, %.1f MiB at the end\n",
      storm.done(), seconds, storm.done() / seconds, asked_, early, late);
}

TEST_F(Chaos, EqualsAFreshListAfterWhateverHappensToTheApiServer) {
  cut_watches();
  ASSERT_FALSE(HasFatalFailure());
  forget_history();
  ASSERT_FALSE(HasFatalFailure());
  rotate_token();
  ASSERT_FALSE(HasFatalFailure());
  storm_of_updates();
}

}  // namespace
}  // namespace berth::e2e
