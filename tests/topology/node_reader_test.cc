#include "topology/node_reader.h"

#include "tests/topology/clusters.h"

namespace berth::topology {
namespace {

// One line a node: vendor, product, memory, what one unit is, cards as they can be had, slices.
std::string describe(const Node& node) {
  std::string out = node.vendor + " " + node.product + " " + std::to_string(node.memory_mib) + " " +
                    std::string(to_text(node.sharing)) +
                    " whole=" + std::to_string(node.whole_gpus) +
                    " cards=" + std::to_string(node.cards);
  if (node.shares > 0) {
    out += " shares=" + std::to_string(node.shares) + "x" + std::to_string(node.replicas);
  }
  for (const SliceCount& slice : node.slices) {
    out += " " + slice.profile + "=" + std::to_string(slice.total) + "@" +
           std::to_string(slice.memory_mib);
  }
  return out;
}

std::string places_of(const Snapshot& snapshot, std::string_view node) {
  std::string out;
  for (const char* level : {"nvlink", "rack", "block", "zone"}) {
    out += (out.empty() ? "" : " ") + domain_of(snapshot, node, level);
  }
  return out;
}

struct GoldenRow {
  const char* name;
  const char* product_label;
  const char* facts;
  const char* places;  // nvlink rack block zone
  const char* state;
};

constexpr char kRack7[] = "7a1c0e52-93bb-4f5e-8d12-5c6e0f2b7a31.4 roce-leaf-07 roce-su-1 -";

const GoldenRow kGolden[] = {
    {"dgx-a100-01", "NVIDIA-A100-SXM4-80GB",
     "nvidia A100 81920 mig-mixed whole=4 cards=8 1g.10gb=8@9856 2g.20gb=4@19968 3g.40gb=4@40192",
     "- - - dc-east-1", "fit"},
    {"hgx-h100-01", "NVIDIA-H100-80GB-HBM3", "nvidia H100 81559 none whole=8 cards=8",
     "- ib-leaf-s1 ib-spine-1 -", "fit"},
    {"hgx-h100-02", "NVIDIA-H100-80GB-HBM3", "nvidia H100 81559 none whole=8 cards=8",
     "- ib-leaf-s2 ib-spine-1 -", "fit"},
    {"hgx-h100-03", "NVIDIA-H100-80GB-HBM3", "nvidia H100 81559 none whole=8 cards=8",
     "- ib-leaf-s2 ib-spine-1 -", "fit"},
    {"gb200-r07-t03", "NVIDIA-GB200", "nvidia GB200 189471 none whole=4 cards=4", kRack7, "fit"},
    {"gb200-r07-t04", "NVIDIA-GB200", "nvidia GB200 189471 none whole=4 cards=4", kRack7,
     "fit, in compute domain 0b9f3e0a-7f6d-4f6e-8a55-3d0f7b1f6a10"},
    {"gb200-r07-t12", "NVIDIA-GB200", "nvidia GB200 189471 none whole=4 cards=4",
     "7a1c0e52-93bb-4f5e-8d12-5c6e0f2b7a31.5 roce-leaf-07 roce-su-1 -", "fit"},
    {"gb200-r08-t01", "NVIDIA-GB200", "nvidia GB200 189471 none whole=4 cards=4",
     "c4e2d9f0-1b6a-4d37-9f80-2e5a7b1c3d49.1 roce-leaf-08 roce-su-1 -", "fit"},
    {"gb200-r08-t02", "NVIDIA-GB200", "nvidia GB200 189471 none whole=4 cards=4",
     "- roce-leaf-08 roce-su-1 -", "fit"},
    {"gke-train-a3mega-pool-5c1d7e2a-k9xw", "nvidia-h100-mega-80gb",
     "nvidia H100 81559 none whole=8 cards=8", "- 51d8c3aa07be4e19 b6f1a0c4d2e94f7b us-east5-a",
     "fit"},
    {"ip-10-40-12-101.us-east-1.compute.internal", "NVIDIA-L4-SHARED",
     "nvidia L4 23034 time-slicing whole=0 cards=4 shares=16x4", "- - - us-east-1a", "fit"},
    {"ip-10-40-12-102.us-east-1.compute.internal", "NVIDIA-L4",
     "nvidia L4 23034 time-slicing whole=0 cards=4 shares=16x4", "- - - us-east-1a", "fit"},
    {"hgx-h100-mig-01", "NVIDIA-H100-80GB-HBM3-MIG-1g.10gb",
     "nvidia H100 81559 mig-single whole=0 cards=8 1g.10gb=56@9984", "- - - -", "fit"},
    {"dgx-a100-02", "NVIDIA-A100-SXM4-80GB-MIG-INVALID",
     "nvidia A100 81920 mig-single whole=0 cards=8", "- - - -",
     "unwell: nvidia.com/mig.config.state=failed"},
    {"dgx-a100-03", "NVIDIA-A100-SXM4-80GB",
     "nvidia A100 81920 mig-mixed whole=0 cards=8 1g.10gb=16@9856 2g.20gb=8@19968 3g.40gb=8@40192",
     "- - - -", "fit"},
    {"dgx-a100-04", "NVIDIA-A100-SXM4-80GB", "nvidia A100 81920 mig-mixed whole=0 cards=8",
     "- - - -", "unwell: nvidia.com/mig.config.state=pending"},
    {"rtxpro-01", "NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition",
     "nvidia RTX-PRO-6000 97887 mig-mixed whole=1 cards=4 1g.24gb.gfx=8@24192 2g.48gb=2@48512",
     "- - - -", "fit"},
    {"ip-10-40-13-20.us-east-1.compute.internal", "NVIDIA-A10G-SHARED",
     "nvidia A10G 23028 mps whole=0 cards=4 shares=32x8", "- - - us-east-1b", "fit"},
    {"dra-h200-01", "", "nvidia H200 143771 none whole=0 cards=0", "- ib-leaf-s3 ib-spine-1 -",
     "fit"},
    {"ip-10-40-20-7.us-east-1.compute.internal", "NVIDIA-H100-80GB-HBM3",
     "nvidia H100 81559 none whole=8 cards=8",
     "- nn-0cc3d5e7f9a1b2c3d nn-0bb2e4d6c8fa13579 us-east-1a", "fit"},
    {"hgx-h100-04", "NVIDIA-H100-80GB-HBM3", "nvidia H100 81559 none whole=7 cards=8",
     "- ib-leaf-s1 ib-spine-1 -",
     "not schedulable, unwell: nvidia.com/gpu-driver-upgrade-state=cordon-required"},
    {"hgx-h100-05", "NVIDIA-H100-80GB-HBM3", "nvidia H100 81559 none whole=8 cards=8",
     "- ib-leaf-s1 ib-spine-1 -", "not schedulable"},
    {"amd-mi300x-01", "AMD_Instinct_MI300X_OAM", "amd MI300X 196608 none whole=8 cards=8",
     "- - - -", "fit"},
    {"cpu-01", "", "  0 none whole=0 cards=0", "- - - -", "fit"},
};

std::string state_of(const Node& node) {
  std::string out = node.schedulable ? "" : "not schedulable";
  if (!node.healthy) out += (out.empty() ? "" : ", ") + ("unwell: " + node.unwell);
  if (out.empty()) out = "fit";
  if (!node.compute_domain.empty()) out += ", in compute domain " + node.compute_domain;
  return out;
}

TEST(NodeReader, ReadsTheSampleNodes) {
  const auto snapshot = snapshot_of(read_test_data("facts/nodes-sample.yaml"));
  ASSERT_NE(snapshot, nullptr);
  EXPECT_EQ(snapshot->nodes().size(), std::size(kGolden));
  for (const GoldenRow& row : kGolden) {
    const Node* node = snapshot->find_node(row.name);
    ASSERT_NE(node, nullptr) << row.name;
    EXPECT_EQ(node->product_label, row.product_label) << row.name;
    EXPECT_EQ(describe(*node), row.facts) << row.name;
    EXPECT_EQ(places_of(*snapshot, row.name), row.places) << row.name;
    EXPECT_EQ(state_of(*node), row.state) << row.name;
    EXPECT_EQ(node->healthy, node->unwell.empty()) << row.name;
  }
}

struct NodeRow {
  const char* why;
  const char* labels;
  const char* allocatable;
  const char* facts;
};

const NodeRow kRows[] = {
    {"capacity alone", "{}", "{nvidia.com/gpu: '4'}", "nvidia  0 none whole=4 cards=4"},
    {"labels as numbers, as people write them",
     "{nvidia.com/gpu.count: 2, nvidia.com/gpu.memory: 15360}", "{nvidia.com/gpu: 2}",
     "nvidia  15360 none whole=2 cards=2"},
    {"GKE time-sharing",
     "{cloud.google.com/gke-accelerator: nvidia-l4, cloud.google.com/gke-accelerator-count: '2', "
     "cloud.google.com/gke-gpu-sharing-strategy: time-sharing, "
     "cloud.google.com/gke-max-shared-clients-per-gpu: '3'}",
     "{nvidia.com/gpu: '6'}", "nvidia L4 23034 time-slicing whole=0 cards=2 shares=6x3"},
    {"GKE partitions go by the plain name",
     "{cloud.google.com/gke-accelerator: nvidia-h100-80gb, "
     "cloud.google.com/gke-gpu-partition-size: 1g.10gb, cloud.google.com/gke-accelerator-count: "
     "'1'}",
     "{nvidia.com/gpu: '7'}", "nvidia H100 81559 mig-single whole=0 cards=1 1g.10gb=7@9984"},
    {"Karpenter's memory tells the 80 GB card from the 40 GB one",
     "{karpenter.k8s.aws/instance-gpu-name: a100, karpenter.k8s.aws/instance-gpu-memory: '81920', "
     "karpenter.k8s.aws/instance-gpu-count: '8'}",
     "{nvidia.com/gpu: '8'}", "nvidia A100 81920 none whole=8 cards=8"},
    {"a provider's round number does not replace a known size",
     "{karpenter.k8s.aws/instance-gpu-name: l4, karpenter.k8s.aws/instance-gpu-memory: '22888'}",
     "{nvidia.com/gpu: '1'}", "nvidia L4 23034 none whole=1 cards=1"},
    {"AKS", "{karpenter.azure.com/sku-gpu-name: A100, karpenter.azure.com/sku-gpu-count: '4'}",
     "{nvidia.com/gpu: '4'}", "nvidia A100 40960 none whole=4 cards=4"},
    {"a machine type where nothing else tells", "{node.kubernetes.io/instance-type: p5e.48xlarge}",
     "{nvidia.com/gpu: '8'}", "nvidia H200 143771 none whole=8 cards=8"},
    {"more units than cards: shared by a tool that has no label",
     "{nvidia.com/gpu.product: Tesla-T4, nvidia.com/gpu.count: '2'}", "{nvidia.com/gpu: '20'}",
     "nvidia T4 15360 time-slicing whole=0 cards=2 shares=20x10"},
    {"shared slices are shares, not slices",
     "{nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB, nvidia.com/gpu.count: '1', "
     "nvidia.com/mig.strategy: mixed, nvidia.com/mig-1g.10gb.replicas: '2'}",
     "{nvidia.com/gpu: '0', nvidia.com/mig-1g.10gb: '14'}",
     "nvidia A100 81920 mig-mixed whole=0 cards=1 shares=14x1"},
    {"slices renamed to shared",
     "{nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB, nvidia.com/gpu.count: '1'}",
     "{nvidia.com/mig-1g.10gb.shared: '14'}",
     "nvidia A100 81920 time-slicing whole=0 cards=1 shares=14x14"},
    {"single strategy, shared on top",
     "{nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB-MIG-1g.10gb-SHARED, nvidia.com/gpu.count: "
     "'7', "
     "nvidia.com/gpu.replicas: '2', nvidia.com/gpu.sharing-strategy: time-slicing}",
     "{nvidia.com/gpu: '14'}", "nvidia A100 81920 time-slicing whole=0 cards=1 shares=14x1"},
    {"MIG slices without a label for their memory",
     "{nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3}",
     "{nvidia.com/gpu: '0', nvidia.com/mig-3g.40gb: '2'}",
     "nvidia H100 81559 mig-mixed whole=0 cards=0 3g.40gb=2@40448"},
    {"AMD cut into partitions under the plain name",
     "{amd.com/gpu.product-name: Instinct_MI300X, amd.com/compute-memory-partition: cpx_nps4}",
     "{amd.com/gpu: '64'}", "amd MI300X 196608 mig-single whole=0 cards=0 cpx_nps4=64@0"},
    {"AMD cut into partitions under names of their own", "{amd.com/gpu.vram: 192G}",
     "{amd.com/cpx_nps4: '64'}", "amd  196608 mig-mixed whole=0 cards=0 cpx_nps4=64@0"},
    {"AMD not cut, named by partition", "{amd.com/gpu.product-name: Instinct_MI210}",
     "{amd.com/spx_nps1: '8'}", "amd MI210 65536 none whole=8 cards=0"},
    {"Intel", "{gpu.intel.com/product: Max_1550, gpu.intel.com/device.count: '2'}",
     "{gpu.intel.com/i915: '2', gpu.intel.com/memory.max: 256Gi, gpu.intel.com/millicores: '2000'}",
     "intel Max-1550 131072 none whole=2 cards=2"},
    {"Intel shared by the plug-in",
     "{gpu.intel.com/product: Flex_170, gpu.intel.com/device.count: '2'}",
     "{gpu.intel.com/i915: '20'}",
     "intel Flex-170 16384 time-slicing whole=0 cards=2 shares=20x10"},
    {"Ascend by the name of its resource", "{}", "{huawei.com/Ascend910B3: '8'}",
     "huawei Ascend910B 0 none whole=8 cards=8"},
    {"Gaudi by the name of its resource", "{}", "{habana.ai/gaudi: '8'}",
     "habana Gaudi 32768 none whole=8 cards=8"},
    {"a product that no table has",
     "{nvidia.com/gpu.product: NVIDIA-GeForce-RTX-4090, "
     "nvidia.com/gpu.memory: '24564'}",
     "{nvidia.com/gpu: '2'}", "nvidia NVIDIA-GeForce-RTX-4090 24564 none whole=2 cards=2"},
};

TEST(NodeReader, ReadsWhatOneUnitIs) {
  for (const NodeRow& row : kRows) {
    const std::string capacity = std::string(row.allocatable);
    const bool listed = std::string_view(row.allocatable).find("spx") == std::string_view::npos &&
                        std::string_view(row.facts).find("cards=0") == std::string_view::npos;
    const auto snapshot = snapshot_of(
        "{apiVersion: v1, kind: Node, metadata: {name: n, labels: " + std::string(row.labels) +
        "}, status: {allocatable: " + row.allocatable +
        (listed ? ", capacity: " + capacity : std::string()) + "}}");
    ASSERT_NE(snapshot, nullptr) << row.why;
    EXPECT_EQ(describe(snapshot->nodes()[0]), row.facts) << row.why;
  }
}

TEST(NodeReader, TrustsAllocatableMoreThanCapacity) {
  const auto snapshot = snapshot_of(
      "{apiVersion: v1, kind: Node, metadata: {name: n}, status: {capacity: {nvidia.com/gpu: '8'}, "
      "allocatable: {nvidia.com/gpu: '7'}}}");
  EXPECT_EQ(snapshot->nodes()[0].whole_gpus, 7);
  EXPECT_EQ(snapshot->nodes()[0].cards, 8);
}

TEST(NodeReader, ReportsCountsThatAreNone) {
  const Loaded loaded = load_text(R"(apiVersion: v1
kind: Node
metadata: {name: n}
status:
  allocatable:
    pods: many
    nvidia.com/gpu: "1.5"
    nvidia.com/mig-1g.10gb: -1
)");
  ASSERT_NE(loaded.snapshot, nullptr);
  EXPECT_EQ(loaded.snapshot->nodes()[0].whole_gpus, 0);
  const std::string texts = texts_of(loaded.problems);
  EXPECT_NE(texts.find("cluster.yaml:6:5: warning: bad-value: Node 'n': pods is no count"),
            std::string::npos)
      << texts;
  EXPECT_NE(
      texts.find("cluster.yaml:7:5: warning: bad-value: Node 'n': nvidia.com/gpu is no count: "
                 "expected a whole number from 0 to 1000000"),
      std::string::npos)
      << texts;
  EXPECT_NE(texts.find("cluster.yaml:8:5: warning"), std::string::npos) << texts;
}

TEST(NodeReader, TakesNumbersThatCannotBeForNone) {
  const std::string huge = "'9223372036854775807'";
  const std::string node =
      ", labels: {nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3, nvidia.com/gpu.memory: " + huge +
      ", nvidia.com/gpu.count: " + huge + "}}, status: {allocatable: {pods: " + huge +
      ", nvidia.com/gpu: " + huge + ", nvidia.com/mig-1g.9223372036854775807gb: '1'}}}\n";
  const Loaded loaded = load_text(
      "kind: List\nitems:\n- {apiVersion: v1, kind: Node, metadata: {name: a" + node +
      "- {apiVersion: v1, kind: Node, metadata: {name: b" + node +
      "- {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {nodeName: a, containers: [{name: "
      "c, resources: {limits: {nvidia.com/gpu: " +
      huge + "}}}]}}\n");
  ASSERT_NE(loaded.snapshot, nullptr) << texts_of(loaded.problems);
  for (const Node& read : loaded.snapshot->nodes()) {
    EXPECT_EQ(read.whole_gpus, 0) << read.name;
    EXPECT_EQ(read.whole_gpus_free(), 0) << read.name;
    EXPECT_EQ(read.memory_mib, 81559) << read.name;
    EXPECT_EQ(read.pods_limit, 0) << read.name;
  }
}

TEST(NodeReader, SurvivesWrongTypes) {
  for (const char* node :
       {"{metadata: {name: n, labels: [a]}, spec: 3, status: x}",
        "{metadata: {name: n, labels: {nvidia.com/gpu.product: [1]}}, status: {allocatable: []}}",
        "{metadata: {name: n}, spec: {taints: {a: b}, unschedulable: 'yes'}, status: {conditions: "
        "[1, x, {type: 3}], allocatable: {nvidia.com/gpu: {a: 1}, nvidia.com/mig-: '3'}}}",
        "{metadata: {name: n, labels: {nvidia.com/gpu.product: '-MIG-', nvidia.com/gpu.count: "
        "'99999999999999999999'}}, status: {allocatable: {nvidia.com/gpu: "
        "'9223372036854775807'}}}"}) {
    const Loaded loaded = load_text("{apiVersion: v1, kind: Node, " + std::string(node).substr(1));
    ASSERT_NE(loaded.snapshot, nullptr) << node << texts_of(loaded.problems);
    EXPECT_EQ(loaded.snapshot->nodes().size(), 1U) << node;
  }
}

}  // namespace
}  // namespace berth::topology
