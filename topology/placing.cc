#include "topology/placing.h"

#include "base/arena.h"
#include "topology/candidates.h"
#include "topology/hint.h"
#include "topology/node_reader.h"

namespace berth::topology {
namespace {

std::vector<kube::GpuResource> resources_of(const PodRecord& pod) {
  std::vector<kube::GpuResource> out;
  for (const ResourceUse& use : pod.uses) out.push_back(counts_as(use.resource));
  return out;
}

NodeSet nodes_with(const NodeIndex& index, std::string_view label, std::string_view value) {
  base::Arena arena(512);
  const kube::Json values = kube::make_array(arena, {kube::Json::string(value)});
  return index.meeting(kube::make_object(arena, {{"key", kube::Json::string(label)},
                                                 {"operator", kube::Json::string("In")},
                                                 {"values", values}}));
}

}  // namespace

Placing::Placing(const Snapshot& snapshot)
    : snapshot_(snapshot), touched_(snapshot.index().none()) {}

const Node* Placing::find(const PodRecord& pod, std::string_view first) {
  const std::vector<kube::GpuResource> resources = resources_of(pod);
  const auto take = [&](std::size_t node) {
    add(node, pod, 1);
    return &snapshot_.nodes()[node];
  };
  if (const auto there = find_named(first, pod, resources)) return take(*there);
  if (const auto hinted = find_hinted(pod, resources)) return take(*hinted);
  Like& like = like_of(pod);
  // What took the last pod like it is the fullest still, until it takes no more.
  if (like.node && left_after(*like.node, pod, resources)) return take(*like.node);
  if (like.nowhere) return nullptr;
  like.node = find_fullest(candidates(snapshot_, pod), pod, resources);
  like.nowhere = !like.node;
  return like.node ? take(*like.node) : nullptr;
}

std::vector<const Node*> Placing::find_for_all(const BatchRecord& batch) {
  const std::vector<kube::GpuResource> resources = resources_of(batch.pod);
  const NodeSet possible = candidates(snapshot_, batch.pod);
  std::vector<const Node*> out;
  for (const std::string& domain : batch.domains) {
    NodeSet among = nodes_with(snapshot_.index(), batch.label, domain);
    among &= possible;
    const std::vector<std::size_t> nodes = fill(among, batch, resources);
    if (static_cast<std::int64_t>(nodes.size()) < batch.pods) {
      for (const std::size_t node : nodes) add(node, batch.pod, -1);
      continue;
    }
    for (const std::size_t node : nodes) out.push_back(&snapshot_.nodes()[node]);
    break;
  }
  return out;
}

// As many pods of the batch as have room; they count from now on.
std::vector<std::size_t> Placing::fill(const NodeSet& among, const BatchRecord& batch,
                                       Resources resources) {
  std::vector<std::size_t> out;
  std::optional<std::size_t> node;
  while (static_cast<std::int64_t>(out.size()) < batch.pods) {
    if (!node || !left_after(*node, batch.pod, resources))
      node = find_fullest(among, batch.pod, resources);
    if (!node) return out;
    add(*node, batch.pod, 1);
    out.push_back(*node);
  }
  return out;
}

std::optional<std::size_t> Placing::find_named(std::string_view host, const PodRecord& pod,
                                               Resources resources) const {
  if (host.empty()) return std::nullopt;
  const auto i = snapshot_.nodes().index_of(host);
  return i && left_after(*i, pod, resources) ? i : std::nullopt;
}

// The first node with room among those that the pod prefers by name.
std::optional<std::size_t> Placing::find_hinted(const PodRecord& pod, Resources resources) const {
  for (const std::string_view host : hinted_nodes(pod.terms.json)) {
    if (const auto i = find_named(host, pod, resources)) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> Placing::find_fullest(const NodeSet& among, const PodRecord& pod,
                                                 Resources resources) const {
  std::optional<std::size_t> best;
  std::int64_t least = 0;
  among.for_each([&](std::size_t i) {
    const auto left = left_after(i, pod, resources);
    if (!left || (best && *left >= least)) return;
    best = i;
    least = *left;
  });
  return best;
}

Placing::Like& Placing::like_of(const PodRecord& pod) {
  for (Like& like : likes_) {
    if (like.pod->uses == pod.uses && kube::equal(like.pod->terms.json, pod.terms.json))
      return like;
  }
  return likes_.emplace_back(Like{&pod, std::nullopt, false});
}

void Placing::add(std::size_t node, const PodRecord& pod, std::int64_t times) {
  for (const ResourceUse& use : pod.uses) added_[{node, use.resource}] += times * use.units;
  added_[{node, {}}] += times;
  touched_.insert(node);
}

std::int64_t Placing::added(std::size_t i, std::string_view resource) const {
  if (!touched_.contains(i)) return 0;
  const auto at = added_.find({i, std::string(resource)});
  return at == added_.end() ? 0 : at->second;
}

// Units that would be left there, or nothing where there is no room.
std::optional<std::int64_t> Placing::left_after(std::size_t i, const PodRecord& pod,
                                                Resources resources) const {
  const Node& node = snapshot_.nodes()[i];
  std::int64_t left = 0;
  for (std::size_t u = 0; u < resources.size(); ++u) {
    const ResourceUse& use = pod.uses[u];
    if (resources[u].form == kube::GpuForm::kNone) continue;
    left = units_free(node, resources[u]) - use.units - added(i, use.resource);
    if (left < 0) return std::nullopt;
  }
  if (node.pods_limit > 0 && node.pods_used + added(i, {}) >= node.pods_limit) return std::nullopt;
  return left;
}

}  // namespace berth::topology
