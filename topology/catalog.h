// Catalog: static facts about GPU products and MIG profiles, compiled in from data files
// (topology/data/*.yaml, our own tables with sources). Pure look-ups.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::topology {

/// The product family of a label value ("NVIDIA-H100-80GB-HBM3" -> "H100"); the value itself where
/// unknown.
std::string product_family(std::string_view label_value);

/// Known family names, for checks of rule files, sorted.
std::span<const std::string_view> product_families();
bool is_known_product(std::string_view name);

/// Memory of one whole GPU in MiB by label value or family; nothing where unknown.
std::optional<std::int64_t> product_memory_mib(std::string_view label_value);

/// Usable memory in MiB of one MIG slice of a profile on a product; nothing where the product has
/// no such profile. A profile's name says less: "1g.10gb" on A100 80 GB is 9856 MiB.
std::optional<std::int64_t> slice_memory_mib(std::string_view product_label,
                                             std::string_view profile);

/// Compute sevenths of a profile ("3g.40gb" -> 3).
std::optional<int> slice_compute(std::string_view profile);

/// True where some known product has the profile; for checks of rule files.
bool is_known_profile(std::string_view profile);
std::span<const std::string_view> known_profiles();

}  // namespace berth::topology
