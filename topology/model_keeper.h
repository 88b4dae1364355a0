// Model keeper: takes what the watches queued into the model and publishes a new picture when
// something changed. Owns the model; one thread turns it. The queue may be pushed to from every
// thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/published.h"
#include "topology/change_queue.h"
#include "topology/gang_bookings.h"
#include "topology/model.h"
#include "topology/reservations.h"
#include "topology/watched_kinds.h"

namespace berth::topology {

class ModelKeeper {
 public:
  /// `out` must outlive this.
  ModelKeeper(std::vector<Level> levels, Services services, base::Published<Snapshot>& out);
  ModelKeeper(const ModelKeeper&) = delete;
  ModelKeeper& operator=(const ModelKeeper&) = delete;

  ChangeQueue& queue() { return queue_; }

  /// Takes all that waits. Publishes where it changed anything, where `stale` is another text than
  /// the time before, and the first time. `stale`: why conditions on the topology must not be
  /// evaluated now; empty: they may. `now` never goes back. Gives true where it published.
  bool turn(const std::string& stale, std::chrono::milliseconds now);

  /// Pods that count though no watch has shown them on a node, those that owners will make among
  /// them. Any thread.
  std::size_t reservations() const { return reserved_; }
  /// Pods with a hint that got one of its nodes, and those that got another. Any thread.
  std::uint64_t hints_followed() const { return hints_followed_; }
  std::uint64_t hints_missed() const { return hints_missed_; }

 private:
  void apply(Change change);
  void take(const WatchedKind& kind, Change& change, Reservations::Seen seen);
  void remove(const WatchedKind& kind, std::string_view namespace_name, std::string_view name);
  void keep_only(std::size_t source, const KeySet& listed);

  Model model_;
  GangBookings gangs_{model_};
  Reservations reservations_{model_, gangs_};
  std::atomic<std::size_t> reserved_{0};
  std::atomic<std::uint64_t> hints_followed_{0};
  std::atomic<std::uint64_t> hints_missed_{0};
  base::Published<Snapshot>& out_;
  ChangeQueue queue_;
  std::vector<KeySet> known_;  // "namespace/name" of what the model has, by source
  std::vector<bool> synced_;   // a whole list has come, by source
  std::string stale_;
  std::chrono::milliseconds now_{0};
  std::int64_t generation_ = 0;
};

}  // namespace berth::topology
