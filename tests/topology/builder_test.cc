#include "topology/builder.h"

#include "tests/topology/clusters.h"

namespace berth::topology {
namespace {

const char kNodes[] = R"(apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: a}, status: {allocatable: {nvidia.com/gpu: '8', nvidia.com/mig-1g.10gb: '7', pods: '20'}}}
- {apiVersion: v1, kind: Node, metadata: {name: sgl, labels: {nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB-MIG-1g.10gb}}, status: {allocatable: {nvidia.com/gpu: '56'}}}
- {apiVersion: v1, kind: Node, metadata: {name: ts, labels: {nvidia.com/gpu.product: NVIDIA-L4-SHARED, nvidia.com/gpu.replicas: '4'}}, status: {allocatable: {nvidia.com/gpu: '4'}}}
- {apiVersion: v1, kind: Node, metadata: {name: amd}, status: {allocatable: {amd.com/gpu: '8'}}}
)";

// A pod on a node; `spec` and `more` are members of a YAML flow mapping.
std::string pod(const std::string& name, const std::string& node, const std::string& spec,
                const std::string& more = "status: {phase: Running}") {
  return "- {apiVersion: v1, kind: Pod, metadata: {name: " + name +
         ", namespace: t}, spec: {nodeName: '" + node + "', " + spec + "}, " + more + "}\n";
}

std::string asks(const std::string& resource, const std::string& amount) {
  return "{name: c, resources: {limits: {" + resource + ": '" + amount + "'}}}";
}

std::string usage_of(const Snapshot& snapshot, const char* name) {
  const Node* node = snapshot.find_node(name);
  if (node == nullptr) return "no node";
  std::string out = "gpus " + std::to_string(node->whole_gpus_used);
  if (node->shares > 0) out += " shares " + std::to_string(node->shares_used);
  for (const SliceCount& slice : node->slices) {
    out += " " + slice.profile + " " + std::to_string(slice.used);
  }
  return out + " pods " + std::to_string(node->pods_used);
}

struct UseRow {
  const char* why;
  std::string pods;
  const char* node;
  const char* usage;
};

TEST(Builder, CountsWhatBoundPodsUse) {
  const std::string gpu = "nvidia.com/gpu";
  const UseRow rows[] = {
      {"containers add up",
       pod("p", "a", "containers: [" + asks(gpu, "2") + ", " + asks(gpu, "1") + "]"), "a",
       "gpus 3 1g.10gb 0 pods 1"},
      {"the largest init container counts",
       pod("p", "a",
           "initContainers: [" + asks(gpu, "4") + "], containers: [" + asks(gpu, "1") + "]"),
       "a", "gpus 4 1g.10gb 0 pods 1"},
      {"a sidecar adds to the main containers",
       pod("p", "a",
           "initContainers: [{name: s, restartPolicy: Always, resources: {requests: "
           "{nvidia.com/gpu: "
           "'1'}}}], containers: [" +
               asks(gpu, "2") + "]"),
       "a", "gpus 3 1g.10gb 0 pods 1"},
      {"pods that have ended use nothing",
       pod("p", "a", "containers: [" + asks(gpu, "8") + "]", "status: {phase: Succeeded}") +
           pod("q", "a", "containers: [" + asks(gpu, "8") + "]", "status: {phase: Failed}"),
       "a", "gpus 0 1g.10gb 0 pods 0"},
      {"pods that are nowhere yet use nothing",
       pod("p", "", "containers: [" + asks(gpu, "8") + "]"), "a", "gpus 0 1g.10gb 0 pods 0"},
      {"a pending pod that is bound holds its GPUs",
       pod("p", "a", "containers: [" + asks(gpu, "8") + "]", "status: {phase: Pending}"), "a",
       "gpus 8 1g.10gb 0 pods 1"},
      {"slices by their own name",
       pod("p", "a", "containers: [" + asks("nvidia.com/mig-1g.10gb", "2") + "]"), "a",
       "gpus 0 1g.10gb 2 pods 1"},
      {"a plain unit is a slice where all cards are cut alike",
       pod("p", "sgl", "containers: [" + asks(gpu, "3") + "]"), "sgl", "gpus 0 1g.10gb 3 pods 1"},
      {"a plain unit is a share where cards are shared",
       pod("p", "ts", "containers: [" + asks(gpu, "1") + "]"), "ts", "gpus 0 shares 1 pods 1"},
      {"another vendor's resource counts nothing here",
       pod("p", "amd", "containers: [" + asks(gpu, "1") + "]"), "amd", "gpus 0 pods 1"},
      {"a pod without GPUs takes its place", pod("p", "a", "containers: [{name: c}]"), "a",
       "gpus 0 1g.10gb 0 pods 1"},
      {"a node that is not in the picture", pod("p", "elsewhere", "containers: [{name: c}]"), "a",
       "gpus 0 1g.10gb 0 pods 0"},
      {"what is no quantity counts nothing",
       pod("p", "a", "containers: [" + asks(gpu, "many") + ", " + asks(gpu, "1") + "]"), "a",
       "gpus 1 1g.10gb 0 pods 1"},
  };
  for (const UseRow& row : rows) {
    // Pods may stand before the nodes that they are on.
    const auto before = snapshot_of("kind: List\nitems:\n" + row.pods + "---\n" + kNodes);
    const auto after = snapshot_of(kNodes + row.pods);
    EXPECT_EQ(usage_of(*after, row.node), row.usage) << row.why;
    EXPECT_EQ(usage_of(*before, row.node), row.usage) << row.why;
  }
}

TEST(Builder, NeverCountsFreeBelowZero) {
  const auto snapshot =
      snapshot_of(kNodes + pod("p", "a", "containers: [" + asks("nvidia.com/gpu", "12") + "]"));
  EXPECT_EQ(snapshot->find_node("a")->whole_gpus_free(), 0);
}

TEST(Builder, RemembersPodsByTheirOwner) {
  const std::string owner =
      "ownerReferences: [{apiVersion: batch/v1, kind: Job, name: train, uid: u1, controller: "
      "true}]";
  const auto worker = [&owner](const std::string& name, const std::string& annotations) {
    return "- {apiVersion: v1, kind: Pod, metadata: {name: " + name + ", namespace: t, " + owner +
           ", annotations: {" + annotations + "}}, spec: {nodeName: a}}\n";
  };
  const auto snapshot = snapshot_of(kNodes + worker("train-1", "") +
                                    worker("train-0",
                                           "berth.dev/rules: a/b, berth.dev/decision: "
                                           "'{\"x\":1}'") +
                                    pod("train-2", "a", "containers: []"));
  const auto pods = snapshot->pods_of("t", "Job", "train");
  ASSERT_EQ(pods.size(), 2U);
  EXPECT_EQ(pods[0]->name, "train-0");
  EXPECT_TRUE(pods[0]->marked);
  EXPECT_EQ(pods[0]->decision, R"({"x":1})");
  EXPECT_EQ(pods[0]->owner_uid, "u1");
  EXPECT_EQ(pods[1]->name, "train-1");
  EXPECT_FALSE(pods[1]->marked);
  EXPECT_EQ(pods[1]->node_name, "a");
  EXPECT_TRUE(snapshot->pods_of("t", "Job", "other").empty());
  EXPECT_TRUE(snapshot->pods_of("u", "Job", "train").empty());
}

const char kObjects[] = R"(
{apiVersion: v1, kind: Namespace, metadata: {name: team-a, labels: {team: a}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: bare}}
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: low}, value: -5, preemptionPolicy: Never}
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000, globalDefault: true}
---
{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: nvidia}, handler: nvidia}
---
{apiVersion: v1, kind: ResourceQuota, metadata: {name: q1, namespace: team-a}, spec: {hard: {requests.nvidia.com/gpu: '2'}}}
---
{apiVersion: v1, kind: ResourceQuota, metadata: {name: q2, namespace: team-a}, spec: {}}
---
{apiVersion: kueue.x-k8s.io/v1beta1, kind: LocalQueue, metadata: {name: b, namespace: team-a}}
---
{apiVersion: kueue.x-k8s.io/v1beta1, kind: LocalQueue, metadata: {name: a, namespace: team-a}}
---
{apiVersion: kueue.x-k8s.io/v1beta1, kind: LocalQueue, metadata: {name: a, namespace: team-ab}}
---
{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: default}, status: {state: Open}}
---
{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: default}, spec: {displayName: kai}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: train, namespace: team-a}, spec: {parallelism: 4}}
)";

