// Kueue's queues of a namespace, and which owners it manages. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topology/snapshot.h"

namespace berth::mutate {

struct KueueQueues {
  bool known = false;                     ///< the picture holds LocalQueues
  std::vector<std::string_view> all;      ///< sorted
  std::vector<std::string_view> open;     ///< that take workloads
  bool has(std::string_view name) const;  ///< takes workloads or not
  bool is_open(std::string_view name) const;
};
KueueQueues kueue_queues(const topology::Snapshot& cluster, std::string_view namespace_name);

/// Kinds of which Kueue reads the queue on the owner and ignores it on the pods.
bool is_managed_by_kueue(std::string_view kind);

/// Owner kinds of which pods come one by one and carry the queue themselves.
bool passes_queue_to_pods(std::string_view kind);

}  // namespace berth::mutate
