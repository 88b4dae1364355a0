#include "webhook/http_buffer.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace berth::webhook {
namespace {

constexpr std::size_t kFirstCapacity =
    std::size_t{20} * 1024;  // a TLS record of 16 KiB and a little
constexpr std::size_t kLargestKept = std::size_t{256} * 1024;
constexpr std::size_t kMostKept = 32;

}  // namespace

char* ByteBuffer::room(std::size_t more) {
  if (capacity_ - size_ < more) {
    const std::size_t wanted = std::max({size_ + more, capacity_ * 2, kFirstCapacity});
    auto larger = std::make_unique_for_overwrite<char[]>(wanted);
    if (size_ != 0) std::memcpy(larger.get(), bytes_.get(), size_);
    bytes_ = std::move(larger);
    capacity_ = wanted;
  }
  return bytes_.get() + size_;
}

void ByteBuffer::append(std::string_view bytes) {
  if (bytes.empty()) return;
  std::memcpy(room(bytes.size()), bytes.data(), bytes.size());
  size_ += bytes.size();
}

void ByteBuffer::erase(std::size_t from, std::size_t count) {
  const std::size_t rest = size_ - from - count;
  if (rest != 0) std::memmove(bytes_.get() + from, bytes_.get() + from + count, rest);
  size_ -= count;
}

ByteBuffer BufferPool::take() {
  if (free_.empty()) return {};
  ByteBuffer buffer = std::move(free_.back());
  free_.pop_back();
  return buffer;
}

void BufferPool::give(ByteBuffer&& buffer) {
  ByteBuffer mine = std::move(buffer);
  if (mine.capacity() == 0 || mine.capacity() > kLargestKept || free_.size() >= kMostKept) return;
  mine.clear();
  free_.push_back(std::move(mine));
}

bool BufferPool::charge(std::size_t bytes) {
  if (bytes > budget_) return false;
  budget_ -= bytes;
  return true;
}

}  // namespace berth::webhook
