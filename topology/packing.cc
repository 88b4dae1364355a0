#include "topology/packing.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "topology/snapshot.h"

namespace berth::topology {
namespace {

constexpr std::size_t kMostFrequent = 64;
constexpr double kWeightOfScarcity = 2;
constexpr double kWeightOfRest = 0.1;
constexpr double kLargestCpu = 512'000;    // milli-cores; beside a GPU, what is left of a CPU
constexpr double kLargestRam = 4'194'304;  // and of memory only breaks ties
constexpr std::int32_t kMostSteps = 1 << 20;

std::int32_t steps(std::int64_t value, std::int64_t step) {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(value / step, 0, kMostSteps));
}

std::int32_t steps_up(std::int64_t value, std::int64_t step) {
  return steps(value > kMostSteps * step ? value : value + step - 1, step);
}

// Where the capacity is unknown nothing speaks against it.
std::int64_t free_of(std::int64_t all, std::int64_t used) {
  return all == 0 ? INT64_MAX : std::max<std::int64_t>(0, all - used);
}

// An order of our own: a scheduler that looks at some nodes of a large cluster looks at neighbours.
std::uint32_t order_of(std::int32_t i) {
  std::uint32_t x = static_cast<std::uint32_t>(i) * 0x9E3779B1u;
  x ^= x >> 15;
  return x * 0x85EBCA77u;
}

bool comes_before(std::int32_t a, std::int32_t b) {
  return std::pair(order_of(a), a) < std::pair(order_of(b), b);
}

bool is_product(const CardGroup& card, const std::vector<std::string>& products) {
  return products.empty() ||
         std::find(products.begin(), products.end(), card.sample->product_label) != products.end();
}

std::int64_t gpus_of(const CardGroup& card) {
  return card.sample->whole_gpus * static_cast<std::int64_t>(card.nodes.size());
}

}  // namespace

PackRoom pack_room(const Node& node, std::size_t card) {
  return {static_cast<std::int32_t>(card),
          static_cast<std::int32_t>(std::min<std::int64_t>(node.whole_gpus_free(), kMostSteps)),
          steps(free_of(node.cpu_milli, node.cpu_milli_used), kCpuStep),
          steps(free_of(node.ram_mib, node.ram_mib_used), kRamStep),
          steps(node.shares - node.shares_used, 1),
          static_cast<std::int32_t>(std::clamp<std::int64_t>(node.replicas, 1, kMostSteps))};
}

bool has_room_for(const Node& node, const PodShape& pod) {
  const bool shares = pod.shares == 0 || (node.shares - node.shares_used >= pod.shares &&
                                          node.allocatable.has(pod.share_resource));
  return shares && node.whole_gpus_free() >= pod.gpus && !is_full(node) &&
         free_of(node.cpu_milli, node.cpu_milli_used) >= pod.cpu_milli &&
         free_of(node.ram_mib, node.ram_mib_used) >= pod.ram_mib;
}

// ------------------------------------------------------------------ usual needs

UsualNeeds::UsualNeeds(const UsualPods& pods, const NodeIndex& index)
    : wrong_card_(index.cards().size()), scarcity_(index.cards().size()) {
  std::vector<double> shares;
  double frequent = 0;
  for (std::size_t i = 0; i < std::min(pods.size(), kMostFrequent); ++i) {
    shares.push_back(pods[i].share);
    frequent += pods[i].share;
    add(pods[i], i, index);
  }
  for (double& share : shares) share /= frequent;
  sum_shares(shares);
  all_ = {sum_of(~of_shares_), sum_of(of_shares_)};

  double all = 0;
  double demand = 0;
  double bound = 0;
  for (const CardGroup& card : index.cards()) all += static_cast<double>(gpus_of(card));
  for (const UsualPod& pod : pods) {
    const double gpus = pod.share * static_cast<double>(pod.shape.gpus);
    demand += gpus;
    if (pod.shape.products.empty()) continue;
    bound += pod.share;
    double supply = 0;
    for (const CardGroup& card : index.cards()) {
      if (is_product(card, pod.shape.products)) supply += static_cast<double>(gpus_of(card));
    }
    if (supply == 0) continue;
    for (std::size_t c = 0; c < scarcity_.size(); ++c) {
      if (is_product(index.cards()[c], pod.shape.products)) scarcity_[c] += gpus * all / supply;
    }
  }
  for (double& scarcity : scarcity_) scarcity = demand > 0 ? scarcity / demand : 0;
  weight_of_rest_ = kWeightOfRest * std::pow(std::max(0.0, 1 - bound), 4);
}

