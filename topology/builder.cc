#include "topology/builder.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "kube/gpu_resource.h"
#include "kube/pod.h"
#include "kube/workload.h"

namespace berth::topology {
namespace {

constexpr std::string_view kDefaultNamespace = "default";

// Kinds that are kept as they came, beside the owners that kube/workload knows.
constexpr std::array<std::string_view, 15> kKeptKinds = {
    "LocalQueue",    "Queue",     "ClusterQueue", "ResourceFlavor",        "Topology",
    "ResourceSlice", "PodGroup",  "DeviceClass",  "ResourceClaim",         "ComputeDomain",
    "Workload",      "HyperNode", "LimitRange",   "ResourceClaimTemplate", "WorkloadPriorityClass",
};
// Controllers that own pods and are no workload of their own.
constexpr std::array<std::string_view, 4> kPlainOwners = {"ReplicaSet", "ReplicationController",
                                                          "DaemonSet", "CronJob"};

template <std::size_t N>
bool is_among(std::string_view word, const std::array<std::string_view, N>& list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// What an object is, by its own words.
struct Identity {
  std::string_view group;
  std::string_view kind;
  std::string_view namespace_name;  ///< as it stands there
  std::string_view name;

  bool is_core(std::string_view wanted) const { return group.empty() && kind == wanted; }
  std::string_view namespace_or_default() const {
    return namespace_name.empty() ? kDefaultNamespace : namespace_name;
  }
};

Identity identify(kube::Json object) {
  Identity out;
  const std::string_view version = object["apiVersion"].string_or_empty();
  const auto slash = version.find('/');
  if (slash != std::string_view::npos) out.group = version.substr(0, slash);
  out.kind = object["kind"].string_or_empty();
  out.namespace_name = object["metadata"]["namespace"].string_or_empty();
  out.name = object["metadata"]["name"].string_or_empty();
  return out;
}

bool is_owner(const Identity& id) {
  return kube::find_owner_kind(id.group, id.kind) != nullptr || is_among(id.kind, kPlainOwners);
}

std::string key_of(std::string_view kind, std::string_view namespace_name, std::string_view name) {
  std::string out(kind);
  return out.append("/").append(namespace_name).append("/").append(name);
}

bool has_ended(kube::Json pod) {
  const std::string_view phase = pod["status"]["phase"].string_or_empty();
  return phase == "Succeeded" || phase == "Failed";
}

KnownPod known_pod(const kube::Pod& pod, const std::string& prefix) {
  KnownPod out;
  const std::string_view space = pod.metadata()["namespace"].string_or(kDefaultNamespace);
  const kube::Owner owner = kube::top_owner(pod);
  const std::string rules_key = prefix + "/rules";
  out.namespace_name = space;
  out.name = pod.name();
  out.owner_kind = owner.kind;
  out.owner_name = owner.name;
  out.owner_uid = owner.uid;
  out.node_name = pod.node_name();
  out.decision = pod.annotation(prefix + "/decision");
  out.marked = pod.annotations().has(rules_key) || pod.labels().has(rules_key);
  return out;
}

}  // namespace

struct Builder::Parts {
  explicit Parts(const BuildOptions& from) : options(from), snapshot(std::make_shared<Snapshot>()) {
    if (options.levels.empty()) options.levels = default_levels();
    snapshot->levels_ = options.levels;
    snapshot->fresh_ = options.fresh;
    snapshot->generation_ = options.generation;
  }

  void know(Kind kind) { snapshot->known_ |= 1u << static_cast<unsigned>(kind); }
  Added add_node(const Identity& id, kube::Json object);
  Added add_pod(const Identity& id, kube::Json object);
  Added add_priority_class(const Identity& id, kube::Json object);
  Added add_quota(const Identity& id, kube::Json object);
  Added add_named(std::map<std::string, kube::Json, std::less<>>& map, const Identity& id,
                  kube::Json object);
  Added keep(const Identity& id, std::string_view namespace_name, kube::Json object);
  void place_pods();
  void place_uses();
  void make_levels();

