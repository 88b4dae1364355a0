#include "topology/node_health.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace berth::topology {
namespace {

// A label that tells health, and the values with which GPUs are fit for use.
struct HealthLabel {
  std::string_view key;
  std::array<std::string_view, 3> good;
};

// The driver of a node in upgrade-required still works: it waits, maybe for hours, for its turn.
constexpr std::array kHealthLabels = {
    HealthLabel{"nvidia.com/mig.config.state", {"success", "", ""}},
    HealthLabel{"nvidia.com/gpu-driver-upgrade-state", {"upgrade-done", "upgrade-required", ""}},
    HealthLabel{"oci.oraclecloud.com/host.health", {"HEALTHY", "", ""}},
    HealthLabel{"sagemaker.amazonaws.com/node-health-status", {"Schedulable", "", ""}},
};

constexpr std::string_view kDevicePluginLabel = "nvidia.com/gpu.deploy.device-plugin";
constexpr std::string_view kPaused = "paused-for-mig-change";

constexpr std::array<std::string_view, 6> kBadWhenTrue = {
    "UnhealthyNvidiaDevicePlugin", "UnhealthyNvidiaDCGMServices", "KernelDeadlock",
    "ReadonlyFilesystem",          "NetworkUnavailable",          "GpuUnhealthy"};
constexpr std::array<std::string_view, 2> kBadWhenFalse = {"AcceleratedHardwareReady",
                                                           "GpuHealthy"};
// Parts of condition types by which people name trouble with GPUs.
constexpr std::array<std::string_view, 7> kDeviceWords = {"gpu",  "nvidia", "nvlink",     "xid",
                                                          "dcgm", "amd",    "accelerator"};
constexpr std::array<std::string_view, 8> kTroubleWords = {
    "unhealthy", "error", "fail", "problem", "fault", "lost", "degraded", "fallenoff"};

template <std::size_t N>
bool is_among(std::string_view word, const std::array<std::string_view, N>& list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

std::string lowered(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

bool names_gpu_trouble(std::string_view type) {
  const std::string low = lowered(type);
  const auto has = [&low](std::string_view word) { return low.find(word) != std::string::npos; };
  return std::any_of(kDeviceWords.begin(), kDeviceWords.end(), has) &&
         std::any_of(kTroubleWords.begin(), kTroubleWords.end(), has);
}

bool is_bad(std::string_view type, std::string_view status,
            std::span<const std::string> more_conditions) {
  if (status == "False") return is_among(type, kBadWhenFalse);
  if (status != "True") return false;
  return is_among(type, kBadWhenTrue) || names_gpu_trouble(type) ||
         std::find(more_conditions.begin(), more_conditions.end(), type) != more_conditions.end();
}

std::string reading(std::string_view name, std::string_view value) {
  return std::string(name) + "=" + std::string(value);
}

}  // namespace

bool is_schedulable(kube::Json node) {
  if (node["spec"]["unschedulable"].bool_or(false)) return false;
  if (!node["metadata"]["deletionTimestamp"].is_null()) return false;
  for (const kube::Json& condition : node["status"]["conditions"].items()) {
    if (condition["type"].string_or_empty() != "Ready") continue;
    if (condition["status"].string_or_empty() != "True") return false;
  }
  return true;
}

std::string find_ailment(kube::Json node, std::span<const std::string> more_conditions) {
  const kube::Json labels = node["metadata"]["labels"];
  for (const HealthLabel& row : kHealthLabels) {
    const std::string_view value = labels[row.key].string_or_empty();
    if (!is_among(value, row.good)) return reading(row.key, value);
  }
  if (labels[kDevicePluginLabel].string_or_empty() == kPaused) {
    return reading(kDevicePluginLabel, kPaused);
  }
  constexpr std::string_view kProduct = "nvidia.com/gpu.product";
  const std::string_view product = labels[kProduct].string_or_empty();
  if (product.find("-MIG-INVALID") != std::string_view::npos) return reading(kProduct, product);
  for (const kube::Json& condition : node["status"]["conditions"].items()) {
    const std::string_view type = condition["type"].string_or_empty();
    const std::string_view status = condition["status"].string_or_empty();
    if (is_bad(type, status, more_conditions)) return reading(type, status);
  }
  return {};
}

}  // namespace berth::topology
