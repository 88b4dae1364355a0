#include "rules/resolve.h"

#include <algorithm>

namespace berth::rules {
namespace {

kube::Json toleration_json(const Toleration& toleration, base::Arena& arena) {
  kube::Json out = kube::make_object(arena, {{"operator", kube::Json::string(toleration.op)}});
  const auto set = [&](std::string_view key, std::string_view value) {
    if (!value.empty()) out = kube::with_member(arena, out, key, kube::Json::string(value));
  };
  set("key", toleration.key);
  set("value", toleration.value);
  set("effect", toleration.effect);
  return out;
}

// The pod's spec with the node selector of the decision: what the scheduler will see.
kube::Json with_node_selector(kube::Json spec, const Decision& decision, base::Arena& arena) {
  kube::Json selector = spec["nodeSelector"];
  for (const Setting& setting : decision.settings) {
    const Slot& slot = setting.assignment->slot;
    if (slot.kind != SlotKind::kNodeSelector || selector.has(slot.key)) continue;
    selector = kube::with_member(arena, selector, slot.key, kube::Json::string(setting.text));
  }
  if (selector.shares(spec["nodeSelector"])) return spec;
  return kube::with_member(arena, spec, "nodeSelector", selector);
}

// The spec with "label In values" ANDed into every required term; a term that is empty matches no
// node and stays so.
kube::Json with_requirement(kube::Json spec, const LabelValues& values, base::Arena& arena) {
  constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
  std::vector<kube::Json> texts;
  for (const std::string_view value : values.values) texts.push_back(kube::Json::string(value));
  const kube::Json requirement =
      kube::make_object(arena, {{"key", kube::Json::string(values.label)},
                                {"operator", kube::Json::string("In")},
                                {"values", kube::make_array(arena, texts)}});
  const kube::Json affinity = spec["affinity"];
  const kube::Json of_nodes = affinity["nodeAffinity"];
  std::vector<kube::Json> terms;
  for (const kube::Json& term : of_nodes[kRequired]["nodeSelectorTerms"].items()) {
    const kube::Json expressions = term["matchExpressions"];
    const bool empty = expressions.size() == 0 && term["matchFields"].size() == 0;
    terms.push_back(empty
                        ? term
                        : kube::with_member(arena, term, "matchExpressions",
                                            kube::with_inserted(arena, expressions,
                                                                expressions.size(), requirement)));
  }
  if (of_nodes[kRequired].is_null()) {
    terms.push_back(
        kube::make_object(arena, {{"matchExpressions", kube::make_array(arena, {requirement})}}));
  }
  const kube::Json selector = kube::with_member(arena, of_nodes[kRequired], "nodeSelectorTerms",
                                                kube::make_array(arena, terms));
  const kube::Json merged = kube::with_member(arena, of_nodes, kRequired, selector);
  return kube::with_member(arena, spec, "affinity",
                           kube::with_member(arena, affinity, "nodeAffinity", merged));
}

const Products* products_of(const Decision& decision) {
  for (const Setting& setting : decision.settings) {
    if (setting.assignment->slot.kind == SlotKind::kProducts) {
      return std::get_if<Products>(&setting.assignment->value);
    }
  }
  return nullptr;
}

// Order: the GPU's form decides what capacity means for levels; levels rank what is left.
void resolve_kind(Resolving& resolving, Setting& setting) {
  switch (setting.assignment->slot.kind) {
    case SlotKind::kGpu:
      return resolve_gpu(resolving, setting);
    case SlotKind::kProducts:
    case SlotKind::kPreferProducts:
      return resolve_products(resolving, setting);
    case SlotKind::kPlacement:
      return resolve_level(resolving, setting);
    case SlotKind::kSpread:
      return resolve_spread(resolving, setting);
    case SlotKind::kGang:
      return resolve_gang(resolving, setting);
    case SlotKind::kNodeSelector:
    case SlotKind::kTolerate:
    case SlotKind::kQueue:
    case SlotKind::kScheduler:
    case SlotKind::kPriorityClass:
    case SlotKind::kRuntimeClass:
    case SlotKind::kEnv:
    case SlotKind::kShm:
    case SlotKind::kVolume:
    case SlotKind::kLabel:
    case SlotKind::kAnnotation:
    case SlotKind::kSet:
    case SlotKind::kPack:  // by what the pod will be: mutate/packing
      return;
  }
}

bool sets_visible_devices(const Decision& decision, const Rule*& rule) {
  for (const Setting& setting : decision.settings) {
    const Slot& slot = setting.assignment->slot;
    if (slot.kind != SlotKind::kEnv || slot.key != "NVIDIA_VISIBLE_DEVICES") continue;
    rule = setting.rule;
    return true;
  }
  return false;
}

// A rule hides GPUs, and a container without any takes them all the same.
void check_visible_devices(const Subject& subject, Decision& decision) {
  const Rule* rule = nullptr;
  if (!sets_visible_devices(decision, rule)) return;
  for (const kube::Container& container : subject.pod.containers()) {
    if (!container.wanted(kube::kNvidiaGpu).is_null()) continue;
    for (const kube::Json& variable : container.json["env"].items()) {
      if (variable["name"].string_or_empty() != "NVIDIA_VISIBLE_DEVICES") continue;
      if (variable["value"].string_or_empty() != "all") continue;
      decision.warnings.push_back(
          {rule, "container " + std::string(container.name()) +
                     " sets NVIDIA_VISIBLE_DEVICES=all without a GPU of its own: it sees all of "
                     "the node"});
    }
  }
}

}  // namespace

kube::Json usual_toleration(const Facts& facts, base::Arena& arena) {
  const std::string_view key = kube::whole_gpu_resource(facts.vendor);
  if (!facts.wants_gpu || key.empty()) return kube::Json::array({});
  const kube::Json toleration =
      kube::make_object(arena, {{"key", kube::Json::string(key)},
                                {"operator", kube::Json::string("Exists")},
                                {"effect", kube::Json::string("NoSchedule")}});
  return kube::make_array(arena, {toleration});
}

kube::Json with_toleration(kube::Json list, const Toleration& toleration, base::Arena& arena) {
  return kube::with_inserted(arena, list, list.size(), toleration_json(toleration, arena));
}

kube::Json tolerations_in_force(const Decision& decision, const Facts& facts, base::Arena& arena) {
  kube::Json list = usual_toleration(facts, arena);
  for (const Setting& setting : decision.settings) {
    if (const auto* toleration = std::get_if<Toleration>(&setting.assignment->value)) {
      list = with_toleration(list, *toleration, arena);
    }
  }
  return list;
}

Resolving::Resolving(const Subject& subject, const Facts& facts, const topology::Snapshot& cluster,
                     base::Arena& arena, Decision& decision)
    : subject_(subject),
      facts_(facts),
      cluster_(cluster),
      arena_(arena),
      decision_(decision),
      products_(products_of(decision)),
      pod_spec_(with_node_selector(subject.pod.spec(), decision, arena)),
      tolerations_(tolerations_in_force(decision, facts, arena)) {}

topology::Demand Resolving::demand(std::int64_t gpu_count) const {
  topology::Demand out;
  out.pod_spec = pod_spec_;
  out.extra_tolerations = tolerations_;
  out.gpus = gpu_count;
  out.pods = facts_.gpu_pods;
  out.vendor = facts_.vendor;
  out.product = facts_.gpu_product;
  out.own = cluster_.booked_for(facts_.namespace_name, facts_.kind, facts_.name);
  return out;
}

const topology::Capacity& Resolving::capacity() {
  if (!capacity_) capacity_.emplace(cluster_, demand(gpus()));
  return *capacity_;
}

const topology::Capacity& Resolving::capacity_of_parts() {
  if (!capacity_of_parts_) capacity_of_parts_.emplace(cluster_, demand(0));
  return *capacity_of_parts_;
}

topology::NodeSet Resolving::of_required_products() const {
  if (products_ == nullptr) return cluster_.index().all();
  topology::NodeSet out = cluster_.index().none();
  for (const std::string& name : products_->names) out |= cluster_.index().of_product(name);
  return out;
}

topology::Capacity Resolving::capacity_of_group(std::int64_t pods) const {
  topology::Demand of_group = demand(gpus());
  of_group.pods = pods;
  return topology::Capacity(cluster_, of_group);
}

void Resolving::require(const LabelValues& values) {
  pod_spec_ = with_requirement(pod_spec_, values, arena_);
  forget();
}

const std::vector<topology::DomainRoom>& Resolving::rooms(std::size_t level) {
  const auto known = rooms_.find(level);
  if (known != rooms_.end()) return known->second;
  return rooms_.emplace(level, capacity().domains(level)).first->second;
}

void Resolving::warn(const Setting& setting, std::string text) {
  decision_.warnings.push_back({setting.rule, std::move(text)});
}

void Resolving::deny(const Setting& setting, std::string text) {
  decision_.denials.push_back({setting.rule, std::move(text)});
}

void resolve(const Subject& subject, const Facts& facts, const topology::Snapshot& cluster,
             base::Arena& arena, Decision& decision) {
  Resolving resolving(subject, facts, cluster, arena, decision);
  for (Setting& setting : decision.settings) resolve_kind(resolving, setting);
  check_visible_devices(subject, decision);
}

}  // namespace berth::rules
