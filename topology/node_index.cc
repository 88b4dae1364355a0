#include "topology/node_index.h"

#include <algorithm>

#include "kube/selector.h"
#include "topology/snapshot.h"

namespace berth::topology {
namespace {

bool same_card(const Node& a, const Node& b) {
  return a.product_label == b.product_label && a.product == b.product &&
         a.product_key == b.product_key && a.vendor == b.vendor && a.memory_mib == b.memory_mib &&
         a.sharing == b.sharing;
}

bool keeps_pods_away(kube::Json taint) {
  const std::string_view effect = taint["effect"].string_or_empty();
  return effect == "NoSchedule" || effect == "NoExecute";
}

bool covers(kube::Json tolerations, kube::Json taint) {
  const auto items = tolerations.items();
  return std::any_of(items.begin(), items.end(), [taint](const kube::Json& toleration) {
    return kube::toleration_covers_taint(toleration, taint);
  });
}

}  // namespace

bool CardGroup::is(const ProductName& product) const {
  return std::any_of(names.begin(), names.end(), [&](const ProductWords& words) {
    return product.means(words, sample->memory_mib);
  });
}

void NodeIndex::Members::settle(std::size_t size) {
  is_set_ = list_.size() * 32 > size;
  if (!is_set_) return;
  set_ = NodeSet(size);
  set_.insert(list_);
  list_ = {};
}

void NodeIndex::Members::add_to(NodeSet& out) const {
  if (is_set_) {
    out |= set_;
  } else {
    out.insert(list_);
  }
}

NodeIndex::NodeIndex(const NodeList& nodes) : size_(nodes.size()), ready_(nodes.size()) {
  std::int32_t i = 0;
  for (const Node& node : nodes) {
    names_.emplace(node.name, i);
    add_labels(i, node.labels);
    const std::size_t taints = add_taints(i, node.taints);
    const std::size_t card = add_card(i, node);
    if (node.schedulable && node.healthy) {
      ready_.insert(static_cast<std::size_t>(i));
      add_kind(i, card, taints);
    }
    ++i;
  }
  for (auto& [key, label] : labels_) {
    label.present.settle(size_);
    for (auto& [value, members] : label.by_value) members.settle(size_);
  }
}

void NodeIndex::add_labels(std::int32_t i, kube::Json labels) {
  for (const kube::JsonMember& member : labels.members()) {
    if (!member.value.is_string()) continue;
    Label& label = labels_[member.key];
    label.present.add(i);
    label.by_value[member.value.string_or_empty()].add(i);
  }
}

std::size_t NodeIndex::add_taints(std::int32_t i, kube::Json taints) {
  // The builder lets equal lists share one value.
  auto at = std::find_if(taints_.begin(), taints_.end(),
                         [&](const TaintGroup& group) { return group.taints.shares(taints); });
  if (at == taints_.end()) at = taints_.insert(at, {taints, none()});
  at->nodes.insert(static_cast<std::size_t>(i));
  return static_cast<std::size_t>(at - taints_.begin());
}

std::size_t NodeIndex::add_card(std::int32_t i, const Node& node) {
  auto at = std::find_if(cards_.begin(), cards_.end(),
                         [&](const CardGroup& group) { return same_card(*group.sample, node); });
  if (at == cards_.end()) {
    CardGroup group{&node, {}, {}, none()};
    if (!node.vendor.empty()) {
      group.names.emplace_back(node.product_label);
      group.names.emplace_back(bare_product(node.product_label));
      group.names.emplace_back(node.product);
    }
    at = cards_.insert(at, std::move(group));
  }
  at->nodes.push_back(i);
  at->set.insert(static_cast<std::size_t>(i));
  return static_cast<std::size_t>(at - cards_.begin());
}

void NodeIndex::add_kind(std::int32_t i, std::size_t card, std::size_t taints) {
  auto at = std::find_if(kinds_.begin(), kinds_.end(), [&](const NodeKind& kind) {
    return kind.card == card && kind.taints == taints;
  });
  if (at == kinds_.end()) at = kinds_.insert(at, {card, taints, none()});
  at->nodes.insert(static_cast<std::size_t>(i));
}

NodeSet NodeIndex::labelled(std::string_view key) const {
  NodeSet out = none();
  if (const auto at = labels_.find(key); at != labels_.end()) at->second.present.add_to(out);
  return out;
}

NodeSet NodeIndex::with_any(const Label& label, kube::Json values) const {
  NodeSet out = none();
  for (const kube::Json& value : values.items()) {
    if (!value.is_string()) continue;
    const auto at = label.by_value.find(value.string_or_empty());
    if (at != label.by_value.end()) at->second.add_to(out);
  }
  return out;
}

NodeSet NodeIndex::meeting(kube::Json requirement) const {
  if (!kube::is_requirement(requirement)) return none();
  const auto at = labels_.find(requirement["key"].string_or_empty());
  if (at == labels_.end()) {
    return kube::requirement_holds(requirement, nullptr) ? all() : none();
  }
  const Label& label = at->second;
  const std::string_view op = requirement["operator"].string_or_empty();
  if (op == "In") return with_any(label, requirement["values"]);
  NodeSet out = none();
  if (op == "NotIn") {
    out = with_any(label, requirement["values"]);
    out.complement();
    return out;
  }
  if (kube::requirement_holds(requirement, nullptr)) {
    label.present.add_to(out);
    out.complement();
  }
  for (const auto& [value, nodes] : label.by_value) {
    if (kube::requirement_holds(requirement, &value)) nodes.add_to(out);
  }
  return out;
}

NodeSet NodeIndex::named(kube::Json requirement) const {
  NodeSet out = none();
  for (const auto& [name, i] : names_) {
    if (kube::field_holds(requirement, name)) out.insert(static_cast<std::size_t>(i));
  }
  return out;
}

NodeSet NodeIndex::meeting_term(kube::Json term) const {
  const auto expressions = term["matchExpressions"].items();
  const auto fields = term["matchFields"].items();
  if (expressions.empty() && fields.empty()) return none();
  NodeSet out = all();
  for (const kube::Json& requirement : expressions) out &= meeting(requirement);
  for (const kube::Json& requirement : fields) out &= named(requirement);
  return out;
}

NodeSet NodeIndex::admitted(kube::Json pod_spec) const {
  NodeSet out = all();
  for (const kube::JsonMember& member : pod_spec["nodeSelector"].members()) {
    const auto label = labels_.find(member.key);
    if (label == labels_.end() || !member.value.is_string()) return none();
    const auto at = label->second.by_value.find(member.value.string_or_empty());
    if (at == label->second.by_value.end()) return none();
    NodeSet with = none();
    at->second.add_to(with);
    out &= with;
  }
  const kube::Json required =
      pod_spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
  if (!required.is_object()) return out;
  NodeSet some = none();
  for (const kube::Json& term : required["nodeSelectorTerms"].items()) some |= meeting_term(term);
  return out &= some;
}

NodeSet NodeIndex::tolerated(kube::Json tolerations, kube::Json more) const {
  NodeSet out = none();
  for (const TaintGroup& group : taints_) {
    const auto taints = group.taints.items();
    const bool bearable = std::all_of(taints.begin(), taints.end(), [&](const kube::Json& taint) {
      return !keeps_pods_away(taint) || covers(tolerations, taint) || covers(more, taint);
    });
    if (bearable) out |= group.nodes;
  }
  return out;
}

NodeSet NodeIndex::of_product(std::string_view name) const {
  if (name.empty()) return all();
  NodeSet out = none();
  const ProductName product(name);
  for (const CardGroup& group : cards_) {
    if (group.is(product)) out |= group.set;
  }
  return out;
}

NodeSet NodeIndex::of_vendor(std::string_view vendor) const {
  NodeSet out = none();
  for (const CardGroup& group : cards_) {
    if (group.sample->vendor == vendor) out |= group.set;
  }
  return out;
}

}  // namespace berth::topology
