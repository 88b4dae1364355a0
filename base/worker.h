// Worker: a named background thread that does one piece of work again and again: at an interval, at
// once when woken, and with growing pauses while the work fails. In: a function; out: its effects.
// wake() and stop() may be called from every thread; the work runs on the worker's own thread only.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>

#include "base/result.h"

namespace berth::base {

struct WorkerPace {
  std::chrono::milliseconds interval{10'000};       ///< between the end of a good run and the next
  std::chrono::milliseconds first_back_off{1'000};  ///< after the first failure; doubles
  std::chrono::milliseconds last_back_off{60'000};  ///< never longer than this
};

/// The pause after `failures` failed runs in a row (0: the interval).
std::chrono::milliseconds pause_after(const WorkerPace& pace, unsigned failures);

class Worker {
 public:
  /// The work looks at the token if it can take long. A returned error means "failed, try again
  /// sooner or later"; it is the work's own business to log. An exception counts as a failure.
  using Work = std::function<Status(std::stop_token)>;

  /// Starts the thread and runs the work at once. The name (15 characters are kept) shows in
  /// debuggers and in the list of threads.
  Worker(std::string name, WorkerPace pace, Work work);

  /// The same for work that itself says how long to wait until its next run. After an exception the
  /// pause is a minute.
  using PacedWork = std::function<std::chrono::milliseconds(std::stop_token)>;
  Worker(std::string name, PacedWork work);

  /// Stops and waits, as stop() does.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Runs the work soon, whatever the pause; several calls before the run count as one.
  void wake() const;

  /// Asks the work to end and waits for the thread. No run begins after it returns. Idempotent.
  void stop();

  /// Only asks: stop() or the destructor waits. For the owner of many workers, so that they end
  /// together.
  void request_stop();

 private:
  void loop(const std::stop_token& token);
  void wait(std::chrono::milliseconds pause) const;

  std::string name_;
  PacedWork work_;
  int wake_fd_;  ///< eventfd: a pause that can be ended without a lock
  std::jthread thread_;
};

}  // namespace berth::base
