#include "webhook/timer_wheel.h"

#include <deque>
#include <map>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace berth::webhook {
namespace {

constexpr std::int64_t kLate = 128;  // two ticks: what "in time" may mean here

std::vector<const Timer*> expired(TimerWheel& wheel, std::int64_t now) {
  std::vector<const Timer*> all;
  wheel.advance(now);
  while (const Timer* timer = wheel.next_expired()) all.push_back(timer);
  return all;
}

TEST(TimerWheel, ExpiresAtTheDeadlineAndNeverBefore) {
  TimerWheel wheel(1000);
  Timer timer;
  EXPECT_EQ(wheel.next_due(), TimerWheel::kNever);
  wheel.arm(timer, 2000);
  EXPECT_LE(wheel.next_due(), 2000 + kLate);
  EXPECT_TRUE(expired(wheel, 1999).empty());
  EXPECT_TRUE(expired(wheel, 2000 - 1).empty());
  EXPECT_EQ(expired(wheel, 2000 + kLate).size(), 1U);
  EXPECT_FALSE(timer.armed());
  EXPECT_EQ(wheel.next_due(), TimerWheel::kNever);
}

TEST(TimerWheel, MovesAndForgetsDeadlines) {
  TimerWheel wheel(0);
  Timer moved;
  Timer dropped;
  wheel.arm(moved, 1000);
  wheel.arm(dropped, 1000);
  wheel.arm(moved, 5000);
  dropped.disarm();
  {
    Timer gone;
    wheel.arm(gone, 1000);
  }
  EXPECT_TRUE(expired(wheel, 4900).empty());
  EXPECT_EQ(expired(wheel, 5000 + kLate).size(), 1U);
}

TEST(TimerWheel, HoldsDeadlinesBeyondOneTurn) {
  TimerWheel wheel(0);
  Timer far;
  wheel.arm(far, 3'600'000);
  for (std::int64_t now = 0; now < 3'600'000; now = std::max(now + 1, wheel.next_due())) {
    ASSERT_TRUE(expired(wheel, now).empty()) << now;
  }
  EXPECT_EQ(expired(wheel, 3'600'000 + kLate).size(), 1U);
}

TEST(TimerWheel, SurvivesALongPauseOfItsOwner) {
  TimerWheel wheel(0);
  std::deque<Timer> timers(100);
  for (std::size_t i = 0; i < timers.size(); ++i) {
    wheel.arm(timers[i], static_cast<std::int64_t>(i) * 10'000);
  }
  EXPECT_EQ(expired(wheel, 10'000'000).size(), 100U);
}

TEST(TimerWheel, ExpiresADeadlineThatHasPassedAlready) {
  TimerWheel wheel(100'000);
  Timer timer;
  wheel.arm(timer, 5);
  EXPECT_EQ(expired(wheel, 100'000 + kLate).size(), 1U);
}

TEST(TimerWheel, LetsTheOwnerDestroyTimersBetweenExpiredOnes) {
  TimerWheel wheel(0);
  std::map<int, std::unique_ptr<Timer>> timers;
  for (int i = 0; i < 10; ++i) {
    timers[i] = std::make_unique<Timer>();
    wheel.arm(*timers[i], 100);
  }
  wheel.advance(1000);
  int seen = 0;
  while (wheel.next_expired() != nullptr) {
    if (seen++ == 0) timers.clear();
  }
  EXPECT_EQ(seen, 1);
}

TEST(TimerWheel, AgreesWithAScanOfAllDeadlines) {
  std::uint32_t random = 7;
  const auto below = [&random](std::int64_t limit) {
    random = random * 1664525U + 1013904223U;
    return static_cast<std::int64_t>(random >> 8U) % limit;
  };
  TimerWheel wheel(0);
  std::deque<Timer> timers(200);
  std::map<const Timer*, std::int64_t> pending;
  for (std::int64_t now = 0; now < 400'000; now += below(2000)) {
    for (int i = 0; i < 3; ++i) {
      Timer& timer = timers[static_cast<std::size_t>(below(200))];
      pending[&timer] = now + below(100'000);
      wheel.arm(timer, pending[&timer]);
    }
    for (const Timer* timer : expired(wheel, now)) {
      ASSERT_LE(pending.at(timer), now);
      pending.erase(timer);
    }
    for (const auto& [timer, deadline] : pending) ASSERT_GT(deadline + kLate, now);
  }
}

}  // namespace
}  // namespace berth::webhook
