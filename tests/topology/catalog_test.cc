#include "topology/catalog.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace berth::topology {
namespace {

struct FamilyRow {
  const char* value;
  const char* family;
  const char* why;
};

TEST(Catalog, NamesTheFamilyOfALabelValue) {
  const FamilyRow rows[] = {
      {"NVIDIA-H100-80GB-HBM3", "H100", "the usual label"},
      {"NVIDIA-H100-80GB-HBM3-MIG-1g.10gb", "H100", "strategy single appends the profile"},
      {"NVIDIA-A100-SXM4-80GB-MIG-1g.10gb-SHARED", "A100", "both suffixes"},
      {"NVIDIA-A100-SXM4-80GB-MIG-INVALID", "A100", "a layout that is refused"},
      {"NVIDIA-L4-SHARED", "L4", "shared without a rename"},
      {"A100-SXM4-40GB", "A100", "drivers before the rebrand"},
      {"Tesla-T4", "T4", "an old name"},
      {"NVIDIA-L40S", "L40S", "not L40"},
      {"NVIDIA-GH200-480GB", "GH200", "not H200"},
      {"NVIDIA-H20", "H20", "not H200"},
      {"nvidia-h100-mega-80gb", "H100", "GKE"},
      {"nvidia-tesla-a100", "A100", "GKE, the 40 GB card"},
      {"rtx-pro-server-6000", "RTX-PRO-6000", "Karpenter's word order"},
      {"NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition", "RTX-PRO-6000", "three words of a family"},
      {"AMD_Instinct_MI300X_OAM", "MI300X", "AMD writes underscores"},
      {"NVIDIA-H200-141GB-HBM3e", "H200", "seen in manifests, printed by no driver"},
      {"NVIDIA-GeForce-RTX-4090", "NVIDIA-GeForce-RTX-4090", "unknown stays as it is"},
      {"NVIDIA-GeForce-RTX-4090-SHARED", "NVIDIA-GeForce-RTX-4090", "without the suffix"},
      {"", "", "nothing"},
  };
  for (const FamilyRow& row : rows) {
    EXPECT_EQ(product_family(row.value), row.family) << row.value << ": " << row.why;
  }
}

TEST(Catalog, KnowsTheMemoryOfAWholeCard) {
  EXPECT_EQ(product_memory_mib("NVIDIA-H100-80GB-HBM3"), 81559);
  EXPECT_EQ(product_memory_mib("NVIDIA-A100-SXM4-80GB-MIG-1g.10gb"), 81920);
  EXPECT_EQ(product_memory_mib("nvidia-h100-mega-80gb"), 81559);
  EXPECT_EQ(product_memory_mib("nvidia-tesla-a100"), 40960);
  EXPECT_EQ(product_memory_mib("A100"), 40960) << "a family answers with its smallest card";
  EXPECT_EQ(product_memory_mib("NVIDIA-A100-SXM5-80GB"), 81920) << "its words tell which one";
  EXPECT_EQ(product_memory_mib("NVIDIA-GH200-480GB"), 97871) << "480 GB are the CPU's";
  EXPECT_EQ(product_memory_mib("AMD_Instinct_MI300X_OAM"), 196608);
  EXPECT_EQ(product_memory_mib("NVIDIA-GH200-144G-HBM3e"), std::nullopt) << "not known";
  EXPECT_EQ(product_memory_mib("NVIDIA-GeForce-RTX-4090"), std::nullopt);
}

struct SliceRow {
  const char* product;
  const char* profile;
  std::int64_t mib;
};

TEST(Catalog, SizesSlicesByProductAndProfile) {
  const SliceRow rows[] = {
      {"NVIDIA-A100-SXM4-80GB", "1g.10gb", 9856},
      {"NVIDIA-A100-SXM4-80GB", "1g.10gb+me", 9856},
      {"NVIDIA-A100-SXM4-80GB", "1g.10gb.me", 9856},
      {"NVIDIA-A100-SXM4-80GB", "1g.20gb", 19968},
      {"NVIDIA-A100-SXM4-80GB", "2g.20gb", 19968},
      {"NVIDIA-A100-SXM4-80GB", "3g.40gb", 40192},
      {"NVIDIA-A100-SXM4-80GB", "4g.40gb", 40192},
      {"NVIDIA-A100-SXM4-80GB", "7g.80gb", 80384},
      {"NVIDIA-A100-SXM4-80GB", "7g.79gb", 80384},
      {"NVIDIA-A100-SXM4-40GB", "1g.5gb", 4864},
      {"NVIDIA-A100-SXM4-40GB", "1g.10gb", 9856},
      {"NVIDIA-A100-SXM4-40GB", "2g.10gb", 9856},
      {"NVIDIA-A100-SXM4-40GB", "3g.20gb", 19968},
      {"NVIDIA-A100-SXM4-40GB", "7g.40gb", 40192},
      {"NVIDIA-A30", "1g.6gb", 5836},
      {"NVIDIA-A30", "2g.12gb", 11672},
      {"NVIDIA-A30", "4g.24gb", 23344},
      {"NVIDIA-H100-80GB-HBM3", "1g.10gb", 9984},
      {"NVIDIA-H100-80GB-HBM3", "2g.20gb", 20096},
      {"NVIDIA-H100-80GB-HBM3", "3g.40gb", 40448},
      {"NVIDIA-H100-80GB-HBM3", "7g.80gb", 81152},
      {"H100", "3g.40gb", 40448},
      {"A100", "1g.10gb", 9856},
  };
  for (const SliceRow& row : rows) {
    EXPECT_EQ(slice_memory_mib(row.product, row.profile), row.mib)
        << row.product << " " << row.profile;
  }
}

TEST(Catalog, HasNoSizeForAProfileThatTheProductLacks) {
  EXPECT_EQ(slice_memory_mib("NVIDIA-A100-SXM4-80GB", "1g.5gb"), std::nullopt);
  EXPECT_EQ(slice_memory_mib("NVIDIA-A100-SXM4-80GB", "7g.40gb"), std::nullopt);
  EXPECT_EQ(slice_memory_mib("NVIDIA-H100-80GB-HBM3", "1g.12gb"), std::nullopt);
  EXPECT_EQ(slice_memory_mib("NVIDIA-L4", "1g.10gb"), std::nullopt);
  EXPECT_EQ(slice_memory_mib("NVIDIA-GeForce-RTX-4090", "1g.10gb"), std::nullopt);
  EXPECT_EQ(slice_memory_mib("NVIDIA-A100-SXM4-80GB", ""), std::nullopt);
  EXPECT_EQ(slice_memory_mib("NVIDIA-A100-SXM4-80GB", "1g.99999999999999999999gb"), std::nullopt);
}

// What people read into "10gb" is more than the slice has; the estimate must err to the same side.
TEST(Catalog, EstimatesUnmeasuredSlicesFromBelow) {
  for (const char* product : {"NVIDIA-H200", "NVIDIA-B200", "NVIDIA-GB200", "NVIDIA-H100-NVL",
                              "NVIDIA-B300-SXM6-AC", "NVIDIA-GB300", "NVIDIA-GH200-144G-HBM3e",
                              "NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition"}) {
    for (const std::string_view profile : known_profiles()) {
      const auto size = slice_memory_mib(product, profile);
      if (!size) continue;
      const auto named = std::stoll(std::string(profile.substr(profile.find('.') + 1))) * 1024;
      EXPECT_LT(*size, named) << product << " " << profile;
      EXPECT_GT(*size, named * 8 / 10) << product << " " << profile;
    }
  }
  EXPECT_LE(slice_memory_mib("NVIDIA-H200", "1g.18gb"), 16384) << "nvidia-smi lists 16 GiB";
}

TEST(Catalog, CountsSlicesOfACard) {
  EXPECT_EQ(slices_per_gpu("NVIDIA-A100-SXM4-80GB-MIG-1g.10gb", "1g.10gb"), 7);
  EXPECT_EQ(slices_per_gpu("NVIDIA-A100-SXM4-80GB", "3g.40gb"), 2);
  EXPECT_EQ(slices_per_gpu("NVIDIA-L4", "1g.10gb"), std::nullopt);
}

TEST(Catalog, ReadsComputeFromTheProfileName) {
  EXPECT_EQ(slice_compute("1g.10gb"), 1);
  EXPECT_EQ(slice_compute("3g.40gb"), 3);
  EXPECT_EQ(slice_compute("2g.48gb+gfx"), 2);
  EXPECT_EQ(slice_compute("1g.24gb-me"), 1);
  for (const char* wrong :
       {"", "g.10gb", "1g10gb", "1g.10", "x", "0g.10gb", "-1g.10gb", "1g.10gbx"}) {
    EXPECT_EQ(slice_compute(wrong), std::nullopt) << wrong;
  }
}

TEST(Catalog, KnowsProfilesInBothSpellings) {
  EXPECT_TRUE(is_known_profile("1g.10gb"));
  EXPECT_TRUE(is_known_profile("1g.10gb+me"));
  EXPECT_TRUE(is_known_profile("1g.24gb.me.all"));
  EXPECT_FALSE(is_known_profile("1g.11gb"));
  EXPECT_FALSE(is_known_profile(""));
  EXPECT_TRUE(std::is_sorted(known_profiles().begin(), known_profiles().end()));
}

TEST(Catalog, KnowsProductsByFamilyLabelAndNarrowerName) {
  for (const char* name :
       {"H100", "h100", "A100-80GB", "A100-40GB", "H100-NVL", "L40S", "GB200",
        "NVIDIA-H100-80GB-HBM3", "MI300X", "Gaudi3", "RTX-PRO-6000", "H100-80GB"}) {
    EXPECT_TRUE(is_known_product(name)) << name;
  }
  for (const char* name : {"H1000", "", "NVIDIA", "80GB", "A100-96GB", "L4S"}) {
    EXPECT_FALSE(is_known_product(name)) << name;
  }
  EXPECT_TRUE(std::is_sorted(product_families().begin(), product_families().end()));
}

TEST(Catalog, TellsTheCardOfAMachineType) {
  EXPECT_EQ(product_of_machine("p5.48xlarge")->family, "H100");
  EXPECT_EQ(product_of_machine("p5en.48xlarge")->family, "H200");
  EXPECT_EQ(product_of_machine("a3-megagpu-8g")->family, "H100");
  EXPECT_EQ(product_of_machine("BM.GPU.GB200.4")->family, "GB200");
  EXPECT_EQ(product_of_machine("m5.large"), nullptr);
  EXPECT_EQ(product_of_machine(""), nullptr);
}

}  // namespace
}  // namespace berth::topology
