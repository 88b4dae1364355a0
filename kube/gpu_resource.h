// What an extended resource name says about GPUs: vendor, and whether one unit is a whole card, a
// slice or a share. Facts: hardware.md section 2 in our design notes; NVIDIA/k8s-device-plugin,
// ROCm/k8s-device-plugin, intel/intel-device-plugins-for-kubernetes, HabanaAI, Ascend device plugin
// resource names.
#pragma once

#include <cstdint>
#include <string_view>

#include "kube/json.h"

namespace berth::kube {

enum class GpuForm : std::uint8_t {
  kNone,   ///< no GPU resource
  kWhole,  ///< "nvidia.com/gpu", "amd.com/gpu", "gpu.intel.com/i915", "habana.ai/gaudi",
           ///< "huawei.com/Ascend910"
  kSlice,  ///< "nvidia.com/mig-1g.10gb"
  kShare,  ///< "nvidia.com/gpu.shared", vGPU-style names of HAMi, Volcano, Koordinator and the like
};

struct GpuResource {
  GpuForm form = GpuForm::kNone;
  std::string_view vendor;   ///< nvidia, amd, intel, habana, huawei, ...; empty for kNone
  std::string_view profile;  ///< MIG profile of a slice ("1g.10gb"), a view into the name
};

/// Classifies a resource name. Unknown names give kNone. The views point into static text or
/// `name`.
GpuResource classify_gpu_resource(std::string_view name);

/// True where limits or requests of the container name a GPU resource. Claims are none.
bool asks_for_gpus(Json container);

/// "nvidia.com/gpu" for nvidia, and so on; empty for a vendor without a whole-card name.
std::string_view whole_gpu_resource(std::string_view vendor);

inline constexpr std::string_view kNvidiaGpu = "nvidia.com/gpu";
inline constexpr std::string_view kNvidiaSharedGpu = "nvidia.com/gpu.shared";
inline constexpr std::string_view kNvidiaMigPrefix = "nvidia.com/mig-";

}  // namespace berth::kube
