// Placing: nodes for pods one after the other, on a picture that does not know of those before.
// Made for one picture and one turn of the model; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/gpu_resource.h"
#include "topology/node_set.h"
#include "topology/records.h"
#include "topology/snapshot.h"

namespace berth::topology {

class Placing {
 public:
  /// The picture must outlive this.
  explicit Placing(const Snapshot& snapshot);

  /// The node that takes the pod now: `first` where it has room, else the first with room of those
  /// that its hint names, else the fullest. Null: none. Requires: pod.waits(), and the pod stays
  /// where it is.
  const Node* find(const PodRecord& pod, std::string_view first);

  /// Nodes for all pods of a batch in the first of its domains that has room for all, a node a pod,
  /// the fullest first; nothing where no domain has. Requires: batch.pod.waits().
  std::vector<const Node*> find_for_all(const BatchRecord& batch);

 private:
  // Pods that ask for the same under the same terms.
  struct Like {
    const PodRecord* pod = nullptr;
    std::optional<std::size_t> node;  // of the last one
    bool nowhere = false;
  };
  using Resources = std::span<const kube::GpuResource>;

  std::optional<std::size_t> find_named(std::string_view host, const PodRecord& pod,
                                        Resources resources) const;
  std::optional<std::size_t> find_hinted(const PodRecord& pod, Resources resources) const;
  std::optional<std::size_t> find_fullest(const NodeSet& among, const PodRecord& pod,
                                          Resources resources) const;
  std::vector<std::size_t> fill(const NodeSet& among, const BatchRecord& batch,
                                Resources resources);
  Like& like_of(const PodRecord& pod);
  void add(std::size_t node, const PodRecord& pod, std::int64_t times);
  std::int64_t added(std::size_t i, std::string_view resource) const;
  std::optional<std::int64_t> left_after(std::size_t i, const PodRecord& pod,
                                         Resources resources) const;

  const Snapshot& snapshot_;
  std::deque<Like> likes_;
  NodeSet touched_;  // nodes with something in added_
  std::map<std::pair<std::size_t, std::string>, std::int64_t> added_;  // "": pods
};

}  // namespace berth::topology
