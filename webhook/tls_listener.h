// TlsListener: the HTTPS front end. In: options, the certificate store and a handler; out: answered
// requests. It owns one thread a loop; the handler runs on all of them at once. Methods may be
// called from every thread, but one caller at a time for wait() and stop().
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <thread>
#include <vector>

#include "base/result.h"
#include "certs/store.h"
#include "webhook/http_message.h"
#include "webhook/listener_options.h"
#include "webhook/listener_stats.h"

namespace berth::webhook {

class TlsLoop;

class TlsListener {
 public:
  /// Opens the port and starts serving. Connections that come before `certificates` has its first
  /// bundle are closed. Ignores SIGPIPE in the whole process. `certificates` must outlive it.
  static base::Result<std::unique_ptr<TlsListener>> start(const ListenerOptions& options,
                                                          const certs::Store& certificates,
                                                          Handler handler);

  /// Stops at once, as stop() does.
  ~TlsListener();
  TlsListener(const TlsListener&) = delete;
  TlsListener& operator=(const TlsListener&) = delete;

  /// The port in use.
  std::uint16_t port() const { return port_; }

  const ListenerStats& stats() const { return stats_; }

  /// False when a loop can no longer accept connections; only a restart helps.
  bool healthy() const { return stats_.listeners_lost.load(std::memory_order_relaxed) == 0; }

  /// Begins the orderly stop and returns; wait() tells when it is over. Only the first call counts.
  void begin_drain(const DrainPlan& plan);

  /// Waits until every loop has ended, after begin_drain() or stop(). Idempotent.
  void wait();

  /// Cuts all connections and waits for the loops. Idempotent.
  void stop();

 private:
  TlsListener(const ListenerOptions& options, Handler handler);

  const ListenerOptions options_;
  const Handler handler_;
  ListenerStats stats_;
  PeerCounts peers_;
  std::uint16_t port_ = 0;
  std::list<TlsLoop> loops_;
  std::vector<std::thread> threads_;
};

}  // namespace berth::webhook
