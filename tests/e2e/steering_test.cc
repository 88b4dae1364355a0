// A whole cluster: 200 GPU nodes, 500 pods of all sizes made through berth on its live model, and
// the real scheduler. Berth keeps no pod waiting that could run, each gang is in one domain where
// the model said that it fits, and pods that got a slice are on nodes with slices.
#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "tests/e2e/lab.h"
#include "tests/e2e/live_cluster.h"

namespace berth::e2e {
namespace {

using nlohmann::json;

constexpr auto kSettle = std::chrono::seconds(60);
constexpr auto kStill = std::chrono::seconds(10);
constexpr char kRack[] = "lab.example.com/rack";
constexpr char kBlock[] = "lab.example.com/block";
constexpr char kRequired[] = "requiredDuringSchedulingIgnoredDuringExecution";

constexpr int kRacks = 20;
constexpr int kRacksInBlock = 5;
constexpr int kNodesInRack = 8;
constexpr int kSmallNodes = 20;
constexpr int kMigNodes = 20;
constexpr int kRounds = 24;
constexpr int kSingle = 16;  // and one more every other time

constexpr char kRules[] = R"(apiVersion: berth.dev/v1alpha1
kind: RuleSet
metadata: {name: steering}
rules:
- name: tolerated
  match: {gpus: ">=1"}
  then: {tolerate: [nvidia.com/gpu]}
- name: gangs-together
  match: {gpus: 8}
  when: workload.pods > 1
  then: {placement: {narrowest: [rack, block]}}
- name: single-nodes
  match: {gpus: 8}
  when: workload.pods == 1
  then: {placement: {narrowest: [rack, block]}}
- name: beside-others
  match: {gpus: "<8"}
  when: workload.pods == 1 && workload.gpuMemory == quantity('0')
  then: {placement: {narrowest: [node, rack]}}
- name: slices
  match: {gpus: 1}
  when: workload.gpuMemory > quantity('0')
  then: {gpu: {share: mig, memory: "${workload.gpuMemory}", orElse: keep}}
)";

json list_of(json items) {
  return {{"apiVersion", "v1"}, {"kind", "List"}, {"items", std::move(items)}};
}

json gpu_node(const std::string& name, const std::string& product, const std::string& memory,
              const json& resources, const json& labels) {
  json node = {{"apiVersion", "v1"}, {"kind", "Node"}, {"metadata", {{"name", name}}}};
  json& of_node = node["metadata"]["labels"];
  of_node = labels;
  of_node["kubernetes.io/hostname"] = name;
  of_node["kubernetes.io/os"] = "linux";
  of_node["nvidia.com/gpu.present"] = "true";
  of_node["nvidia.com/gpu.product"] = product;
  of_node["nvidia.com/gpu.memory"] = memory;
  node["spec"]["taints"] = json::array({{{"key", "nvidia.com/gpu"}, {"effect", "NoSchedule"}}});
  json offered = {{"cpu", "128"}, {"memory", "1024Gi"}, {"pods", "110"}};
  offered.update(resources);
  node["status"] = {{"capacity", offered},
                    {"allocatable", offered},
                    {"conditions", json::array({{{"type", "Ready"}, {"status", "True"}}})}};
  return node;
}

json pod_template(int gpus) {
  json pod = gpu_pod("sandbox", "template", gpus);
  pod["spec"]["restartPolicy"] = "Never";
  return {{"spec", pod["spec"]}};
}

json gang(const std::string& name, int pods) {
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata", {{"name", name}, {"namespace", "sandbox"}}},
          {"spec",
           {{"parallelism", pods},
            {"completions", pods},
            {"completionMode", "Indexed"},
            {"template", pod_template(8)}}}};
}

class Steering : public LiveCluster {
 protected:
  Steering() : LiveCluster({"kube-controller-manager", "kube-scheduler"}) {}

  std::string rules() const override { return kRules; }

