#include "topology/node_list.h"

#include <algorithm>

#include "topology/snapshot.h"

namespace berth::topology {

std::optional<std::size_t> NodeList::index_of(std::string_view name) const {
  const auto at = std::lower_bound(
      begin(), end(), name,
      [](const Node& node, std::string_view wanted) { return node.name < wanted; });
  if (at == end() || at->name != name) return std::nullopt;
  return static_cast<std::size_t>(at - begin());
}

}  // namespace berth::topology
