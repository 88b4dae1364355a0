#include "rules/gpu_facts.h"

#include <optional>

#include "kube/pointer.h"
#include "rules/intent.h"

namespace berth::rules {
namespace {

using kube::GpuForm;
using kube::GpuResource;

constexpr std::string_view kDeviceClassPrefix = "deviceclass.resource.kubernetes.io/";

struct KnownClass {
  std::string_view name;
  GpuResource gpu;
};
// Device classes that the vendors' own DRA drivers install (hardware facts, section 6.2 and 6.6).
constexpr KnownClass kKnownClasses[] = {
    {"gpu.nvidia.com", {GpuForm::kWhole, "nvidia", {}}},
    {"vfio.gpu.nvidia.com", {GpuForm::kWhole, "nvidia", {}}},
    {"mig.nvidia.com", {GpuForm::kSlice, "nvidia", {}}},
    {"gpu.amd.com", {GpuForm::kWhole, "amd", {}}},
    {"gpu.intel.com", {GpuForm::kWhole, "intel", {}}},
};

GpuResource gpu_of_class(std::string_view class_name, const topology::Snapshot& cluster) {
  const kube::Json object = cluster.object("DeviceClass", "", class_name);
  const GpuResource named =
      kube::classify_gpu_resource(object["spec"]["extendedResourceName"].string_or_empty());
  if (named.form != GpuForm::kNone) return named;
  for (const KnownClass& known : kKnownClasses) {
    if (known.name == class_name) return known.gpu;
  }
  return {};
}

// Sums and products of what users write may be beyond 64 bits.
std::int64_t sum_of(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  return __builtin_add_overflow(a, b, &out) ? INT64_MAX : out;
}

std::int64_t product_of(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? INT64_MAX : out;
}

void count(const GpuResource& gpu, std::int64_t units, Facts& facts) {
  if (units <= 0) return;
  facts.wants_gpu = true;
  if (facts.vendor.empty()) facts.vendor = gpu.vendor;
  if (gpu.form == GpuForm::kWhole) facts.gpus = sum_of(facts.gpus, units);
  if (gpu.form == GpuForm::kSlice || gpu.form == GpuForm::kShare) facts.shared = true;
}

// "spec.containers[0].resources.limits" of a pointer.
std::string dotted(std::string_view pointer) {
  base::Arena arena(pointer.size());
  const auto segments = kube::split_pointer(pointer, arena);
  if (!segments) return std::string(pointer);
  std::string out;
  for (const std::string_view segment : *segments) {
    if (kube::array_index(segment)) {
      out.append("[").append(segment).append("]");
    } else if (segment.find_first_of("./") != std::string_view::npos) {
      out.append("[\"").append(segment).append("\"]");
    } else {
      out.append(out.empty() ? "" : ".").append(segment);
    }
  }
  return out;
}

void add_malformed(std::string_view pointer, std::string_view found, Facts& facts) {
  facts.findings.push_back(
      {dotted(pointer) + ": " + quoted(found) + " is no quantity; expected a number such as 1"});
}

bool names_gpu(std::string_view pointer, const topology::Snapshot& cluster) {
  base::Arena arena(pointer.size());
  const auto segments = kube::split_pointer(pointer, arena);
  return segments && !segments->empty() &&
         gpu_of_resource(segments->back(), cluster).form != GpuForm::kNone;
}

void find_malformed(const kube::Pod& pod, const topology::Snapshot& cluster, Facts& facts) {
  for (const kube::Pod::Malformed& bad : pod.malformed_quantities()) {
    add_malformed(bad.path, bad.found, facts);
    if (names_gpu(bad.path, cluster)) facts.hands_off = "its GPU count cannot be read";
  }
}

// Where a fraction of a GPU is asked for; extended resources are whole numbers.
void find_fractions(const kube::Pod& pod, std::string_view name, Facts& facts) {
  for (const kube::Container& container : pod.containers()) {
    const kube::Json wanted = container.wanted(name);
    const auto quantity = kube::Quantity::parse(wanted);
    if (wanted.is_null() || !quantity || quantity->whole()) continue;
    const std::string_view found =
        wanted.is_string() ? wanted.string_or_empty() : wanted.number_text();
    facts.findings.push_back({"container " + std::string(container.name()) + " asks for " +
                              quoted(found) + " of " + std::string(name) +
                              "; expected a whole number such as 1"});
    facts.hands_off = "its GPU count cannot be read";
  }
}

void count_resources(const kube::Pod& pod, const topology::Snapshot& cluster, Facts& facts) {
  for (const std::string_view name : pod.resource_names()) {
    const GpuResource gpu = gpu_of_resource(name, cluster);
    if (gpu.form == GpuForm::kNone) continue;
    find_fractions(pod, name, facts);
    count(gpu, pod.effective_request(name).whole().value_or(0), facts);
  }
}

// The `devices.requests` of a claim or of a claim template.
void count_requests(kube::Json requests, const topology::Snapshot& cluster, Facts& facts) {
  for (const kube::Json& request : requests.items()) {
    // v1 and v1beta2 put one device request under `exactly`; of a list of alternatives the first
    // is the one most wanted.
    kube::Json exact = request["exactly"];
    if (exact.is_null()) exact = request["firstAvailable"].at(0);
    if (exact.is_null()) exact = request;
    const GpuResource gpu = gpu_of_class(exact["deviceClassName"].string_or_empty(), cluster);
    if (gpu.form != GpuForm::kNone) count(gpu, exact["count"].as_int().value_or(1), facts);
  }
}

void count_claims(const kube::Pod& pod, const topology::Snapshot& cluster, Facts& facts) {
  for (const kube::Json& claim : pod.spec()["resourceClaims"].items()) {
    const std::string_view made = claim["resourceClaimTemplateName"].string_or_empty();
    const std::string_view named = claim["resourceClaimName"].string_or_empty();
    const kube::Json spec =
        !made.empty()
            ? cluster.object("ResourceClaimTemplate", facts.namespace_name, made)["spec"]["spec"]
            : cluster.object("ResourceClaim", facts.namespace_name, named)["spec"];
    count_requests(spec["devices"]["requests"], cluster, facts);
  }
}

}  // namespace

kube::GpuResource gpu_of_resource(std::string_view name, const topology::Snapshot& cluster) {
  if (name.starts_with(kDeviceClassPrefix)) {
    return gpu_of_class(name.substr(kDeviceClassPrefix.size()), cluster);
  }
  return kube::classify_gpu_resource(name);
}

bool has_device_class(std::string_view resource, const topology::Snapshot& cluster) {
  for (const KnownClass& known : kKnownClasses) {
    const kube::Json spec = cluster.object("DeviceClass", "", known.name)["spec"];
    if (spec["extendedResourceName"].string_or_empty() == resource) return true;
  }
  return false;
}

void read_gpus(const kube::Pod& pod, const topology::Snapshot& cluster, Facts& facts) {
  find_malformed(pod, cluster, facts);
  count_resources(pod, cluster, facts);
  count_claims(pod, cluster, facts);
  facts.total_gpus = product_of(facts.gpus, facts.pods);
}

}  // namespace berth::rules
