#include "topology/packing.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/arena.h"
#include "tests/topology/keeper_rig.h"
#include "topology/hint.h"

namespace berth::topology {
namespace {

// Nodes and pods as a live cluster has them.
class Cluster {
 public:
  void node(const std::string& name, int gpus, const std::string& product, int cores = 96) {
    const std::string count = std::to_string(gpus);
    rig_.changed(source_of("Node"),
                 R"({"metadata":{"name":")" + name + R"(","labels":{"kubernetes.io/hostname":")" +
                     name + R"(","nvidia.com/gpu.product":")" + product +
                     R"("}},"status":{"allocatable":{"nvidia.com/gpu":")" + count + R"(","cpu":")" +
                     std::to_string(cores) + R"(","memory":"512Gi","pods":"110"}}})");
  }
  void pod(const std::string& node, int gpus, const std::string& cpu = "1",
           const std::string& product = "") {
    const std::string selector =
        product.empty() ? "" : R"("nodeSelector":{"nvidia.com/gpu.product":")" + product + R"("},)";
    const std::string limits =
        gpus == 0 ? "" : R"("limits":{"nvidia.com/gpu":")" + std::to_string(gpus) + R"("},)";
    rig_.changed(source_of("Pod"),
                 R"({"metadata":{"namespace":"team","name":"p)" + std::to_string(pods_++) +
                     R"("},"spec":{"nodeName":")" + node + R"(",)" + selector +
                     R"("containers":[{"name":"main","resources":{)" + limits +
                     R"("requests":{"cpu":")" + cpu + R"(","memory":"1Gi"}}}]}})");
  }
  void shared_node(const std::string& name, const std::string& resource) {
    rig_.changed(source_of("Node"),
                 R"({"metadata":{"name":")" + name + R"(","labels":{"kubernetes.io/hostname":")" +
                     name + R"(","nvidia.com/gpu.product":"H100","nvidia.com/gpu.count":"4",)" +
                     R"("nvidia.com/gpu.replicas":"10"}},"status":{"allocatable":{")" + resource +
                     R"(":"40","cpu":"96","memory":"512Gi","pods":"110"}}})");
  }
  void shares(const std::string& node, int units) {
    rig_.changed(source_of("Pod"),
                 R"({"metadata":{"namespace":"team","name":"p)" + std::to_string(pods_++) +
                     R"("},"spec":{"nodeName":")" + node +
                     R"(","containers":[{"name":"main","resources":{"limits":)" +
                     R"({"nvidia.com/gpu.shared":")" + std::to_string(units) + R"("}}}]}})");
  }
  // The names of the best nodes, best first.
  std::vector<std::string> best(const PodShape& pod, std::size_t most = 16) {
    rig_.turn("");
    const auto now = rig_.out.get();
    std::vector<std::string> out;
    for (const Packing::Choice& choice :
         now->packing().best(now->index().all(), now->nodes(), pod, most))
      out.push_back(now->nodes()[choice.node].name);
    return out;
  }
  std::string first(const PodShape& pod) {
    const auto list = best(pod, 1);
    return list.empty() ? "" : list.front();
  }
  double waste() {
    rig_.turn("");
    const auto now = rig_.out.get();
    double sum = 0;
    for (std::size_t c = 0; c < now->index().cards().size(); ++c) {
      for (const std::int32_t i : now->index().cards()[c].nodes)
        sum += now->packing().waste(now->nodes()[static_cast<std::size_t>(i)], c);
    }
    return sum;
  }

 private:
  Rig rig_;
  int pods_ = 0;
};

PodShape needs(std::int64_t gpus, std::int64_t cpu_milli, std::int64_t ram_mib) {
  return {gpus, cpu_milli, ram_mib, {}, 0, {}};
}

PodShape gpus(std::int64_t count) {
  return needs(count, 1000, 1024);
}

