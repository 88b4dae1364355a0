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

bool is_full(const Node& node) {
  return node.pods_limit > 0 && node.pods_used >= node.pods_limit;
}

void RoomLedger::count(const NodeIndex& index, const NodeList& nodes,
                       std::span<const std::vector<Domain>> domains) {
  const auto kinds = index.kinds();
  rooms_ = {index.none(), {}};
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
    for (const std::vector<Domain>& level : domains)
      levels_.push_back({std::vector<std::int32_t>(level.size() * kinds.size(), -1), {}, {}});
    for (Level& level : levels_) level.rows_of_kind.resize(kinds.size());
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) add(i, nodes[i], 1);
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
    if (level.row_of[cell] < 0) {
      level.row_of[cell] = static_cast<std::int32_t>(level.rows.size());
      level.rows_of_kind[k].push_back(level.row_of[cell]);
      level.rows.emplace_back();
    }
    add_to(level.rows[static_cast<std::size_t>(level.row_of[cell])], room, sign);
  }
}

std::shared_ptr<const Rooms> RoomLedger::rooms() {
  for (std::size_t k = 0; k < rooms_.kinds.size(); ++k) {
    if (!changed_[k]) continue;
    changed_[k] = false;
    for (std::size_t l = 0; l < levels_.size(); ++l) {
      Room most;
      for (const std::int32_t row : levels_[l].rows_of_kind[k])
        raise(most, levels_[l].rows[static_cast<std::size_t>(row)]);
      rooms_.kinds[k].most[l] = most;
    }
  }
  return std::make_shared<const Rooms>(rooms_);
}

}  // namespace berth::topology
