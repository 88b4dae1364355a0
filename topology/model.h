// Model: the state of a cluster while it changes, and the only place where it does. Records go in,
// in any order and any number of times; build() makes a Snapshot that shares with the one before
// what has not changed since: a pod that comes or goes costs one node and one list of pods, not the
// cluster. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "topology/packing.h"
#include "topology/pod_mix.h"
#include "topology/records.h"
#include "topology/rooms.h"
#include "topology/snapshot.h"

namespace berth::topology {

/// What a snapshot says of itself.
struct Stamp {
  std::int64_t generation = 0;
  std::string stale;  ///< why conditions on the topology must not be evaluated; empty: they may
};

class Model {
 public:
  /// Requires: levels are not empty.
  explicit Model(std::vector<Level> levels);

  const std::vector<Level>& levels() const { return draft_.levels_; }

  /// The picture has all objects of a kind, or no longer.
  void know(Kind kind) { draft_.known_ |= bit(kind); }
  void forget(Kind kind) { draft_.known_ &= ~bit(kind); }

  void set_services(Services services) { draft_.services_ = std::move(services); }

  /// Sets give true where something of the name stood before; removes, where something was removed.
  bool set_node(NodeRecord record);
  bool remove_node(std::string_view name);

  /// A pod that has ended is known and uses nothing.
  bool set_pod(PodRecord record);
  bool remove_pod(std::string_view namespace_name, std::string_view name);

  /// Pods with a hint that were seen to get a node, one of those named or another.
  struct HintCounts {
    std::uint64_t followed = 0;
    std::uint64_t missed = 0;
  };
  const HintCounts& hints() const { return hints_; }

  /// Something that uses a node without being a pod that is known: `pods` of them, and units. The
  /// name is the caller's.
  bool set_claim(std::string_view name, std::string_view node, std::vector<ResourceUse> uses,
                 std::int64_t pods);
  bool remove_claim(std::string_view name);

  /// Some pod of the owner is known that has not ended. Owners go by object_key().
  bool has_pods_of(std::string_view owner) const { return draft_.pods_.find(owner) != nullptr; }
  /// Says of a claim that it is for `pods` more of an owner's pods, or fewer where negative.
  void book(std::string_view owner, std::string_view node, const std::vector<ResourceUse>& uses,
            std::int64_t pods);

  bool set_namespace(std::string_view name, Kept object);
  bool remove_namespace(std::string_view name);
  bool set_priority_class(std::string_view name, PriorityClass made);
  bool remove_priority_class(std::string_view name);
  bool set_runtime_class(std::string_view name, Kept object);
  bool remove_runtime_class(std::string_view name);
  bool set_quota(std::string_view namespace_name, std::string_view name, Kept object);
  bool remove_quota(std::string_view namespace_name, std::string_view name);
  /// Any other object, found by its kind alone and by "Kind.group"; where two groups have the kind,
  /// the first one set answers to the kind alone.
  bool set_object(std::string_view group, std::string_view kind, std::string_view namespace_name,
                  std::string_view name, Kept object);
  bool remove_object(std::string_view group, std::string_view kind, std::string_view namespace_name,
                     std::string_view name);

  /// The picture of now.
  std::shared_ptr<const Snapshot> build(const Stamp& stamp);

  /// The nodes of the latest build, for those who place claims.
  const NodeList& nodes() const { return draft_.nodes(); }

 private:
  struct NodeEntry;
  struct Claim {
    NodeEntry* node = nullptr;  ///< where it counts; null: nowhere
    std::vector<ResourceUse> uses;
    std::int64_t pods = 0;
  };
  struct PodEntry {
    std::shared_ptr<const KnownPod> known;  ///< null: ended
    std::string nominated;
    Claim claim;
  };
  struct TaintList;
  // A node that is known, or that pods name.
  struct NodeEntry {
    std::unique_ptr<NodeRecord> record;  ///< null: only pods know of it
    std::vector<const Claim*> claims;
    std::size_t index = 0;  ///< in the latest build
    bool changed = false;
  };

  static std::uint32_t bit(Kind kind) { return 1u << static_cast<unsigned>(kind); }
  NodeEntry& entry_of(std::string_view name);
  void mark(NodeEntry& entry);
  void attach(Claim& claim, std::string_view node);
  void detach(Claim& claim);
  void list_pod(const std::shared_ptr<const KnownPod>& pod);
  void unlist_pod(const KnownPod& pod);
  void share_taints(NodeRecord& record);
  static std::shared_ptr<Node> with_claims(const NodeEntry& entry);
  void build_all();
  void build_changed();

  RoomLedger ledger_;
  PackLedger packing_;
  PodMix mix_;
  HintCounts hints_;
  Snapshot draft_;  // what the next snapshot is a copy of
  std::unordered_map<std::string, NodeEntry> nodes_;
  std::unordered_map<std::string, PodEntry> pods_;
  std::unordered_map<std::string, Claim> claims_;
  std::unordered_map<std::string, std::weak_ptr<const TaintList>> taints_;  // by their JSON text
  std::vector<NodeEntry*> changed_;
  bool rebuild_ = false;  // nodes came, went, or moved between domains
  bool reindex_ = false;  // labels, taints, cards or readiness changed
};

}  // namespace berth::topology
