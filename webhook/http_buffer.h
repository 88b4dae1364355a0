// ByteBuffer: bytes that grow at the end and shrink at the front, without filling what is about to
// be overwritten. BufferPool: buffers handed on between connections of one loop, so that a request
// allocates nothing once warm, and a budget for what bodies may take in all. One thread each.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::webhook {

class ByteBuffer {
 public:
  ByteBuffer() = default;
  ByteBuffer(ByteBuffer&& other) noexcept
      : bytes_(std::move(other.bytes_)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  ByteBuffer& operator=(ByteBuffer&& other) noexcept {
    bytes_ = std::move(other.bytes_);
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, 0);
    return *this;
  }

  char* data() { return bytes_.get(); }
  const char* data() const { return bytes_.get(); }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }
  std::string_view view() const { return {bytes_.get(), size_}; }

  /// Makes room for at least `more` bytes after the end and gives the place; views into the buffer
  /// end here. What is written there counts after commit().
  char* room(std::size_t more);
  void commit(std::size_t written) { size_ += written; }
  void append(std::string_view bytes);

  /// Takes `count` bytes out, beginning at `from`, and closes the gap.
  void erase(std::size_t from, std::size_t count);
  void clear() { size_ = 0; }

 private:
  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

class BufferPool {
 public:
  /// `body_budget`: bytes that all large bodies of this loop may hold together.
  explicit BufferPool(std::size_t body_budget) : budget_(body_budget) {}

  /// An empty buffer, with capacity if one was given back before.
  ByteBuffer take();

  /// Gives a buffer back for others; large ones are freed.
  void give(ByteBuffer&& buffer);

  /// Takes `bytes` from the budget; false (and nothing taken) when it would not last.
  [[nodiscard]] bool charge(std::size_t bytes);
  void refund(std::size_t bytes) { budget_ += bytes; }

 private:
  std::vector<ByteBuffer> free_;
  std::size_t budget_;
};

}  // namespace berth::webhook
