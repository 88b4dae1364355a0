// Node levels: which domain of each level a node is in, by its labels, and the domains that all
// nodes together make. Labels of several tools and generations may stand side by side; values that
// mean "unknown" count as missing. Pure; any thread.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "kube/json.h"
#include "topology/catalog.h"
#include "topology/snapshot.h"

namespace berth::topology {

/// A label of a node that tells its domain. Views point into the node's labels and the catalog or
/// the level.
struct LevelValue {
  std::string_view value;
  std::string_view label;
  std::string_view same_as;  ///< the newest name of the label

  bool operator==(const LevelValue&) const = default;
};

/// What the labels of one node say of a level, by preference; the first one tells the domain. The
/// reach decides about labels that some tools write on every machine.
std::vector<LevelValue> level_values(const Level& level, kube::Json node_labels, NvlinkReach reach);

/// Fills Node::domain of all nodes and gives the domains per level, sorted by name. `values`
/// points, per node, to the answers of level_values per level. Requires: one entry a node.
std::vector<std::vector<Domain>> make_domains(
    std::span<const Level> levels, std::span<Node* const> nodes,
    std::span<const std::vector<std::vector<LevelValue>>* const> values);

}  // namespace berth::topology