void UsualNeeds::add(const UsualPod& pod, std::size_t bit, const NodeIndex& index) {
  const Mask mask = Mask{1} << bit;
  if (pod.shape.shares > 0) of_shares_ |= mask;
  const auto is_short = [mask](std::vector<Mask>& masks, std::int32_t need) {
    const auto below = static_cast<std::size_t>(std::min(need, 4096));
    // What was the highest known amount stands for all above it.
    if (masks.size() <= below) masks.resize(below + 1, 0);
    for (std::size_t have = 0; have < below; ++have) masks[have] |= mask;
  };
  is_short(short_of_gpus_, steps(pod.shape.gpus, 1));
  is_short(short_of_shares_, steps(pod.shape.shares, 1));
  is_short(short_of_cpu_, steps_up(pod.shape.cpu_milli, kCpuStep));
  is_short(short_of_ram_, steps_up(pod.shape.ram_mib, kRamStep));
  for (std::size_t c = 0; c < wrong_card_.size(); ++c) {
    if (!is_product(index.cards()[c], pod.shape.products)) wrong_card_[c] |= mask;
  }
}

void UsualNeeds::sum_shares(const std::vector<double>& shares) {
  for (std::size_t byte = 0; byte < sums_.size(); ++byte) {
    for (std::size_t value = 0; value < 256; ++value) {
      for (std::size_t bit = 0; bit < 8; ++bit) {
        const std::size_t pod = byte * 8 + bit;
        if ((value >> bit & 1u) != 0 && pod < shares.size()) sums_[byte][value] += shares[pod];
      }
    }
  }
}

UsualNeeds::Mask UsualNeeds::at(const std::vector<Mask>& masks, std::int32_t i) {
  const auto index = static_cast<std::size_t>(i);
  return index < masks.size() ? masks[index] : 0;
}

double UsualNeeds::unusable(const PackRoom& room) const {
  const Mask mask = at(short_of_gpus_, room.gpus) | at(short_of_shares_, room.shares) |
                    at(short_of_cpu_, room.cpu) | at(short_of_ram_, room.ram) |
                    at(wrong_card_, room.card);
  const bool whole = room.gpus > 0;
  const double all = all_[whole ? 0 : 1];
  return all > 0 ? sum_of(mask & (whole ? ~of_shares_ : of_shares_)) / all : 0;
}

double UsualNeeds::sum_of(Mask pods) const {
  double sum = 0;
  for (std::size_t byte = 0; byte < sums_.size(); ++byte)
    sum += sums_[byte][pods >> (byte * 8) & 0xFFu];
  return sum;
}

double UsualNeeds::scarcity(std::int32_t card) const {
  const auto index = static_cast<std::size_t>(card);
  return index < scarcity_.size() ? scarcity_[index] : 0;
}

// ------------------------------------------------------------------ the picture

namespace {

// Only groups with too little in every node are left out: what is free is rounded down.
bool may_have_room(const PackRoom& room, const PodShape& pod) {
  return room.gpus >= pod.gpus && room.shares >= pod.shares &&
         (room.cpu + 1) * kCpuStep > pod.cpu_milli && (room.ram + 1) * kRamStep > pod.ram_mib;
}

PackRoom room_after(const PackRoom& room, const PodShape& pod) {
  return {room.card,
          room.gpus - static_cast<std::int32_t>(pod.gpus),
          std::max(0, room.cpu - steps_up(pod.cpu_milli, kCpuStep)),
          std::max(0, room.ram - steps_up(pod.ram_mib, kRamStep)),
          room.shares - static_cast<std::int32_t>(pod.shares),
          room.replicas};
}

double rest_of(const PackRoom& room) {
  return room.free() + std::min(1.0, static_cast<double>(room.cpu * kCpuStep) / kLargestCpu) +
         std::min(1.0, static_cast<double>(room.ram * kRamStep) / kLargestRam);
}

}  // namespace

Packing::Choice Packing::choice_of(const Group& group, const PodShape& pod) const {
  const PackRoom after = room_after(group.room, pod);
  Choice out;
  out.waste_growth = needs_->waste(after) - group.waste;
  out.gpus_left = after.free();
  out.scarcity = needs_->scarcity(after.card);
  out.score = -out.waste_growth - needs_->weight_of_rest() * rest_of(after) -
              kWeightOfScarcity * static_cast<double>(pod.gpus) * out.scarcity;
  return out;
}

