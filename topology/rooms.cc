#include "topology/rooms.h"

#include <algorithm>

#include "topology/snapshot.h"

namespace berth::topology {
namespace {

// More kinds than this are not counted: questions walk the nodes then.
constexpr std::size_t kMostKinds = 64;

Room room_of(const Node& node) {
  Room out;
  for (std::size_t gpus = 0; gpus < out.pods.size(); ++gpus)
    out.pods[gpus] = pods_now(node, static_cast<std::int64_t>(gpus));
  out.free = is_full(node) ? 0 : node.whole_gpus_free();
  return out;
}

// What one node adds to its domain, or takes.
void add_to(DomainCount& sum, const Node& node, const Room& room, int sign) {
  const bool full = is_full(node);
  (full ? sum.full : sum.nodes) += sign;
  if (!full) sum.total += sign * node.whole_gpus;
  for (std::size_t gpus = 0; gpus < sum.ever.size(); ++gpus) {
    const auto size = static_cast<std::int64_t>(gpus);
    sum.ever[gpus] += sign * pods_ever(node, size);
    if (gpus == 0 || room.pods[gpus] == 0) continue;
    if (node.whole_gpus_used > 0) {
      sum.beside[gpus] += sign * static_cast<std::int32_t>(room.pods[gpus]);
    } else {
      sum.idle[gpus] += sign;
      sum.gpus_of_idle[gpus] += sign * static_cast<std::int32_t>(node.whole_gpus);
    }
  }
}

void add_to(Room& sum, const Room& room, int sign) {
  for (std::size_t gpus = 0; gpus < sum.pods.size(); ++gpus)
    sum.pods[gpus] += sign * room.pods[gpus];
  sum.free += sign * room.free;
}

void raise(Room& most, const Room& room) {
  for (std::size_t gpus = 0; gpus < most.pods.size(); ++gpus)
    most.pods[gpus] = std::max(most.pods[gpus], room.pods[gpus]);
  most.free = std::max(most.free, room.free);
}

}  // namespace

std::int64_t pods_now(const Node& node, std::int64_t gpus) {
  const std::int64_t slots = node.pods_limit > 0
                                 ? std::max<std::int64_t>(0, node.pods_limit - node.pods_used)
                                 : kAnyNumber;
  return gpus > 0 ? std::min(slots, node.whole_gpus_free() / gpus) : slots;
}

std::int64_t pods_ever(const Node& node, std::int64_t gpus) {
  const std::int64_t slots = node.pods_limit > 0 ? node.pods_limit : kAnyNumber;
  return gpus > 0 ? std::min(slots, node.whole_gpus / gpus) : slots;
}

bool is_full(const Node& node) {
  return node.pods_limit > 0 && node.pods_used >= node.pods_limit;
}

void RoomLedger::count(const NodeIndex& index, const NodeList& nodes,
                       std::span<const std::vector<Domain>> domains) {
  const auto kinds = index.kinds();
  rooms_ = {index.none(), {}, {}};
  levels_.clear();
  kind_of_.assign(nodes.size(), -1);
  changed_.assign(kinds.size(), true);
  const bool counts = kinds.size() <= kMostKinds;
  if (counts) {
    rooms_.kinds.resize(kinds.size());
    for (Rooms::OfKind& kind : rooms_.kinds) kind.most.resize(domains.size());
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      kinds[k].nodes.for_each([&](std::size_t i) { kind_of_[i] = static_cast<std::int32_t>(k); });
    }
    rooms_.levels.resize(domains.size());
    levels_.resize(domains.size());
    for (std::size_t l = 0; l < levels_.size(); ++l) begin_level(levels_[l], domains[l], nodes);
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) add(i, nodes[i], 1);
}

// Which domain has nodes of which kind.
void RoomLedger::begin_level(Level& level, std::span<const Domain> domains, const NodeList& nodes) {
  const std::size_t kinds = rooms_.kinds.size();
  std::vector<std::int32_t> row_of(domains.size() * kinds, -1);
  std::int32_t rows = 0;
  level.rows_of_kind.resize(kinds);
  for (std::size_t d = 0; d < domains.size(); ++d) {
    for (const std::int32_t i : domains[d].nodes) {
      const std::int32_t kind = kind_of_[static_cast<std::size_t>(i)];
      if (kind < 0) continue;
      std::int32_t& row = row_of[d * kinds + static_cast<std::size_t>(kind)];
      if (row >= 0) continue;
      row = rows++;
      level.rows_of_kind[static_cast<std::size_t>(kind)].push_back(row);
    }
  }
  level.gathers = domains.size() * 2 <= nodes.size();
  level.rooms.row_of = std::make_shared<const std::vector<std::int32_t>>(std::move(row_of));
  level.rooms.now.resize(static_cast<std::size_t>(rows));
  if (level.gathers) level.rooms.more.resize(static_cast<std::size_t>(rows));
}

void RoomLedger::replace(std::size_t i, const Node& before, const Node& after) {
  add(i, before, -1);
  add(i, after, 1);
}

void RoomLedger::add(std::size_t i, const Node& node, int sign) {
  if (is_full(node)) {
    if (sign > 0) {
      rooms_.full.insert(i);
    } else {
      rooms_.full.erase(i);
    }
  }
  if (kind_of_[i] < 0) return;
  const auto k = static_cast<std::size_t>(kind_of_[i]);
  const Room room = room_of(node);
  Rooms::OfKind& kind = rooms_.kinds[k];
  changed_[k] = true;
  kind.free += sign * room.free;
  for (const SliceCount& slice : node.slices) {
    if (is_full(node)) break;
    auto at = std::find_if(kind.slices.begin(), kind.slices.end(),
                           [&](const auto& have) { return have.first == slice.profile; });
    if (at == kind.slices.end()) at = kind.slices.insert(at, {slice.profile, 0});
    at->second += sign * std::max<std::int64_t>(0, slice.total - slice.used);
  }
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    if (node.domain[l] < 0) continue;
    Level& level = levels_[l];
    const std::size_t cell = static_cast<std::size_t>(node.domain[l]) * rooms_.kinds.size() + k;
    const auto row = static_cast<std::size_t>((*level.rooms.row_of)[cell]);
    level.changed = true;
    add_to(level.rooms.now[row], room, sign);
    if (level.gathers) add_to(level.rooms.more[row], node, room, sign);
  }
}

void RoomLedger::find_most(std::size_t kind) {
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    Room most;
    for (const std::int32_t row : levels_[l].rows_of_kind[kind])
      raise(most, levels_[l].rooms.now[static_cast<std::size_t>(row)]);
    rooms_.kinds[kind].most[l] = most;
  }
}

std::shared_ptr<const Rooms> RoomLedger::rooms() {
  for (std::size_t k = 0; k < rooms_.kinds.size(); ++k) {
    if (changed_[k]) find_most(k);
    changed_[k] = false;
  }
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    if (!levels_[l].gathers || !levels_[l].changed) continue;
    levels_[l].changed = false;
    rooms_.levels[l] = std::make_shared<const LevelRooms>(levels_[l].rooms);
  }
  return std::make_shared<const Rooms>(rooms_);
}

}  // namespace berth::topology
