// Capacity: what a workload can use of a snapshot, in total and free now. Only nodes count that the
// workload could run on: its selector and required affinity (and so the architecture, where it
// names one), taints that it (or the rules in force) tolerates, cordon, health, pod limit, product
// and vendor asked for. Whole GPUs are counted: shared nodes and those cut into slices have none.
// Where the workload can use all nodes of some kinds and no other - it seldom selects within one -
// the answers come from what the snapshot has counted; else, and where room is booked for it, nodes
// are walked. Answers for one
// workload; cheap to make. Any thread, one at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/json.h"
#include "topology/snapshot.h"

namespace berth::topology {

/// What one pod of the workload needs, and how many pods there are.
struct Demand {
  kube::Json pod_spec;  ///< selector, affinity, tolerations, host ports, arch are read from it
  kube::Json extra_tolerations;  ///< list of tolerations that rules add; null for none
  std::int64_t gpus = 0;         ///< whole GPUs a pod; 0: none
  std::int64_t pods = 1;
  std::string_view vendor;          ///< of the resource asked for; empty: any
  std::string_view product;         ///< product asked for (family or label value); empty: any
  std::span<const BookedRoom> own;  ///< booked for this workload already: it is free for it
};

/// A domain as rules see it (`topology.domains(level)`).
struct DomainRoom {
  std::string_view name;
  std::int64_t free = 0;         ///< whole GPUs free now on usable nodes
  std::int64_t total = 0;        ///< whole GPUs of usable nodes
  std::int64_t nodes = 0;        ///< usable nodes
  std::int64_t places = 0;       ///< pods of the workload that it takes now, node by node
  std::int64_t places_ever = 0;  ///< that it would take if it were empty
  /// GPUs that are left over on nodes without any in use, were the workload packed into the fewest
  /// of these: a workload that takes whole nodes, or finds room beside others, leaves none.
  std::int64_t splinters = 0;
  bool fits_now = false;   ///< holds all pods, node by node, with what is free
  bool fits_ever = false;  ///< would hold all pods if it were empty
  std::vector<std::string_view> products;
};

class Capacity {
 public:
  /// Both must outlive this.
  Capacity(const Snapshot& snapshot, const Demand& demand);

  /// Some domain of the level holds the whole workload now, node by node: a node takes as many
  /// pods as its free GPUs and its pod limit allow, and one where the pod has a host port.
  /// Requires: level < levels().size().
  bool fits(std::size_t level) const;
  bool fits(std::size_t level, std::string_view product) const;
  std::int64_t free() const;
  std::int64_t free(std::string_view product) const;
  /// Free whole GPUs in the emptiest domain of the level.
  std::int64_t largest_free(std::size_t level) const;
  /// The domains that have at least one node for the workload, sorted by name.
  std::vector<DomainRoom> domains(std::size_t level) const;

  /// Free slices of a profile on usable nodes; all profiles that some usable node offers, sorted.
  /// Only what goes by the profile's own resource name: where nodes offer slices as plain GPUs, no
  /// pod can ask for them by profile. Profiles are taken in both spellings ("+me", ".me").
  std::int64_t mig_free(std::string_view profile) const;
  std::vector<std::string_view> mig_profiles() const;
  /// Product families present on usable nodes, sorted.
  std::vector<std::string_view> products() const;

  /// Indices of the usable nodes.
  std::span<const std::int32_t> usable() const;
  /// Most whole GPUs that one usable node has.
  std::int64_t largest_node() const;

 private:
  enum class When : std::uint8_t { kNow, kEmpty };
  void give_back();
  const Node& node_at(std::size_t i) const;
  void find_usable();
  void find_kinds(const NodeSet& some);
  const CardGroup& card_of(std::size_t kind) const;
  std::optional<bool> counted_fits(std::size_t level, std::string_view product) const;
  template <typename Visit>
  void for_each_usable(Visit visit) const;
  std::int64_t pods_on(const Node& node, When when) const;
  bool holds(const Domain& domain, const NodeSet& among) const;
  const LevelRooms* rooms_of(std::size_t level) const;
  struct Sums;
  Sums walked(const Domain& domain) const;
  Sums counted(const LevelRooms& level, std::size_t domain) const;
  std::int64_t splinters(const Sums& sums) const;

  const Snapshot& snapshot_;
  Demand demand_;
  bool has_host_port_ = false;
  bool counted_ = false;                           // the usable nodes are those of whole kinds
  std::vector<std::size_t> kinds_;                 // these, by index of Snapshot::rooms()
  std::vector<std::pair<std::size_t, Node>> own_;  // nodes without what is booked for it, in order
  mutable std::vector<std::int32_t> usable_;       // made when asked for
  NodeSet is_usable_;
  NodeSet is_full_;  // would be usable, were they not at their pod limit
};

}  // namespace berth::topology
