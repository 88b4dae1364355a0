// Feed: the live model. One thread a watched kind lists and watches; one thread takes what they
// bring into the model and publishes pictures: while things change every 10 ms, or as often as
// takes a twentieth of a core; else it looks every 200 ms. start() and stop() on one thread; all
// else may be called from every thread in between.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/published.h"
#include "kube/reflector.h"
#include "kube/transport.h"
#include "topology/kind_sink.h"
#include "topology/records.h"
#include "topology/services.h"
#include "topology/snapshot.h"

namespace berth::topology {

struct FeedOptions {
  SinkOptions reading;
  StatedServices services;  ///< what the configuration says of gang and queue systems
  std::chrono::milliseconds discovery{60'000};  ///< between two looks at what the server serves
  kube::ReflectorPace pace;
  std::chrono::milliseconds publish{200};    ///< most time between two looks at what came
  std::chrono::milliseconds quick{10};       ///< least time between two pictures; at most `publish`
  std::chrono::milliseconds stale{300'000};  ///< nodes and pods not heard of for so long: too old
};

/// What is known of one source, for metrics and readiness.
struct SourceState {
  std::string name;          ///< "nodes", "queues.scheduling.volcano.sh"
  bool needed = false;       ///< without it there is no capacity to speak of
  bool present = true;       ///< false: the server has no such collection
  bool synced = false;       ///< a whole list has come
  std::int64_t age_ms = -1;  ///< since the server last spoke; -1 never
  std::uint64_t lists = 0;
  std::uint64_t events = 0;
  std::uint64_t failures = 0;
  std::string trouble;  ///< the latest failure while it lasts, else empty
};

class Feed {
 public:
  /// A new connection to the API server for each source.
  using MakeTransport = std::function<std::unique_ptr<kube::Transport>()>;

  /// `out` must outlive this. `world` is called from many threads.
  Feed(const MakeTransport& make, FeedOptions options, kube::ReflectorWorld world,
       base::Published<Snapshot>& out);
  ~Feed();  ///< stops
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;

  void start();
  void stop();

  std::vector<SourceState> sources() const;

  /// A pod that is about to be made counts from now on, until it is seen on a node or half a minute
  /// is over. One that asks for no GPU, or that names its node, has no effect.
  void admitted(kube::Json pod, std::string_view namespace_name);
  /// An owner that is about to be made: its pods count from now on, each until it comes, and for a
  /// minute at most.
  void admitted(OwnerRecord owner);
  /// How many pods of both kinds count.
  std::size_t reservations() const;
  /// Pods with a hint that got one of its nodes, and those that got another.
  std::uint64_t hints_followed() const;
  std::uint64_t hints_missed() const;

  /// Why conditions on the topology must not be evaluated now; empty: they may.
  std::string stale() const;

 private:
  struct Source;
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace berth::topology
