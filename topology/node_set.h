// NodeSet: a set of nodes of one snapshot, by index, a bit each. A value; one thread at a time.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace berth::topology {

class NodeSet {
 public:
  /// The empty set among `size` nodes.
  explicit NodeSet(std::size_t size) : size_(size), words_((size + 63) / 64) {}
  static NodeSet all(std::size_t size) {
    NodeSet out(size);
    out.complement();
    return out;
  }

  void insert(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
  void insert(std::span<const std::int32_t> nodes) {
    for (const std::int32_t i : nodes) insert(static_cast<std::size_t>(i));
  }
  void erase(std::size_t i) { words_[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }
  bool contains(std::size_t i) const { return ((words_[i / 64] >> (i % 64)) & 1u) != 0; }

  /// The operands must be of one snapshot.
  NodeSet& operator&=(const NodeSet& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= other.words_[w];
    return *this;
  }
  NodeSet& operator|=(const NodeSet& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
    return *this;
  }
  NodeSet& operator-=(const NodeSet& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= ~other.words_[w];
    return *this;
  }
  /// All nodes that were not in it.
  void complement() {
    for (std::uint64_t& word : words_) word = ~word;
    if (size_ % 64 != 0) words_.back() &= (std::uint64_t{1} << (size_ % 64)) - 1;
  }

  bool empty() const {
    for (const std::uint64_t word : words_) {
      if (word != 0) return false;
    }
    return true;
  }
  /// Every node of `other` is in it.
  bool contains_all(const NodeSet& other) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      if ((other.words_[w] & ~words_[w]) != 0) return false;
    }
    return true;
  }
  /// Some node of `other` is in it.
  bool meets(const NodeSet& other) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      if ((other.words_[w] & words_[w]) != 0) return true;
    }
    return false;
  }
  bool operator==(const NodeSet&) const = default;

  /// Calls visit(index) for each node, in order.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      for (std::uint64_t word = words_[w]; word != 0; word &= word - 1) {
        visit(w * 64 + static_cast<std::size_t>(std::countr_zero(word)));
      }
    }
  }

  /// The first node, in order, of which `passes` is true; nothing where there is none.
  template <typename Passes>
  std::optional<std::size_t> find(Passes passes) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      for (std::uint64_t word = words_[w]; word != 0; word &= word - 1) {
        const std::size_t i = w * 64 + static_cast<std::size_t>(std::countr_zero(word));
        if (passes(i)) return i;
      }
    }
    return std::nullopt;
  }

 private:
  std::size_t size_;
  std::vector<std::uint64_t> words_;
};

}  // namespace berth::topology