  BuildOptions options;
  std::shared_ptr<Snapshot> snapshot;
  std::vector<NodeReading> nodes;
  std::unordered_map<std::string, std::size_t> node_index;
  std::unordered_map<std::string, kube::Json> taint_lists;  // by their JSON text
  std::vector<kube::Json> pods;
  std::unordered_map<std::string, std::size_t> pod_index;
  std::vector<Use> uses;
};

Builder::Added Builder::Parts::add_node(const Identity& id, kube::Json object) {
  know(Kind::kNodes);
  NodeReading reading = read_node(
      object, {snapshot->levels_, std::span<const std::string>(options.unhealthy_conditions)});
  Added out{Outcome::kTaken, std::move(reading.remarks)};
  // Most nodes have one of a few taint lists; equal ones share one value, so that whoever judges
  // them can do so once.
  reading.node.taints =
      taint_lists.try_emplace(kube::to_json(reading.node.taints), reading.node.taints)
          .first->second;
  const auto [at, is_new] = node_index.emplace(id.name, nodes.size());
  if (is_new) {
    nodes.push_back(std::move(reading));
  } else {
    nodes[at->second] = std::move(reading);
    out.outcome = Outcome::kReplaced;
  }
  return out;
}

Builder::Added Builder::Parts::add_pod(const Identity& id, kube::Json object) {
  know(Kind::kPods);
  const auto [at, is_new] =
      pod_index.emplace(key_of({}, id.namespace_or_default(), id.name), pods.size());
  if (is_new) {
    pods.push_back(object);
    return {};
  }
  pods[at->second] = object;
  return {Outcome::kReplaced, {}};
}

Builder::Added Builder::Parts::add_priority_class(const Identity& id, kube::Json object) {
  know(Kind::kPriorityClasses);
  Added out;
  PriorityClass made;
  if (const auto value = object["value"].as_int()) {
    made.value = *value;
  } else if (object.has("value")) {
    out.remarks.push_back({"/value", "value is no whole number, counts as 0"});
  }
  made.preemption_policy = object["preemptionPolicy"].string_or("PreemptLowerPriority");
  made.global_default = object["globalDefault"].bool_or(false);
  const bool is_new =
      snapshot->priority_classes_.insert_or_assign(std::string(id.name), made).second;
  if (!is_new) out.outcome = Outcome::kReplaced;
  return out;
}

Builder::Added Builder::Parts::add_quota(const Identity& id, kube::Json object) {
  know(Kind::kResourceQuotas);
  auto& list = snapshot->quotas_[std::string(id.namespace_or_default())];
  for (kube::Json& have : list) {
    if (have["metadata"]["name"].string_or_empty() != id.name) continue;
    have = object;
    return {Outcome::kReplaced, {}};
  }
  list.push_back(object);
  return {};
}

Builder::Added Builder::Parts::add_named(std::map<std::string, kube::Json, std::less<>>& map,
                                         const Identity& id, kube::Json object) {
  const bool is_new = map.insert_or_assign(std::string(id.name), object).second;
  return {is_new ? Outcome::kTaken : Outcome::kReplaced, {}};
}

Builder::Added Builder::Parts::keep(const Identity& id, std::string_view namespace_name,
                                    kube::Json object) {
  const std::string full = std::string(id.kind) + "." + std::string(id.group);
  const bool is_new =
      snapshot->objects_.insert_or_assign(key_of(full, namespace_name, id.name), object).second;
  const auto [plain, first] =
      snapshot->objects_.try_emplace(key_of(id.kind, namespace_name, id.name), object);
  if (!first && identify(plain->second).group == id.group) plain->second = object;
  return {is_new ? Outcome::kTaken : Outcome::kReplaced, {}};
}

void Builder::Parts::place_pods() {
  auto& known = snapshot->pods_;
  for (const kube::Json& object : pods) {
    if (has_ended(object)) continue;
    const kube::Pod pod(object);
    known.push_back(known_pod(pod, options.label_prefix));
    if (pod.node_name().empty()) continue;
    const auto at = node_index.find(std::string(pod.node_name()));
    if (at != node_index.end()) count_pod(nodes[at->second].node, pod);
  }
  const auto order = [](const KnownPod& pod) {
    return std::tie(pod.namespace_name, pod.owner_kind, pod.owner_name, pod.name);
  };
  std::sort(known.begin(), known.end(),
            [&order](const KnownPod& a, const KnownPod& b) { return order(a) < order(b); });
}

void Builder::Parts::place_uses() {
  for (const Use& use : uses) {
    const auto at = node_index.find(use.node);
    if (at == node_index.end()) continue;
    count_use(nodes[at->second].node, use.resource, use.units);
  }
}

void Builder::Parts::make_levels() {
  std::sort(nodes.begin(), nodes.end(),
            [](const NodeReading& a, const NodeReading& b) { return a.node.name < b.node.name; });
  std::vector<std::vector<std::vector<LevelValue>>> values;
  values.reserve(nodes.size());
  snapshot->nodes_.reserve(nodes.size());
  for (NodeReading& reading : nodes) {
    snapshot->nodes_.push_back(std::move(reading.node));
    values.push_back(std::move(reading.levels));
  }
  snapshot->index_ = NodeIndex(snapshot->nodes_);
  snapshot->domains_ = make_domains(snapshot->levels_, snapshot->nodes_, values);
}

Builder::Builder(const BuildOptions& options) : parts_(std::make_unique<Parts>(options)) {}
Builder::~Builder() = default;

base::Arena& Builder::arena() {
  return parts_->snapshot->arena_;
}

Builder::Added Builder::add(kube::Json object) {
  const Identity id = identify(object);
  Parts& to = *parts_;
  if (id.name.empty()) return {Outcome::kUnnamed, {}};
  if (id.is_core("Node")) return to.add_node(id, object);
  if (id.is_core("Pod")) return to.add_pod(id, object);
  if (id.is_core("ResourceQuota")) return to.add_quota(id, object);
  if (id.is_core("Namespace")) {
    to.know(Kind::kNamespaces);
    return to.add_named(to.snapshot->namespaces_, id, object);
  }
  if (id.kind == "PriorityClass") return to.add_priority_class(id, object);
  if (id.kind == "RuntimeClass") {
    to.know(Kind::kRuntimeClasses);
    return to.add_named(to.snapshot->runtime_classes_, id, object);
  }
  if (is_owner(id)) {
    to.know(Kind::kOwners);
    return to.keep(id, id.namespace_or_default(), object);
  }
  if (!is_among(id.kind, kKeptKinds)) return {Outcome::kIgnored, {}};
  if (id.kind == "LocalQueue") {
    to.know(Kind::kLocalQueues);
    return to.keep(id, id.namespace_or_default(), object);
  }
  if (id.kind == "Queue") to.know(Kind::kQueues);
  return to.keep(id, id.namespace_name, object);
}

void Builder::add_use(Use use) {
  parts_->uses.push_back(std::move(use));
}

std::shared_ptr<const Snapshot> Builder::finish() {
  parts_->place_pods();
  parts_->place_uses();
  parts_->make_levels();
  return std::move(parts_->snapshot);
}

}  // namespace berth::topology
