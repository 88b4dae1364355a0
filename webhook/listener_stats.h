// What the TLS listener counts. Written by the loops, read from every thread (metrics, health).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "webhook/http_connection.h"

namespace berth::webhook {

struct ListenerStats {
  std::atomic<std::int64_t> open{0};             ///< connections now
  std::atomic<std::uint64_t> accepted{0};        ///< connections taken, shed ones included
  std::atomic<std::uint64_t> handshakes{0};      ///< completed
  std::atomic<std::uint64_t> idle_closed{0};     ///< ended by the idle deadline or the drain
  std::atomic<std::uint64_t> cut{0};             ///< requests unfinished when the drain gave up
  std::atomic<std::uint64_t> accept_errors{0};   ///< passing failures of accept
  std::atomic<std::uint64_t> listeners_lost{0};  ///< loops that can no longer accept: not healthy
  HttpCounters http;
};

/// Open connections by peer address, exact unless two addresses share one of 4,096 places (then the
/// cap is only stricter). Safe from every thread, without a lock.
class PeerCounts {
 public:
  /// Counts one more; gives how many there are now.
  std::uint32_t enter(std::size_t hash) {
    return counts_[hash % counts_.size()].fetch_add(1, std::memory_order_relaxed) + 1;
  }
  void leave(std::size_t hash) {
    counts_[hash % counts_.size()].fetch_sub(1, std::memory_order_relaxed);
  }

 private:
  std::array<std::atomic<std::uint32_t>, 4096> counts_{};
};

}  // namespace berth::webhook
