// Reflector: keeps a sink in step with one collection of the API: lists it in pages, watches from
// there, goes on after the last version that it saw, and lists again where the server has forgotten
// that version. step() does the next piece and says how long to wait before the one after; the
// caller has the thread, the clock and the dice. stats() may be read from every thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

#include "base/published.h"
#include "base/result.h"
#include "kube/client.h"

namespace berth::kube {

/// Where objects go; called on the thread of step(). Objects live during the call only.
class Sink {
 public:
  virtual ~Sink() = default;
  /// Everything that is not listed or changed until list_ended is gone. A list that fails begins
  /// again.
  virtual void list_began() = 0;
  virtual void listed(Json object) = 0;
  virtual void list_ended() = 0;
  virtual void changed(Json object) = 0;  ///< added or modified; may repeat what is known
  virtual void removed(Json object) = 0;
  /// The server has no such collection (any more).
  virtual void absent() = 0;
};

struct ReflectorPace {
  int page_size = 500;
  std::chrono::milliseconds first_back_off{800};
  std::chrono::milliseconds last_back_off{30'000};
  std::chrono::milliseconds absent{60'000};  ///< before a missing collection is looked for again
  std::chrono::seconds watch_least{240};     ///< a watch lasts a random time between these
  std::chrono::seconds watch_most{480};
  std::chrono::milliseconds silence{150'000};    ///< a watch without a word ends and begins anew
  std::chrono::milliseconds short_watch{1'000};  ///< one that ends sooner, silent, counts as failed
};

/// What the world does to a reflector.
struct ReflectorWorld {
  std::function<std::chrono::milliseconds()> now;  ///< steady
  std::function<double()> dice;                    ///< in [0, 1)
};

struct ReflectorStats {
  std::atomic<bool> synced{false};         ///< a list came to its end; stays true
  std::atomic<bool> present{true};         ///< false: the server has no such collection
  std::atomic<std::int64_t> heard_ms{-1};  ///< of the clock, when the server last spoke; -1 never
  std::atomic<std::uint64_t> lists{0};     ///< lists that came to their end
  std::atomic<std::uint64_t> watches{0};   ///< watches that the server agreed to
  std::atomic<std::uint64_t> events{0};
  std::atomic<std::uint64_t> failures{0};
  std::atomic<std::uint64_t> expired{0};  ///< versions that the server had forgotten
  base::Published<base::Error> trouble;   ///< the latest failure; null while all is well
};

class Reflector {
 public:
  /// `path` gives the collection's path, or an error (kNotFound: the server has none); it is asked
  /// before each list. Client and sink must outlive this.
  using FindPath = std::function<base::Result<std::string>(Client&, const std::stop_token&)>;
  Reflector(Client& client, Sink& sink, FindPath path, ReflectorWorld world,
            const ReflectorPace& pace = {});

  /// A whole list, or one watch. Gives the pause before the next step.
  std::chrono::milliseconds step(const std::stop_token& stop);

  const ReflectorStats& stats() const { return stats_; }

 private:
  base::Status list(const std::stop_token& stop);
  base::Status watch(const std::stop_token& stop);
  void take(const Event& event);
  void heard();
  std::chrono::milliseconds after_failure(const base::Error& error);

  Client& client_;
  Sink& sink_;
  FindPath find_path_;
  ReflectorWorld world_;
  ReflectorPace pace_;
  ReflectorStats stats_;
  std::string path_;
  std::string version_;  // empty: list first
  unsigned failures_ = 0;
};

}  // namespace berth::kube
