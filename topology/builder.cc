#include "topology/builder.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kube/workload.h"
#include "topology/model.h"
#include "topology/records.h"

namespace berth::topology {
namespace {

constexpr std::string_view kDefaultNamespace = "default";

// Kinds that are kept as they came, beside the owners that kube/workload knows.
constexpr std::array<std::string_view, 22> kKeptKinds = {
    "LocalQueue",
    "Queue",
    "ClusterQueue",
    "ResourceFlavor",
    "Topology",
    "ResourceSlice",
    "PodGroup",
    "DeviceClass",
    "ResourceClaim",
    "ComputeDomain",
    "Workload",
    "HyperNode",
    "LimitRange",
    "ResourceClaimTemplate",
    "WorkloadPriorityClass",
    "ClusterNetworkTopology",
    "ElasticQuota",
    "TrainingRuntime",
    "ClusterTrainingRuntime",
    "MutatingWebhookConfiguration",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding",
};
// Objects of which only what they tell of the cluster's services is kept.
constexpr std::array<std::string_view, 2> kOfServices = {"CustomResourceDefinition",
                                                         "APIGroupList"};
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

Builder::Added taken(bool stood_before) {
  return {stood_before ? Builder::Outcome::kReplaced : Builder::Outcome::kTaken, {}};
}

}  // namespace

struct Builder::Parts {
  explicit Parts(const BuildOptions& from)
      : options(from),
        model(from.levels.empty() ? default_levels() : from.levels),
        services(from.services) {}

  Kept kept(kube::Json object) const { return {object, memory}; }
  Added add_node(kube::Json object);
  Added add_priority_class(const Identity& id, kube::Json object);
  Added keep(const Identity& id, std::string_view namespace_name, kube::Json object);

  BuildOptions options;
  std::shared_ptr<base::Arena> memory = std::make_shared<base::Arena>();
  Model model;
  Services services;
  int uses = 0;
};

Builder::Added Builder::Parts::add_node(kube::Json object) {
  model.know(Kind::kNodes);
  NodeRecord record = read_node_record(
      object, memory, {model.levels(), std::span<const std::string>(options.unhealthy_conditions)});
  std::vector<Remark> remarks = std::move(record.reading.remarks);
  Added out = taken(model.set_node(std::move(record)));
  out.remarks = std::move(remarks);
  return out;
}

Builder::Added Builder::Parts::add_priority_class(const Identity& id, kube::Json object) {
  model.know(Kind::kPriorityClasses);
  std::vector<Remark> remarks;
  PriorityClass made = read_priority_class(object, remarks);
  Added out = taken(model.set_priority_class(id.name, std::move(made)));
  out.remarks = std::move(remarks);
  return out;
}

Builder::Added Builder::Parts::keep(const Identity& id, std::string_view namespace_name,
                                    kube::Json object) {
  return taken(model.set_object(id.group, id.kind, namespace_name, id.name, kept(object)));
}

Builder::Builder(const BuildOptions& options) : parts_(std::make_unique<Parts>(options)) {}
Builder::~Builder() = default;

base::Arena& Builder::arena() {
  return *parts_->memory;
}

Builder::Added Builder::add(kube::Json object) {
  const Identity id = identify(object);
  Parts& to = *parts_;
  to.services.observe(id.group, id.kind, object);
  if (is_among(id.kind, kOfServices)) return {};
  if (id.name.empty()) return {Outcome::kUnnamed, {}};
  if (id.is_core("Node")) return to.add_node(object);
  if (id.is_core("Pod")) {
    to.model.know(Kind::kPods);
    return taken(to.model.set_pod(read_pod_record(object, to.options.label_prefix)));
  }
  if (id.is_core("ResourceQuota")) {
    to.model.know(Kind::kResourceQuotas);
    return taken(to.model.set_quota(id.namespace_or_default(), id.name, to.kept(object)));
  }
  if (id.is_core("Namespace")) {
    to.model.know(Kind::kNamespaces);
    return taken(to.model.set_namespace(id.name, to.kept(object)));
  }
  if (id.kind == "PriorityClass") return to.add_priority_class(id, object);
  if (id.kind == "RuntimeClass") {
    to.model.know(Kind::kRuntimeClasses);
    return taken(to.model.set_runtime_class(id.name, to.kept(object)));
  }
  if (is_owner(id)) {
    to.model.know(Kind::kOwners);
    return to.keep(id, id.namespace_or_default(), object);
  }
  if (!is_among(id.kind, kKeptKinds)) return {Outcome::kIgnored, {}};
  if (id.kind == "LocalQueue") {
    to.model.know(Kind::kLocalQueues);
    return to.keep(id, id.namespace_or_default(), object);
  }
  if (id.kind == "Queue") to.model.know(Kind::kQueues);
  return to.keep(id, id.namespace_name, object);
}

void Builder::add_use(Use use) {
  parts_->model.set_claim(std::to_string(parts_->uses++), use.node, {{use.resource, use.units}}, 0);
}

std::shared_ptr<const Snapshot> Builder::finish() {
  const BuildOptions& options = parts_->options;
  parts_->services.settle();
  parts_->model.set_services(parts_->services);
  return parts_->model.build(
      {options.generation, options.fresh ? "" : "the picture is said to be out of date"});
}

}  // namespace berth::topology
