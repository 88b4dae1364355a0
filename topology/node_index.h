// NodeIndex: the nodes of a snapshot by label, taint list and card, so that "which nodes" is
// answered by joining sets instead of reading every node. Made once for a snapshot, then immutable:
// any thread. It says what kube/selector and topology/catalog say of each node alone; tests
// compare.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kube/json.h"
#include "topology/catalog.h"
#include "topology/node_list.h"
#include "topology/node_set.h"

namespace berth::topology {

struct Node;

/// Nodes that show the same GPU in the same way; those without GPUs are groups too.
struct CardGroup {
  const Node* sample = nullptr;     ///< stands for all: vendor, product, memory, sharing are equal
  std::vector<std::int32_t> nodes;  ///< indices
  std::vector<ProductWords> names;  ///< what the card goes by; empty without GPUs
  NodeSet set;                      ///< of `nodes`

  /// A name as rules write it: family ("H100"), full label value, or a narrower family such as
  /// "A100-80GB"; letter case does not matter.
  bool is(const ProductName& product) const;
};

/// Nodes that take new pods, show the same card and have the same taints.
struct NodeKind {
  std::size_t card = 0;    ///< index into cards()
  std::size_t taints = 0;  ///< which list of taints
  NodeSet nodes;
};

class NodeIndex {
 public:
  /// Of no node.
  NodeIndex() = default;
  /// The nodes must outlive this.
  explicit NodeIndex(const NodeList& nodes);

  NodeSet none() const { return NodeSet(size_); }
  NodeSet all() const { return NodeSet::all(size_); }
  /// Neither cordoned nor not ready, and healthy.
  const NodeSet& ready() const { return ready_; }
  /// The nodes that the node selector and the required node affinity of a pod's spec admit.
  NodeSet admitted(kube::Json pod_spec) const;
  /// The nodes that meet one {key, operator, values} of a match expression.
  NodeSet meeting(kube::Json requirement) const;
  /// The nodes whose taints of effect NoSchedule and NoExecute one of the lists tolerates.
  NodeSet tolerated(kube::Json tolerations, kube::Json more) const;
  /// The nodes that carry a label.
  NodeSet labelled(std::string_view key) const;
  /// The nodes with cards of a product; all for an empty name.
  NodeSet of_product(std::string_view name) const;
  NodeSet of_vendor(std::string_view vendor) const;
  std::span<const CardGroup> cards() const { return cards_; }
  /// All of ready(), apart by kind.
  std::span<const NodeKind> kinds() const { return kinds_; }

 private:
  // Some nodes: a list while they are few, a set where that is smaller.
  class Members {
   public:
    void add(std::int32_t i) { list_.push_back(i); }
    void settle(std::size_t size);
    void add_to(NodeSet& out) const;

   private:
    std::vector<std::int32_t> list_;
    NodeSet set_{0};
    bool is_set_ = false;
  };
  struct Label {
    Members present;
    std::unordered_map<std::string_view, Members> by_value;
  };
  struct TaintGroup {
    kube::Json taints;
    NodeSet nodes;
  };

  NodeSet with_any(const Label& label, kube::Json values) const;
  NodeSet named(kube::Json requirement) const;
  NodeSet meeting_term(kube::Json term) const;
  void add_labels(std::int32_t i, kube::Json labels);
  std::size_t add_taints(std::int32_t i, kube::Json taints);
  std::size_t add_card(std::int32_t i, const Node& node);
  void add_kind(std::int32_t i, std::size_t card, std::size_t taints);

  std::size_t size_ = 0;
  NodeSet ready_{0};
  std::unordered_map<std::string_view, Label> labels_;
  std::unordered_map<std::string_view, std::int32_t> names_;
  std::vector<TaintGroup> taints_;
  std::vector<CardGroup> cards_;
  std::vector<NodeKind> kinds_;
};

}  // namespace berth::topology
