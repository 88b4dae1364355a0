#include "topology/render.h"

#include "base/arena.h"
#include "tests/topology/clusters.h"

namespace berth::topology {
namespace {

std::string folded(const std::vector<std::string_view>& names) {
  return fold_names(names);
}

TEST(Render, FoldsNamesIntoRanges) {
  EXPECT_EQ(folded({}), "");
  EXPECT_EQ(folded({"a"}), "a");
  EXPECT_EQ(folded({"n1", "n2", "n3"}), "n[1-3]");
  EXPECT_EQ(folded({"n01", "n02", "n09", "n10"}), "n[01-02], n[09-10]");
  EXPECT_EQ(folded({"n9", "n10"}), "n[9-10]");
  EXPECT_EQ(folded({"n1", "n3"}), "n1, n3");
  EXPECT_EQ(folded({"a-1.x", "a-2.x", "a-2.y"}), "a-[1-2].x, a-2.y");
  EXPECT_EQ(folded({"a", "b"}), "a, b");
  EXPECT_EQ(folded({"n99999999999999999999", "n99999999999999999999"}),
            "n99999999999999999999, n99999999999999999999");
}

const char kSmall[] = R"(apiVersion: berth.dev/v1alpha1
kind: Topology
nodes:
- {name: "a[0-1]", product: H100, gpus: 8, free: 5, in: {rack: r0, block: b0}}
- {name: a2, product: H100, gpus: 8, in: {rack: r1, block: b0}}
- {name: m1, product: A100-80GB, gpus: 0, mig: {3g.40gb: 2}, in: {block: b0}}
---
apiVersion: v1
kind: Node
metadata: {name: sick, labels: {nvidia.com/gpu.product: Tesla-T4, nvidia.com/mig.config.state: pending}}
spec: {unschedulable: true}
status: {allocatable: {nvidia.com/gpu: '4'}}
---
apiVersion: v1
kind: Node
metadata: {name: cpu}
)";

TEST(Render, DrawsTheTreeFromFarToNear) {
  EXPECT_EQ(render_tree(*snapshot_of(kSmall), {}),
            "6 nodes, 5 with GPUs; 18/28 GPUs free, 4 out of service; usual pods are "
            "not known\n"
            "block b0  18/24 free on 4 nodes\n"
            "  rack r0  10/16 free on 2 nodes\n"
            "    a[0-1]  each H100 80Gi  5/8 free\n"
            "  rack r1  8/8 free on 1 node\n"
            "    a2  H100 80Gi  8/8 free\n"
            "  m1  A100 80Gi  3g.40gb 2/2\n"
            "sick  T4 15Gi  0/4 free  (cordoned or not ready, unwell: "
            "nvidia.com/mig.config.state=pending)\n");
}

TEST(Render, DrawsBarsColoursAndEveryNodeWhereAsked) {
  const std::string tree = render_tree(
      *snapshot_of(kSmall), {.bars = true, .colour = true, .fold = false, .cpu_nodes = true});
  EXPECT_NE(tree.find("rack r0  10/16 free on 2 nodes  \u2588\u2588\u2588\u2588\u2591"),
            std::string::npos)
      << tree;
  EXPECT_NE(tree.find("    a0  H100 80Gi  5/8 free\n    a1  H100 80Gi  5/8 free\n"),
            std::string::npos);
  EXPECT_NE(tree.find("sick  \x1b[31mT4 15Gi"), std::string::npos);
  EXPECT_NE(tree.find("cpu  no GPUs\n"), std::string::npos);
}

const char kUsed[] = R"(apiVersion: v1
kind: Node
metadata: {name: a, labels: {kubernetes.io/hostname: a, nvidia.com/gpu.product: H100, topology.kubernetes.io/zone: z}}
status: {allocatable: {nvidia.com/gpu: '8'}}
---
apiVersion: v1
kind: Node
metadata: {name: b, labels: {kubernetes.io/hostname: b, nvidia.com/gpu.product: H100, topology.kubernetes.io/zone: z}}
status: {allocatable: {nvidia.com/gpu: '8'}}
---
apiVersion: v1
kind: Pod
metadata: {name: one, namespace: x}
spec: {nodeName: a, containers: [{name: c, resources: {limits: {nvidia.com/gpu: '1'}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: eight, namespace: x}
spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: '8'}}}]}
)";

