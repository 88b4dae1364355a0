#include "base/worker.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <limits>
#include <utility>

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace berth::base {

std::chrono::milliseconds pause_after(const WorkerPace& pace, unsigned failures) {
  if (failures == 0) return pace.interval;
  const unsigned doublings = std::min(failures - 1, 20U);
  return std::min(pace.first_back_off * (std::int64_t{1} << doublings), pace.last_back_off);
}

namespace {

constexpr std::chrono::milliseconds kAfterException{60'000};

// The pace and the count of failures around work that only succeeds or fails.
Worker::PacedWork paced(WorkerPace pace, Worker::Work work) {
  return [pace, work = std::move(work), failures = 0U](const std::stop_token& token) mutable {
    bool good = false;
    try {
      good = work(token).has_value();
    } catch (const std::exception&) {
      good = false;
    }
    failures = good ? 0 : failures + 1;
    return pause_after(pace, failures);
  };
}

}  // namespace

Worker::Worker(std::string name, WorkerPace pace, Work work)
    : Worker(std::move(name), paced(pace, std::move(work))) {}

Worker::Worker(std::string name, PacedWork work)
    : name_(std::move(name)),
      work_(std::move(work)),
      wake_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      thread_([this](const std::stop_token& token) { loop(token); }) {}

Worker::~Worker() {
  stop();
  close(wake_fd_);
}

void Worker::wake() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_fd_, &one, sizeof one);
}

void Worker::request_stop() {
  thread_.request_stop();
  wake();
}

void Worker::stop() {
  request_stop();
  if (thread_.joinable()) thread_.join();
}

void Worker::wait(std::chrono::milliseconds pause) const {
  constexpr std::int64_t kLongest = std::numeric_limits<int>::max();
  pollfd woken{wake_fd_, POLLIN, 0};
  poll(&woken, 1, static_cast<int>(std::clamp<std::int64_t>(pause.count(), 0, kLongest)));
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = read(wake_fd_, &count, sizeof count);
}

void Worker::loop(const std::stop_token& token) {
  pthread_setname_np(pthread_self(), name_.substr(0, 15).c_str());
  while (!token.stop_requested()) {
    std::chrono::milliseconds pause = kAfterException;
    try {
      pause = work_(token);
    } catch (const std::exception&) {
      pause = kAfterException;
    }
    if (!token.stop_requested()) wait(pause);
  }
}

}  // namespace berth::base
