// SharedMap: a map by name whose copies share what neither has changed since. A copy costs one
// pointer a shard; the first change of a shard after share() copies that shard only. So a snapshot
// of a hundred thousand pods costs as much as the few that changed. Copies may be read from any
// thread; the original is changed by one.
#pragma once

#include <array>
#include <bitset>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace berth::topology {

template <typename T, std::size_t kShards>
class SharedMap {
 public:
  /// The value, or nullptr. Stays where it is as long as this copy lives unchanged.
  const T* find(std::string_view key) const {
    const auto& shard = shards_[shard_of(key)];
    if (shard == nullptr) return nullptr;
    const auto at = shard->find(key);
    return at == shard->end() ? nullptr : &at->second;
  }

  bool empty() const {
    for (const auto& shard : shards_) {
      if (shard != nullptr && !shard->empty()) return false;
    }
    return true;
  }

  /// Calls visit(key, value) for each, in no order.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (const auto& shard : shards_) {
      if (shard == nullptr) continue;
      for (const auto& [key, value] : *shard) visit(key, value);
    }
  }

  /// The value to be changed; made where there is none.
  T& edit(std::string_view key) {
    Shard& shard = own(shard_of(key));
    const auto at = shard.find(key);
    return at != shard.end() ? at->second : shard.emplace(std::string(key), T()).first->second;
  }

  /// True where there was one.
  bool erase(std::string_view key) {
    if (find(key) == nullptr) return false;
    Shard& shard = own(shard_of(key));
    shard.erase(shard.find(key));
    return true;
  }

  /// A copy to be read elsewhere; from now on this one changes copies of its shards.
  SharedMap share() {
    owned_.reset();
    return *this;
  }

 private:
  using Shard = std::map<std::string, T, std::less<>>;

  static std::size_t shard_of(std::string_view key) {
    return std::hash<std::string_view>{}(key) % kShards;
  }

  Shard& own(std::size_t index) {
    auto& shard = shards_[index];
    if (!owned_[index]) {
      shard = shard == nullptr ? std::make_shared<Shard>() : std::make_shared<Shard>(*shard);
      owned_.set(index);
    }
    return *shard;
  }

  std::array<std::shared_ptr<Shard>, kShards> shards_;
  std::bitset<kShards> owned_;  // shards that no copy has
};

}  // namespace berth::topology
