// Snapshot: the cluster as berth knows it at one moment. Immutable once published, so every thread
// may read it; a request takes it once. Made by topology/model, from files or from watches; one
// shares with the next what did not change. Units: whole GPUs, slices and shares are counts; GPU
// memory is MiB.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube/json.h"
#include "topology/node_index.h"
#include "topology/node_list.h"
#include "topology/rooms.h"
#include "topology/services.h"
#include "topology/shared_map.h"

namespace berth::topology {

class Packing;

/// A topology level and the node labels that tell its domain, the first one present on a node wins.
struct Level {
  std::string name;  ///< node, nvlink, rack, block, zone, or any that the configuration names
  std::vector<std::string> labels;  ///< topology-labels.yaml holds the known aliases

  bool operator==(const Level&) const = default;
};

/// node, nvlink, rack, block, zone with all known label aliases, from near to far.
std::vector<Level> default_levels();

/// What "one nvidia.com/gpu" means on a node.
enum class Sharing : std::uint8_t { kNone, kTimeSlicing, kMps, kMigSingle, kMigMixed };
std::string_view to_text(Sharing sharing);

/// Slices of one MIG profile on one node.
struct SliceCount {
  std::string profile;  ///< "1g.10gb"
  std::int64_t memory_mib =
      0;  ///< usable memory of one slice, from the catalogue by product and profile
  std::int64_t total = 0;
  std::int64_t used = 0;
};

struct Node {
  std::string name;
  kube::Json labels;        ///< object of strings, owned by the snapshot
  kube::Json taints;        ///< list, owned by the snapshot
  kube::Json allocatable;   ///< resource name -> quantity, owned by the snapshot
  bool schedulable = true;  ///< neither cordoned nor not ready
  bool healthy = true;      ///< no known health label or condition speaks against its GPUs

  std::string unwell;  ///< what speaks against it ("nvidia.com/mig.config.state=failed")

  std::string vendor;           ///< nvidia, amd, intel, ...; empty: no GPUs
  std::string resource;         ///< whole-card resource that it offers: "nvidia.com/gpu"
  std::string product_label;    ///< as the node says it: "NVIDIA-H100-80GB-HBM3"
  std::string product_key;      ///< the node label that says it; empty where nothing does
  std::string product;          ///< family as rules name it: "H100"
  std::int64_t memory_mib = 0;  ///< of one whole GPU; 0 unknown
  Sharing sharing = Sharing::kNone;
  std::int64_t replicas = 1;  ///< shares made of one GPU

  std::int64_t whole_gpus =
      0;  ///< cards that can be had as whole cards (0 on shared and MIG-single nodes)
  std::int64_t whole_gpus_used = 0;  ///< by bound pods that are not terminal
  std::int64_t cards = 0;            ///< physical cards, however they are offered; 0 unknown
  std::int64_t shares = 0;           ///< units of a shared or time-sliced resource
  std::int64_t shares_used = 0;
  std::vector<SliceCount> slices;
  std::int64_t pods_limit = 0;  ///< allocatable pods; 0 unknown
  std::int64_t pods_used = 0;
  std::int64_t cpu_milli = 0;  ///< allocatable; 0 unknown
  std::int64_t cpu_milli_used = 0;
  std::int64_t ram_mib = 0;  ///< allocatable memory of the machine; 0 unknown
  std::int64_t ram_mib_used = 0;
  std::string compute_domain;  ///< uid of the ComputeDomain that holds it; empty: none
  std::vector<std::int32_t>
      domain;  ///< per level of the snapshot: index into domains(level), -1 none

  /// Never below zero, though a card that failed may leave more in use than there is.
  std::int64_t whole_gpus_free() const {
    return whole_gpus > whole_gpus_used ? whole_gpus - whole_gpus_used : 0;
  }
};

/// A node label with the value that it must have.
struct LabelValue {
  std::string label;
  std::string value;

  bool operator==(const LabelValue&) const = default;
};

/// All nodes that share a value of a level.
struct Domain {
  std::string name;                 ///< the label value
  std::string label;                ///< the node label it was read from
  std::vector<std::int32_t> nodes;  ///< indices into nodes()
  /// Where another domain of the level has the same name (rack 1 of two blocks): what else a node
  /// must carry to be in this one. Else empty.
  std::vector<LabelValue> within;
  bool covered = true;  ///< all its nodes carry `label`; else some have an older name of it only
};

struct PriorityClass {
  std::int64_t value = 0;
  std::string preemption_policy;  ///< PreemptLowerPriority or Never
  bool global_default = false;
};

/// Kinds that may or may not be part of the picture. A kind that is unknown is never a reason to
/// refuse.
enum class Kind : std::uint8_t {
  kNodes,
  kPods,
  kNamespaces,
  kPriorityClasses,
  kRuntimeClasses,
  kResourceQuotas,
  kLocalQueues,
  kQueues,
  kOwners
};

/// A pod of the picture that has not ended, as far as later decisions need it.
struct KnownPod {
  std::string namespace_name;
  std::string name;
  std::string owner_kind;  ///< top owner, as kube::top_owner reads it
  std::string owner_name;
  std::string owner_uid;
  std::string node_name;  ///< where it is bound; empty: nowhere yet
  bool marked = false;    ///< carries our record of applied rules
  std::string decision;   ///< recorded decision (JSON text), empty if none