TEST(Builder, KeepsWhatRulesAskFor) {
  const auto s = snapshot_of(kObjects);
  EXPECT_EQ(kube::to_json(s->namespace_labels("team-a")), R"({"team":"a"})");
  EXPECT_EQ(kube::to_json(s->namespace_labels("bare")), "{}") << "known, and without labels";
  EXPECT_TRUE(s->namespace_labels("nowhere").is_null());
  ASSERT_NE(s->priority_class("low"), nullptr);
  EXPECT_EQ(s->priority_class("low")->value, -5);
  EXPECT_EQ(s->priority_class("low")->preemption_policy, "Never");
  EXPECT_EQ(s->priority_class("high")->preemption_policy, "PreemptLowerPriority");
  EXPECT_TRUE(s->priority_class("high")->global_default);
  EXPECT_EQ(s->priority_class("none"), nullptr);
  EXPECT_TRUE(s->has_runtime_class("nvidia"));
  EXPECT_FALSE(s->has_runtime_class("kata"));
  EXPECT_EQ(s->runtime_class("nvidia")["handler"].string_or_empty(), "nvidia");
  EXPECT_EQ(s->quotas("team-a").size(), 2U);
  EXPECT_TRUE(s->quotas("bare").empty());
  EXPECT_EQ(s->local_queues("team-a"), (std::vector<std::string_view>{"a", "b"}));
  EXPECT_TRUE(s->local_queues("bare").empty());
  EXPECT_EQ(s->owner("Job", "team-a", "train")["spec"]["parallelism"].as_int(), 4);
  EXPECT_TRUE(s->owner("Job", "team-b", "train").is_null());
}

