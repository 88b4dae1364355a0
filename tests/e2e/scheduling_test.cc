// The real scheduler agrees: with berth a plain GPU pod gets onto a GPU node, without it the node's
// taint keeps it away.
#include "tests/e2e/end_to_end.h"

namespace berth::e2e {
namespace {

using nlohmann::json;

class Scheduling : public EndToEnd {
 protected:
  Scheduling() : EndToEnd(Plane::kBare, "kube-scheduler") {}

  void SetUp() override {
    EndToEnd::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    E2E_ASSERT_OK(create_nodes(kubectl()));
    E2E_ASSERT_OK(start_berth(example_rules()));
    E2E_ASSERT_OK(plane().start_scheduler());
  }

  void TearDown() override {
    if (!IsSkipped()) plane().stop_scheduler();
    EndToEnd::TearDown();
  }

  json stored(const std::string& name) { return kubectl().get("pod", "sandbox", name).json(); }

  /// The scheduler's word on a pod: the node that it chose, or "" once it says that none fits.
  std::string node_for(const std::string& name) {
    std::string node;
    EXPECT_TRUE(wait_until(std::chrono::seconds(60),
                           [&] {
                             const json pod = stored(name);
                             node = pod["spec"].value("nodeName", "");
                             if (!node.empty()) return true;
                             for (const json& condition :
                                  pod["status"].value("conditions", json::array())) {
                               if (condition.value("reason", "") == "Unschedulable") return true;
                             }
                             return false;
                           }))
        << "the scheduler said nothing about " << name;
    return node;
  }
};

TEST_F(Scheduling, BindsAPodThatBerthPreparedToAGpuNode) {
  ASSERT_TRUE(kubectl().create(gpu_pod("sandbox", "prepared", 1)).ok());
  const std::string name = node_for("prepared");
  ASSERT_NE(name, "") << stored("prepared")["status"].dump(1);
  const json node = kubectl()({"get", "node", name, "-o", "json"}).json();
  EXPECT_TRUE(node["status"]["allocatable"].contains("nvidia.com/gpu")) << name;
}

TEST_F(Scheduling, LeavesThePodWaitingWithoutBerth) {
  E2E_ASSERT_OK(take_berth_away());
  ASSERT_TRUE(kubectl().create(gpu_pod("sandbox", "alone", 1)).ok());
  EXPECT_EQ(node_for("alone"), "");
}

}  // namespace
}  // namespace berth::e2e