  bool operator==(const KnownPod&) const = default;
};

/// An object with the memory that it lies in.
struct Kept {
  kube::Json json;
  std::shared_ptr<const void> memory;
};

/// What is booked on a node for pods that an owner has not made yet.
struct BookedRoom {
  std::string node;
  std::int64_t gpus = 0;  ///< whole ones
  std::int64_t pods = 0;
};

/// All pods of one owner, in order of name.
using PodsOfOwner = std::vector<std::shared_ptr<const KnownPod>>;

/// "Kind/namespace/name", by which the model keeps objects and the pods of an owner.
std::string object_key(std::string_view kind, std::string_view namespace_name,
                       std::string_view name);

class Snapshot {
 public:
  Snapshot();
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  /// True where the picture holds all objects of the kind (a file with at least one of it; a synced
  /// watch).
  bool knows(Kind kind) const { return (known_ & (1u << static_cast<unsigned>(kind))) != 0; }
  /// In sync and recent: topology conditions may be evaluated. False fails them.
  bool fresh() const { return stale_.empty(); }
  /// Why it is not fresh ("nodes: not heard of for 310 s"); empty where it is.
  const std::string& stale() const { return stale_; }
  std::int64_t generation() const { return generation_; }

  /// Gang and queue systems of the cluster.
  const Services& services() const { return services_; }

  std::span<const Level> levels() const { return levels_; }
  /// Index of a level by name, or nothing.
  std::optional<std::size_t> level_index(std::string_view name) const;
  const NodeList& nodes() const { return *nodes_; }
  const Node* find_node(std::string_view name) const;
  /// nodes() by label, taints and card.
  const NodeIndex& index() const { return index_->index; }
  /// How much room there is, by kind of node.
  const Rooms& rooms() const { return *rooms_; }
  /// Which nodes a pod should go to so that whole nodes stay whole.
  const Packing& packing() const { return *packing_; }
  std::span<const Domain> domains(std::size_t level) const { return (*domains_)[level]; }

  /// Labels of a namespace; null Json when it is not known.
  kube::Json namespace_labels(std::string_view name) const;
  kube::Json find_namespace(std::string_view name) const;  ///< the object, or null
  const PriorityClass* priority_class(std::string_view name) const;
  bool has_runtime_class(std::string_view name) const;
  /// The RuntimeClass object, or null.
  kube::Json runtime_class(std::string_view name) const;
  /// Names of the LocalQueues (Kueue) of a namespace, sorted.
  std::vector<std::string_view> local_queues(std::string_view namespace_name) const;
  /// ResourceQuota objects of a namespace.
  std::span<const kube::Json> quotas(std::string_view namespace_name) const;
  /// An owner object (Job, ReplicaSet, PyTorchJob, ...) or null.
  kube::Json owner(std::string_view kind, std::string_view namespace_name,
                   std::string_view name) const;
  /// Any other object of a kind that is kept as it came (Queue, DeviceClass, PodGroup, ...), or
  /// null. Where two API groups have the kind, the first object seen answers to the kind alone,
  /// each to "Kind.group" ("Queue.scheduling.run.ai").
  kube::Json object(std::string_view kind, std::string_view namespace_name,
                    std::string_view name) const;
  /// All objects of one API group's kind that are kept as they came, in order of namespace and
  /// name.
  std::vector<kube::Json> objects_of(std::string_view kind, std::string_view group) const;
  /// Pods with this top owner, in order of name.
  std::vector<const KnownPod*> pods_of(std::string_view namespace_name, std::string_view owner_kind,
                                       std::string_view owner_name) const;
  /// What of the room in use is booked for pods that this owner will make: it is room for them.
  std::span<const BookedRoom> booked_for(std::string_view namespace_name, std::string_view kind,
                                         std::string_view name) const;

 private:
  friend class Model;

  /// An index with the nodes it was made of: their labels, taints and cards are those of now.
  struct IndexedNodes {
    std::shared_ptr<const NodeList> nodes;
    NodeIndex index;
  };
  struct Quotas {
    std::vector<kube::Json> objects;
    std::vector<std::shared_ptr<const void>> memory;
  };

  std::uint32_t known_ = 0;
  std::string stale_;
  std::int64_t generation_ = 0;
  Services services_;
  std::vector<Level> levels_;
  std::shared_ptr<const NodeList> nodes_;  // sorted by name
  std::shared_ptr<const IndexedNodes> index_;
  std::shared_ptr<const Rooms> rooms_;
  std::shared_ptr<const Packing> packing_;
  std::shared_ptr<const std::vector<std::vector<Domain>>> domains_;
  SharedMap<Kept, 64> namespaces_;
  SharedMap<PriorityClass, 8> priority_classes_;
  SharedMap<Kept, 8> runtime_classes_;
  SharedMap<Quotas, 64> quotas_;
  SharedMap<std::vector<std::string>, 64> local_queues_;  // by namespace, sorted
  SharedMap<Kept, 1024> objects_;                         // "Kind/namespace/name"
  SharedMap<PodsOfOwner, 1024> pods_;                     // by owner, as objects_
  SharedMap<std::vector<BookedRoom>, 16> booked_;         // by owner, as objects_
};

}  // namespace berth::topology