TEST(Builder, TellsKindsOfTwoGroupsApart) {
  const auto s = snapshot_of(kObjects);
  EXPECT_EQ(s->object("Queue", "", "default")["status"]["state"].string_or_empty(), "Open");
  EXPECT_EQ(
      s->object("Queue.scheduling.run.ai", "", "default")["spec"]["displayName"].string_or_empty(),
      "kai");
}

TEST(Builder, KnowsOnlyKindsThatAreThere) {
  const auto all = snapshot_of(kObjects);
  for (const Kind kind :
       {Kind::kNamespaces, Kind::kPriorityClasses, Kind::kRuntimeClasses, Kind::kResourceQuotas,
        Kind::kLocalQueues, Kind::kQueues, Kind::kOwners}) {
    EXPECT_TRUE(all->knows(kind)) << static_cast<int>(kind);
  }
  EXPECT_FALSE(all->knows(Kind::kNodes));
  EXPECT_FALSE(all->knows(Kind::kPods));
  const auto nodes = snapshot_of(kNodes);
  EXPECT_TRUE(nodes->knows(Kind::kNodes));
  EXPECT_FALSE(nodes->knows(Kind::kPriorityClasses));
}

TEST(Builder, PassesOnFreshnessAndGeneration) {
  BuildOptions options;
  options.fresh = false;
  options.generation = 12;
  const auto snapshot = snapshot_of("", options);
  EXPECT_FALSE(snapshot->fresh());
  EXPECT_EQ(snapshot->generation(), 12);
  EXPECT_TRUE(snapshot_of("")->fresh());
}

}  // namespace
}  // namespace berth::topology
