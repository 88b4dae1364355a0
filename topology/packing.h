// Packing: which nodes a pod should go to so that whole nodes stay whole. Nodes with the same card
// and the same room are one group; a question scores groups, not nodes. The ledger belongs to the
// model's thread and follows each node that changes; what it gives is immutable. Best first by
//
//     less waste - t * what would be left - 2 * GPUs * scarcity of the product
//
// where waste is the free GPUs that the usual pods could not use, each GPU by the share of those
// pods that do not fit there; what is left of a shared GPU counts in parts of one. t is 0.1 and
// falls with the share of pods that must have a product; scarcity is their demand over the supply
// of what they may have.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "topology/node_set.h"
#include "topology/pod_mix.h"

namespace berth::topology {

struct Node;
class NodeIndex;
class NodeList;

/// What nodes of a group have in common; CPU and memory in whole steps of the pod mix.
struct PackRoom {
  std::int32_t card = 0;  ///< index into NodeIndex::cards()
  std::int32_t gpus = 0;  ///< free whole GPUs
  std::int32_t cpu = 0;
  std::int32_t ram = 0;
  std::int32_t shares = 0;    ///< free units of shared GPUs
  std::int32_t replicas = 1;  ///< units made of one

  /// What is free in GPUs.
  double free() const { return gpus + static_cast<double>(shares) / replicas; }

  auto operator<=>(const PackRoom&) const = default;
};

/// The room of a node now.
PackRoom pack_room(const Node& node, std::size_t card);

/// The pod fits into what is free of the node: GPUs or shares of the name that it asks for, CPU,
/// memory and one pod more.
bool has_room_for(const Node& node, const PodShape& pod);

/// The usual pods as the score needs them.
class UsualNeeds {
 public:
  UsualNeeds() = default;
  UsualNeeds(const UsualPods& pods, const NodeIndex& index);

  /// Some pod with GPUs was seen.
  bool known() const { return all_[0] > 0 || all_[1] > 0; }
  /// Share of the usual pods that do not fit into the room, of those that ask for GPUs in the form
  /// in which it has them.
  double unusable(const PackRoom& room) const;
  /// Free GPUs, each by that share.
  double waste(const PackRoom& room) const { return room.free() * unusable(room); }
  double scarcity(std::int32_t card) const;
  double weight_of_rest() const { return weight_of_rest_; }

 private:
  using Mask = std::uint64_t;  // of the most frequent pods, a bit each

  static Mask at(const std::vector<Mask>& masks, std::int32_t i);
  void add(const UsualPod& pod, std::size_t bit, const NodeIndex& index);
  double sum_of(Mask pods) const;
  void sum_shares(const std::vector<double>& shares);

  Mask of_shares_ = 0;               // the pods that ask for shares; all others ask for whole GPUs
  std::vector<Mask> short_of_gpus_;  // by free GPUs: whom these are too few for
  std::vector<Mask> short_of_shares_;
  std::vector<Mask> short_of_cpu_;
  std::vector<Mask> short_of_ram_;
  std::vector<Mask> wrong_card_;                   // by card
  std::vector<double> scarcity_;                   // by card
  std::array<std::array<double, 256>, 8> sums_{};  // of shares, by byte of a mask
  std::array<double, 2> all_{};                    // shares of the pods that ask for whole GPUs,
                                                   // and of those for shares of GPUs, together
  double weight_of_rest_ = 0.1;
};

class Packing {
 public:
  struct Group {
    PackRoom room;
    double waste = 0;
    std::shared_ptr<const std::vector<std::int32_t>> nodes;  ///< indices, in an order of our own
  };
  /// A node and why it stands where it does.
  struct Choice {
    std::size_t node = 0;
    double score = 0;
    double waste_growth = 0;  ///< GPUs that the usual pods can use no more, less those taken
    double gpus_left = 0;     ///< free on the node once the pod is there
    double scarcity = 0;
  };

  /// The best nodes for a pod among those that have room for it, best first, `most` at most.
  std::vector<Choice> best(const NodeSet& among, const NodeList& nodes, const PodShape& pod,
                           std::size_t most) const;

  /// Whether it is known which pods are usual; else nothing is waste.
  bool knows_usual_pods() const { return needs_->known(); }
  /// Free GPUs that the usual pods could not use; `card` as in NodeIndex.
  double waste(const Node& node, std::size_t card) const;

 private:
  friend class PackLedger;
  Choice choice_of(const Group& group, const PodShape& pod) const;

  std::vector<Group> groups_;
  std::shared_ptr<const UsualNeeds> needs_ = std::make_shared<const UsualNeeds>();
};

class PackLedger {
 public:
  /// Begins anew with these nodes.
  void count(const NodeIndex& index, const NodeList& nodes);
  /// A node has another use than before; nothing that the index knows differs.
  void replace(std::size_t i, const Node& now);
  void learn(const NodeIndex& index, UsualPods usual);
  std::shared_ptr<const Packing> packing();

 private:
  struct Growing {
    std::vector<std::int32_t> nodes;
    std::shared_ptr<const std::vector<std::int32_t>> made;  // a copy of them; null: changed since
    double waste = 0;                                       // where there is a copy
  };
  struct Place {
    std::int32_t card = -1;  // -1: takes no new pods
    PackRoom room;
  };
  void enter(std::size_t i, const Node& node);
  void leave(std::size_t i);

  std::map<PackRoom, Growing> groups_;
  std::vector<Place> places_;  // by node
  UsualPods usual_;
  std::shared_ptr<const UsualNeeds> needs_ = std::make_shared<const UsualNeeds>();
  std::shared_ptr<const Packing> made_;
};

}  // namespace berth::topology
