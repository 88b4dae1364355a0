// Pod mix: what sizes of GPU pods a cluster usually sees, learnt from the pods that come, with the
// older ones counting less. Owned by the thread of the model; what it gives is a value.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kube/pod.h"

namespace berth::topology {

/// What a pod needs of its node.
struct PodShape {
  std::int64_t gpus = 0;  ///< whole GPUs
  std::int64_t cpu_milli = 0;
  std::int64_t ram_mib = 0;
  std::vector<std::string> products;  ///< label values, any of which it must have; empty: any
  std::int64_t shares = 0;            ///< units of a resource that shares GPUs
  std::string share_resource;         ///< which one ("nvidia.com/gpu.shared"); empty: none

  bool wants_gpus() const { return gpus > 0 || shares > 0; }

  auto operator<=>(const PodShape&) const = default;
};

/// Reads the shape of a pod. Products: what its node selector and its required node affinity say of
/// labels that tell products.
PodShape shape_of(const kube::Pod& pod);

/// Needs are rounded up to these, so that pods that differ little are one shape.
inline constexpr std::int64_t kCpuStep = 2'000;  ///< milli-cores
inline constexpr std::int64_t kRamStep = 8'192;  ///< MiB

struct UsualPod {
  PodShape shape;  ///< rounded up to the steps
  double share = 0;
};

/// All usual pods, the most frequent first; shares add up to 1.
using UsualPods = std::vector<UsualPod>;

class PodMix {
 public:
  /// A pod that was not there before. One without GPUs has no effect.
  void saw(PodShape shape);

  /// The mix, where enough pods came since it was last asked for.
  std::optional<UsualPods> take();

 private:
  void forget_rare();

  std::map<PodShape, double> weights_;
  double next_ = 1;  // weight of the next pod: it grows, so that the older ones fall behind
  std::size_t seen_ = 0;
  std::size_t taken_ = 0;  // seen_ at the last take()
};

}  // namespace berth::topology