  void fill() override {
    json nodes = json::array();
    for (int i = 0; i < kRacks * kNodesInRack; ++i) {
      const int rack = i / kNodesInRack;
      nodes.push_back(gpu_node("h100-" + std::to_string(i), "NVIDIA-H100-80GB-HBM3", "81559",
                               {{"nvidia.com/gpu", "8"}},
                               {{kRack, "r" + std::to_string(rack)},
                                {kBlock, "b" + std::to_string(rack / kRacksInBlock)}}));
    }
    for (int i = 0; i < kSmallNodes; ++i) {
      nodes.push_back(gpu_node("l40s-" + std::to_string(i), "NVIDIA-L40S", "46068",
                               {{"nvidia.com/gpu", "4"}}, {{kRack, "s"}, {kBlock, "s"}}));
    }
    for (int i = 0; i < kMigNodes; ++i) {
      nodes.push_back(gpu_node("mig-" + std::to_string(i), "NVIDIA-A100-SXM4-80GB", "81920",
                               {{"nvidia.com/gpu", "0"}, {"nvidia.com/mig-1g.10gb", "14"}},
                               {{kRack, "m"},
                                {kBlock, "m"},
                                {"nvidia.com/mig.strategy", "mixed"},
                                {"nvidia.com/mig.capable", "true"},
                                {"nvidia.com/mig-1g.10gb.count", "14"}}));
    }
    must({"create", "-f", "-"}, list_of(std::move(nodes)).dump());
  }

  void SetUp() override {
    LiveCluster::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    // Nobody plays the kubelets: the controller of nodes would find them all dead.
    E2E_ASSERT_OK(plane_->start_controllers("job-controller,serviceaccount-controller"));
    E2E_ASSERT_OK(plane_->start_scheduler());
    register_berth({{"batch", "jobs"}});
  }

  // One of the arrivals: a gang and single pods of all sizes.
  json arrival(int round) {
    const int sizes[] = {2, 4, 4, 6, 2, 8, 2, 4, 12, 2, 4, 2};
    const int size = sizes[round % 12];
    json items = json::array({gang("gang-" + std::to_string(round), size)});
    wanted_pods_ += size;
    const int single = kSingle + round % 2;
    for (int i = 0; i < single; ++i) {
      const std::string name = "pod-" + std::to_string(round) + "-" + std::to_string(i);
      const int gpus[] = {1, 1, 1, 4, 2, 2};
      json pod = gpu_pod("sandbox", name, i == 1 && round % 6 == 0 ? 8 : gpus[i % 6]);
      if (i % 3 == 0) {
        pod = gpu_pod("sandbox", name, 1);
        pod["metadata"]["annotations"]["berth.dev/gpu-memory"] = "8Gi";
        ++slices_;
      }
      items.push_back(std::move(pod));
    }
    wanted_pods_ += single;
    return items;
  }

  json pods() {
    json all = kubectl()({"get", "pods", "-n", "sandbox", "-o", "json"}).json();
    return all.is_object() ? all["items"] : json::array();
  }

  static bool is_bound(const json& pod) { return pod["spec"].contains("nodeName"); }

  // Until all have a node, or nothing has moved for a while.
  json settled_pods() {
    json now;
    std::ptrdiff_t bound = 0;
    auto changed = std::chrono::steady_clock::now();
    wait_until(kSettle, [&] {
      now = pods();
      const auto have = std::count_if(now.begin(), now.end(), is_bound);
      if (have != bound) changed = std::chrono::steady_clock::now();
      bound = have;
      return bound == wanted_pods_ || std::chrono::steady_clock::now() - changed > kStill;
    });
    return now;
  }

  std::string label_of(const std::string& node, const char* label) {
    return labels_[node].value(label, "");
  }

  void read_nodes() {
    const json list = kubectl()({"get", "nodes", "-o", "json"}).json();
    for (const json& node : list["items"]) {
      labels_[node["metadata"]["name"]] = node["metadata"]["labels"];
    }
  }

