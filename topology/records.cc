#include "topology/records.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/arena.h"
#include "kube/gpu_resource.h"
#include "kube/pod.h"
#include "kube/workload.h"
#include "topology/hint.h"

namespace berth::topology {
namespace {

using kube::Json;
using kube::JsonMember;

constexpr std::string_view kDefaultNamespace = "default";
constexpr std::array<std::string_view, 6> kKeptMetadata = {
    "name", "namespace", "uid", "labels", "annotations", "ownerReferences"};
constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

bool has_ended(Json pod) {
  const std::string_view phase = pod["status"]["phase"].string_or_empty();
  return phase == "Succeeded" || phase == "Failed";
}

// Bytes that a copy of a value needs of an arena.
std::size_t bytes_of(Json value) {
  constexpr std::size_t kAlignment = 8;
  switch (value.type()) {
    case kube::JsonType::kNull:
    case kube::JsonType::kBool:
      return 0;
    case kube::JsonType::kNumber:
    case kube::JsonType::kString:
      return value.size();
    case kube::JsonType::kArray: {
      std::size_t sum = kAlignment;
      for (const Json& item : value.items()) sum += sizeof(Json) + bytes_of(item);
      return sum;
    }
    case kube::JsonType::kObject: {
      std::size_t sum = kAlignment;
      for (const JsonMember& member : value.members())
        sum += sizeof(JsonMember) + member.key.size() + bytes_of(member.value);
      return sum;
    }
  }
  return 0;
}

KnownPod known_pod(const kube::Pod& pod, const std::string& prefix) {
  KnownPod out;
  const kube::Owner owner = kube::top_owner(pod);
  const std::string rules_key = prefix + "/rules";
  out.namespace_name = pod.metadata()["namespace"].string_or(kDefaultNamespace);
  out.name = pod.name();
  out.owner_kind = owner.kind;
  out.owner_name = owner.name;
  out.owner_uid = owner.uid;
  out.node_name = pod.node_name();
  out.decision = pod.annotation(prefix + "/decision");
  out.marked = pod.annotations().has(rules_key) || pod.labels().has(rules_key);
  return out;
}

// The volume of the service account's token has a random name, which the API server gives before
// any webhook is called and which stays.
BornAs born_as(const kube::Pod& pod, const KnownPod& known) {
  constexpr std::string_view kTokenVolume = "kube-api-access-";
  BornAs out;
  if (pod.generate_name().empty()) return out;
  out.name = pod.generate_name();
  for (const Json& volume : pod.spec()["volumes"].items()) {
    const std::string_view name = volume["name"].string_or_empty();
    if (!name.starts_with(kTokenVolume)) continue;
    out.name.append(" ").append(name);
    out.unique = true;
    return out;
  }
  out.name.append(" ").append(known.owner_uid);
  return out;
}

Kept terms_of(const kube::Pod& pod) {
  base::Arena scratch(1024);
  std::vector<JsonMember> members;
  for (const std::string_view key : {"nodeSelector", "affinity", "tolerations"}) {
    if (const Json* value = pod.spec().find(key)) members.push_back({key, *value});
  }
  return copy_kept(kube::make_object(scratch, members));
}

}  // namespace

NodeRecord read_node_record(Json object, std::shared_ptr<const void> memory,
                            const ReadOptions& options) {
  return {read_node(object, options), std::move(memory)};
}

NodeRecord copy_node_record(Json object, const ReadOptions& options) {
  const Json metadata = object["metadata"];
  const Json status = object["status"];
  const Json allocatable = status.has("allocatable") ? status["allocatable"] : status["capacity"];
  const Json labels = metadata["labels"];
  const Json taints = object["spec"]["taints"];
  auto memory =
      std::make_shared<base::Arena>(bytes_of(labels) + bytes_of(taints) + bytes_of(allocatable));
  const Json kept_labels = kube::deep_copy(*memory, labels);
  const Json kept_taints = kube::deep_copy(*memory, taints);
  const Json kept_allocatable = kube::deep_copy(*memory, allocatable);
  base::Arena scratch(1024);
  const auto with = [&scratch](Json of, std::string_view key, Json value) {
    return kube::with_member(scratch, of, key, value);
  };
  Json mixed = with(object, "metadata", with(metadata, "labels", kept_labels));
  mixed = with(mixed, "spec", with(object["spec"], "taints", kept_taints));
  mixed = with(mixed, "status", with(status, "allocatable", kept_allocatable));
  return {read_node(mixed, options), std::move(memory)};
}

PodRecord read_pod_record(Json object, const std::string& label_prefix) {
  const kube::Pod pod(object);
  PodRecord out;
  out.known = known_pod(pod, label_prefix);
  out.ended = has_ended(object);
  if (out.ended) return out;
  if (out.known.node_name.empty())
    out.nominated = object["status"]["nominatedNodeName"].string_or_empty();
  for (const std::string_view name : pod.resource_names()) {
    if (kube::classify_gpu_resource(name).form == kube::GpuForm::kNone) continue;
    const std::int64_t units = pod.effective_request(name).rounded_up();
    if (units > 0) out.uses.push_back({std::string(name), units});
  }
  const bool wants_gpu = !out.uses.empty();
  out.shape = shape_of(pod);
  if (out.shape.cpu_milli > 0) out.uses.push_back({std::string(kCpu), out.shape.cpu_milli});
  if (out.shape.ram_mib > 0) out.uses.push_back({std::string(kRam), out.shape.ram_mib});
  out.born = born_as(pod, out.known);
  const bool gated = pod.spec()["schedulingGates"].size() > 0;
  const bool comes = out.known.node_name.empty() && out.nominated.empty() && !gated;
  const std::vector<std::string_view> hint =
      out.known.marked ? hinted_nodes(pod.spec()) : std::vector<std::string_view>();
  if (comes && (wants_gpu || !hint.empty())) out.terms = terms_of(pod);
  out.hint = hint.empty() ? Hint::kNone
             : std::find(hint.begin(), hint.end(), out.known.node_name) != hint.end()
                 ? Hint::kFollowed
                 : Hint::kMissed;
  return out;
}

std::string key_of(std::string_view namespace_name, std::string_view name) {
  std::string out;
  out.reserve(namespace_name.size() + name.size() + 1);
  out.append(namespace_name).append("/").append(name);
  return out;
}

PriorityClass read_priority_class(Json object, std::vector<Remark>& remarks) {
  PriorityClass out;
  if (const auto value = object["value"].as_int()) {
    out.value = *value;
  } else if (object.has("value")) {
    remarks.push_back({"/value", "value is no whole number, counts as 0"});
  }
  out.preemption_policy = object["preemptionPolicy"].string_or("PreemptLowerPriority");
  out.global_default = object["globalDefault"].bool_or(false);
  return out;
}

Kept copy_kept(Json object) {
  auto memory = std::make_shared<base::Arena>(bytes_of(object));
  const Json copy = kube::deep_copy(*memory, object);
  return {copy, std::move(memory)};
}

Json without_bookkeeping(base::Arena& arena, Json object) {
  Json metadata = Json::object({});
  for (const std::string_view key : kKeptMetadata) {
    const Json* value = object["metadata"].find(key);
    if (value == nullptr) continue;
    const bool trims = key == "annotations" && value->has(kLastApplied);
    metadata = kube::with_member(
        arena, metadata, key, trims ? kube::without_member(arena, *value, kLastApplied) : *value);
  }
  return kube::with_member(arena, object, "metadata", metadata);
}

}  // namespace berth::topology
