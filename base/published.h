// Published<T>: the current version of something immutable that many threads read and one replaces.
// A reader gets a shared_ptr<const T> and keeps that version as long as it likes. A mutex, not
// std::atomic<std::shared_ptr>: see docs/decisions. Safe from every thread.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

namespace berth::base {

template <typename T>
class Published {
 public:
  Published() = default;
  explicit Published(std::shared_ptr<const T> first) : current_(std::move(first)) {}

  /// The version in force; null until the first swap.
  std::shared_ptr<const T> get() const {
    const std::lock_guard lock(mutex_);
    return current_;
  }

  /// Puts `next` in force and gives back what was.
  std::shared_ptr<const T> swap(std::shared_ptr<const T> next) {
    const std::lock_guard lock(mutex_);
    return std::exchange(current_, std::move(next));
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const T> current_;
};

}  // namespace berth::base
