#include "kube/pod.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::kube {
namespace {

Pod pod_of(std::string_view text, base::Arena& arena) {
  const auto json = parse_json(text, arena);
  EXPECT_TRUE(json.has_value()) << (json ? "" : json.error().text);
  return Pod(json.value_or(Json()));
}

TEST(Pod, ListsContainersInTheOrderTheyStart) {
  base::Arena arena;
  const Pod pod = pod_of(R"({"spec":{
    "containers":[{"name":"main","image":"a"},{"name":"proxy"}],
    "ephemeralContainers":[{"name":"debug"}],
    "initContainers":[{"name":"fetch"},{"name":"side","restartPolicy":"Always"}]}})",
                         arena);
  std::string seen;
  for (const Container& container : pod.containers()) {
    seen.append(container.list_name()).append("/").append(std::to_string(container.index));
    seen.append("=").append(container.name());
    if (container.kind == ContainerKind::kSidecar) seen.append("(sidecar)");
    seen.append(" ");
  }
  EXPECT_EQ(seen,
            "initContainers/0=fetch initContainers/1=side(sidecar) containers/0=main "
            "containers/1=proxy ephemeralContainers/0=debug ");
  EXPECT_EQ(pod.containers()[2].image(), "a");
}

TEST(Pod, CountsWhatTheSchedulerCounts) {
  struct Row {
    std::string why;
    std::string spec;
    std::string resource;
    std::string expected;
  };
  const auto gpu = [](const std::string& count, const std::string& more = "") {
    return R"({"resources":{"requests":{"nvidia.com/gpu":")" + count + R"("}})" + more + "}";
  };
  const std::string always = R"(,"restartPolicy":"Always")";
  const std::vector<Row> rows = {
      {"main containers add up", R"("containers":[)" + gpu("1") + "," + gpu("2") + "]",
       "nvidia.com/gpu", "3"},
      {"a limit alone is the request", R"("containers":[{"resources":{"limits":{"x/y":"2"}}}])",
       "x/y", "2"},
      {"the request wins over the limit",
       R"("containers":[{"resources":{"limits":{"cpu":"2"},"requests":{"cpu":"500m"}}}])", "cpu",
       "500m"},
      {"a null request is absent",
       R"("containers":[{"resources":{"limits":{"cpu":2},"requests":{"cpu":null}}}])", "cpu", "2"},
      {"init containers run one after the other and before",
       R"("containers":[)" + gpu("1") + R"(],"initContainers":[)" + gpu("1") + "," + gpu("1") + "]",
       "nvidia.com/gpu", "1"},
      {"the larger of init and main",
       R"("containers":[)" + gpu("1") + R"(],"initContainers":[)" + gpu("4") + "]",
       "nvidia.com/gpu", "4"},
      {"a sidecar adds to main",
       R"("containers":[)" + gpu("1") + R"(],"initContainers":[)" + gpu("1", always) + "]",
       "nvidia.com/gpu", "2"},
      {"a sidecar before an init container adds to it",
       R"("containers":[)" + gpu("1") + R"(],"initContainers":[)" + gpu("1", always) + "," +
           gpu("2") + "]",
       "nvidia.com/gpu", "3"},
      {"a sidecar after an init container does not",
       R"("containers":[)" + gpu("1") + R"(],"initContainers":[)" + gpu("2") + "," +
           gpu("1", always) + "]",
       "nvidia.com/gpu", "2"},
      {"ephemeral containers do not count",
       R"("containers":[)" + gpu("1") + R"(],"ephemeralContainers":[)" + gpu("5") + "]",
       "nvidia.com/gpu", "1"},
      {"the pod level wins for cpu",
       R"("resources":{"requests":{"cpu":"3"}},
          "containers":[{"resources":{"requests":{"cpu":"1"}}}])",
       "cpu", "3"},
      {"a pod level limit alone counts where no container asks",
       R"("resources":{"limits":{"memory":"4Gi"}},"containers":[{}])", "memory", "4Gi"},
      {"a pod level limit alone does not raise what containers ask",
       R"("resources":{"limits":{"memory":"4Gi"}},
          "containers":[{"resources":{"requests":{"memory":"1Gi"}}}])",
       "memory", "1Gi"},
      {"the pod level knows no extended resources",
       R"("resources":{"requests":{"nvidia.com/gpu":"8"}},"containers":[)" + gpu("1") + "]",
       "nvidia.com/gpu", "1"},
      {"overhead is added last",
       R"("overhead":{"cpu":"250m"},"resources":{"requests":{"cpu":"3"}},"containers":[{}])", "cpu",
       "3250m"},
      {"what is no quantity counts as zero",
       R"("containers":[)" + gpu("one") + "," + gpu("2") + "]", "nvidia.com/gpu", "2"},
      {"wrong types read as absent",
       R"("containers":[7,null,{"resources":[]},{"resources":{"requests":3}}],"initContainers":{})",
       "cpu", "0"},
  };
  base::Arena arena;
  for (const Row& row : rows) {
    const Pod pod = pod_of("{\"spec\":{" + row.spec + "}}", arena);
    EXPECT_EQ(pod.effective_request(row.resource).to_text(Quantity::Form::kBinary), row.expected)
        << row.why;
  }
}

