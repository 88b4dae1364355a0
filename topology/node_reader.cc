#include "topology/node_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include "kube/gpu_resource.h"
#include "kube/pointer.h"
#include "kube/quantity.h"
#include "topology/node_health.h"

namespace berth::topology {
namespace {

constexpr std::int64_t kMibPerGib = 1024;
constexpr std::int64_t kBytesOfMib = 1024 * 1024;
// Beyond these a number is a slip, and sums of it would not fit.
constexpr std::int64_t kLargestLabel = 1'000'000'000;
constexpr std::int64_t kMostUnits = 1'000'000;

// Labels that name the card, best first.
constexpr std::array<std::string_view, 12> kProductLabels = {"nvidia.com/gpu.product",
                                                             "cloud.google.com/gke-accelerator",
                                                             "karpenter.k8s.aws/instance-gpu-name",
                                                             "eks.amazonaws.com/instance-gpu-name",
                                                             "karpenter.azure.com/sku-gpu-name",
                                                             "nebius.com/gpu-name",
                                                             "aliyun.accelerator/nvidia_name",
                                                             "amd.com/gpu.product-name",
                                                             "beta.amd.com/gpu.product-name",
                                                             "gpu.intel.com/product",
                                                             "huawei.com/npu.name",
                                                             "node.kubernetes.io/npu.chip.name"};
// Labels that count the cards, best first. GPU Feature Discovery's own label is read apart.
constexpr std::array<std::string_view, 5> kCountLabels = {
    "cloud.google.com/gke-accelerator-count", "karpenter.k8s.aws/instance-gpu-count",
    "eks.amazonaws.com/instance-gpu-count", "karpenter.azure.com/sku-gpu-count",
    "gpu.intel.com/device.count"};
constexpr std::array<std::string_view, 2> kMemoryLabels = {"karpenter.k8s.aws/instance-gpu-memory",
                                                           "eks.amazonaws.com/instance-gpu-memory"};
constexpr std::array<std::string_view, 2> kVramLabels = {"amd.com/gpu.vram",
                                                         "beta.amd.com/gpu.vram"};
constexpr std::array<std::string_view, 2> kAmdPartitionLabels = {"amd.com/compute-memory-partition",
                                                                 "amd.com/compute-partition"};

// A label as text. Numbers come unquoted in files written by hand.
std::string_view label_text(kube::Json labels, std::string_view key) {
  const kube::Json value = labels[key];
  return value.is_number() ? value.number_text() : value.string_or_empty();
}

// A whole number from a label; 0 where there is none, or none that means anything.
std::int64_t label_count(kube::Json labels, std::string_view key) {
  const std::string_view text = label_text(labels, key);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && value > 0 && value <= kLargestLabel ? value : 0;
}

template <std::size_t N>
std::int64_t first_count(kube::Json labels, const std::array<std::string_view, N>& keys) {
  for (const std::string_view key : keys) {
    if (const std::int64_t value = label_count(labels, key); value > 0) return value;
  }
  return 0;
}

// One GPU resource of the node's list.
struct Offer {
  std::string_view name;
  kube::GpuResource gpu;
  std::int64_t units = 0;
};

// What the node offers of one vendor.
struct Offers {
  std::string_view vendor;
  std::vector<Offer> list;

