// Activation: what conditions and ${...} see of one request, and the tables of the closed types
// `Workload`, `Topology` and `Domain` with their getters. The environment (rules/environment)
// declares the variables in the order of ConditionVariable, after adding the types of words. One
// request, one thread.
#pragma once

#include <optional>
#include <span>

#include "base/arena.h"
#include "rules/cel/program.h"
#include "rules/cel/type.h"
#include "rules/facts.h"
#include "topology/capacity.h"
#include "topology/snapshot.h"

namespace berth::rules {

/// Variables of every condition; the number is the slot that Environment::declare must give.
enum class ConditionVariable : std::uint8_t {
  kObject,           ///< "object", the pod as it came
  kOldObject,        ///< "oldObject"
  kRequest,          ///< "request"
  kNamespaceObject,  ///< "namespaceObject"
  kWorkload,         ///< "workload", type Workload
  kTopology,         ///< "topology", type Topology
};

/// "Workload": fields over Facts.
const cel::StructType& workload_type();
/// "Topology": `fresh` and the functions over TopologyView. Parameters of type "level", "product" and "profile" are texts whose constants are checked.
const cel::StructType& topology_type();
/// "Domain": an item of `topology.domains(level)`.
const cel::StructType& domain_type();

/// The object behind `topology`: what this workload can use of a snapshot, computed on first use.
class TopologyView {
 public:
  /// Both must outlive this; so must what `demand` points to.
  TopologyView(const topology::Snapshot& snapshot, const topology::Demand& demand)
      : snapshot_(snapshot), demand_(demand) {}

  const topology::Snapshot& snapshot() const { return snapshot_; }
  const topology::Demand& demand() const { return demand_; }
  const topology::Capacity& capacity() const;
  /// In sync, recent, and nodes are part of the picture.
  bool usable() const { return snapshot_.fresh() && snapshot_.knows(topology::Kind::kNodes); }

 private:
  const topology::Snapshot& snapshot_;
  topology::Demand demand_;
  mutable std::optional<topology::Capacity> capacity_;
};

/// Binds the six variables. Everything must outlive the activation. `object` is the pod as
/// conditions see it; a null Json where there is none.
struct ActivationSources {
  kube::Json object;
  const Request& request;
  const Facts& facts;
  const TopologyView& topology;
};
void bind(cel::Activation& activation, const ActivationSources& sources);

}  // namespace berth::rules