TEST(Render, TellsTheGpusThatTheUsualPodsCannotUse) {
  // Of two pods, one does not fit on the seven GPUs of node a.
  EXPECT_EQ(render_tree(*snapshot_of(kUsed), {}),
            "2 nodes, 2 with GPUs; 15/16 GPUs free, 3.5 unusable\n"
            "zone z  15/16 free on 2 nodes, 3.5 unusable\n"
            "  a  H100 80Gi  7/8 free\n"
            "  b  H100 80Gi  8/8 free\n");
  base::Arena arena;
  const auto json = kube::parse_json(render_json(*snapshot_of(kUsed)), arena);
  ASSERT_TRUE(json.has_value()) << json.error().text;
  EXPECT_EQ(kube::to_json((*json)["gpus"]), R"({"total":16,"free":15,"unusable":3.50})");
  const kube::Json domains = (*json)["levels"].at(0)["domains"];
  EXPECT_EQ(kube::to_json(domains.at(0)["gpus"]), R"({"total":8,"free":7,"unusable":3.50})");
  EXPECT_EQ(kube::to_json(domains.at(1)["gpus"]), R"({"total":8,"free":8,"unusable":0.00})");
}

TEST(Render, SaysWhenThePictureIsOld) {
  BuildOptions options;
  options.fresh = false;
  EXPECT_EQ(render_tree(*snapshot_of("", options), {}),
            "0 nodes, 0 with GPUs; 0/0 GPUs free (the picture is not up to date)\n");
}

TEST(Render, ListsNodesAsATable) {
  EXPECT_EQ(render_table(*snapshot_of(kSmall), {}),
            "NODE  PRODUCT    FREE  SLICES AND SHARES  ZONE  BLOCK  RACK  NVLINK  STATE\n"
            "a0    H100 80Gi  5/8   -                  -     b0     r0    -       ok\n"
            "a1    H100 80Gi  5/8   -                  -     b0     r0    -       ok\n"
            "a2    H100 80Gi  8/8   -                  -     b0     r1    -       ok\n"
            "m1    A100 80Gi  0/0   3g.40gb 2/2        -     b0     -     -       ok\n"
            "sick  T4 15Gi    0/4   -                  -     -      -     -       cordoned or not "
            "ready, unwell: nvidia.com/mig.config.state=pending\n");
}

TEST(Render, TellsSharesAndSingleSlicesOfTheLab) {
  const std::string tree = render_tree(*lab(), {});
  EXPECT_NE(tree.find("68 nodes, 62 with GPUs; 209/280 GPUs free, 8 out of service"),
            std::string::npos)
      << tree;
  EXPECT_NE(tree.find("      sgl-[1-2]  each A100 80Gi  1g.10gb 40/56 as whole GPUs\n"),
            std::string::npos);
  EXPECT_NE(tree.find("  ts-[1-2]  each L4 22Gi  time-slicing 4/4 on 1 card\n"), std::string::npos);
  EXPECT_NE(tree.find("        nvl-a-[01-18]  each GB200 185Gi  4/4 free\n"), std::string::npos);
}

TEST(Render, WritesJsonThatHoldsTheSameNumbers) {
  base::Arena arena;
  const auto json = kube::parse_json(render_json(*snapshot_of(kSmall)), arena);
  ASSERT_TRUE(json.has_value()) << json.error().text;
  EXPECT_TRUE((*json)["fresh"].bool_or(false));
  const kube::Json block = (*json)["levels"].at(3);
  EXPECT_EQ(block["name"].string_or_empty(), "block");
  EXPECT_EQ(kube::to_json(block["domains"].at(0)["gpus"]),
            R"({"total":24,"free":18,"unusable":null})");
  const kube::Json node = (*json)["nodes"].at(0);
  EXPECT_EQ(node["name"].string_or_empty(), "a0");
  EXPECT_EQ(kube::to_json(node["gpus"]), R"({"total":8,"free":5})");
  EXPECT_EQ(kube::to_json(node["in"]), R"({"node":"a0","rack":"r0","block":"b0"})");
  EXPECT_EQ((*json)["nodes"].size(), 6U);
}

}  // namespace
}  // namespace berth::topology
