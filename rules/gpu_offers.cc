#include "rules/gpu_offers.h"

#include <algorithm>
#include <map>

#include "rules/intent.h"
#include "topology/catalog.h"

namespace berth::rules {
namespace {

constexpr std::string_view kSharingStrategy = "nvidia.com/gpu.sharing-strategy";
constexpr std::string_view kGkeSharing = "cloud.google.com/gke-gpu-sharing-strategy";
constexpr std::string_view kGkePartition = "cloud.google.com/gke-gpu-partition-size";
constexpr std::int64_t kBytesPerMib = 1024 * 1024;

using ValuesByLabel = std::map<std::string_view, std::vector<std::string_view>>;

void add(ValuesByLabel& values, std::string_view label, std::string_view value) {
  auto& list = values[label];
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

std::vector<LabelValues> sorted(ValuesByLabel values) {
  std::vector<LabelValues> out;
  for (auto& [label, list] : values) {
    std::sort(list.begin(), list.end());
    out.push_back({label, std::move(list), 0});
  }
  return out;
}

bool has_memory(std::int64_t mib, std::optional<kube::Quantity> need) {
  return !need || (mib > 0 && kube::Quantity::of(mib) * kBytesPerMib >= *need);
}

const topology::Node& node_at(const Resolving& resolving, std::int32_t index) {
  return resolving.cluster().nodes()[static_cast<std::size_t>(index)];
}

// ------------------------------------------------------------------ slices

// One profile under one resource name, over all usable nodes.
struct Offer {
  std::string_view profile;
  bool single = false;          // under the plain name, on nodes that are cut alike
  std::int64_t memory_mib = 0;  // the least among nodes with enough of it
  std::vector<const topology::Node*> fitting;
  std::vector<const topology::Node*> too_small;
};

// "1g.10gb.me", "1g.24gb-me", "2g.48gb.gfx": with engines that most pods do not need.
bool is_special(std::string_view profile) {
  const std::size_t gb = profile.find("gb");
  return gb != std::string_view::npos && gb + 2 != profile.size();
}

bool is_better(const Offer& a, const Offer& b) {
  const auto rank = [](const Offer& offer) {
    return std::tuple(offer.memory_mib, topology::slice_compute(offer.profile).value_or(0),
                      is_special(offer.profile), offer.single, offer.profile);
  };
  return rank(a) < rank(b);
}

std::string plus_as_dot(std::string_view profile) {
  std::string out(profile);
  std::replace(out.begin(), out.end(), '+', '.');
  return out;
}

std::vector<Offer> offers_of(Resolving& resolving, const SliceWish& wish) {
  std::vector<Offer> offers;
  const topology::NodeSet wanted = resolving.of_required_products();
  for (const std::int32_t index : resolving.capacity_of_parts().usable()) {
    const topology::Node& node = node_at(resolving, index);
    if (node.vendor != "nvidia" || !wanted.contains(static_cast<std::size_t>(index))) continue;
    const bool single = node.sharing == topology::Sharing::kMigSingle;
    for (const topology::SliceCount& slice : node.slices) {
      if (!wish.profile.empty() && slice.profile != plus_as_dot(wish.profile)) continue;
      if (slice.total <= 0) continue;
      auto at = std::find_if(offers.begin(), offers.end(), [&](const Offer& offer) {
        return offer.profile == slice.profile && offer.single == single;
      });
      if (at == offers.end()) at = offers.insert(at, Offer{slice.profile, single, 0, {}, {}});
      if (!has_memory(slice.memory_mib, wish.memory)) {
        at->too_small.push_back(&node);
        continue;
      }
      const bool least = at->fitting.empty() || slice.memory_mib < at->memory_mib;
      if (least) at->memory_mib = slice.memory_mib;
      at->fitting.push_back(&node);
    }
  }
  std::erase_if(offers, [](const Offer& offer) { return offer.fitting.empty(); });
  std::sort(offers.begin(), offers.end(), is_better);
  return offers;
}

std::string resource_of(const Offer& offer) {
  if (offer.single) return std::string(kube::kNvidiaGpu);
  return std::string(kube::kNvidiaMigPrefix) + std::string(offer.profile);
}

// The name of the quota that has no room for more units of the resource, or empty.
std::string_view exhausted_quota(const Resolving& resolving, const std::string& resource,
                                 std::int64_t units) {
  const std::string key = "requests." + resource;
  for (const kube::Json& quota : resolving.cluster().quotas(resolving.facts().namespace_name)) {
    const auto hard = kube::Quantity::parse(quota["spec"]["hard"][key]);
    if (!hard) continue;
    const auto used = kube::Quantity::parse(quota["status"]["used"][key]);
    const kube::Quantity in_use = used ? *used : kube::Quantity();
    if (in_use + kube::Quantity::of(units) > *hard) {
      return quota["metadata"]["name"].string_or_empty();
    }
  }
  return {};
}

// A quota that counts whole GPUs and has no word for the new name: the pod leaves its reach.
std::string escaped_quota(const Resolving& resolving, const std::string& resource) {
  if (resource == kube::kNvidiaGpu) return {};
  constexpr std::string_view kWhole = "requests.nvidia.com/gpu";
  std::string_view counting;
  for (const kube::Json& quota : resolving.cluster().quotas(resolving.facts().namespace_name)) {
    const kube::Json hard = quota["spec"]["hard"];
    if (hard.has("requests." + resource)) return {};
    if (hard.has(kWhole)) counting = quota["metadata"]["name"].string_or_empty();
  }
  if (counting.empty()) return {};
  return "quota " + quoted(counting) + " counts nvidia.com/gpu, not " + resource;
}

// Which nodes, where the name alone does not tell: cut alike under the plain name, or with the same
// profile in too small a size.
std::vector<LabelValues> nodes_of(const Offer& offer) {
  if (!offer.single && offer.too_small.empty()) return {};
  ValuesByLabel values;
  for (const topology::Node* node : offer.fitting) {
    const kube::Json partition = node->labels[kGkePartition];
    if (partition.is_string() && offer.single) {
      add(values, kGkePartition, partition.string_or_empty());
    } else if (!node->product_key.empty()) {
      add(values, node->product_key, node->product_label);
    }
  }
  // Lists of several labels would be ANDed: with more than one, only the first can be said.
  if (values.size() > 1) values.erase(std::next(values.begin()), values.end());
  return sorted(std::move(values));
}

GpuAnswer as_answer(const Offer& offer) {
  GpuAnswer answer;
  answer.share = Share::kMig;
  answer.resource = resource_of(offer);
  answer.profile = offer.profile;
  answer.require = nodes_of(offer);
  return answer;
}

// ------------------------------------------------------------------ shares

topology::Sharing sharing_of(Share form) {
  return form == Share::kMps ? topology::Sharing::kMps : topology::Sharing::kTimeSlicing;
}

// "nvidia.com/gpu.shared" where the device plugin renames, else the plain name.
std::string_view shared_resource(const topology::Node& node) {
  const auto units = kube::Quantity::parse(node.allocatable[kube::kNvidiaSharedGpu]);
  return units && units->sign() > 0 ? kube::kNvidiaSharedGpu : kube::kNvidiaGpu;
}

}  // namespace

std::vector<LabelValues> divided_nodes(const topology::Snapshot& cluster) {
  ValuesByLabel values;
  values[kSharingStrategy] = {"mps", "time-slicing"};
  for (const topology::Node& node : cluster.nodes()) {
    const bool divided = node.sharing == topology::Sharing::kTimeSlicing ||
                         node.sharing == topology::Sharing::kMps ||
                         node.sharing == topology::Sharing::kMigSingle;
    if (node.vendor != "nvidia" || !divided) continue;
    const std::string_view product = node.product_label;
    if (product.find("-MIG-") != std::string_view::npos || product.ends_with("-SHARED")) {
      add(values, node.product_key, product);
    }
    for (const std::string_view label : {kGkePartition, kGkeSharing}) {
      const std::string_view value = node.labels[label].string_or_empty();
      if (!value.empty()) add(values, label, value);
    }
  }
  return sorted(std::move(values));
}

SliceChoice choose_slice(Resolving& resolving, const SliceWish& wish) {
  SliceChoice choice;
  for (const Offer& offer : offers_of(resolving, wish)) {
    const std::string resource = resource_of(offer);
    const std::string_view quota = exhausted_quota(resolving, resource, wish.units);
    if (quota.empty()) {
      choice.answer = as_answer(offer);
      if (choice.quota_note.empty()) choice.quota_note = escaped_quota(resolving, resource);
      return choice;
    }
    if (choice.quota_note.empty()) {
      choice.quota_note = "quota " + quoted(quota) + " has no room for " + resource;
    }
  }
  return choice;
}

std::optional<GpuAnswer> choose_share(Resolving& resolving, Share form,
                                      std::optional<kube::Quantity> memory) {
  std::map<std::string_view, ValuesByLabel> nodes_by_resource;
  const topology::NodeSet wanted = resolving.of_required_products();
  for (const std::int32_t index : resolving.capacity_of_parts().usable()) {
    const topology::Node& node = node_at(resolving, index);
    if (node.vendor != "nvidia" || node.sharing != sharing_of(form) || node.shares <= 0) continue;
    if (!wanted.contains(static_cast<std::size_t>(index))) continue;
    const std::int64_t share_mib = node.memory_mib / std::max<std::int64_t>(1, node.replicas);
    if (!has_memory(share_mib, memory)) continue;
    ValuesByLabel& values = nodes_by_resource[shared_resource(node)];
    for (const std::string_view label : {kSharingStrategy, kGkeSharing}) {
      const std::string_view value = node.labels[label].string_or_empty();
      if (!value.empty()) add(values, label, value);
    }
    if (memory && !node.product_key.empty()) add(values, node.product_key, node.product_label);
  }
  if (nodes_by_resource.empty()) return std::nullopt;
  const auto last = std::prev(nodes_by_resource.end());  // ".shared" sorts behind the plain name
  GpuAnswer answer;
  answer.share = form;
  answer.resource = last->first;
  answer.require = sorted(std::move(last->second));
  return answer;
}

}  // namespace berth::rules
