#include "topology/capacity.h"

#include <algorithm>
#include <utility>

namespace berth::topology {
namespace {

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
  give_back();
  find_usable();
}

void Capacity::give_back() {
  const NodeList& nodes = snapshot_.nodes();
  for (const BookedRoom& room : demand_.own) {
    const auto i = nodes.index_of(room.node);
    if (!i) continue;
    Node node = nodes[*i];
    node.whole_gpus_used = std::max<std::int64_t>(0, node.whole_gpus_used - room.gpus);
    node.pods_used = std::max<std::int64_t>(0, node.pods_used - room.pods);
    own_.emplace_back(*i, std::move(node));
  }
  std::sort(own_.begin(), own_.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
}

// The node as it is for this workload.
const Node& Capacity::node_at(std::size_t i) const {
  if (own_.empty()) return snapshot_.nodes()[i];
  const auto at =
      std::lower_bound(own_.begin(), own_.end(), i,
                       [](const auto& own, std::size_t index) { return own.first < index; });
  return at != own_.end() && at->first == i ? at->second : snapshot_.nodes()[i];
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
  if (!bound.empty()) {
    NodeSet one = index.none();
    std::size_t i = 0;
    for (const Node& node : snapshot_.nodes()) {
      if (node.name == bound) one.insert(i);
      ++i;
    }
    some &= one;
  }
  find_kinds(some);
  is_full_ = some;
  is_full_ &= snapshot_.rooms().full;
  for (const auto& [i, node] : own_) {
    if (!is_full(node)) is_full_.erase(i);
  }
  is_usable_ = std::move(some);
  is_usable_ -= is_full_;
}

// Which kinds `some` is made of.
void Capacity::find_kinds(const NodeSet& some) {
  const auto kinds = snapshot_.index().kinds();
  counted_ = snapshot_.rooms().kinds.size() == kinds.size() && !has_host_port_ && own_.empty() &&
             demand_.pods > 0 && demand_.gpus >= 0 &&
             demand_.gpus <= static_cast<std::int64_t>(kMostGpusCounted);
  for (std::size_t k = 0; k < kinds.size() && counted_; ++k) {
    if (!some.meets(kinds[k].nodes)) continue;
    counted_ = some.contains_all(kinds[k].nodes);
    kinds_.push_back(k);
  }
}

template <typename Visit>
void Capacity::for_each_usable(Visit visit) const {
  is_usable_.for_each([&](std::size_t i) { visit(node_at(i)); });
}

std::span<const std::int32_t> Capacity::usable() const {
  if (usable_.empty())
    is_usable_.for_each([this](std::size_t i) { usable_.push_back(static_cast<std::int32_t>(i)); });
  return usable_;
}

std::int64_t Capacity::pods_on(const Node& node, When when) const {
  const std::int64_t pods =
      when == When::kNow ? pods_now(node, demand_.gpus) : pods_ever(node, demand_.gpus);
  return has_host_port_ ? std::min<std::int64_t>(pods, 1) : pods;
}

bool Capacity::holds(const Domain& domain, const NodeSet& among) const {
  std::int64_t pods = 0;
  for (const std::int32_t i : domain.nodes) {
    const auto index = static_cast<std::size_t>(i);
    if (!is_usable_.contains(index) || !among.contains(index)) continue;
    pods += pods_on(node_at(index), When::kNow);
    if (pods >= demand_.pods) return true;
  }
  return demand_.pods <= 0 && !domain.nodes.empty();
}

const CardGroup& Capacity::card_of(std::size_t kind) const {
  const NodeIndex& index = snapshot_.index();
  return index.cards()[index.kinds()[kind].card];
}

// By what is counted; nothing where it takes several kinds of nodes in one domain.
std::optional<bool> Capacity::counted_fits(std::size_t level, std::string_view product) const {
  std::optional<ProductName> name;
  if (!product.empty()) name.emplace(product);
  const auto gpus = static_cast<std::size_t>(demand_.gpus);
  std::int64_t together = 0;
  for (const std::size_t k : kinds_) {
    if (name && !card_of(k).is(*name)) continue;
    const std::int64_t most = snapshot_.rooms().kinds[k].most[level].pods[gpus];
    if (most >= demand_.pods) return true;
    together += most;
  }
  if (together < demand_.pods) return false;
  return std::nullopt;
}

bool Capacity::fits(std::size_t level) const {
  return fits(level, {});
}

bool Capacity::fits(std::size_t level, std::string_view product) const {
  if (counted_) {
    if (const auto answer = counted_fits(level, {}); !answer.value_or(true)) return false;
    if (const auto answer = counted_fits(level, product)) return *answer;
  }
  const auto domains = snapshot_.domains(level);
  const NodeSet among = snapshot_.index().of_product(product);
  return std::any_of(domains.begin(), domains.end(),
                     [&](const Domain& domain) { return holds(domain, among); });
}

std::int64_t Capacity::free() const {
  return free({});
}

std::int64_t Capacity::free(std::string_view product) const {
  std::int64_t sum = 0;
  if (counted_) {
    std::optional<ProductName> name;
    if (!product.empty()) name.emplace(product);
    for (const std::size_t k : kinds_) {
      if (!name || card_of(k).is(*name)) sum += snapshot_.rooms().kinds[k].free;
    }
    return sum;
  }
  NodeSet among = snapshot_.index().of_product(product);
  among &= is_usable_;
  among.for_each([&](std::size_t i) { sum += node_at(i).whole_gpus_free(); });
  return sum;
}

// What is counted of a level; null where nodes are to be walked.
const LevelRooms* Capacity::rooms_of(std::size_t level) const {
  return counted_ ? snapshot_.rooms().levels[level].get() : nullptr;
}

std::int64_t Capacity::largest_free(std::size_t level) const {
  if (counted_ && kinds_.size() == 1) return snapshot_.rooms().kinds[kinds_[0]].most[level].free;
  std::int64_t largest = 0;
  if (const LevelRooms* rooms = rooms_of(level); rooms != nullptr) {
    const std::size_t width = snapshot_.index().kinds().size();
    for (std::size_t first = 0; first < rooms->row_of->size(); first += width) {
      std::int64_t sum = 0;
      for (const std::size_t kind : kinds_) {
        const std::int32_t row = (*rooms->row_of)[first + kind];
        if (row >= 0) sum += rooms->now[static_cast<std::size_t>(row)].free;
      }
      largest = std::max(largest, sum);
    }
    return largest;
  }
  std::vector<std::int64_t> sums(snapshot_.domains(level).size());
  for_each_usable([&](const Node& node) {
    if (node.domain[level] < 0) return;
    std::int64_t& sum = sums[static_cast<std::size_t>(node.domain[level])];
    sum += node.whole_gpus_free();
    largest = std::max(largest, sum);
  });
  return largest;
}

// What the usable nodes of a domain have together.
struct Capacity::Sums {
  DomainRoom room;
  bool any = false;         // a usable node, or one that would be
  std::int64_t beside = 0;  // pods, on nodes in use
  std::int64_t idle = 0;    // nodes without GPUs in use that take a pod
  std::int64_t gpus_of_idle = 0;
};

Capacity::Sums Capacity::walked(const Domain& domain) const {
  Sums sums;
  DomainRoom& room = sums.room;
  for (const std::int32_t i : domain.nodes) {
    const auto index = static_cast<std::size_t>(i);
    const bool usable = is_usable_.contains(index);
    if (!usable && !is_full_.contains(index)) continue;
    const Node& node = node_at(index);
    sums.any = true;
    room.places_ever += pods_on(node, When::kEmpty);
    if (!usable) continue;
    ++room.nodes;
    room.free += node.whole_gpus_free();
    room.total += node.whole_gpus;
    if (!node.product.empty() && (room.products.empty() || room.products.back() != node.product))
      room.products.push_back(node.product);
    const std::int64_t pods = pods_on(node, When::kNow);
    room.places += pods;
    if (pods == 0) continue;
    if (node.whole_gpus_used > 0) {
      sums.beside += pods;
    } else {
      ++sums.idle;
      sums.gpus_of_idle += node.whole_gpus;
    }
  }
  return sums;
}

Capacity::Sums Capacity::counted(const LevelRooms& level, std::size_t domain) const {
  const auto gpus = static_cast<std::size_t>(demand_.gpus);
  const std::size_t first = domain * snapshot_.index().kinds().size();
  Sums sums;
  DomainRoom& room = sums.room;
  for (const std::size_t kind : kinds_) {
    const std::int32_t row = (*level.row_of)[first + kind];
    if (row < 0) continue;
    const Room& now = level.now[static_cast<std::size_t>(row)];
    const DomainCount& more = level.more[static_cast<std::size_t>(row)];
    sums.any = true;
    room.places_ever += more.ever[gpus];
    room.nodes += more.nodes;
    room.free += now.free;
    room.total += more.total;
    room.places += now.pods[gpus];
    sums.beside += more.beside[gpus];
    sums.idle += more.idle[gpus];
    sums.gpus_of_idle += more.gpus_of_idle[gpus];
    const std::string& product = card_of(kind).sample->product;
    if (more.nodes > 0 && !product.empty()) room.products.push_back(product);
  }
  return sums;
}

std::int64_t Capacity::splinters(const Sums& sums) const {
  const std::int64_t idle_places = sums.room.places - sums.beside;
  if (demand_.gpus <= 0 || idle_places <= 0 || sums.idle == 0) return 0;
  const std::int64_t pods = std::min(demand_.pods - sums.beside, idle_places);
  if (pods <= 0) return 0;
  const std::int64_t nodes = (pods * sums.idle + idle_places - 1) / idle_places;
  return std::max<std::int64_t>(0, nodes * sums.gpus_of_idle / sums.idle - pods * demand_.gpus);
}

std::vector<DomainRoom> Capacity::domains(std::size_t level) const {
  std::vector<DomainRoom> out;
  const auto domains = snapshot_.domains(level);
  const LevelRooms* rooms = rooms_of(level);
  for (std::size_t d = 0; d < domains.size(); ++d) {
    Sums sums = rooms != nullptr ? counted(*rooms, d) : walked(domains[d]);
    if (!sums.any) continue;
    DomainRoom& room = sums.room;
    room.name = domains[d].name;
    sort_unique(room.products);
    room.fits_now = room.places >= demand_.pods;
    room.fits_ever = room.places_ever >= demand_.pods;
    room.splinters = splinters(sums);
    out.push_back(std::move(room));
  }
  return out;
}

std::int64_t Capacity::mig_free(std::string_view profile) const {
  std::int64_t sum = 0;
  if (counted_) {
    for (const std::size_t k : kinds_) {
      if (!offers_by_profile(*card_of(k).sample)) continue;
      for (const auto& [have, free] : snapshot_.rooms().kinds[k].slices) {
        if (same_profile(have, profile)) sum += free;
      }
    }
    return sum;
  }
  for_each_usable([&](const Node& node) {
    if (!offers_by_profile(node)) return;
    for (const SliceCount& slice : node.slices) {
      if (same_profile(slice.profile, profile))
        sum += std::max<std::int64_t>(0, slice.total - slice.used);
    }
  });
  return sum;
}

std::vector<std::string_view> Capacity::mig_profiles() const {
  std::vector<std::string_view> out;
  for_each_usable([&](const Node& node) {
    if (!offers_by_profile(node)) return;
    for (const SliceCount& slice : node.slices) out.push_back(slice.profile);
  });
  sort_unique(out);
  return out;
}

std::vector<std::string_view> Capacity::products() const {
  std::vector<std::string_view> out;
  for (const CardGroup& card : snapshot_.index().cards()) {
    if (!card.sample->product.empty() && is_usable_.meets(card.set))
      out.push_back(card.sample->product);
  }
  sort_unique(out);
  return out;
}

std::int64_t Capacity::largest_node() const {
  std::int64_t most = 0;
  for_each_usable([&](const Node& node) { most = std::max(most, node.whole_gpus); });
  return most;
}

}  // namespace berth::topology
