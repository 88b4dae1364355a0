#include "base/arena.h"

#include <algorithm>

namespace berth::base {

void* Arena::allocate_slow(std::size_t bytes) {
  const std::size_t wanted = bytes + 16;  // room to align the first object of a block
  while (used_blocks_ < blocks_.size() && blocks_[used_blocks_].bytes < wanted) ++used_blocks_;
  if (used_blocks_ == blocks_.size()) {
    const std::size_t size = std::max(wanted, next_block_bytes_);
    next_block_bytes_ = std::min<std::size_t>(size * 2, std::size_t{1} << 20);
    blocks_.push_back({std::make_unique_for_overwrite<char[]>(size), size});
    capacity_ += size;
  }
  Block& block = blocks_[used_blocks_++];
  end_ = block.data.get() + block.bytes;
  const auto at = (reinterpret_cast<std::uintptr_t>(block.data.get()) + 15) & ~std::uintptr_t{15};
  cursor_ = reinterpret_cast<char*>(at + bytes);
  return reinterpret_cast<void*>(at);
}

void Arena::reset() {
  used_blocks_ = 0;
  cursor_ = end_ = nullptr;
}

}  // namespace berth::base
