// Change queue: what watches bring, on its way to the one thread that owns the model. A mutex of
// its own, held for a push or a swap (docs/decisions/0006). Any number of threads push, one takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "topology/records.h"
#include "topology/services.h"

namespace berth::topology {

/// "namespace/name" of all objects of a whole list.
using KeySet = std::unordered_set<std::string>;

struct Removed {};  ///< the object is gone
struct Absent {};   ///< the server does not have the kind
struct Admitted {   ///< a pod that was just answered; no watch has shown it
  PodRecord pod;
};

struct Change {
  std::size_t source = 0;  ///< index into watched_kinds()
  std::string namespace_name;
  std::string name;
  std::variant<Removed, Absent, NodeRecord, PodRecord, PriorityClass, Kept, KeySet, Services,
               Admitted, OwnerRecord>
      what;
};

class ChangeQueue {
 public:
  void push(Change change) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(change));
  }

  /// All that waits, oldest first.
  std::vector<Change> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(waiting_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<Change> waiting_;
};

}  // namespace berth::topology