TEST(Packing, APodGoesBesideOthersAndLeavesWholeNodesWhole) {
  Cluster cluster;
  cluster.node("a", 8, "H100");
  cluster.node("b", 8, "H100");
  cluster.node("c", 8, "H100");
  cluster.pod("b", 3);
  cluster.pod("c", 6);
  EXPECT_EQ(cluster.best(gpus(1)), (std::vector<std::string>{"c", "b", "a"}));
  EXPECT_EQ(cluster.best(gpus(8)), (std::vector<std::string>{"a"}));
  EXPECT_EQ(cluster.best(gpus(1), 2).size(), 2u);
  EXPECT_TRUE(cluster.best(gpus(9)).empty());
}

TEST(Packing, FollowsEachPodThatComes) {
  Cluster cluster;
  cluster.node("a", 8, "H100");
  cluster.node("b", 8, "H100");
  for (int i = 0; i < 2; ++i) cluster.pod("b", 2);
  EXPECT_EQ(cluster.first(gpus(2)), "b");
  for (int i = 0; i < 3; ++i) cluster.pod("a", 2);
  EXPECT_EQ(cluster.first(gpus(2)), "a");
  cluster.pod("a", 2);
  EXPECT_EQ(cluster.best(gpus(2)), (std::vector<std::string>{"b"}));
}

TEST(Packing, NamesNoNodeWithoutTheCpuMemoryOrPodsThatThePodNeeds) {
  Cluster cluster;
  cluster.node("a", 8, "H100", 16);
  cluster.node("b", 8, "H100", 96);
  cluster.pod("a", 2, "12");
  EXPECT_EQ(cluster.best(needs(1, 8000, 1024)), (std::vector<std::string>{"b"}));
  EXPECT_EQ(cluster.best(needs(1, 4000, 1024)).size(), 2u);
  EXPECT_TRUE(cluster.best(needs(1, 1000, 600 * 1024)).empty());
}

TEST(Packing, PodsWithoutGpusGoWhereNoGpuNeedsTheCpu) {
  Cluster cluster;
  cluster.node("a", 8, "H100");
  cluster.node("b", 8, "H100");
  for (int i = 0; i < 8; ++i) cluster.pod("b", 1, "8");
  EXPECT_EQ(cluster.first(needs(0, 8000, 1024)), "b") << "its GPUs are all taken";
}

TEST(Packing, KeepsScarceProductsForThoseWhoMustHaveThem) {
  Cluster cluster;
  cluster.node("big", 8, "A100");
  cluster.node("small", 2, "T4");
  for (int i = 0; i < 4; ++i) cluster.pod("", 1);
  EXPECT_EQ(cluster.first(gpus(1)), "small") << "best fit, while nobody must have one";
  for (int i = 0; i < 4; ++i) cluster.pod("", 1, "1", "T4");
  EXPECT_EQ(cluster.first(gpus(1)), "big");
}

