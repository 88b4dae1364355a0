// resolve: words that depend on the topology ("narrowest", "mig", "H100") to definite values of
// this cluster at this moment. Hard terms only where capacity can never hold the workload
// otherwise; what is merely full now is ranked. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "rules/decision.h"
#include "rules/facts.h"
#include "topology/capacity.h"
#include "topology/snapshot.h"

namespace berth::rules {

/// Fills the answer of every setting that needs one. Views point into the snapshot, the rule set or
/// the arena.
void resolve(const Subject& subject, const Facts& facts, const topology::Snapshot& cluster,
             base::Arena& arena, Decision& decision);

/// What the answers of one workload rest on. `gpu` is answered before the levels: a slice needs no
/// whole GPU.
class Resolving {
 public:
  Resolving(const Subject& subject, const Facts& facts, const topology::Snapshot& cluster,
            base::Arena& arena, Decision& decision);

  const Subject& subject() const { return subject_; }
  const Facts& facts() const { return facts_; }
  const topology::Snapshot& cluster() const { return cluster_; }
  base::Arena& arena() { return arena_; }

  /// Nodes are part of the picture.
  bool knows_nodes() const { return cluster_.knows(topology::Kind::kNodes); }
  /// Free capacity may be looked at.
  bool fresh() const { return knows_nodes() && cluster_.fresh(); }
  /// Whole GPUs a pod will ask for: none once it gets a slice or a share.
  std::int64_t gpus() const { return shared_ ? 0 : facts_.gpus; }
  void becomes_shared() {
    shared_ = true;
    forget();
  }
  /// What the workload can use, with the settings of the decision in force.
  const topology::Capacity& capacity();
  /// The same for a pod that asks for parts of cards: nodes without whole GPUs count too.
  const topology::Capacity& capacity_of_parts();
  /// The domains of a level with their room, by capacity().
  const std::vector<topology::DomainRoom>& rooms(std::size_t level);
  /// The nodes with one of the products that the decision requires; all where it requires none.
  topology::NodeSet of_required_products() const;
  /// What a smaller group of the same pods could use.
  topology::Capacity capacity_of_group(std::int64_t pods) const;
  const Decision& decision() const { return decision_; }
  /// From now on only nodes with one of the values count.
  void require(const LabelValues& values);

  void warn(const Setting& setting, std::string text);
  void deny(const Setting& setting, std::string text);

 private:
  topology::Demand demand(std::int64_t gpu_count) const;
  /// What the workload needs has changed.
  void forget() {
    capacity_.reset();
    capacity_of_parts_.reset();
    rooms_.clear();
  }

  const Subject& subject_;
  const Facts& facts_;
  const topology::Snapshot& cluster_;
  base::Arena& arena_;
  Decision& decision_;
  const Products* products_ = nullptr;
  kube::Json pod_spec_;
  kube::Json tolerations_;
  bool shared_ = false;
  std::optional<topology::Capacity> capacity_;
  std::optional<topology::Capacity> capacity_of_parts_;
  std::map<std::size_t, std::vector<topology::DomainRoom>> rooms_;
};

/// The same for one setting, by slot.
void resolve_gpu(Resolving& resolving, Setting& setting);
void resolve_level(Resolving& resolving, Setting& setting);
void resolve_spread(Resolving& resolving, Setting& setting);
void resolve_products(Resolving& resolving, Setting& setting);
void resolve_gang(Resolving& resolving, Setting& setting);

/// The node label that most domains of the level are read from. Without nodes: the one configured,
/// or the standard one where it cannot be wrong. Empty where there is none.
std::string_view label_of_level(const topology::Snapshot& cluster, std::size_t level);
/// What a wish for levels becomes on this cluster; warns in the name of the setting.
LevelAnswer answer_levels(Resolving& resolving, const Setting& setting, const LevelPlacement& wish);

/// A list of one toleration, of the taint that nodes with the workload's GPUs usually carry: the
/// API server's own plug-in adds it for extended resources. Empty for a workload without GPUs.
kube::Json usual_toleration(const Facts& facts, base::Arena& arena);

/// The list with one toleration more.
kube::Json with_toleration(kube::Json list, const Toleration& toleration, base::Arena& arena);

/// The usual one with the tolerations that the settings add.
kube::Json tolerations_in_force(const Decision& decision, const Facts& facts, base::Arena& arena);

}  // namespace berth::rules