std::vector<Packing::Choice> Packing::best(const NodeSet& among, const NodeList& nodes,
                                           const PodShape& pod, std::size_t most) const {
  struct Scored {
    double score = 0;
    std::size_t group = 0;
  };
  std::vector<Scored> heap;
  heap.reserve(groups_.size());
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (!may_have_room(groups_[g].room, pod)) continue;
    heap.push_back({choice_of(groups_[g], pod).score, g});
  }
  // Groups are in order of their room, which settles a tie.
  const auto worse = [](const Scored& a, const Scored& b) {
    return a.score != b.score ? a.score < b.score : b.group < a.group;
  };
  std::make_heap(heap.begin(), heap.end(), worse);
  std::vector<Choice> out;
  while (!heap.empty() && out.size() < most) {
    std::pop_heap(heap.begin(), heap.end(), worse);
    const Group& group = groups_[heap.back().group];
    heap.pop_back();
    Choice choice = choice_of(group, pod);
    for (const std::int32_t i : *group.nodes) {
      choice.node = static_cast<std::size_t>(i);
      if (!among.contains(choice.node) || !has_room_for(nodes[choice.node], pod)) continue;
      out.push_back(choice);
      if (out.size() == most) break;
    }
  }
  return out;
}

double Packing::waste(const Node& node, std::size_t card) const {
  return needs_->waste(pack_room(node, card));
}

// ------------------------------------------------------------------ the ledger

void PackLedger::count(const NodeIndex& index, const NodeList& nodes) {
  groups_.clear();
  made_.reset();
  places_.assign(nodes.size(), {});
  for (std::size_t c = 0; c < index.cards().size(); ++c) {
    for (const std::int32_t i : index.cards()[c].nodes) {
      const auto node = static_cast<std::size_t>(i);
      if (index.ready().contains(node)) places_[node].card = static_cast<std::int32_t>(c);
    }
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (places_[i].card < 0) continue;
    places_[i].room = pack_room(nodes[i], static_cast<std::size_t>(places_[i].card));
    groups_[places_[i].room].nodes.push_back(static_cast<std::int32_t>(i));
  }
  for (auto& [room, group] : groups_)
    std::sort(group.nodes.begin(), group.nodes.end(), comes_before);
  needs_ = std::make_shared<const UsualNeeds>(usual_, index);
}

void PackLedger::leave(std::size_t i) {
  const auto at = groups_.find(places_[i].room);
  std::vector<std::int32_t>& nodes = at->second.nodes;
  nodes.erase(
      std::lower_bound(nodes.begin(), nodes.end(), static_cast<std::int32_t>(i), comes_before));
  at->second.made.reset();
  if (nodes.empty()) groups_.erase(at);
}

void PackLedger::enter(std::size_t i, const Node& node) {
  const auto index = static_cast<std::int32_t>(i);
  places_[i].room = pack_room(node, static_cast<std::size_t>(places_[i].card));
  Growing& group = groups_[places_[i].room];
  group.nodes.insert(std::lower_bound(group.nodes.begin(), group.nodes.end(), index, comes_before),
                     index);
  group.made.reset();
}

void PackLedger::replace(std::size_t i, const Node& now) {
  if (places_[i].card < 0) return;
  const PackRoom room = pack_room(now, static_cast<std::size_t>(places_[i].card));
  if (room == places_[i].room) return;
  made_.reset();
  leave(i);
  enter(i, now);
}

void PackLedger::learn(const NodeIndex& index, UsualPods usual) {
  usual_ = std::move(usual);
  needs_ = std::make_shared<const UsualNeeds>(usual_, index);
  made_.reset();
  for (auto& [room, group] : groups_) group.made.reset();
}

std::shared_ptr<const Packing> PackLedger::packing() {
  if (made_ != nullptr) return made_;
  auto out = std::make_shared<Packing>();
  out->needs_ = needs_;
  out->groups_.reserve(groups_.size());
  for (auto& [room, group] : groups_) {
    if (group.made == nullptr) {
      group.made = std::make_shared<const std::vector<std::int32_t>>(group.nodes);
      group.waste = needs_->waste(room);
    }
    out->groups_.push_back({room, group.waste, group.made});
  }
  made_ = std::move(out);
  return made_;
}

}  // namespace berth::topology
