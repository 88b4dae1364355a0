#include "webhook/tls_listener.h"

#include <algorithm>
#include <csignal>
#include <string>
#include <utility>

#include <pthread.h>
#include <sched.h>

#include "webhook/listen_socket.h"
#include "webhook/tls_loop.h"

namespace berth::webhook {
namespace {

constexpr unsigned kMostLoops = 16;

unsigned loop_count(const ListenerOptions& options) {
  if (options.loops != 0) return options.loops;
  cpu_set_t usable;
  CPU_ZERO(&usable);
  if (sched_getaffinity(0, sizeof usable, &usable) != 0) return 1;
  return std::clamp(static_cast<unsigned>(CPU_COUNT(&usable)), 1U, kMostLoops);
}

}  // namespace

TlsListener::TlsListener(const ListenerOptions& options, Handler handler)
    : options_(options), handler_(std::move(handler)) {}

base::Result<std::unique_ptr<TlsListener>> TlsListener::start(const ListenerOptions& options,
                                                              const certs::Store& certificates,
                                                              Handler handler) {
  if (auto good = check(options); !good) return good.error();
  const unsigned count = loop_count(options);
  auto listening = listen_on({options.address, options.port, count, options.backlog});
  if (!listening) return listening.error();
  std::signal(SIGPIPE, SIG_IGN);  // a client that went away is an error code, not a death

  std::unique_ptr<TlsListener> listener(new TlsListener(options, std::move(handler)));
  listener->port_ = listening->port;
  const LoopShared shared{listener->options_, certificates,     listener->handler_,
                          listener->stats_,   listener->peers_, options.max_body_memory / count};
  for (Descriptor& socket : listening->sockets) {
    listener->loops_.emplace_back(shared, std::move(socket));
  }
  for (TlsLoop& loop : listener->loops_) {
    std::thread& thread = listener->threads_.emplace_back([&loop] { loop.run(); });
    const std::string name = "tls-" + std::to_string(listener->threads_.size());
    pthread_setname_np(thread.native_handle(), name.c_str());
  }
  return listener;
}

TlsListener::~TlsListener() {
  stop();
}

void TlsListener::begin_drain(const DrainPlan& plan) {
  for (TlsLoop& loop : loops_) loop.begin_drain(plan);
}

void TlsListener::wait() {
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void TlsListener::stop() {
  for (TlsLoop& loop : loops_) loop.stop();
  wait();
}

}  // namespace berth::webhook
