// Products: the names that rules use ("H100", "A100-80GB") to label values of this cluster's nodes.
#include <algorithm>
#include <map>

#include "kube/affinity.h"
#include "rules/intent.h"
#include "rules/resolve.h"
#include "topology/catalog.h"

namespace berth::rules {
namespace {

constexpr std::string_view kProductLabel = "nvidia.com/gpu.product";
constexpr int kHighestWeight = 100;
constexpr int kWeightStep = 20;

// One plain unit of the node's GPU resource is a part of a card.
bool is_divided(const topology::Node& node) {
  switch (node.sharing) {
    case topology::Sharing::kNone:
    case topology::Sharing::kMigMixed:
      return false;
    case topology::Sharing::kTimeSlicing:
    case topology::Sharing::kMps:
    case topology::Sharing::kMigSingle:
      return true;
  }
  return false;
}

using ValuesByLabel = std::map<std::string_view, std::vector<std::string_view>>;

// Values of nodes that are the product; those of nodes with whole cards where there are any.
ValuesByLabel values_on_nodes(const topology::Snapshot& cluster, std::string_view product) {
  ValuesByLabel whole;
  ValuesByLabel divided;
  const topology::ProductName name(product);
  for (const topology::CardGroup& group : cluster.index().cards()) {
    const topology::Node& node = *group.sample;
    if (node.product_key.empty() || !group.is(name)) continue;
    auto& values = (is_divided(node) ? divided : whole)[node.product_key];
    if (std::find(values.begin(), values.end(), node.product_label) == values.end()) {
      values.push_back(node.product_label);
    }
  }
  return whole.empty() ? divided : whole;
}

// What nodes of the product usually say, where no node here tells.
std::vector<std::string_view> usual_values(std::string_view product) {
  std::vector<std::string_view> values = topology::product_labels(product);
  if (values.empty()) values.push_back(product);
  return values;
}

void tidy(std::vector<std::string_view>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

// All names together, by label: a node may have any of them.
std::vector<LabelValues> required_values(Resolving& resolving, const Setting& setting,
                                         const Products& wish) {
  ValuesByLabel all;
  for (const std::string& name : wish.names) {
    for (const auto& [label, values] : values_on_nodes(resolving.cluster(), name)) {
      all[label].insert(all[label].end(), values.begin(), values.end());
    }
  }
  if (all.empty()) {
    resolving.warn(setting, (resolving.knows_nodes() ? "no node is a " : "nodes are not known: ") +
                                joined(wish.names) + "; required by its usual label");
    for (const std::string& name : wish.names) {
      const auto values = usual_values(name);
      all[kProductLabel].insert(all[kProductLabel].end(), values.begin(), values.end());
    }
  }
  std::vector<LabelValues> choices;
  for (auto& [label, values] : all) {
    tidy(values);
    choices.push_back({label, std::move(values), 0});
  }
  return choices;
}

topology::NodeSet with_any(const topology::NodeIndex& index,
                           const std::vector<LabelValues>& choices) {
  topology::NodeSet out = index.none();
  for (const topology::CardGroup& group : index.cards()) {
    const topology::Node& node = *group.sample;
    const bool chosen =
        std::any_of(choices.begin(), choices.end(), [&node](const LabelValues& choice) {
          return node.product_key == choice.label &&
                 std::find(choice.values.begin(), choice.values.end(), node.product_label) !=
                     choice.values.end();
        });
    if (chosen) out.insert(group.nodes);
  }
  return out;
}

// No term of the author excludes the values by itself (where one does, the contradiction is found
// and named when affinities are merged).
bool is_compatible(kube::Json pod_spec, const std::vector<LabelValues>& choices) {
  return std::any_of(choices.begin(), choices.end(), [&](const LabelValues& choice) {
    const kube::NodeRequirement requirement{std::string(choice.label),
                                            kube::NodeOperator::kIn,
                                            {choice.values.begin(), choice.values.end()}};
    return kube::judge(pod_spec, requirement).standing != kube::Standing::kEmpties;
  });
}

// The author's own terms and the products together leave no node that there is.
bool leaves_no_node(const Resolving& resolving, const std::vector<LabelValues>& choices) {
  const kube::Json spec = resolving.subject().pod.spec();
  const topology::NodeIndex& index = resolving.cluster().index();
  topology::NodeSet nodes = with_any(index, choices);
  if (nodes.empty()) return false;
  nodes &= index.admitted(spec);
  return nodes.empty() && is_compatible(spec, choices);
}

ProductAnswer required(Resolving& resolving, const Setting& setting, const Products& wish) {
  std::vector<LabelValues> choices = required_values(resolving, setting, wish);
  if (!leaves_no_node(resolving, choices)) {
    // Where an author's term contradicts, the products are not written and exclude nothing.
    if (choices.size() == 1 && is_compatible(resolving.subject().pod.spec(), choices)) {
      resolving.require(choices.front());
    }
    return {std::move(choices)};
  }
  const std::string text =
      "no node is a " + joined(wish.names) + " and meets the pod's own node selector and affinity";
  if (setting.rule->existing == Existing::kDeny) {
    resolving.deny(setting, text);
  } else {
    resolving.warn(setting, text + ": not required");
  }
  return {};
}

// Each name in the order of the rule, the first most wanted.
ProductAnswer preferred(const Resolving& resolving, const Products& wish) {
  ProductAnswer answer;
  int weight = kHighestWeight;
  for (const std::string& name : wish.names) {
    ValuesByLabel found = values_on_nodes(resolving.cluster(), name);
    if (!resolving.knows_nodes()) found[kProductLabel] = usual_values(name);
    for (auto& [label, values] : found) {
      answer.choices.push_back({label, std::move(values), weight});
      tidy(answer.choices.back().values);
    }
    weight = std::max(kWeightStep, weight - kWeightStep);
  }
  return answer;
}

}  // namespace

void resolve_products(Resolving& resolving, Setting& setting) {
  const auto* wish = std::get_if<Products>(&setting.assignment->value);
  if (wish == nullptr) return;
  setting.answer = setting.assignment->slot.kind == SlotKind::kProducts
                       ? required(resolving, setting, *wish)
                       : preferred(resolving, *wish);
}

}  // namespace berth::rules
