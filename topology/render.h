// Render: a snapshot as people and programs read it: a tree of domains from far to near with the
// nodes at its ends, a table of nodes, JSON. Pure; any thread. Counts are whole GPUs unless they
// name a profile or shares; "free" leaves out nodes that are cordoned, not ready or unwell.
// "Unusable": see topology/gpu_sums; told where it is known which pods are usual.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "topology/snapshot.h"

namespace berth::topology {

struct RenderOptions {
  bool bars = false;       ///< a bar of ten cells for each domain, in UTF-8
  bool colour = false;     ///< ANSI colours for what is out of service
  bool fold = true;        ///< nodes of one domain that are alike stand on one line: "n[1-4]"
  bool cpu_nodes = false;  ///< nodes without GPUs too
};

/// The tree, with a line of sums on top. A level at which a node has no domain is left out on the
/// way to it.
std::string render_tree(const Snapshot& snapshot, const RenderOptions& options);

/// A line a node: name, product, memory, GPUs, slices or shares, state and domains.
std::string render_table(const Snapshot& snapshot, const RenderOptions& options);

/// Everything, one JSON object without line ends.
std::string render_json(const Snapshot& snapshot);

/// Names as ranges, in their order: n1 n2 n3 x is "n[1-3], x".
std::string fold_names(std::span<const std::string_view> names);

}  // namespace berth::topology
