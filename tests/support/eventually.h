// Waits for something that another thread brings about. The bound only ends a broken test.
#pragma once

#include <chrono>
#include <thread>

namespace berth::tests {

template <typename Condition>
bool eventually(const Condition& condition) {
  const auto bound = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > bound) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace berth::tests
