#include "rules/node_sieve.h"

#include "fixtures.h"
#include <gtest/gtest.h>

namespace berth::rules {
namespace {

using testing::json_of;

struct SieveCase {
  const char* name;
  const char* resources;
  const char* more;
  const char* term;  // empty: some node passes
};

constexpr const char* kTolerates = "tolerations: [{key: nvidia.com/gpu, operator: Exists}]";

const SieveCase kCases[] = {
    {"a plain pod", "nvidia.com/gpu: 1", "", ""},
    {"more than any node has is no matter of terms", "nvidia.com/gpu: 1Ki", "", ""},
    {"no GPU at all", "cpu: 4", ", nodeSelector: {pool: none}", ""},
    {"a resource that nobody has", "gpu.intel.com/i915: 1", "", "no node has gpu.intel.com/i915"},
    {"two that no node has together", "nvidia.com/gpu: 1, amd.com/gpu: 1", "",
     "no node has nvidia.com/gpu and amd.com/gpu"},
    {"a selector that no GPU node has", "nvidia.com/gpu: 1", ", nodeSelector: {pool: research}",
     "no node with nvidia.com/gpu has pool=research"},
    {"selectors that no node has together", "nvidia.com/gpu: 1",
     ", nodeSelector: {lab.example.com/rack: r1, nvidia.com/gpu.product: NVIDIA-L40S}",
     "no node with nvidia.com/gpu has nvidia.com/gpu.product=NVIDIA-L40S"},
    {"an affinity that none meets", "nvidia.com/gpu: 1",
     ", affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
     "{nodeSelectorTerms: [{}]}}}",
     "no node with nvidia.com/gpu meets the pod's required node affinity"},
    {"a cordoned node is not impossible", "nvidia.com/gpu: 8",
     ", nodeSelector: {kubernetes.io/hostname: h100-r3-4}", ""},
};

TEST(NodeSieve, NamesTheTermThatLeavesNoNode) {
  base::Arena arena;
  const kube::Json usual = json_of(
      "[{key: nvidia.com/gpu, operator: Exists}, {key: amd.com/gpu, operator: Exists}]", arena);
  for (const SieveCase& row : kCases) {
    const kube::Json pod =
        json_of(std::string("{spec: {containers: [{name: main, resources: {limits: {") +
                    row.resources + "}}}]" + row.more + "}}",
                arena);
    EXPECT_EQ(term_without_nodes(kube::Pod(pod), usual, *testing::lab()).value_or(""), row.term)
        << row.name;
  }
}

TEST(NodeSieve, TaintsCountUnlessTolerated) {
  base::Arena arena;
  const auto term = [&](const std::string& more) {
    return term_without_nodes(
               kube::Pod(json_of("{spec: {containers: [{name: main, resources: {limits: "
                                 "{nvidia.com/gpu: 1}}}]" +
                                     more + "}}",
                                 arena)),
               {}, *testing::lab())
        .value_or("");
  };
  EXPECT_EQ(term(""),
            "every node with nvidia.com/gpu has a taint that the pod does not tolerate "
            "(nvidia.com/gpu=present:NoSchedule)");
  EXPECT_EQ(term(std::string(", ") + kTolerates), "");
}

}  // namespace
}  // namespace berth::rules
