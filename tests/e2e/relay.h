// A relay on loopback between berth and the API server, byte for byte, which can be cut: all
// connections end at once, as when a network or a load balancer between them fails.
#pragma once

#include <atomic>
#include <memory>
#include <thread>

#include "base/result.h"

namespace berth::e2e {

class Relay {
 public:
  /// Listens on a free port and carries each connection on to `target` on loopback.
  static base::Result<std::unique_ptr<Relay>> start(int target);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  int port() const { return port_; }

  /// Ends all connections that are open.
  void cut() { cuts_ += 1; }
  /// While closed, each new connection ends at once, too.
  void close() { is_closed_ = true; }
  void open() { is_closed_ = false; }

  /// Connections that were cut, or refused while closed.
  int ended() const { return ended_; }

 private:
  Relay(int listener, int port, int target);
  void serve(const std::stop_token& stop);

  int listener_;
  int port_;
  int target_;
  std::atomic<int> cuts_{0};
  std::atomic<bool> is_closed_{false};
  std::atomic<int> ended_{0};
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace berth::e2e
