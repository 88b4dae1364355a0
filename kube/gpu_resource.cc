#include "kube/gpu_resource.h"

#include <algorithm>
#include <array>

namespace berth::kube {
namespace {

enum class Match : std::uint8_t {
  kExact,
  kPrefix,  ///< the rest of the name is the profile
};

struct Row {
  std::string_view name;
  Match match;
  GpuForm form;
  std::string_view vendor;
};

// The first row that matches holds. The first exact whole row of a vendor is its whole-card name.
constexpr std::array kRows = {
    // NVIDIA/k8s-device-plugin, api/config/v1/resources.go
    Row{"nvidia.com/gpu", Match::kExact, GpuForm::kWhole, "nvidia"},
    Row{"nvidia.com/gpu.shared", Match::kExact, GpuForm::kShare, "nvidia"},
    Row{"nvidia.com/mig-", Match::kPrefix, GpuForm::kSlice, "nvidia"},
    // Project-HAMi/HAMi, pkg/device/nvidia; beside them nvidia.com/gpu counts the cards
    Row{"nvidia.com/gpumem", Match::kExact, GpuForm::kShare, "nvidia"},
    Row{"nvidia.com/gpumem-percentage", Match::kExact, GpuForm::kShare, "nvidia"},
    Row{"nvidia.com/gpucores", Match::kExact, GpuForm::kShare, "nvidia"},
    // volcano-sh/volcano, pkg/scheduler/api/devices/nvidia
    Row{"volcano.sh/vgpu-", Match::kPrefix, GpuForm::kShare, "nvidia"},
    Row{"volcano.sh/gpu-memory", Match::kExact, GpuForm::kShare, "nvidia"},
    Row{"volcano.sh/gpu-number", Match::kExact, GpuForm::kShare, "nvidia"},
    // koordinator-sh/koordinator, apis/extension/device_share.go
    Row{"koordinator.sh/gpu", Match::kExact, GpuForm::kShare, "nvidia"},
    Row{"koordinator.sh/gpu.shared", Match::kExact, GpuForm::kShare, "nvidia"},
    Row{"koordinator.sh/gpu-", Match::kPrefix, GpuForm::kShare, "nvidia"},
    // AliyunContainerService/gpushare-scheduler-extender
    Row{"aliyun.com/gpu-mem", Match::kExact, GpuForm::kShare, "nvidia"},
    Row{"aliyun.com/gpu-count", Match::kExact, GpuForm::kShare, "nvidia"},
    // tkestack/gpu-manager
    Row{"tencent.com/vcuda-", Match::kPrefix, GpuForm::kShare, "nvidia"},

    // ROCm/k8s-device-plugin; partition names of the mixed strategy. SPX is the whole card.
    Row{"amd.com/gpu", Match::kExact, GpuForm::kWhole, "amd"},
    Row{"amd.com/spx_nps", Match::kPrefix, GpuForm::kWhole, "amd"},
    Row{"amd.com/dpx_nps", Match::kPrefix, GpuForm::kSlice, "amd"},
    Row{"amd.com/tpx_nps", Match::kPrefix, GpuForm::kSlice, "amd"},
    Row{"amd.com/qpx_nps", Match::kPrefix, GpuForm::kSlice, "amd"},
    Row{"amd.com/cpx_nps", Match::kPrefix, GpuForm::kSlice, "amd"},

    // intel/intel-device-plugins-for-kubernetes, cmd/gpu_plugin; HabanaAI device plugin
    Row{"gpu.intel.com/i915", Match::kExact, GpuForm::kWhole, "intel"},
    Row{"gpu.intel.com/xe", Match::kExact, GpuForm::kWhole, "intel"},
    Row{"gpu.intel.com/tiles", Match::kExact, GpuForm::kShare, "intel"},
    Row{"gpu.intel.com/millicores", Match::kExact, GpuForm::kShare, "intel"},
    Row{"gpu.intel.com/memory.max", Match::kExact, GpuForm::kShare, "intel"},
    Row{"habana.ai/gaudi", Match::kExact, GpuForm::kWhole, "habana"},
    Row{"habana.ai/gaudi", Match::kPrefix, GpuForm::kWhole, "habana"},

    // Ascend device plugin, Project-HAMi/HAMi pkg/device/ascend. The chip name may be followed by
    // a part of the chip: see classify_gpu_resource.
    Row{"huawei.com/Ascend", Match::kPrefix, GpuForm::kWhole, "huawei"},
    Row{"huawei.com/npu-core", Match::kExact, GpuForm::kShare, "huawei"},

    // Project-HAMi/HAMi, pkg/device/{hygon,cambricon,mthreads,metax,iluvatar,kunlun,enflame}
    Row{"hygon.com/dcu", Match::kExact, GpuForm::kWhole, "hygon"},
    Row{"hygon.com/dcu", Match::kPrefix, GpuForm::kShare, "hygon"},
    Row{"cambricon.com/mlu", Match::kExact, GpuForm::kWhole, "cambricon"},
    Row{"cambricon.com/vmlu", Match::kExact, GpuForm::kShare, "cambricon"},
    Row{"cambricon.com/mlu.smlu.", Match::kPrefix, GpuForm::kShare, "cambricon"},
    Row{"mthreads.com/gpu", Match::kExact, GpuForm::kWhole, "mthreads"},
    Row{"mthreads.com/vgpu", Match::kExact, GpuForm::kShare, "mthreads"},
    Row{"mthreads.com/sgpu-", Match::kPrefix, GpuForm::kShare, "mthreads"},
    Row{"metax-tech.com/gpu", Match::kExact, GpuForm::kWhole, "metax"},
    Row{"metax-tech.com/sgpu", Match::kExact, GpuForm::kShare, "metax"},
    Row{"iluvatar.ai/gpu", Match::kExact, GpuForm::kWhole, "iluvatar"},
    Row{"iluvatar.ai/vgpu", Match::kExact, GpuForm::kShare, "iluvatar"},
    Row{"iluvatar.ai/vcuda-", Match::kPrefix, GpuForm::kShare, "iluvatar"},
    Row{"kunlunxin.com/xpu", Match::kExact, GpuForm::kWhole, "kunlun"},
    Row{"kunlunxin.com/vxpu", Match::kExact, GpuForm::kShare, "kunlun"},
    Row{"enflame.com/gcu", Match::kExact, GpuForm::kWhole, "enflame"},
    Row{"enflame.com/vgcu", Match::kExact, GpuForm::kShare, "enflame"},
    Row{"birentech.com/gpu", Match::kExact, GpuForm::kWhole, "biren"},
    Row{"vastaitech.com/va", Match::kExact, GpuForm::kWhole, "vastai"},

    // Accelerators that are scheduled the same way
    Row{"aws.amazon.com/neuron", Match::kExact, GpuForm::kWhole, "aws"},
    Row{"aws.amazon.com/neurondevice", Match::kExact, GpuForm::kWhole, "aws"},
    Row{"aws.amazon.com/neuroncore", Match::kExact, GpuForm::kSlice, "aws"},
    Row{"google.com/tpu", Match::kExact, GpuForm::kWhole, "google"},

    // KEP-5004: the implicit name of a device class; classes of the vendors' DRA drivers
    Row{"deviceclass.resource.kubernetes.io/gpu.nvidia.com", Match::kExact, GpuForm::kWhole,
        "nvidia"},
    Row{"deviceclass.resource.kubernetes.io/mig.nvidia.com", Match::kExact, GpuForm::kSlice,
        "nvidia"},
    Row{"deviceclass.resource.kubernetes.io/gpu.amd.com", Match::kExact, GpuForm::kWhole, "amd"},
    Row{"deviceclass.resource.kubernetes.io/gpu.intel.com", Match::kExact, GpuForm::kWhole,
        "intel"},
};

constexpr std::string_view kSharedSuffix = ".shared";

bool matches(const Row& row, std::string_view name) {
  if (row.match == Match::kExact) return name == row.name;
  return name.size() > row.name.size() && name.starts_with(row.name);
}

}  // namespace

GpuResource classify_gpu_resource(std::string_view name) {
  if (name.find('/') == std::string_view::npos) return {};  // "cpu", "memory"
  const auto row =
      std::find_if(kRows.begin(), kRows.end(), [&](const Row& r) { return matches(r, name); });
  if (row == kRows.end()) return {};
  GpuResource out{row->form, row->vendor, {}};
  if (row->form == GpuForm::kSlice && row->match == Match::kPrefix) {
    // "amd.com/cpx_nps4" names the partition by all that follows the slash.
    const std::size_t from = row->vendor == "amd" ? name.find('/') + 1 : row->name.size();
    out.profile = name.substr(from);
  }
  if (out.profile.size() > kSharedSuffix.size() && out.profile.ends_with(kSharedSuffix)) {
    out.profile.remove_suffix(kSharedSuffix.size());
    out.form = GpuForm::kShare;
  }
  // "Ascend910B3" is a chip; "Ascend910-16c" a virtual part of one; "Ascend910B3-memory" a share.
  if (row->vendor == "huawei" && row->form == GpuForm::kWhole) {
    const std::size_t dash = name.find('-');
    if (dash != std::string_view::npos) {
      const std::string_view part = name.substr(dash + 1);
      const bool slice = !part.empty() && part.front() >= '0' && part.front() <= '9';
      out.form = slice ? GpuForm::kSlice : GpuForm::kShare;
      if (slice) out.profile = part;
    }
  }
  return out;
}

std::string_view whole_gpu_resource(std::string_view vendor) {
  // The chip is part of the name here; this is the commonest.
  if (vendor == "huawei") return "huawei.com/Ascend910";
  const auto row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& r) {
    return r.vendor == vendor && r.form == GpuForm::kWhole && r.match == Match::kExact;
  });
  return row == kRows.end() ? std::string_view{} : row->name;
}

bool asks_for_gpus(Json container) {
  const Json resources = container["resources"];
  for (const char* amounts : {"limits", "requests"}) {
    for (const JsonMember& amount : resources[amounts].members()) {
      if (classify_gpu_resource(amount.key).form != GpuForm::kNone) return true;
    }
  }
  return false;
}

}  // namespace berth::kube
