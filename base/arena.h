// Arena: memory for one request. Everything in it is released together; nothing in it is destroyed,
// so only trivially destructible types may live here. After reset() the blocks are kept, so that a
// warm arena serves a request without touching the heap. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace berth::base {

class Arena {
 public:
  explicit Arena(std::size_t first_block_bytes = 16 * 1024)
      : next_block_bytes_(first_block_bytes) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  Arena(Arena&&) = default;
  Arena& operator=(Arena&&) = default;

  /// Uninitialised memory, valid until reset() or destruction. Requires: align is a power of two
  /// <= 16.
  void* allocate(std::size_t bytes, std::size_t align = 8) {
    auto at = (reinterpret_cast<std::uintptr_t>(cursor_) + align - 1) & ~(align - 1);
    if (cursor_ == nullptr || at + bytes > reinterpret_cast<std::uintptr_t>(end_)) {
      return allocate_slow(bytes);
    }
    cursor_ = reinterpret_cast<char*>(at + bytes);
    return reinterpret_cast<void*>(at);
  }

  /// `count` value-initialised elements.
  template <typename T>
  std::span<T> make_array(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T>, "nothing in an arena is destroyed");
    auto* first = static_cast<T*>(allocate(count * sizeof(T), alignof(T)));
    for (std::size_t i = 0; i < count; ++i) new (first + i) T();
    return {first, count};
  }

  /// One object, constructed in place.
  template <typename T, typename... Args>
  T* make(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T>, "nothing in an arena is destroyed");
    return new (allocate(sizeof(T), alignof(T))) T{static_cast<Args&&>(args)...};
  }

  /// A copy of the elements.
  template <typename T>
  std::span<T> copy(std::span<const T> from) {
    return copy_and_grow(from, 0);
  }

  /// A copy of the elements, with room for `more` value-initialised ones behind them.
  template <typename T>
  std::span<T> copy_and_grow(std::span<const T> from, std::size_t more) {
    static_assert(std::is_trivially_copyable_v<T>);
    auto* first = static_cast<T*>(allocate((from.size() + more) * sizeof(T), alignof(T)));
    if (!from.empty()) std::memcpy(static_cast<void*>(first), from.data(), from.size() * sizeof(T));
    for (std::size_t i = 0; i < more; ++i) new (first + from.size() + i) T();
    return {first, from.size() + more};
  }

  /// A copy of the text.
  std::string_view copy(std::string_view text) {
    auto* first = static_cast<char*>(allocate(text.size(), 1));
    if (!text.empty()) std::memcpy(first, text.data(), text.size());
    return {first, text.size()};
  }

  /// The texts, one behind the other.
  std::string_view joined(std::initializer_list<std::string_view> texts) {
    std::size_t size = 0;
    for (const std::string_view text : texts) size += text.size();
    auto* first = static_cast<char*>(allocate(size, 1));
    char* end = first;
    for (const std::string_view text : texts) {
      if (text.empty()) continue;
      std::memcpy(end, text.data(), text.size());
      end += text.size();
    }
    return {first, size};
  }

  /// Forgets everything, keeps the memory.
  void reset();

  /// Bytes held from the heap: for metrics and tests.
  std::size_t capacity_bytes() const { return capacity_; }

 private:
  void* allocate_slow(std::size_t bytes);

  struct Block {
    std::unique_ptr<char[]> data;
    std::size_t bytes = 0;
  };
  std::vector<Block> blocks_;
  std::size_t used_blocks_ = 0;  // blocks_[0, used_blocks_) hold data of this round
  char* cursor_ = nullptr;
  char* end_ = nullptr;
  std::size_t next_block_bytes_;
  std::size_t capacity_ = 0;
};

}  // namespace berth::base
