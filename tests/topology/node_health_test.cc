#include "topology/node_health.h"

#include <gtest/gtest.h>

#include "base/arena.h"

namespace berth::topology {
namespace {

kube::Json parse(const std::string& text, base::Arena& arena) {
  const auto json = kube::parse_json(text, arena);
  EXPECT_TRUE(json.has_value()) << text;
  return json ? *json : kube::Json();
}

struct ReadyRow {
  const char* node;
  bool schedulable;
};

TEST(NodeHealth, TellsWhetherPodsMayCome) {
  const ReadyRow rows[] = {
      {R"({"status":{"conditions":[{"type":"Ready","status":"True"}]}})", true},
      {R"({"status":{"conditions":[{"type":"Ready","status":"False"}]}})", false},
      {R"({"status":{"conditions":[{"type":"Ready","status":"Unknown"}]}})", false},
      {R"({"spec":{"unschedulable":true}})", false},
      {R"({"spec":{"unschedulable":false}})", true},
      {R"({"metadata":{"deletionTimestamp":"2026-08-20T06:00:00Z"}})", false},
      {R"({})", true},
      {R"([])", true},
  };
  base::Arena arena;
  for (const ReadyRow& row : rows) {
    EXPECT_EQ(is_schedulable(parse(row.node, arena)), row.schedulable) << row.node;
  }
}

struct LabelRow {
  const char* key;
  const char* value;
  bool well;
};

TEST(NodeHealth, ReadsHealthLabels) {
  const LabelRow rows[] = {
      {"nvidia.com/mig.config.state", "success", true},
      {"nvidia.com/mig.config.state", "pending", false},
      {"nvidia.com/mig.config.state", "failed", false},
      {"nvidia.com/mig.config.state", "rebooting", false},
      {"nvidia.com/gpu-driver-upgrade-state", "upgrade-done", true},
      {"nvidia.com/gpu-driver-upgrade-state", "upgrade-required", true},
      {"nvidia.com/gpu-driver-upgrade-state", "drain-required", false},
      {"nvidia.com/gpu-driver-upgrade-state", "upgrade-failed", false},
      {"nvidia.com/gpu.deploy.device-plugin", "true", true},
      {"nvidia.com/gpu.deploy.device-plugin", "paused-for-mig-change", false},
      {"oci.oraclecloud.com/host.health", "HEALTHY", true},
      {"oci.oraclecloud.com/host.health", "UNHEALTHY", false},
      {"sagemaker.amazonaws.com/node-health-status", "Schedulable", true},
      {"sagemaker.amazonaws.com/node-health-status", "UnschedulablePendingReboot", false},
      {"nvidia.com/gpu.product", "NVIDIA-A100-SXM4-80GB-MIG-INVALID", false},
      {"nvidia.com/gpu.product", "NVIDIA-A100-SXM4-80GB", true},
  };
  base::Arena arena;
  for (const LabelRow& row : rows) {
    const std::string node =
        std::string(R"({"metadata":{"labels":{")") + row.key + R"(":")" + row.value + R"("}}})";
    EXPECT_EQ(find_ailment(parse(node, arena), {}),
              row.well ? "" : std::string(row.key) + "=" + row.value);
  }
}

struct ConditionRow {
  const char* type;
  const char* status;
  bool well;
};

TEST(NodeHealth, ReadsConditions) {
  const ConditionRow rows[] = {
      {"GpuUnhealthy", "True", false},
      {"GpuUnhealthy", "False", true},
      {"UnhealthyNvidiaDevicePlugin", "True", false},
      {"UnhealthyNvidiaDCGMServices", "True", false},
      {"NvidiaXidError", "True", false},
      {"NVLinkProblem", "True", false},
      {"AcceleratedHardwareReady", "False", false},
      {"AcceleratedHardwareReady", "True", true},
      {"KernelDeadlock", "True", false},
      {"MemoryPressure", "True", true},
      {"Ready", "Unknown", true},
      {"VendorSaysNo", "True", true},
      {"SiteBurning", "True", false},
      {"SiteBurning", "False", true},
  };
  const std::vector<std::string> more = {"SiteBurning"};
  base::Arena arena;
  for (const ConditionRow& row : rows) {
    const std::string node = std::string(R"({"status":{"conditions":[{"type":")") + row.type +
                             R"(","status":")" + row.status + R"("}]}})";
    EXPECT_EQ(find_ailment(parse(node, arena), more),
              row.well ? "" : std::string(row.type) + "=" + row.status);
  }
}

}  // namespace
}  // namespace berth::topology
