#include "topology/node_levels.h"

#include "tests/topology/clusters.h"

namespace berth::topology {
namespace {

// A node by its labels (YAML flow mapping, without the braces).
std::string node(const std::string& name, const std::string& labels,
                 const std::string& product = "NVIDIA-H100-80GB-HBM3") {
  return "- {apiVersion: v1, kind: Node, metadata: {name: " + name +
         ", labels: {kubernetes.io/hostname: " + name + ", nvidia.com/gpu.product: " + product +
         (labels.empty() ? "" : ", " + labels) +
         "}}, status: {allocatable: {nvidia.com/gpu: '8'}}}\n";
}

std::shared_ptr<const Snapshot> cluster(const std::string& nodes,
                                        const BuildOptions& options = {}) {
  return snapshot_of("apiVersion: v1\nkind: List\nitems:\n" + nodes, options);
}

TEST(NodeLevels, HaveFiveNamesFromNearToFar) {
  std::string names;
  for (const Level& level : default_levels()) names += level.name + " ";
  EXPECT_EQ(names, "node nvlink rack block zone ");
  EXPECT_EQ(default_levels()[0].labels, std::vector<std::string>{"kubernetes.io/hostname"});
  EXPECT_EQ(default_levels()[4].labels[0], "topology.kubernetes.io/zone");
}

struct AliasRow {
  const char* labels;
  const char* product;
  const char* nvlink;
  const char* rack;
  const char* block;
  const char* why;
};

TEST(NodeLevels, ReadTheLabelsOfProviders) {
  const char* const h100 = "NVIDIA-H100-80GB-HBM3";
  const char* const gb200 = "NVIDIA-GB200";
  const AliasRow rows[] = {
      {"topology.k8s.aws/network-node-layer-1: a, topology.k8s.aws/network-node-layer-2: b, "
       "topology.k8s.aws/network-node-layer-3: c",
       h100, "-", "c", "b", "AWS counts from the top; three layers"},
      {"topology.k8s.aws/network-node-layer-2: b, topology.k8s.aws/network-node-layer-3: c, "
       "topology.k8s.aws/network-node-layer-4: d",
       h100, "-", "d", "c", "AWS with a fourth layer"},
      {"cloud.google.com/gce-topology-block: b, cloud.google.com/gce-topology-subblock: s", h100,
       "-", "s", "b", "GKE"},
      {"cloud.google.com/gce-topology-block: b, cloud.google.com/gce-topology-subblock: s", gb200,
       "s", "s", "b", "a sub-block of A4X is an NVLink rack"},
      {"oci.oraclecloud.com/rdma.local_block_id: l, oci.oraclecloud.com/rdma.network_block_id: n, "
       "oci.oraclecloud.com/host.gpu_memory_fabric_id: f",
       gb200, "f", "l", "n", "OKE"},
      {"oci.oraclecloud.com/rdma.local_block_id: no-imds-data, "
       "oci.oraclecloud.com/rdma.network_block_id: no-imds-data",
       h100, "-", "-", "-", "OKE without metadata is no common block"},
      {"backend.coreweave.cloud/leafgroup: '1', backend.coreweave.cloud/superpod: '2', "
       "ds.coreweave.com/nvlink.domain: x",
       gb200, "x", "1", "2", "CoreWeave"},
      {"topology.nebius.com/tier-0: n, topology.nebius.com/tier-1: l, topology.nebius.com/tier-2: "
       "s",
       gb200, "n", "l", "s", "Nebius"},
      {"crusoe.ai/pod.id: p, crusoe.ai/ib.partition.id: i", h100, "-", "p", "i", "Crusoe"},
      {"accelerator.topograph.run/domain: d, fabric.topograph.run/tier-0: t", h100, "-", "t", "-",
       "Topograph's domain is no NVLink domain on a board of eight"},
      {"accelerator.topograph.run/domain: d", gb200, "d", "-", "-",
       "it is where NVLink reaches over machines"},
      {"nvidia.com/gpu.clique: u.1, accelerator.topograph.run/domain: d", gb200, "u.1", "-", "-",
       "the clique is the partition, which is what counts"},
      {"network.topology.nvidia.com/block: s1, network.topology.nvidia.com/spine: s2", h100, "-",
       "s1", "s2", "Topograph 0.1, where block was the nearest switch"},
      {"fabric.topograph.run/tier-0: '', fabric.topograph.run/tier-1: unknown", h100, "-", "-", "-",
       "empty and unknown are no group"},
  };
  for (const AliasRow& row : rows) {
    const auto snapshot = cluster(node("n", row.labels, row.product));
    EXPECT_EQ(domain_of(*snapshot, "n", "nvlink"), row.nvlink) << row.why;
    EXPECT_EQ(domain_of(*snapshot, "n", "rack"), row.rack) << row.why;
    EXPECT_EQ(domain_of(*snapshot, "n", "block"), row.block) << row.why;
  }
}

TEST(NodeLevels, JoinOldAndNewNamesOfOneLabel) {
  const auto snapshot = cluster(node("a", "fabric.topograph.run/tier-0: s1") +
                                node("b", "network.topology.nvidia.com/leaf: s1") +
                                node("c",
                                     "fabric.topograph.run/tier-0: s1, "
                                     "network.topology.nvidia.com/leaf: s1"));
  const auto domains = snapshot->domains(*snapshot->level_index("rack"));
  ASSERT_EQ(domains.size(), 1U);
  EXPECT_EQ(domains[0].nodes.size(), 3U);
  EXPECT_EQ(domains[0].label, "fabric.topograph.run/tier-0");
  EXPECT_FALSE(domains[0].covered) << "node b does not carry it";
}

TEST(NodeLevels, TakeTheNameThatMostNodesCarry) {
  const auto snapshot = cluster(node("a", "network.topology.nvidia.com/leaf: s1") +
                                node("b",
                                     "network.topology.nvidia.com/leaf: s1, "
                                     "fabric.topograph.run/tier-0: s1"));
  const auto domains = snapshot->domains(*snapshot->level_index("rack"));
  ASSERT_EQ(domains.size(), 1U);
  EXPECT_EQ(domains[0].label, "network.topology.nvidia.com/leaf");
  EXPECT_TRUE(domains[0].covered);
}

TEST(NodeLevels, KeepEqualValuesOfDifferentToolsApart) {
  const auto snapshot =
      cluster(node("a", "fabric.topograph.run/tier-0: '1'") + node("b", "crusoe.ai/pod.id: '1'"));
  EXPECT_EQ(snapshot->domains(*snapshot->level_index("rack")).size(), 2U);
}

TEST(NodeLevels, LeaveOutATrayThatHasNotJoinedItsPartition) {
  const std::string domain = "accelerator.topograph.run/domain: d";
  const auto snapshot =
      cluster(node("t1", "nvidia.com/gpu.clique: u.1, " + domain, "NVIDIA-GB200") +
              node("t2", domain, "NVIDIA-GB200"));
  EXPECT_EQ(domain_of(*snapshot, "t1", "nvlink"), "u.1");
  EXPECT_EQ(domain_of(*snapshot, "t2", "nvlink"), "-");
}

TEST(NodeLevels, TellRacksOfOneNameApartByTheirBlock) {
  const auto snapshot =
      cluster(node("a", "topology.kubernetes.io/rack: r1, topology.kubernetes.io/block: b1") +
              node("b", "topology.kubernetes.io/rack: r1, topology.kubernetes.io/block: b2") +
              node("c", "topology.kubernetes.io/rack: r2, topology.kubernetes.io/block: b2"));
  const auto racks = snapshot->domains(*snapshot->level_index("rack"));
  ASSERT_EQ(racks.size(), 3U);
  EXPECT_EQ(racks[0].name, "r1");
  EXPECT_EQ(racks[1].name, "r1");
  EXPECT_EQ(racks[0].within, (std::vector<LabelValue>{{"topology.kubernetes.io/block", "b1"}}));
  EXPECT_EQ(racks[1].within, (std::vector<LabelValue>{{"topology.kubernetes.io/block", "b2"}}));
  EXPECT_TRUE(racks[2].within.empty()) << "r2 is there once";
}

TEST(NodeLevels, FollowTheConfiguration) {
  BuildOptions options;
  options.levels = {{"host", {"kubernetes.io/hostname"}},
                    {"row", {"example.com/row"}},
                    {"rack", {"accelerator.topograph.run/domain"}}};
  const auto snapshot =
      cluster(node("a", "example.com/row: '7', accelerator.topograph.run/domain: d"), options);
  EXPECT_EQ(domain_of(*snapshot, "a", "host"), "a");
  EXPECT_EQ(domain_of(*snapshot, "a", "row"), "7");
  EXPECT_EQ(domain_of(*snapshot, "a", "rack"), "d") << "a label named alone is taken at its word";
  EXPECT_EQ(snapshot->level_index("zone"), std::nullopt);
}

}  // namespace
}  // namespace berth::topology
