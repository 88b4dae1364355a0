// The tables behind the catalog, as tools/catalog.py writes them from topology/data/*.yaml. Only
// catalog.cc and node_reader.cc read them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "topology/catalog.h"

namespace berth::topology::data {

struct ProductName {
  std::string_view name;  ///< as plain_name() makes it; of a machine: a prefix as it is written
  std::int32_t product;   ///< index into products()
};

struct MigProfile {
  std::string_view name;      ///< resource form: "1g.10gb.me"
  std::int32_t gpu;           ///< Product::mig
  std::int32_t compute;       ///< compute slices
  std::int32_t memory_width;  ///< memory slices of one instance; 0 unknown
  std::int32_t memory_axis;   ///< memory slices of the GPU; 0 unknown
  std::int32_t max_per_gpu;   ///< 0 unknown
  std::int64_t gpu_mib;       ///< memory of the whole GPU; 0 unknown
  std::int64_t memory_mib;    ///< usable memory as measured; 0 unknown
};

/// How far the value of a level label tells domains apart.
enum class ValueScope : std::uint8_t { kGlobal, kParent };

struct LevelLabel {
  std::string_view level;
  std::string_view key;
  std::string_view same_as;  ///< labels with the same name here share their values
  ValueScope scope;
  bool needs_rack_nvlink;  ///< counts only for products whose NVLink reaches over machines
};

std::span<const Product> products();
std::span<const ProductName> product_names();     ///< sorted
std::span<const std::string_view> families();     ///< sorted
std::span<const ProductName> machine_prefixes();  ///< sorted
std::span<const MigProfile> mig_profiles();
std::span<const std::string_view> mig_profile_names();  ///< sorted
std::span<const LevelLabel> level_labels();             ///< levels from near to far
std::span<const std::string_view> unknown_values();

}  // namespace berth::topology::data
