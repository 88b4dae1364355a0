#include "topology/node_levels.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "topology/catalog_data.h"

namespace berth::topology {
namespace {

constexpr std::string_view kAwsLayer3 = "topology.k8s.aws/network-node-layer-3";
constexpr std::string_view kAwsLayer4 = "topology.k8s.aws/network-node-layer-4";

const data::LevelLabel* find_row(std::string_view level, std::string_view key) {
  const data::LevelLabel* other = nullptr;
  for (const data::LevelLabel& row : data::level_labels()) {
    if (row.key != key) continue;
    if (row.level == level) return &row;
    other = &row;
  }
  return other;
}

bool tells_nothing(std::string_view value) {
  const auto unknown = data::unknown_values();
  return std::find(unknown.begin(), unknown.end(), value) != unknown.end();
}

// AWS counts layers from the top. Where a node has a fourth, the third is one tier further out, so
// the level that lists layer 4 may fall back to it and any other level needs layer 4 there.
bool is_other_tier(const Level& level, std::string_view key, kube::Json labels) {
  if (key != kAwsLayer3 || level.labels.size() < 2) return false;
  const bool leaf =
      std::find(level.labels.begin(), level.labels.end(), kAwsLayer4) != level.labels.end();
  return !leaf && !labels.has(kAwsLayer4);
}

// Labels that the tables do not have (those of a configuration) may repeat under another parent.
bool is_scoped_by_parent(std::string_view level, std::string_view label) {
  const data::LevelLabel* row = find_row(level, label);
  return row == nullptr || row->scope == data::ValueScope::kParent;
}

using ValueKey = std::pair<std::string_view, std::string_view>;  // same_as, value
using NodeValues = std::span<const std::vector<std::vector<LevelValue>>* const>;

// Values of which some node says that a label of more weight has taken their place. A node that has
// only such a value (an NVLink tray that has not joined its partition yet) is in no domain.
std::set<ValueKey> superseded(NodeValues values, std::size_t level) {
  std::set<ValueKey> out;
  for (const auto* node : values) {
    const std::vector<LevelValue>& here = (*node)[level];
    for (std::size_t i = 1; i < here.size(); ++i) {
      const LevelValue& later = here[i];
      if (later.same_as != here[0].same_as) out.emplace(later.same_as, later.value);
    }
  }
  return out;
}

// The label that most nodes of the group carry; ties go to the better one.
void choose_label(Domain& domain, NodeValues values, std::size_t level, const Level& names) {
  std::map<std::string_view, std::size_t> carriers;
  for (const std::int32_t i : domain.nodes) {
    for (const LevelValue& value : (*values[static_cast<std::size_t>(i)])[level]) {
      if (value.value == domain.name) ++carriers[value.label];
    }
  }
  std::size_t most = 0;
  for (const std::string& label : names.labels) {
    const auto at = carriers.find(label);
    if (at == carriers.end() || at->second <= most) continue;
    most = at->second;
    domain.label = label;
  }
  domain.covered = most == domain.nodes.size();
}

// The nearest wider level at which every node of the group has a domain.
std::size_t parent_level(const std::vector<std::int32_t>& group, std::span<Node* const> nodes,
                         std::size_t level, std::size_t levels) {
  std::size_t parent = level + 1;
  for (; parent < levels; ++parent) {
    if (std::all_of(group.begin(), group.end(), [&](std::int32_t i) {
          return nodes[static_cast<std::size_t>(i)]->domain[parent] >= 0;
        })) {
      break;
    }
  }
  return parent;
}

// A group of equal values apart by the wider domains that its nodes are in.
std::vector<Domain> split_by_parent(Domain whole, std::span<Node* const> nodes, std::size_t level,
                                    const std::vector<std::vector<Domain>>& made) {
  const std::size_t parent = parent_level(whole.nodes, nodes, level, made.size());
  if (parent == made.size()) return {std::move(whole)};
  std::map<std::int32_t, std::vector<std::int32_t>> parts;
  for (const std::int32_t i : whole.nodes) {
    parts[nodes[static_cast<std::size_t>(i)]->domain[parent]].push_back(i);
  }
  if (parts.size() == 1) return {std::move(whole)};
  std::vector<Domain> out;
  for (auto& [index, members] : parts) {
    const Domain& around = made[parent][static_cast<std::size_t>(index)];
    Domain part;
    part.name = whole.name;
    part.nodes = std::move(members);
    part.within = around.within;
    part.within.insert(part.within.begin(), {around.label, around.name});
    out.push_back(std::move(part));
  }
  return out;
}

std::vector<Domain> domains_of(std::span<const Level> levels, std::span<Node* const> nodes,
                               NodeValues values, std::size_t level,
                               const std::vector<std::vector<Domain>>& made) {
  const std::set<ValueKey> dead = superseded(values, level);
  std::map<std::pair<std::string_view, std::string_view>, std::vector<std::int32_t>> groups;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::vector<LevelValue>& here = (*values[i])[level];
    if (here.empty()) continue;
    const LevelValue& first = here[0];
    if (dead.contains({first.same_as, first.value})) continue;
    groups[{first.value, first.same_as}].push_back(static_cast<std::int32_t>(i));
  }
  std::vector<Domain> out;
  for (auto& [key, members] : groups) {
    Domain domain;
    domain.name = key.first;
    domain.nodes = std::move(members);
    std::vector<Domain> parts;
    if (is_scoped_by_parent(levels[level].name, key.second)) {
      parts = split_by_parent(std::move(domain), nodes, level, made);
    } else {
      parts.push_back(std::move(domain));
    }
    for (Domain& part : parts) {
      choose_label(part, values, level, levels[level]);
      out.push_back(std::move(part));
    }
  }
  return out;
}

}  // namespace

std::vector<Level> default_levels() {
  std::vector<Level> out;
  for (const data::LevelLabel& row : data::level_labels()) {
    if (out.empty() || out.back().name != row.level) out.push_back({std::string(row.level), {}});
    out.back().labels.emplace_back(row.key);
  }
  return out;
}

std::vector<LevelValue> level_values(const Level& level, kube::Json node_labels,
                                     NvlinkReach reach) {
  std::vector<LevelValue> out;
  for (const std::string& key : level.labels) {
    const std::string_view value = node_labels[key].string_or_empty();
    if (tells_nothing(value) || is_other_tier(level, key, node_labels)) continue;
    const data::LevelLabel* row = find_row(level.name, key);
    const bool in_table = row != nullptr && row->level == level.name;
    // A label that the configuration names alone is taken at its word.
    if (in_table && row->needs_rack_nvlink && level.labels.size() > 1 &&
        reach != NvlinkReach::kRack) {
      continue;
    }
    out.push_back({value, key, in_table ? row->same_as : std::string_view(key)});
  }
  return out;
}

std::vector<std::vector<Domain>> make_domains(std::span<const Level> levels,
                                              std::span<Node* const> nodes, NodeValues values) {
  std::vector<std::vector<Domain>> made(levels.size());
  for (Node* node : nodes) node->domain.assign(levels.size(), -1);
  for (std::size_t level = levels.size(); level-- > 0;) {
    made[level] = domains_of(levels, nodes, values, level, made);
    for (std::size_t index = 0; index < made[level].size(); ++index) {
      for (const std::int32_t i : made[level][index].nodes) {
        nodes[static_cast<std::size_t>(i)]->domain[level] = static_cast<std::int32_t>(index);
      }
    }
  }
  return made;
}

}  // namespace berth::topology