TEST(Pod, FindsTheController) {
  base::Arena arena;
  const Pod pod = pod_of(R"({"metadata":{"ownerReferences":[
    {"kind":"Workflow","name":"w","controller":false},{"kind":"Other","name":"o"},
    {"apiVersion":"apps/v1","kind":"ReplicaSet","name":"r","uid":"u","controller":true}]}})",
                         arena);
  ASSERT_TRUE(pod.controller().has_value());
  EXPECT_EQ(pod.controller()->api_version, "apps/v1");
  EXPECT_EQ(pod.controller()->kind, "ReplicaSet");
  EXPECT_EQ(pod.controller()->name, "r");
  EXPECT_EQ(pod.controller()->uid, "u");
  EXPECT_FALSE(pod_of("{}", arena).controller().has_value());
  EXPECT_FALSE(pod_of(R"({"metadata":{"ownerReferences":{"controller":true}}})", arena)
                   .controller()
                   .has_value());
}

TEST(Pod, ReadsMetadata) {
  base::Arena arena;
  const Pod pod = pod_of(R"({"metadata":{"name":"n","generateName":"g-","labels":{"a":"b","n":1},
    "annotations":{"kubernetes.io/config.mirror":"x"}},"spec":{"nodeName":"node-1"}})",
                         arena);
  EXPECT_EQ(pod.name(), "n");
  EXPECT_EQ(pod.generate_name(), "g-");
  EXPECT_EQ(pod.label("a"), "b");
  EXPECT_EQ(pod.label("n"), "");
  EXPECT_EQ(pod.label("z"), "");
  EXPECT_EQ(pod.node_name(), "node-1");
  EXPECT_TRUE(pod.is_mirror());
  EXPECT_FALSE(pod.is_windows());
  EXPECT_TRUE(pod_of(R"({"spec":{"os":{"name":"windows"}}})", arena).is_windows());
  EXPECT_TRUE(
      pod_of(R"({"spec":{"nodeSelector":{"kubernetes.io/os":"windows"}}})", arena).is_windows());
}

TEST(Pod, NamesResourcesThatAreNoQuantity) {
  base::Arena arena;
  const Pod pod = pod_of(R"({"spec":{"overhead":{"cpu":"x"},
    "resources":{"requests":{"memory":"4 Gi"}},
    "initContainers":[{"resources":{"limits":{"a/b":"9500MB","c":"1"}}}],
    "containers":[{},{"resources":{"requests":{"nvidia.com/gpu":true,"d":null}}}]}})",
                         arena);
  std::string seen;
  for (const auto& wrong : pod.malformed_quantities())
    seen += wrong.path + "=" + wrong.found + "\n";
  EXPECT_EQ(seen,
            "/spec/initContainers/0/resources/limits/a~1b=9500MB\n"
            "/spec/containers/1/resources/requests/nvidia.com~1gpu=true\n"
            "/spec/resources/requests/memory=4 Gi\n"
            "/spec/overhead/cpu=x\n");
}

TEST(Pod, NamesExtendedResourcesOnce) {
  base::Arena arena;
  const Pod pod = pod_of(R"({"spec":{
    "initContainers":[{"resources":{"limits":{"rdma/hca":"1","example.com/none":"0"}}}],
    "containers":[{"resources":{"limits":{"cpu":"1","nvidia.com/gpu":"1"},
      "requests":{"nvidia.com/gpu":"1","hugepages-2Mi":"1","x.kubernetes.io/y":"1"}}},
      {"resources":{"requests":{"deviceclass.resource.kubernetes.io/gpu.nvidia.com":"1"}}}]}})",
                         arena);
  EXPECT_THAT(pod.resource_names(),
              testing::ElementsAre("rdma/hca", "nvidia.com/gpu",
                                   "deviceclass.resource.kubernetes.io/gpu.nvidia.com"));
}

}  // namespace
}  // namespace berth::kube
