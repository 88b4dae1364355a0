// Node reader: a Node object to what the model knows of the node: product, memory, what one unit of
// its GPU resource is, counts, slices, health. Labels of GPU Feature Discovery come first, then
// providers' labels, then capacity alone. Supply is read from allocatable; labels only describe it.
// Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube/gpu_resource.h"
#include "kube/json.h"
#include "kube/pod.h"
#include "topology/node_levels.h"
#include "topology/snapshot.h"

namespace berth::topology {

/// Something in an object that cannot be read and counts as absent.
struct Remark {
  std::string pointer;  ///< JSON pointer below the object
  std::string text;     ///< what it is and what was expected
};

struct NodeReading {
  Node node;                                    ///< nothing used yet, no domains
  std::vector<std::vector<LevelValue>> levels;  ///< per level of the options
  std::vector<Remark> remarks;
};

struct ReadOptions {
  std::span<const Level> levels;
  std::span<const std::string> unhealthy_conditions;  ///< condition types that are bad when True
};

/// Reads a Node. The result's Json members and views point into `object`.
NodeReading read_node(kube::Json object, const ReadOptions& options);

/// Counts what a bound pod that has not ended takes of the node.
void count_pod(Node& node, const kube::Pod& pod);

/// Names of what is counted beside GPUs; units: milli-cores, MiB.
inline constexpr std::string_view kCpu = "cpu";
inline constexpr std::string_view kRam = "memory";

/// A node label that tells the product of its GPUs.
bool is_product_label(std::string_view key);

/// Counts units of a resource as taken. No effect where the node has nothing like it.
void count_use(Node& node, std::string_view resource, std::int64_t units);

/// How a resource counts on nodes; kNone: it is no GPU, or a measure of one (its memory).
kube::GpuResource counts_as(std::string_view resource);

/// Units of a resource that are free on the node; 0 where it has nothing like it.
std::int64_t units_free(const Node& node, const kube::GpuResource& resource);

}  // namespace berth::topology
