// What nodes offer below a whole card: MIG slices and shares, with the labels that tell the nodes.
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/quantity.h"
#include "rules/resolve.h"

namespace berth::rules {

/// Labels and values of nodes on which one nvidia.com/gpu is a slice or a share. Nodes that no
/// label tells apart cannot be named.
std::vector<LabelValues> divided_nodes(const topology::Snapshot& cluster);

struct SliceWish {
  std::string_view profile;              ///< empty: by memory
  std::optional<kube::Quantity> memory;  ///< nothing: any
  std::int64_t units = 1;                ///< slices that quota must have room for
};

struct SliceChoice {
  std::optional<GpuAnswer> answer;
  std::string quota_note;  ///< a profile that would have fitted was out of quota, or the one
                           ///< chosen is in none
};

/// The smallest profile with enough memory that some usable node offers. Sizes come from the nodes,
/// not from the profiles' names.
SliceChoice choose_slice(Resolving& resolving, const SliceWish& wish);

/// The resource of nodes that share their GPUs in this way with enough memory a share.
std::optional<GpuAnswer> choose_share(Resolving& resolving, Share form,
                                      std::optional<kube::Quantity> memory);

}  // namespace berth::rules