TEST(Packing, SharesOfGpusAreFilledUpLikeWholeOnes) {
  Cluster cluster;
  for (const char* name : {"a", "b", "c"}) cluster.shared_node(name, "nvidia.com/gpu.shared");
  cluster.shared_node("other", "nvidia.com/gpu");
  cluster.node("whole", 8, "H100");
  cluster.shares("b", 25);
  cluster.shares("c", 33);
  const PodShape eight = {0, 1000, 1024, {}, 8, "nvidia.com/gpu.shared"};
  EXPECT_EQ(cluster.best(eight), (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(cluster.best(gpus(1)), (std::vector<std::string>{"whole"}));
}

TEST(Packing, WasteOfWholeGpusAndOfSharesIsForThePodsOfEachForm) {
  Cluster cluster;
  cluster.node("whole", 8, "H100");
  cluster.pod("", 8);
  EXPECT_EQ(cluster.waste(), 0);
  cluster.shared_node("a", "nvidia.com/gpu.shared");
  cluster.shares("a", 38);
  EXPECT_NEAR(cluster.waste(), 0.2, 0.001) << "two tenths of a GPU are too few for 38 tenths";
}

TEST(Packing, WasteIsWhatTheUsualPodsCannotUse) {
  Cluster cluster;
  cluster.node("a", 8, "H100");
  EXPECT_EQ(cluster.waste(), 0) << "no pod was seen yet";
  for (int i = 0; i < 4; ++i) cluster.pod("", 8);
  EXPECT_EQ(cluster.waste(), 0);
  cluster.pod("a", 1);
  EXPECT_NEAR(cluster.waste(), 7 * 0.8, 0.01) << "one of five pods asks for one GPU";
}

TEST(PodMix, RecentPodsCountMore) {
  PodMix mix;
  for (int i = 0; i < 6000; ++i) mix.saw(gpus(8));
  for (int i = 0; i < 3000; ++i) mix.saw(gpus(1));
  const auto usual = mix.take();
  ASSERT_TRUE(usual);
  ASSERT_EQ(usual->size(), 2u);
  EXPECT_EQ(usual->front().shape.gpus, 1) << "half of all weight is younger than 3000 pods";
  EXPECT_NEAR(usual->front().share, 0.57, 0.01);
  EXPECT_FALSE(mix.take()) << "nothing came since";
}

TEST(PodMix, StaysSmallAndIgnoresPodsWithoutGpus) {
  PodMix mix;
  for (int i = 0; i < 5000; ++i) mix.saw(needs(1, i * 2000, 1024));
  mix.saw(needs(0, 1000, 1024));
  const auto usual = mix.take();
  ASSERT_TRUE(usual);
  EXPECT_LE(usual->size(), 512u);
  for (const UsualPod& pod : *usual) EXPECT_EQ(pod.shape.gpus, 1);
}

PodShape shape_of_text(const std::string& text) {
  base::Arena arena;
  return shape_of(kube::Pod(kube::parse_json(text, arena).value()));
}

TEST(PodMix, ReadsTheProductsThatAPodMustHave) {
  const std::string affinity =
      R"({"spec":{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":
         {"nodeSelectorTerms":[{"matchExpressions":[{"key":"nvidia.com/gpu.product",
         "operator":"In","values":["T4","A10"]}]}]}}},
         "containers":[{"resources":{"limits":{"nvidia.com/gpu":"2"},
         "requests":{"cpu":"1500m","memory":"1025Ki"}}}]}})";
  const PodShape shape = shape_of_text(affinity);
  EXPECT_EQ(shape.products, (std::vector<std::string>{"A10", "T4"}));
  EXPECT_EQ(shape.gpus, 2);
  EXPECT_EQ(shape.cpu_milli, 1500);
  EXPECT_EQ(shape.ram_mib, 2) << "rounded up";
  const PodShape shares = shape_of_text(
      R"({"spec":{"containers":[{"resources":{"limits":{"nvidia.com/gpu.shared":"3"}}}]}})");
  EXPECT_EQ(shares.gpus, 0);
  EXPECT_EQ(shares.shares, 3);
  EXPECT_EQ(shares.share_resource, "nvidia.com/gpu.shared");
  EXPECT_TRUE(shape_of_text(R"({"spec":{"affinity":7,"containers":3}})").products.empty());
}

TEST(Hint, IsReadBackFromThePreferencesForSingleHosts) {
  base::Arena arena;
  const auto spec = [&](const std::string& preferred) {
    return kube::parse_json(R"({"affinity":{"nodeAffinity":{
        "preferredDuringSchedulingIgnoredDuringExecution":[)" +
                                preferred + "]}}}",
                            arena)
        .value();
  };
  const auto term = [](int weight, const std::string& values) {
    return R"({"weight":)" + std::to_string(weight) +
           R"(,"preference":{"matchExpressions":[{"key":"kubernetes.io/hostname",
           "operator":"In","values":[)" +
           values + "]}]}}";
  };
  EXPECT_EQ(hinted_nodes(spec(term(100, R"("b")") + "," + term(50, R"("a")"))),
            (std::vector<std::string_view>{"b", "a"}));
  EXPECT_TRUE(hinted_nodes(spec(term(100, R"("a","b")"))).empty()) << "no single host";
  EXPECT_TRUE(names_hosts(spec(term(100, R"("a","b")"))));
  EXPECT_FALSE(names_hosts(kube::Json()));
}

}  // namespace
}  // namespace berth::topology
