// TimerWheel: deadlines of many connections, each moved at every request. Arming, moving and
// disarming take constant time and no memory. In: milliseconds of a clock that never goes back;
// out: the timers whose time has come, up to one tick (64 ms) late. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace berth::webhook {

/// Part of whatever has a deadline. Leaves its wheel when it is destroyed.
class Timer {
 public:
  Timer() : previous_(this), next_(this) {}
  ~Timer() { unlink(); }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  bool armed() const { return next_ != this; }
  std::int64_t deadline() const { return deadline_; }
  void disarm() { unlink(); }

 private:
  friend class TimerWheel;
  void unlink();
  void link_before(Timer& other);

  Timer* previous_;
  Timer* next_;
  std::int64_t deadline_ = 0;
};

class TimerWheel {
 public:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  explicit TimerWheel(std::int64_t now) : tick_(now / kTickLength), hint_(kNever) {}

  /// Sets or moves the deadline.
  void arm(Timer& timer, std::int64_t deadline);

  /// Puts every timer whose deadline is at or before `now` aside for next_expired().
  void advance(std::int64_t now);

  /// The next timer put aside, disarmed; null when there is none. Timers may be armed, disarmed
  /// and destroyed between calls.
  Timer* next_expired();

  /// No timer expires before this time; kNever when none is armed.
  std::int64_t next_due() const { return hint_; }

 private:
  static constexpr std::int64_t kTickLength = 64;  // ms
  static constexpr std::int64_t kSlots = 1024;     // a turn is 65 s; longer waits go round again

  Timer& slot(std::int64_t tick) { return slots_[static_cast<std::size_t>(tick % kSlots)]; }
  void insert(Timer& timer);
  void find_next_due();

  std::array<Timer, kSlots> slots_;
  Timer expired_;
  std::int64_t tick_;  ///< everything up to and including this tick was looked at
  std::int64_t hint_;
};

}  // namespace berth::webhook
