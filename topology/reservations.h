// Reservations: pods that were just made and that no scheduler has given a node yet. Each counts as
// used on one node that can take it (where its owner had room for it, else the first of those that
// its hint names, else the fullest) until it is seen bound, nominated, gated, ended or gone, and
// for half a minute at most: a pod may be refused after us and never appear, or wait for reasons of
// its own. So a burst of pods does not see the same free GPUs. Owned by the thread of the model.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "topology/gang_bookings.h"
#include "topology/model.h"
#include "topology/placing.h"
#include "topology/records.h"

namespace berth::topology {

struct ReservationPace {
  std::chrono::milliseconds life{30'000};
  std::size_t most = 10'000;  ///< more are not counted
};

class Reservations {
 public:
  /// Model and gangs must outlive this. The gangs are told of each pod once.
  Reservations(Model& model, GangBookings& gangs, const ReservationPace& pace = {})
      : model_(model), gangs_(gangs), pace_(pace) {}

  /// A pod as it was answered. One that is told again counts once, as long as its name or the
  /// volume of its token tells it from others.
  void admitted(PodRecord pod, std::chrono::milliseconds now);

  /// A watch shows the pod. kMadeNow: it was not there when we began to watch, nor seen before.
  enum class Seen : std::uint8_t { kMadeNow, kAgain };
  void saw(const PodRecord& pod, Seen seen, std::chrono::milliseconds now);
  void saw_removed(std::string_view namespace_name, std::string_view name);

  /// Drops what has been too long. True where the model changed.
  bool expire(std::chrono::milliseconds now);

  /// Finds nodes for those that have none yet. True where the model changed.
  bool place(Placing& placing);

  /// Pods that count on a node.
  std::size_t placed() const { return placed_; }

 private:
  enum class State : std::uint8_t { kWaits, kPlaced, kNowhere };
  struct Held {
    PodRecord pod;
    State state = State::kWaits;
    std::string first;  // node on which it is looked for room first; empty: any
    std::string claim;
    std::chrono::milliseconds until{0};
  };
  using HeldPods = std::multimap<std::string, Held, std::less<>>;

  void begin(std::string key, PodRecord pod, std::chrono::milliseconds now);
  void hold(std::string key, Held held);
  HeldPods::iterator drop(HeldPods::iterator at);

  Model& model_;
  GangBookings& gangs_;
  ReservationPace pace_;
  HeldPods held_;  // by "namespace/name", or by what the pod was born as
  std::size_t waiting_ = 0;
  std::size_t placed_ = 0;
  std::uint64_t claims_ = 0;
};

}  // namespace berth::topology
