#include "topology/gpu_sums.h"

#include "topology/packing.h"

namespace berth::topology {

GpuSums::GpuSums(const Snapshot& snapshot) : snapshot_(snapshot) {
  if (!snapshot.packing().knows_usual_pods()) return;
  unusable_.resize(snapshot.nodes().size());
  for (std::size_t card = 0; card < snapshot.index().cards().size(); ++card) {
    for (const std::int32_t i : snapshot.index().cards()[card].nodes) {
      const auto at = static_cast<std::size_t>(i);
      const Node& node = snapshot.nodes()[at];
      if (node.whole_gpus > 0 && in_service(node))
        unusable_[at] = snapshot.packing().waste(node, card);
    }
  }
}

void GpuSums::add(GpuSum& sum, std::size_t node) const {
  const Node& one = snapshot_.nodes()[node];
  ++sum.nodes;
  sum.total += one.whole_gpus;
  if (in_service(one)) {
    sum.free += one.whole_gpus_free();
  } else {
    sum.out_of_service += one.whole_gpus;
  }
  if (knows_usual_pods()) sum.unusable += unusable_[node];
}

GpuSum GpuSums::of(std::span<const std::int32_t> nodes) const {
  GpuSum out;
  for (const std::int32_t i : nodes) add(out, static_cast<std::size_t>(i));
  return out;
}

GpuSum GpuSums::all() const {
  GpuSum out;
  for (std::size_t i = 0; i < snapshot_.nodes().size(); ++i) add(out, i);
  return out;
}

}  // namespace berth::topology