  std::int64_t units(kube::GpuForm form) const {
    std::int64_t sum = 0;
    for (const Offer& offer : list) sum += offer.gpu.form == form ? offer.units : 0;
    return sum;
  }
};

std::int64_t read_units(kube::Json value, std::string_view name, std::string_view list,
                        std::vector<Remark>* remarks) {
  const auto parsed = kube::Quantity::parse(value);
  const auto units = parsed ? parsed->whole() : std::nullopt;
  if (units && *units >= 0 && *units <= kMostUnits) return *units;
  if (remarks != nullptr) {
    std::string text = std::string(name) + " is no count: " +
                       (parsed ? "expected a whole number from 0 to 1000000" : parsed.error().text);
    std::string pointer = "/status/" + std::string(list);
    kube::append_segment(pointer, name);
    remarks->push_back({std::move(pointer), std::move(text)});
  }
  return 0;
}

std::int64_t milli_of(kube::Json value) {
  const auto parsed = kube::Quantity::parse(value);
  return parsed && parsed->sign() > 0 ? (*parsed * 1000).rounded_up() : 0;
}

// Rounded down: what a node has.
std::int64_t mib_of(kube::Json value) {
  const auto parsed = kube::Quantity::parse(value);
  return parsed && parsed->sign() > 0 ? parsed->rounded_up() / kBytesOfMib : 0;
}

// Memory, cores and percentages are measures of a card; they say nothing about how many there are.
bool is_measure(std::string_view resource) {
  for (const std::string_view word : {"mem", "core", "percentage", "tiles", "ratio"}) {
    if (resource.find(word) != std::string_view::npos) return true;
  }
  return false;
}

// The GPU resources of the vendor that has most units; a vendor at zero counts where it is alone.
Offers read_offers(kube::Json resources, std::string_view list, std::vector<Remark>* remarks) {
  std::vector<Offers> vendors;
  for (const kube::JsonMember& member : resources.members()) {
    const kube::GpuResource gpu = counts_as(member.key);
    if (gpu.form == kube::GpuForm::kNone) continue;
    auto at = std::find_if(vendors.begin(), vendors.end(),
                           [&gpu](const Offers& offers) { return offers.vendor == gpu.vendor; });
    if (at == vendors.end()) at = vendors.insert(at, Offers{gpu.vendor, {}});
    at->list.push_back({member.key, gpu, read_units(member.value, member.key, list, remarks)});
  }
  const auto total = [](const Offers& offers) {
    std::int64_t sum = 0;
    for (const Offer& offer : offers.list) sum += offer.units;
    return sum;
  };
  const auto most =
      std::max_element(vendors.begin(), vendors.end(),
                       [&total](const Offers& a, const Offers& b) { return total(a) < total(b); });
  return most == vendors.end() ? Offers{} : std::move(*most);
}

std::string_view vendor_by_label(kube::Json labels) {
  if (label_text(labels, "nvidia.com/gpu.present") == "true" ||
      !label_text(labels, "nvidia.com/gpu.product").empty() ||
      label_text(labels, "cloud.google.com/gke-accelerator").starts_with("nvidia-")) {
    return "nvidia";
  }
  if (label_text(labels, "feature.node.kubernetes.io/amd-gpu") == "true" ||
      !label_text(labels, "amd.com/gpu.product-name").empty()) {
    return "amd";
  }
  const std::string_view maker = label_text(labels, "karpenter.k8s.aws/instance-gpu-manufacturer");
  for (const std::string_view known : {"nvidia", "amd", "habana"}) {
    if (maker == known) return known;
  }
  return {};
}

// ---------------------------------------------------------------- product and memory

// A product by the name of the resource where no label tells ("huawei.com/Ascend910B3").
std::string_view product_by_resource(const Offers& offers) {
  for (const Offer& offer : offers.list) {
    const auto slash = offer.name.find('/');
    if (slash == std::string_view::npos) continue;
    const std::string_view rest = offer.name.substr(slash + 1);
    if (find_product(rest) != nullptr) return rest;
  }
  return {};
}

void read_product(Node& node, const Offers& offers) {
  for (const std::string_view key : kProductLabels) {
    const std::string_view value = label_text(node.labels, key);
    if (value.empty()) continue;
    node.product_label = value;
    node.product_key = key;
    node.product = product_family(value);
    return;
  }
  if (const std::string_view name = product_by_resource(offers); !name.empty()) {
    node.product_label = name;
    node.product = product_family(name);
    return;
  }
  const std::string_view machine = label_text(node.labels, "node.kubernetes.io/instance-type");
  if (const Product* product = product_of_machine(machine)) {
    node.product = product->family;
    return;
  }
  const std::string family = product_family(machine);
  const auto families = product_families();
  if (std::find(families.begin(), families.end(), family) != families.end()) node.product = family;
}

// "192G" and "65536M" as AMD's labeller writes them, in MiB.
std::int64_t vram_mib(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value <= 0 || value > 1'000'000'000) return 0;
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  return unit.starts_with("G") ? value * kMibPerGib : unit.starts_with("M") ? value : 0;
}

std::int64_t read_memory(const Node& node) {
  const std::int64_t known =
      product_memory_mib(node.product_label.empty() ? node.product : node.product_label)
          .value_or(0);
  const bool is_slice = node.product_label.find("-MIG-") != std::string::npos;
  if (const std::int64_t seen = label_count(node.labels, "nvidia.com/gpu.memory");
      seen > 0 && !is_slice) {
    return seen;
  }
  for (const std::string_view key : kVramLabels) {
    if (const std::int64_t seen = vram_mib(label_text(node.labels, key)); seen > 0) return seen;
  }
  // Providers print round numbers. They tell one card of a family from another, no more.
  const std::int64_t printed = first_count(node.labels, kMemoryLabels);
  const bool other_card = printed > known + known / 8 || printed < known - known / 8;
  return printed > 0 && other_card ? printed : known;
}

// ---------------------------------------------------------------- what one unit is

// "cpx_nps4" where AMD's cards are cut and their partitions go by the plain name.
std::string_view amd_partition(kube::Json labels) {
  for (const std::string_view key : kAmdPartitionLabels) {
    const std::string_view mode = label_text(labels, key);
    if (!mode.empty()) return mode.starts_with("spx") || mode.starts_with("SPX") ? "" : mode;
  }
  return {};
}

// The profile of which one nvidia.com/gpu is a slice, in the spelling of resource names; empty on
// nodes that are not cut so.
std::string_view single_profile(const Node& node) {
  constexpr std::string_view kMark = "-MIG-";
  const std::string_view label = node.product_label;
  if (const auto at = label.find(kMark); at != std::string_view::npos) {
    std::string_view profile = label.substr(at + kMark.size());
    if (profile.ends_with("-SHARED")) profile.remove_suffix(7);
    return profile;
  }
  if (node.vendor == "amd") return amd_partition(node.labels);
  return label_text(node.labels, "cloud.google.com/gke-gpu-partition-size");
}

Sharing shared_by(kube::Json labels, std::string_view prefix) {
  std::string_view word = label_text(labels, std::string(prefix) + ".sharing-strategy");
  if (word.empty()) word = label_text(labels, "cloud.google.com/gke-gpu-sharing-strategy");
  if (word == "mps") return Sharing::kMps;
  if (word == "time-slicing" || word == "time-sharing") return Sharing::kTimeSlicing;
  return Sharing::kNone;
}

std::int64_t read_replicas(kube::Json labels) {
  const std::int64_t replicas = label_count(labels, "nvidia.com/gpu.replicas");
  const std::int64_t clients =
      label_count(labels, "cloud.google.com/gke-max-shared-clients-per-gpu");
  return std::max<std::int64_t>({1, replicas, clients});
}

void read_slices(Node& node, const Offers& offers) {
  for (const Offer& offer : offers.list) {
    if (offer.gpu.form != kube::GpuForm::kSlice || offer.units == 0) continue;
    const std::string name(offer.name);
    if (label_count(node.labels, name + ".replicas") > 1) {
      node.shares += offer.units;
      continue;
    }
    SliceCount slice;
    slice.profile = offer.gpu.profile;
    slice.total = offer.units;
    slice.memory_mib = label_count(node.labels, name + ".memory");
    if (slice.memory_mib == 0) {
      const std::string_view product =
          node.product_label.empty() ? node.product : node.product_label;
      slice.memory_mib = slice_memory_mib(product, slice.profile).value_or(0);
    }
    node.slices.push_back(std::move(slice));
  }
  std::sort(node.slices.begin(), node.slices.end(),
            [](const SliceCount& a, const SliceCount& b) { return a.profile < b.profile; });
}

// All cards cut alike, one plain unit is one slice.
void read_single(Node& node, std::string_view profile, std::int64_t units) {
  node.sharing = Sharing::kMigSingle;
  if (profile == "INVALID") return;
  if (const Sharing by = shared_by(node.labels, "nvidia.com/gpu"); by != Sharing::kNone) {
    node.sharing = by;
    node.shares += units;
    return;
  }
  SliceCount slice;
  slice.profile = profile;
  slice.total = units;
  slice.memory_mib = label_count(node.labels, "nvidia.com/gpu.memory");
  if (slice.memory_mib == 0) {
    slice.memory_mib = slice_memory_mib(node.product_label, profile).value_or(0);
  }
  node.slices.push_back(std::move(slice));
}

void read_counts(Node& node, const Offers& offers) {
  const std::int64_t whole = offers.units(kube::GpuForm::kWhole);
  const std::int64_t shared = offers.units(kube::GpuForm::kShare);
  read_slices(node, offers);
  if (const std::string_view profile = single_profile(node); !profile.empty()) {
    read_single(node, profile, whole);
    return;
  }
  node.sharing = shared_by(node.labels, "nvidia.com/gpu");
  const std::int64_t replicas = read_replicas(node.labels);
  // More units than cards, and nothing that says why: some tool shares them without a label.
  const bool more_than_cards = node.cards > 0 && whole > node.cards;
  const bool shares = node.sharing != Sharing::kNone || replicas > 1 || shared > 0 ||
                      node.product_label.ends_with("-SHARED") || more_than_cards;
  if (shares) {
    if (node.sharing == Sharing::kNone) node.sharing = Sharing::kTimeSlicing;
    node.shares += whole + shared;
    node.replicas = replicas > 1 || node.cards == 0 ? replicas : (whole + shared) / node.cards;
  } else {
    node.whole_gpus = whole;
    const bool mixed = label_text(node.labels, "nvidia.com/mig.strategy") == "mixed";
    if (mixed || !node.slices.empty()) node.sharing = Sharing::kMigMixed;
  }
}

// Physical cards: labels count them on most nodes; on others capacity does, which still has what
// allocatable has lost.
std::int64_t read_cards(const Node& node, kube::Json capacity) {
  const std::string_view profile = single_profile(node);
  const std::int64_t counted = label_count(node.labels, "nvidia.com/gpu.count");
  if (!profile.empty() && counted > 0) {
    const std::int64_t each = slices_per_gpu(node.product_label, profile).value_or(0);
    if (each > 0 && counted % each == 0) return counted / each;
  } else if (counted > 0) {
    return counted;
  }
  if (const std::int64_t other = first_count(node.labels, kCountLabels); other > 0) return other;
  if (!profile.empty() && profile != "INVALID") return 0;
  const std::int64_t whole =
      read_offers(capacity, "capacity", nullptr).units(kube::GpuForm::kWhole);
  return shared_by(node.labels, "nvidia.com/gpu") == Sharing::kNone ? whole : 0;
}

std::string_view whole_resource(const Offers& offers) {
  std::string_view found;
  std::int64_t most = -1;
  for (const Offer& offer : offers.list) {
    if (offer.gpu.form != kube::GpuForm::kWhole || offer.units <= most) continue;
    most = offer.units;
    found = offer.name;
  }
  return found;
}

void read_gpus(Node& node, kube::Json status, std::vector<Remark>& remarks) {
  const Offers offers = read_offers(node.allocatable, "allocatable", &remarks);
  node.vendor = offers.vendor.empty() ? vendor_by_label(node.labels) : offers.vendor;
  if (node.vendor.empty()) return;
  const std::string_view resource = whole_resource(offers);
  node.resource = resource.empty() ? kube::whole_gpu_resource(node.vendor) : resource;
  read_product(node, offers);
  node.memory_mib = read_memory(node);
  node.cards = read_cards(node, status["capacity"]);
  read_counts(node, offers);
}

// What there is of a resource and where its use is counted; used is null where the node has nothing
// like it.
template <typename Count>
struct Counter {
  std::int64_t total = 0;
  Count* used = nullptr;
};

// Count is const for a const node.
template <typename Count, typename NodeOrConst>
Counter<Count> counter_of(NodeOrConst& node, const kube::GpuResource& gpu) {
  const bool plain = gpu.form == kube::GpuForm::kWhole;
  if (plain && node.whole_gpus > 0) return {node.whole_gpus, &node.whole_gpus_used};
  if (plain && node.sharing == Sharing::kMigSingle && !node.slices.empty()) {
    return {node.slices[0].total, &node.slices[0].used};
  }
  if (!plain) {
    for (auto& slice : node.slices) {
      if (slice.profile == gpu.profile) return {slice.total, &slice.used};
    }
  }
  if (node.shares > 0) return {node.shares, &node.shares_used};
  if (plain) return {node.whole_gpus, &node.whole_gpus_used};
  return {};
}

NvlinkReach reach_of(const Node& node) {
  const Product* product = find_product(node.product_label);
  if (product == nullptr) product = find_product(node.product);
  return product == nullptr ? NvlinkReach::kNone : product->nvlink;
}

}  // namespace

NodeReading read_node(kube::Json object, const ReadOptions& options) {
  NodeReading out;
  Node& node = out.node;
  const kube::Json status = object["status"];
  node.name = object["metadata"]["name"].string_or_empty();
  node.labels = object["metadata"]["labels"];
  node.taints = object["spec"]["taints"];
  node.allocatable = status.has("allocatable") ? status["allocatable"] : status["capacity"];
  node.schedulable = is_schedulable(object);
  node.unwell = find_ailment(object, options.unhealthy_conditions);
  node.healthy = node.unwell.empty();
  if (const kube::Json* pods = node.allocatable.find("pods")) {
    node.pods_limit = read_units(*pods, "pods", "allocatable", &out.remarks);
  }
  node.cpu_milli = milli_of(node.allocatable["cpu"]);
  node.ram_mib = mib_of(node.allocatable["memory"]);
  node.compute_domain = label_text(node.labels, "resource.nvidia.com/computeDomain");
  read_gpus(node, status, out.remarks);
  const NvlinkReach reach = reach_of(node);
  for (const Level& level : options.levels) {
    out.levels.push_back(level_values(level, node.labels, reach));
  }
  return out;
}

void count_pod(Node& node, const kube::Pod& pod) {
  ++node.pods_used;
  for (const std::string_view name : pod.resource_names()) {
    if (counts_as(name).form == kube::GpuForm::kNone) continue;
    count_use(node, name, pod.effective_request(name).rounded_up());
  }
}

void count_use(Node& node, std::string_view resource, std::int64_t units) {
  if (resource == kCpu || resource == kRam) {
    (resource == kCpu ? node.cpu_milli_used : node.ram_mib_used) += units;
    return;
  }
  const kube::GpuResource gpu = counts_as(resource);
  if (gpu.form == kube::GpuForm::kNone || gpu.vendor != node.vendor || units <= 0) return;
  if (const auto counter = counter_of<std::int64_t>(node, gpu); counter.used != nullptr)
    *counter.used += std::min(units, kMostUnits);
}

bool is_product_label(std::string_view key) {
  return std::find(kProductLabels.begin(), kProductLabels.end(), key) != kProductLabels.end();
}

kube::GpuResource counts_as(std::string_view resource) {
  const kube::GpuResource gpu = kube::classify_gpu_resource(resource);
  const bool nameless_slice = gpu.form == kube::GpuForm::kSlice && gpu.profile.empty();
  const bool counts = gpu.form != kube::GpuForm::kShare || !is_measure(resource);
  return counts && !nameless_slice && !gpu.vendor.empty() ? gpu : kube::GpuResource{};
}

std::int64_t units_free(const Node& node, const kube::GpuResource& resource) {
  if (resource.form == kube::GpuForm::kNone || resource.vendor != node.vendor) return 0;
  const auto counter = counter_of<const std::int64_t>(node, resource);
  return counter.used == nullptr ? 0 : std::max<std::int64_t>(0, counter.total - *counter.used);
}

}  // namespace berth::topology
