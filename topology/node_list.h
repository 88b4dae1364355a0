// Node list: the nodes of a snapshot, which it shares with the next one as far as they did not
// change: a copy of the list is a pointer a node. Immutable; any thread.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::topology {

struct Node;

class NodeList {
  using Nodes = std::vector<std::shared_ptr<const Node>>;

 public:
  class Iterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = const Node;
    using difference_type = std::ptrdiff_t;
    using pointer = const Node*;
    using reference = const Node&;

    Iterator() = default;
    explicit Iterator(Nodes::const_iterator at) : at_(at) {}
    reference operator*() const { return **at_; }
    pointer operator->() const { return at_->get(); }
    reference operator[](difference_type n) const { return *at_[n]; }
    Iterator& operator++() { return *this += 1; }
    Iterator operator++(int) { return Iterator(at_++); }
    Iterator& operator--() { return *this -= 1; }
    Iterator operator--(int) { return Iterator(at_--); }
    Iterator& operator+=(difference_type n) {
      at_ += n;
      return *this;
    }
    Iterator& operator-=(difference_type n) { return *this += -n; }
    friend Iterator operator+(Iterator it, difference_type n) { return it += n; }
    friend Iterator operator+(difference_type n, Iterator it) { return it += n; }
    friend Iterator operator-(Iterator it, difference_type n) { return it -= n; }
    friend difference_type operator-(Iterator a, Iterator b) { return a.at_ - b.at_; }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }
    friend auto operator<=>(const Iterator& a, const Iterator& b) { return a.at_ <=> b.at_; }

   private:
    Nodes::const_iterator at_;
  };

  NodeList() = default;
  explicit NodeList(Nodes nodes) : nodes_(std::move(nodes)) {}

  std::size_t size() const { return nodes_.size(); }
  bool empty() const { return nodes_.empty(); }
  const Node& operator[](std::size_t i) const { return *nodes_[i]; }
  Iterator begin() const { return Iterator(nodes_.begin()); }
  Iterator end() const { return Iterator(nodes_.end()); }

  /// The place of the node with this name. Requires: the nodes are sorted by name.
  std::optional<std::size_t> index_of(std::string_view name) const;

  /// Puts another node of the same name in a place. For the one who makes the list.
  void replace(std::size_t i, std::shared_ptr<const Node> node) { nodes_[i] = std::move(node); }

 private:
  Nodes nodes_;
};

}  // namespace berth::topology
