// GPU sums: the whole GPUs of some nodes of a snapshot, for text and JSON alike. "Free" leaves out
// nodes that are not in service. "Unusable" is what of that the usual pods could not use: each GPU
// by the share of those pods that do not fit on its node (topology/packing). Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "topology/snapshot.h"

namespace berth::topology {

/// Neither cordoned nor not ready, and healthy.
inline bool in_service(const Node& node) {
  return node.schedulable && node.healthy;
}

struct GpuSum {
  std::int64_t nodes = 0;
  std::int64_t total = 0;
  std::int64_t free = 0;
  std::int64_t out_of_service = 0;
  double unusable = 0;
};

class GpuSums {
 public:
  /// The snapshot must outlive this.
  explicit GpuSums(const Snapshot& snapshot);

  /// Else nothing counts as unusable.
  bool knows_usual_pods() const { return !unusable_.empty(); }
  GpuSum of(std::span<const std::int32_t> nodes) const;  ///< by index
  GpuSum all() const;

 private:
  void add(GpuSum& sum, std::size_t node) const;

  const Snapshot& snapshot_;
  std::vector<double> unusable_;  // by node
};

}  // namespace berth::topology
