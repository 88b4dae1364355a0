#include "kube/gpu_resource.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace berth::kube {
namespace {

TEST(GpuResource, TellsVendorFormAndProfile) {
  struct Row {
    std::string_view name;
    GpuForm form;
    std::string_view vendor;
    std::string_view profile;
  };
  const std::vector<Row> rows = {
      {"nvidia.com/gpu", GpuForm::kWhole, "nvidia", ""},
      {"nvidia.com/gpu.shared", GpuForm::kShare, "nvidia", ""},
      {"nvidia.com/mig-1g.10gb", GpuForm::kSlice, "nvidia", "1g.10gb"},
      {"nvidia.com/mig-1g.10gb.me", GpuForm::kSlice, "nvidia", "1g.10gb.me"},
      {"nvidia.com/mig-1g.24gb-me", GpuForm::kSlice, "nvidia", "1g.24gb-me"},
      {"nvidia.com/mig-1g.10gb.shared", GpuForm::kShare, "nvidia", "1g.10gb"},
      {"nvidia.com/gpumem", GpuForm::kShare, "nvidia", ""},
      {"volcano.sh/vgpu-number", GpuForm::kShare, "nvidia", ""},
      {"koordinator.sh/gpu-memory-ratio", GpuForm::kShare, "nvidia", ""},
      {"koordinator.sh/gpu.shared", GpuForm::kShare, "nvidia", ""},
      {"amd.com/gpu", GpuForm::kWhole, "amd", ""},
      {"amd.com/spx_nps1", GpuForm::kWhole, "amd", ""},
      {"amd.com/cpx_nps4", GpuForm::kSlice, "amd", "cpx_nps4"},
      {"gpu.intel.com/i915", GpuForm::kWhole, "intel", ""},
      {"gpu.intel.com/xe", GpuForm::kWhole, "intel", ""},
      {"gpu.intel.com/monitoring", GpuForm::kNone, "", ""},
      {"gpu.intel.com/i915_monitoring", GpuForm::kNone, "", ""},
      {"habana.ai/gaudi", GpuForm::kWhole, "habana", ""},
      {"habana.ai/gaudi2", GpuForm::kWhole, "habana", ""},
      {"huawei.com/Ascend910", GpuForm::kWhole, "huawei", ""},
      {"huawei.com/Ascend910B3", GpuForm::kWhole, "huawei", ""},
      {"huawei.com/Ascend310P", GpuForm::kWhole, "huawei", ""},
      {"huawei.com/Ascend910-16c", GpuForm::kSlice, "huawei", "16c"},
      {"huawei.com/Ascend910B3-memory", GpuForm::kShare, "huawei", ""},
      {"hygon.com/dcu", GpuForm::kWhole, "hygon", ""},
      {"hygon.com/dcumem", GpuForm::kShare, "hygon", ""},
      {"mthreads.com/vgpu", GpuForm::kShare, "mthreads", ""},
      {"aws.amazon.com/neuroncore", GpuForm::kSlice, "aws", ""},
      {"google.com/tpu", GpuForm::kWhole, "google", ""},
      {"deviceclass.resource.kubernetes.io/gpu.nvidia.com", GpuForm::kWhole, "nvidia", ""},
      // No GPUs
      {"", GpuForm::kNone, "", ""},
      {"cpu", GpuForm::kNone, "", ""},
      {"nvidia.com/mig-", GpuForm::kNone, "", ""},
      {"nvidia.com/hostdev", GpuForm::kNone, "", ""},
      {"nvidia.com/gpux", GpuForm::kNone, "", ""},
      {"requests.nvidia.com/gpu", GpuForm::kNone, "", ""},
      {"rdma/hca_shared", GpuForm::kNone, "", ""},
      {"vpc.amazonaws.com/efa", GpuForm::kNone, "", ""},
  };
  for (const Row& row : rows) {
    const GpuResource got = classify_gpu_resource(row.name);
    EXPECT_EQ(got.form, row.form) << row.name;
    EXPECT_EQ(got.vendor, row.vendor) << row.name;
    EXPECT_EQ(got.profile, row.profile) << row.name;
  }
}

TEST(GpuResource, NamesTheWholeCardOfAVendor) {
  EXPECT_EQ(whole_gpu_resource("nvidia"), kNvidiaGpu);
  EXPECT_EQ(whole_gpu_resource("amd"), "amd.com/gpu");
  EXPECT_EQ(whole_gpu_resource("intel"), "gpu.intel.com/i915");
  EXPECT_EQ(whole_gpu_resource("habana"), "habana.ai/gaudi");
  EXPECT_EQ(whole_gpu_resource("huawei"), "huawei.com/Ascend910");
  EXPECT_EQ(whole_gpu_resource(""), "");
  EXPECT_EQ(whole_gpu_resource("unheard"), "");
  for (const char* vendor : {"nvidia", "amd", "intel", "habana", "huawei", "hygon", "google"}) {
    const GpuResource back = classify_gpu_resource(whole_gpu_resource(vendor));
    EXPECT_EQ(back.vendor, vendor);
    EXPECT_EQ(back.form, GpuForm::kWhole) << vendor;
  }
}

}  // namespace
}  // namespace berth::kube
