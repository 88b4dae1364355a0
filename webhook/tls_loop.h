// TlsLoop: one event loop with its own listening socket and its own connections; nothing waits in
// it. In: sockets that became ready, deadlines, and the two orders drain and stop; out: answered
// requests. run() belongs to one thread; begin_drain() and stop() may come from any.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <vector>

#include "certs/store.h"
#include "webhook/http_connection.h"
#include "webhook/listen_socket.h"
#include "webhook/listener_options.h"
#include "webhook/listener_stats.h"
#include "webhook/timer_wheel.h"
#include "webhook/tls_stream.h"

namespace berth::webhook {

/// What all loops of a listener share; outlives them.
struct LoopShared {
  const ListenerOptions& options;
  const certs::Store& certificates;
  const Handler& handler;
  ListenerStats& stats;
  PeerCounts& peers;
  std::size_t body_budget = 0;  ///< for each loop
};

class TlsLoop {
 public:
  TlsLoop(const LoopShared& shared, Descriptor listener);

  /// Serves until drained or stopped.
  void run();

  /// Begins the orderly stop. Only the first call counts.
  void begin_drain(const DrainPlan& plan);

  /// Cuts everything and ends run().
  void stop();

 private:
  enum class Order { kServe, kDrain, kStop };
  enum class Stage { kServing, kDraining, kClosing, kEnded };
  enum class PeerState { kHandshake, kOpen, kLingering };

  struct Peer : Timer {
    Peer(Descriptor socket_, SSL_CTX& tls, HttpContext& context, Admission admission)
        : socket(std::move(socket_)), stream(tls, socket.get()), http(stream, context, admission) {}

    Descriptor socket;
    TlsStream stream;
    HttpConnection http;
    std::list<Peer>::iterator self;
    std::size_t hash = 0;
    std::int64_t request_began = 0;
    std::int64_t reply_began = 0;
    std::uint64_t begun = 0;
    std::uint32_t interest = 0;
    PeerState state = PeerState::kHandshake;
    Phase phase = Phase::kIdle;
  };

  void turn();
  void wait();
  int wait_limit() const;
  void handle_event(void* what);
  void run_postponed();
  void expire();

  void accept_some(int most);
  void accept_failed(int error);
  void pause_accepting(std::int64_t until);
  void watch_listener();
  void admit(Accepted accepted);

  void step(Peer& peer);
  void shake_hands(Peer& peer);
  void follow(Peer& peer, Next next);
  void set_deadline(Peer& peer);
  void want(Peer& peer, std::uint32_t interest);
  void linger(Peer& peer);
  void discard_input(Peer& peer);
  void close(Peer& peer);

  void follow_orders();
  void begin_closing();
  void end_drain();
  std::int64_t drain_due() const;
  void refresh_clock();

  const LoopShared shared_;
  Descriptor listener_;
  Descriptor epoll_;
  Descriptor wake_;
  ReserveDescriptor reserve_;
  BufferPool buffers_;
  HttpContext context_;
  std::int64_t now_;  ///< ms, never goes back
  TimerWheel wheel_;
  std::list<Peer> peers_;
  std::list<Peer> gone_;          ///< closed in this turn; an event may still name them
  std::vector<Peer*> postponed_;  ///< have more to do at once
  std::vector<Peer*> this_turn_;
  std::int64_t accept_again_ = 0;  ///< 0: not paused
  std::int64_t date_second_ = -1;
  std::int64_t last_request_ = 0;
  std::int64_t drain_began_ = 0;
  Stage stage_ = Stage::kServing;
  DrainPlan plan_;  ///< written before order_, read after it
  std::atomic<bool> drain_asked_{false};
  std::atomic<Order> order_{Order::kServe};
};

}  // namespace berth::webhook
