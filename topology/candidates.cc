#include "topology/candidates.h"

#include <vector>

#include "kube/quantity.h"
#include "topology/node_reader.h"

namespace berth::topology {
namespace {

struct Need {
  const ResourceUse* use = nullptr;
  kube::GpuResource as;
};

// What counts on nodes.
std::vector<Need> needs_of(const PodRecord& pod) {
  std::vector<Need> out;
  for (const ResourceUse& use : pod.uses) {
    const kube::GpuResource as = counts_as(use.resource);
    if (as.form != kube::GpuForm::kNone) out.push_back({&use, as});
  }
  return out;
}

// The counters of a node are of what its units are, however they are named; a pod gets them by
// their name only.
bool offers(const Node& node, std::string_view resource) {
  if (resource == node.resource && node.whole_gpus > 0) return true;
  const auto units = kube::Quantity::parse(node.allocatable[resource]);
  return units && units->sign() > 0;
}

bool has_room(const Node& node, const std::vector<Need>& needs) {
  if (node.pods_limit > 0 && node.pods_used >= node.pods_limit) return false;
  for (const Need& need : needs) {
    if (units_free(node, need.as) < need.use->units) return false;
  }
  for (const Need& need : needs) {
    if (!offers(node, need.use->resource)) return false;
  }
  return true;
}

}  // namespace

NodeSet candidates(const Snapshot& snapshot, const PodRecord& pod) {
  const NodeIndex& index = snapshot.index();
  const std::vector<Need> needs = needs_of(pod);
  NodeSet out = index.none();
  if (needs.empty()) return out;
  NodeSet some = index.ready();
  some &= index.admitted(pod.terms.json);
  some &= index.tolerated(pod.terms.json["tolerations"], {});
  some.for_each([&](std::size_t i) {
    if (has_room(snapshot.nodes()[i], needs)) out.insert(i);
  });
  return out;
}

}  // namespace berth::topology
