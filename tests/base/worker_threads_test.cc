#include <atomic>
#include <stdexcept>

#include <gtest/gtest.h>

#include "base/worker.h"

namespace berth::base {
namespace {

using namespace std::chrono_literals;

constexpr WorkerPace kSlow{1h, 1h, 1h};
constexpr WorkerPace kFast{1h, 1ms, 1ms};

/// Waits until `count` is at least `least`; the test's own time limit is the bound.
void wait_for(const std::atomic<int>& count, int least) {
  for (int seen = count.load(); seen < least; seen = count.load()) count.wait(seen);
}

TEST(Worker, RunsAtOnceAndAgainWhenWoken) {
  std::atomic<int> runs{0};
  Worker worker("once", kSlow, [&](std::stop_token) -> Status {
    ++runs;
    runs.notify_all();
    return Done{};
  });
  wait_for(runs, 1);
  worker.wake();
  wait_for(runs, 2);
}

TEST(Worker, TriesAgainSoonAfterErrorsAndExceptions) {
  std::atomic<int> runs{0};
  const Worker worker("again", kFast, [&](std::stop_token) -> Status {
    const int run = ++runs;
    runs.notify_all();
    if (run == 1) return invalid("first");
    if (run == 2) throw std::runtime_error("second");
    return Done{};
  });
  wait_for(runs, 3);
}

TEST(Worker, StopsWhileTheWorkWaitsForIt) {
  std::atomic<int> runs{0};
  Worker worker("stop", kSlow, [&](const std::stop_token& token) -> Status {
    ++runs;
    runs.notify_all();
    while (!token.stop_requested()) std::this_thread::yield();
    return Done{};
  });
  wait_for(runs, 1);
  worker.stop();
  worker.stop();
  worker.wake();
  EXPECT_EQ(runs.load(), 1);
}

TEST(Worker, BacksOffByDoublingUpToALimit) {
  const WorkerPace pace{10s, 1s, 60s};
  EXPECT_EQ(pause_after(pace, 0), 10s);
  EXPECT_EQ(pause_after(pace, 1), 1s);
  EXPECT_EQ(pause_after(pace, 2), 2s);
  EXPECT_EQ(pause_after(pace, 6), 32s);
  EXPECT_EQ(pause_after(pace, 7), 60s);
  EXPECT_EQ(pause_after(pace, 1'000'000), 60s);
}

}  // namespace
}  // namespace berth::base
