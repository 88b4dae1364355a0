// Rooms: how much room there is, counted per kind of node while nodes and pods change, so that a
// question to the picture need not walk its nodes. Nodes of one kind show the same card, have the
// same taints and take new pods. The ledger belongs to the model's thread; what it gives is
// immutable.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "topology/node_set.h"

namespace berth::topology {

struct Node;
class NodeIndex;
class NodeList;
struct Domain;

inline constexpr std::size_t kMostGpusCounted = 16;        ///< a pod
inline constexpr std::int64_t kAnyNumber = 2'147'483'647;  ///< of pods, where no limit is known

/// Pods of a size that a node takes now; size 0: pods without whole GPUs.
std::int64_t pods_now(const Node& node, std::int64_t gpus);
/// The same, were the node empty.
std::int64_t pods_ever(const Node& node, std::int64_t gpus);
/// It has as many pods as it may have.
bool is_full(const Node& node);

/// What some nodes have now.
struct Room {
  std::array<std::int64_t, kMostGpusCounted + 1> pods{};  ///< by GPUs a pod, node by node
  std::int64_t free = 0;  ///< whole GPUs, on nodes that are not full

  bool operator==(const Room&) const = default;
};

/// More of the nodes of one kind in one domain. By GPUs a pod: nodes are idle where none of their
/// GPUs is in use and one pod at least has room.
struct DomainCount {
  std::int64_t total = 0;  ///< whole GPUs, on nodes that are not full
  std::int32_t nodes = 0;  ///< not full
  std::int32_t full = 0;   ///< nodes that are
  std::array<std::int64_t, kMostGpusCounted + 1> ever{};    ///< pods, were all nodes empty
  std::array<std::int32_t, kMostGpusCounted + 1> beside{};  ///< pods, on nodes in use
  std::array<std::int32_t, kMostGpusCounted + 1> idle{};    ///< nodes
  std::array<std::int32_t, kMostGpusCounted + 1> gpus_of_idle{};

  bool operator==(const DomainCount&) const = default;
};

/// A level that gathers nodes: what each of its domains has, apart by kind.
struct LevelRooms {
  std::shared_ptr<const std::vector<std::int32_t>> row_of;  ///< by domain * kinds + kind; -1 none
  std::vector<Room> now;
  std::vector<DomainCount> more;
};

struct Rooms {
  struct OfKind {
    std::int64_t free = 0;
    std::vector<std::pair<std::string, std::int64_t>> slices;  ///< free, by profile
    std::vector<Room> most;  ///< per level, each number in the domain that has most of it

    bool operator==(const OfKind&) const = default;
  };
  NodeSet full{0};            ///< nodes that are at their pod limit
  std::vector<OfKind> kinds;  ///< by index of NodeIndex::kinds(); empty: not counted
  /// By level; null where most domains are of one node.
  std::vector<std::shared_ptr<const LevelRooms>> levels;
};

class RoomLedger {
 public:
  /// Begins anew with these nodes.
  void count(const NodeIndex& index, const NodeList& nodes,
             std::span<const std::vector<Domain>> domains);
  /// A node has another use than before; nothing that the index knows differs.
  void replace(std::size_t i, const Node& before, const Node& after);
  std::shared_ptr<const Rooms> rooms();

 private:
  struct Level {
    bool gathers = false;
    bool changed = true;
    LevelRooms rooms;
    std::vector<std::vector<std::int32_t>> rows_of_kind;
  };
  void begin_level(Level& level, std::span<const Domain> domains, const NodeList& nodes);
  void add(std::size_t i, const Node& node, int sign);
  void find_most(std::size_t kind);

  Rooms rooms_;
  std::vector<Level> levels_;
  std::vector<std::int32_t> kind_of_;
  std::vector<bool> changed_;  // kinds whose most is to be found again
};

}  // namespace berth::topology
