// Records: what the model keeps of an object, read from it once. A pod of ten kilobytes becomes a
// few words; a node keeps its labels, taints and resources. Pure; any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kube/json.h"
#include "topology/node_reader.h"
#include "topology/pod_mix.h"
#include "topology/snapshot.h"

namespace berth::topology {

struct NodeRecord {
  NodeReading reading;
  std::shared_ptr<const void> memory;  ///< what the reading's Json and views lie in
};

/// Units of a resource that a pod takes from its node.
struct ResourceUse {
  std::string resource;
  std::int64_t units = 0;

  bool operator==(const ResourceUse&) const = default;
};

/// What a pod whose name the API server makes goes by before it has one.
struct BornAs {
  std::string name;     ///< empty: it was named from the start
  bool unique = false;  ///< no other pod is born as this
};

/// Nodes that berth named on a pod, and whether it is on one of them. kMissed: not, or not yet.
enum class Hint : std::uint8_t { kNone, kFollowed, kMissed };

struct PodRecord {
  KnownPod known;
  BornAs born;
  std::string nominated;  ///< node that the scheduler is emptying for it; empty once it is bound
  std::vector<ResourceUse> uses;  ///< of GPU resources, and CPU and memory
  PodShape shape;
  Kept terms;  ///< spec's node selector, affinity and tolerations, of one that waits
  Hint hint = Hint::kNone;
  bool ended = false;  ///< Succeeded or Failed: it uses nothing

  /// It asks for GPUs or names nodes that it prefers, and the scheduler may give it a node at any
  /// moment.
  bool waits() const { return terms.memory != nullptr; }
};

/// Pods that an owner will make of one template.
struct BatchRecord {
  PodRecord pod;  ///< as each of them will be
  std::int64_t pods = 0;
  std::string label;                 ///< of the domains
  std::vector<std::string> domains;  ///< that the pods were steered to, the best first
};

/// An owner that was just let through and steers its pods together.
struct OwnerRecord {
  std::string kind;
  std::string namespace_name;
  std::string name;                  ///< or what its name will begin with
  bool named = true;                 ///< false: the API server will make the name
  bool recorded = false;             ///< an earlier call for the same object had decided on it
  std::vector<BatchRecord> batches;  ///< empty: it makes no pods now
};

/// Reads a Node that lies in `memory`.
NodeRecord read_node_record(kube::Json object, std::shared_ptr<const void> memory,
                            const ReadOptions& options);

/// Reads a Node that will be gone, with copies of what is kept.
NodeRecord copy_node_record(kube::Json object, const ReadOptions& options);

/// Reads a Pod. `label_prefix`: of our marks. Nothing of the result points into the object.
PodRecord read_pod_record(kube::Json object, const std::string& label_prefix);

/// Reads a PriorityClass; adds what cannot be read.
PriorityClass read_priority_class(kube::Json object, std::vector<Remark>& remarks);

/// "namespace/name", by which objects of one kind are kept.
std::string key_of(std::string_view namespace_name, std::string_view name);

/// A copy in memory of its own.
Kept copy_kept(kube::Json object);

/// The object with no more of metadata than name, namespace, uid, labels, annotations (without
/// kubectl's copy of the whole) and owner references. Made in `arena`.
kube::Json without_bookkeeping(base::Arena& arena, kube::Json object);

}  // namespace berth::topology
