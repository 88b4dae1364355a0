// Watched kinds: the one table of what the live model reads from the API server. The feed watches
// exactly these, manifests/base/rbac.yaml grants exactly these (a test compares), and nothing else
// of a cluster is ever asked for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "kube/json.h"
#include "topology/snapshot.h"

namespace berth::topology {

enum class WatchedAs : std::uint8_t {
  kNode,
  kPod,
  kNamespace,
  kPriorityClass,
  kRuntimeClass,
  kQuota,
  kObject,  ///< kept whole (queues)
  kOwner,   ///< kept without its containers: for sizes and selectors
};

struct WatchedKind {
  std::string_view resource;  ///< "nodes"; also the name of the source in metrics
  std::string_view group;     ///< empty: core
  std::string_view version;   ///< empty: whichever the server prefers, if it has the group at all
  std::string_view kind;
  WatchedAs as = WatchedAs::kObject;
  Kind known_as = Kind::kOwners;

  /// Without it there is no capacity to speak of.
  bool is_needed() const { return as == WatchedAs::kNode || as == WatchedAs::kPod; }
  /// An API group that a cluster need not have.
  bool is_optional() const { return version.empty(); }
};

std::span<const WatchedKind> watched_kinds();

/// "queues.scheduling.volcano.sh", or "nodes": unique, for metrics and messages.
std::string source_name(const WatchedKind& kind);

}  // namespace berth::topology
