#include "topology/pod_mix.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "topology/node_reader.h"

namespace berth::topology {
namespace {

using kube::Json;

constexpr double kHalfLife = 3'000;  // pods after which one counts half
constexpr std::size_t kMostShapes = 512;
constexpr std::size_t kEvery = 50;  // pods between two looks, once there are some
constexpr double kLargestWeight = 1e100;
constexpr std::int64_t kBytesOfMib = 1024 * 1024;
constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";

std::int64_t rounded_up(std::int64_t value, std::int64_t step) {
  return (value + step - 1) / step * step;
}

void add_once(std::vector<std::string>& list, std::string_view value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.emplace_back(value);
}

// The values that a term leaves for labels of products; empty: it says nothing of them.
std::vector<std::string> products_of_term(Json term) {
  std::vector<std::string> out;
  for (const Json& expression : term["matchExpressions"].items()) {
    if (!is_product_label(expression["key"].string_or_empty())) continue;
    if (expression["operator"].string_or_empty() != "In") continue;
    for (const Json& value : expression["values"].items()) add_once(out, value.string_or_empty());
  }
  return out;
}

std::vector<std::string> products_of(Json spec) {
  std::vector<std::string> out;
  for (const kube::JsonMember& member : spec["nodeSelector"].members()) {
    if (is_product_label(member.key)) return {std::string(member.value.string_or_empty())};
  }
  const Json terms = spec["affinity"]["nodeAffinity"][kRequired]["nodeSelectorTerms"];
  for (const Json& term : terms.items()) {
    const std::vector<std::string> of_term = products_of_term(term);
    if (of_term.empty()) return {};  // this one admits any
    for (const std::string& product : of_term) add_once(out, product);
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

PodShape shape_of(const kube::Pod& pod) {
  PodShape out;
  for (const std::string_view name : pod.resource_names()) {
    const kube::GpuForm form = counts_as(name).form;
    if (form != kube::GpuForm::kWhole && form != kube::GpuForm::kShare) continue;
    const std::int64_t units = std::max<std::int64_t>(0, pod.effective_request(name).rounded_up());
    if (units == 0) continue;
    (form == kube::GpuForm::kWhole ? out.gpus : out.shares) += units;
    if (form == kube::GpuForm::kShare) out.share_resource = name;
  }
  out.cpu_milli = std::max<std::int64_t>(0, (pod.effective_request(kCpu) * 1000).rounded_up());
  const std::int64_t bytes = std::max<std::int64_t>(0, pod.effective_request(kRam).rounded_up());
  out.ram_mib = bytes / kBytesOfMib + (bytes % kBytesOfMib > 0 ? 1 : 0);
  out.products = products_of(pod.spec());
  return out;
}

void PodMix::saw(PodShape shape) {
  if (!shape.wants_gpus()) return;
  shape.cpu_milli = rounded_up(shape.cpu_milli, kCpuStep);
  shape.ram_mib = rounded_up(shape.ram_mib, kRamStep);
  static const double kGrowth = std::exp2(1 / kHalfLife);
  next_ *= kGrowth;
  weights_[std::move(shape)] += next_;
  ++seen_;
  if (next_ > kLargestWeight) {
    for (auto& [known, weight] : weights_) weight /= next_;
    next_ = 1;
  }
  if (weights_.size() > kMostShapes) forget_rare();
}

// The lighter half: those that are frequent come back soon.
void PodMix::forget_rare() {
  std::vector<double> all;
  for (const auto& [shape, weight] : weights_) all.push_back(weight);
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  std::erase_if(weights_, [limit = *middle](const auto& item) { return item.second < limit; });
}

std::optional<UsualPods> PodMix::take() {
  const std::size_t fresh = seen_ - taken_;
  // Early on each pod tells much.
  if (fresh == 0 || fresh < std::min(kEvery, taken_ / 4)) return std::nullopt;
  taken_ = seen_;
  double sum = 0;
  for (const auto& [shape, weight] : weights_) sum += weight;
  UsualPods out;
  for (const auto& [shape, weight] : weights_) out.push_back({shape, weight / sum});
  std::stable_sort(out.begin(), out.end(),
                   [](const UsualPod& a, const UsualPod& b) { return a.share > b.share; });
  return out;
}

}  // namespace berth::topology