  int wanted_pods_ = 0;
  int slices_ = 0;
  std::map<std::string, json> labels_;
};

// The label by which berth keeps the pods of a gang together.
std::string topology_key(const json& pod) {
  const json& affinity = pod["spec"].value("affinity", json::object());
  if (!affinity.contains("podAffinity")) return "";
  const json& terms = affinity["podAffinity"].value(kRequired, json::array());
  return terms.empty() ? "" : terms[0].value("topologyKey", "");
}

// The domains that berth left to a pod; empty: all.
std::set<std::string> allowed(const json& pod, const std::string& label) {
  std::set<std::string> out;
  const json::json_pointer at("/spec/affinity/nodeAffinity/" + std::string(kRequired) +
                              "/nodeSelectorTerms");
  const json terms = pod.value(at, json::array());
  for (const json& term : terms) {
    for (const json& expression : term.value("matchExpressions", json::array())) {
      if (expression["key"] != label) continue;
      for (const json& value : expression["values"]) out.insert(value.get<std::string>());
    }
  }
  return out;
}

TEST_F(Steering, PlacesFiveHundredPodsOnTwoHundredNodes) {
  const auto start = std::chrono::steady_clock::now();
  json all;
  // The scheduler takes pod by pod: two gangs that come at the same moment may halve a domain.
  for (int round = 0; round < kRounds; ++round) {
    must({"create", "-f", "-"}, list_of(arrival(round)).dump());
    all = settled_pods();
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  read_nodes();
  EXPECT_EQ(static_cast<int>(all.size()), wanted_pods_);
  EXPECT_EQ(wanted_pods_, 500);

  int waiting = 0;
  int on_slices = 0;
  std::map<std::string, std::set<std::string>> domains_of;
  std::map<std::string, int> in_use;
  for (const json& pod : all) {
    const std::string name = pod["metadata"]["name"];
    if (!is_bound(pod)) {
      ++waiting;
      ADD_FAILURE() << name << " waits: " << pod["status"].dump();
      continue;
    }
    const std::string node = pod["spec"]["nodeName"];
    const json& limits = pod["spec"]["containers"][0]["resources"]["limits"];
    if (limits.contains("nvidia.com/mig-1g.10gb")) {
      ++on_slices;
      EXPECT_TRUE(node.starts_with("mig-")) << name << " is on " << node;
    } else {
      in_use[node] += std::stoi(limits.value("nvidia.com/gpu", "0"));
    }
    const std::string gang =
        pod["metadata"].value("labels", json::object()).value("batch.kubernetes.io/job-name", "");
    if (gang.empty()) continue;
    const std::string key = topology_key(pod);
    EXPECT_NE(key, "") << name << " is kept with no other";
    const std::string domain = label_of(node, key.c_str());
    domains_of[gang].insert(domain);
    const auto may = allowed(pod, key);
    EXPECT_TRUE(may.empty() || may.contains(domain)) << name << " is in " << domain;
  }
  EXPECT_EQ(on_slices, slices_);
  EXPECT_EQ(domains_of.size(), 24U);
  for (const auto& [gang, domains] : domains_of) {
    EXPECT_EQ(domains.size(), 1U) << gang << " is in " << json(domains).dump();
  }
  int splintered = 0;
  int idle = 0;
  for (int i = 0; i < kRacks * kNodesInRack; ++i) {
    const int gpus = in_use["h100-" + std::to_string(i)];
    splintered += gpus > 0 && gpus < 8 ? 1 : 0;
    idle += gpus == 0 ? 1 : 0;
  }
  std::printf(
      "steering: %zu pods on 200 nodes in %.0f s, %d waiting; %zu gangs, each in one domain; "
      "%d pods on slices; of %d nodes of 8 GPUs %d idle, %d in part\n",
      all.size(), seconds, waiting, domains_of.size(), on_slices, kRacks * kNodesInRack, idle,
      splintered);
  expect_same("with all pods placed");
  unregister_berth();
}

}  // namespace
}  // namespace berth::e2e
