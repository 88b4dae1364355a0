#include "topology/capacity.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace berth::topology {
namespace {

// "No limit known" for the pods of a node: more than any cluster has, and safe to add up.
constexpr std::int64_t kAnyNumber = std::numeric_limits<std::int32_t>::max();

// A port of the host, which no second pod on the node can have.
bool takes_host_port(kube::Json containers, kube::Json pod_spec) {
  const bool host_network = pod_spec["hostNetwork"].bool_or(false);
  for (const kube::Json& container : containers.items()) {
    for (const kube::Json& port : container["ports"].items()) {
      if (host_network || port["hostPort"].as_int().value_or(0) > 0) return true;
    }
  }
  return false;
}

// Slices of this node can be asked for by the name of their profile.
bool offers_by_profile(const Node& node) {
  return node.vendor == "nvidia" && node.sharing != Sharing::kMigSingle;
}

void sort_unique(std::vector<std::string_view>& names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

bool same_profile(std::string_view have, std::string_view wanted) {
  return std::equal(have.begin(), have.end(), wanted.begin(), wanted.end(),
                    [](char a, char b) { return a == b || (a == '.' && b == '+'); });
}

}  // namespace

Capacity::Capacity(const Snapshot& snapshot, const Demand& demand)
    : snapshot_(snapshot),
      demand_(demand),
      has_host_port_(takes_host_port(demand.pod_spec["containers"], demand.pod_spec) ||
                     takes_host_port(demand.pod_spec["initContainers"], demand.pod_spec)),
      is_usable_(snapshot.index().none()),
      is_full_(snapshot.index().none()) {
  find_usable();
}

void Capacity::find_usable() {
  const NodeIndex& index = snapshot_.index();
  const kube::Json spec = demand_.pod_spec;
  const std::string_view bound = spec["nodeName"].string_or_empty();
  NodeSet some = index.ready();
  if (!demand_.vendor.empty()) some &= index.of_vendor(demand_.vendor);
  if (demand_.gpus > 0) some -= index.of_vendor({});
  if (!demand_.product.empty()) some &= index.of_product(demand_.product);
  some &= index.tolerated(spec["tolerations"], demand_.extra_tolerations);
  some &= index.admitted(spec);
  some.for_each([&](std::size_t i) {
    const Node& node = snapshot_.nodes()[i];
    if (!bound.empty() && bound != node.name) return;
    if (node.pods_limit > 0 && node.pods_used >= node.pods_limit) {
      is_full_.insert(i);
      return;
    }
    is_usable_.insert(i);
    usable_.push_back(static_cast<std::int32_t>(i));
  });
}

std::int64_t Capacity::pods_on(const Node& node, When when) const {
  const std::int64_t gpus = when == When::kNow ? node.whole_gpus_free() : node.whole_gpus;
  const std::int64_t taken = when == When::kNow ? node.pods_used : 0;
  std::int64_t pods =
      node.pods_limit > 0 ? std::max<std::int64_t>(0, node.pods_limit - taken) : kAnyNumber;
  if (demand_.gpus > 0) pods = std::min(pods, gpus / demand_.gpus);
  return has_host_port_ ? std::min<std::int64_t>(pods, 1) : pods;
}

bool Capacity::holds(const Domain& domain, const NodeSet& among, When when) const {
  std::int64_t pods = 0;
  for (const std::int32_t i : domain.nodes) {
    const auto index = static_cast<std::size_t>(i);
    if (!is_usable_.contains(index) && (when == When::kNow || !is_full_.contains(index))) continue;
    if (!among.contains(index)) continue;
    pods += pods_on(snapshot_.nodes()[index], when);
    if (pods >= demand_.pods) return true;
  }
  return demand_.pods <= 0 && !domain.nodes.empty();
}

bool Capacity::fits(std::size_t level) const {
  return fits(level, {});
}

bool Capacity::fits(std::size_t level, std::string_view product) const {
  const auto domains = snapshot_.domains(level);
  const NodeSet among = snapshot_.index().of_product(product);
  return std::any_of(domains.begin(), domains.end(),
                     [&](const Domain& domain) { return holds(domain, among, When::kNow); });
}

std::int64_t Capacity::free() const {
  return free({});
}

std::int64_t Capacity::free(std::string_view product) const {
  std::int64_t sum = 0;
  const NodeSet among = snapshot_.index().of_product(product);
  for (const std::int32_t i : usable_) {
    const auto index = static_cast<std::size_t>(i);
    if (among.contains(index)) sum += snapshot_.nodes()[index].whole_gpus_free();
  }
  return sum;
}

std::int64_t Capacity::largest_free(std::size_t level) const {
  std::vector<std::int64_t> sums(snapshot_.domains(level).size());
  std::int64_t largest = 0;
  for (const std::int32_t i : usable_) {
    const Node& node = snapshot_.nodes()[static_cast<std::size_t>(i)];
    if (node.domain[level] < 0) continue;
    std::int64_t& sum = sums[static_cast<std::size_t>(node.domain[level])];
    sum += node.whole_gpus_free();
    largest = std::max(largest, sum);
  }
  return largest;
}

std::vector<DomainRoom> Capacity::domains(std::size_t level) const {
  std::vector<DomainRoom> out;
  const NodeSet all = snapshot_.index().all();
  for (const Domain& domain : snapshot_.domains(level)) {
    DomainRoom room;
    room.name = domain.name;
    bool any_full = false;
    for (const std::int32_t i : domain.nodes) {
      const auto index = static_cast<std::size_t>(i);
      any_full = any_full || is_full_.contains(index);
      if (!is_usable_.contains(index)) continue;
      const Node& node = snapshot_.nodes()[index];
      ++room.nodes;
      room.free += node.whole_gpus_free();
      room.total += node.whole_gpus;
      if (!node.product.empty()) room.products.push_back(node.product);
    }
    if (room.nodes == 0 && !any_full) continue;
    sort_unique(room.products);
    room.fits_now = holds(domain, all, When::kNow);
    room.fits_ever = holds(domain, all, When::kEmpty);
    out.push_back(std::move(room));
  }
  return out;
}

std::int64_t Capacity::mig_free(std::string_view profile) const {
  std::int64_t sum = 0;
  for (const std::int32_t i : usable_) {
    const Node& node = snapshot_.nodes()[static_cast<std::size_t>(i)];
    if (!offers_by_profile(node)) continue;
    for (const SliceCount& slice : node.slices) {
      if (same_profile(slice.profile, profile)) {
        sum += std::max<std::int64_t>(0, slice.total - slice.used);
      }
    }
  }
  return sum;
}

std::vector<std::string_view> Capacity::mig_profiles() const {
  std::vector<std::string_view> out;
  for (const std::int32_t i : usable_) {
    const Node& node = snapshot_.nodes()[static_cast<std::size_t>(i)];
    if (!offers_by_profile(node)) continue;
    for (const SliceCount& slice : node.slices) out.push_back(slice.profile);
  }
  sort_unique(out);
  return out;
}

std::vector<std::string_view> Capacity::products() const {
  std::vector<std::string_view> out;
  for (const std::int32_t i : usable_) {
    const Node& node = snapshot_.nodes()[static_cast<std::size_t>(i)];
    if (!node.product.empty()) out.push_back(node.product);
  }
  sort_unique(out);
  return out;
}

std::int64_t Capacity::largest_node() const {
  std::int64_t most = 0;
  for (const std::int32_t i : usable_) {
    most = std::max(most, snapshot_.nodes()[static_cast<std::size_t>(i)].whole_gpus);
  }
  return most;
}

}  // namespace berth::topology
