#include "mutate/placement.h"

#include <algorithm>

#include "kube/pointer.h"
#include "mutate/gang.h"
#include "mutate/node_requirement.h"
#include "mutate/record.h"
#include "mutate/siblings.h"

namespace berth::mutate {
namespace {

using kube::Json;
using kube::NodeOperator;
using kube::Standing;

constexpr std::string_view kAffinity = "/spec/affinity/";
constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kSpreads = "/spec/topologySpreadConstraints";
constexpr int kHighestWeight = 100;

// Above this many pods a required pod affinity makes scheduling slow; a preference does then.
constexpr std::int64_t kMostPodsDrawnTogether = 100;

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

std::string words_of(const rules::Setting& setting) {
  if (const auto* products = std::get_if<rules::Products>(&setting.assignment->value)) {
    return "product " + joined(products->names);
  }
  if (const auto* level = std::get_if<rules::LevelAnswer>(&setting.answer)) {
    return "level " + std::string(level->level);
  }
  return setting.assignment->slot.key + "=" + std::string(setting.text);
}

// What a setting of placement requires of nodes; all of it has to hold.
std::vector<AnyOf> requirements_of(const rules::Setting& setting) {
  const rules::Slot& slot = setting.assignment->slot;
  if (slot.kind == rules::SlotKind::kNodeSelector) {
    return {{{slot.key, NodeOperator::kIn, {std::string(setting.text)}}}};
  }
  std::vector<AnyOf> out;
  if (const auto* level = std::get_if<rules::LevelAnswer>(&setting.answer)) {
    for (const rules::LabelValues& values : level->require) {
      if (!values.values.empty()) out.push_back({requirement_of(values, NodeOperator::kIn)});
    }
    return out;
  }
  const auto* products = std::get_if<rules::ProductAnswer>(&setting.answer);
  if (products == nullptr || slot.kind != rules::SlotKind::kProducts) return out;
  AnyOf any_of;
  for (const rules::LabelValues& choice : products->choices) {
    if (!choice.values.empty()) any_of.push_back(requirement_of(choice, NodeOperator::kIn));
  }
  if (!any_of.empty()) out.push_back(std::move(any_of));
  return out;
}

// Kueue adds the labels of the flavor that it picks to the node selector, and never admits what has
// another value there: as affinity the same requirement only narrows its choice.
bool is_flavor_key(const Writing& writing, std::string_view key) {
  const auto flavors = writing.cluster.objects_of("ResourceFlavor", "kueue.x-k8s.io");
  return std::any_of(flavors.begin(), flavors.end(),
                     [&](const Json& flavor) { return flavor["spec"]["nodeLabels"].has(key); });
}

bool contains(Json list, Json item) {
  const auto items = list.items();
  return std::any_of(items.begin(), items.end(),
                     [&](const Json& other) { return kube::equal(other, item); });
}

// ---------------------------------------------------------------- preferences

// An earlier call for this very pod has ranked the domains of the label. What is free has changed
// since, but the answer is given once.
bool was_preferred(const Writing& writing, const rules::Setting& setting, std::string_view label) {
  const kube::Pod& pod = writing.subject.pod;
  if (!is_recorded(pod, writing.options.label_prefix, setting.rule->id)) return false;
  const auto terms = pod.spec()["affinity"]["nodeAffinity"][kPreferred].items();
  return std::any_of(terms.begin(), terms.end(), [&](Json term) {
    return term["preference"]["matchExpressions"].at(0)["key"].string_or_empty() == label;
  });
}

void prefer_nodes(Writing& writing, const rules::Setting& setting,
                  const rules::LabelValues& values) {
  if (values.values.empty()) return;
  base::Arena& arena = writing.arena();
  const Json expression = to_json(requirement_of(values, NodeOperator::kIn), arena);
  const Json preference =
      kube::make_object(arena, {{"matchExpressions", kube::make_array(arena, {expression})}});
  const std::string list = std::string(kAffinity) + "nodeAffinity/" + std::string(kPreferred);
  if (was_preferred(writing, setting, values.label)) return;
  for (const Json term : writing.editor.get(list).items()) {
    if (kube::equal(term["preference"], preference)) return;
  }
  const Json weight = kube::make_int(arena, std::clamp(values.weight, 1, kHighestWeight));
  append_or_warn(writing, setting, list,
                 kube::make_object(arena, {{"weight", weight}, {"preference", preference}}));
}

// ---------------------------------------------------------------- pods drawn together

void require_together(Writing& writing, const rules::Setting& setting, Json term) {
  const std::string list = std::string(kAffinity) + "podAffinity/" + std::string(kRequired);
  if (contains(writing.editor.get(list), term)) return;
  append_or_warn(writing, setting, list, term);
}

void prefer_together(Writing& writing, const rules::Setting& setting, Json term) {
  base::Arena& arena = writing.arena();
  const std::string list = std::string(kAffinity) + "podAffinity/" + std::string(kPreferred);
  for (const Json other : writing.editor.get(list).items()) {
    if (kube::equal(other["podAffinityTerm"], term)) return;
  }
  append_or_warn(writing, setting, list,
                 kube::make_object(arena, {{"weight", kube::make_int(arena, kHighestWeight)},
                                           {"podAffinityTerm", term}}));
}

void draw_together(Writing& writing, const rules::Setting& setting,
                   const rules::LevelAnswer& answer) {
  const auto label = sibling_label(writing);
  if (!label) {
    if (!writing.at_owner()) {
      warn(writing, setting.rule,
           words_of(setting) + ": no label tells the pods of this workload, they may part");
    }
    return;
  }
  base::Arena& arena = writing.arena();
  const Json term = kube::make_object(arena, {{"labelSelector", selector_of(*label, arena)},
                                              {"topologyKey", Json::string(answer.label)}});
  const bool few = writing.facts.pods <= kMostPodsDrawnTogether;
  if (answer.required && few) {
    require_together(writing, setting, term);
    return;
  }
  if (answer.required) {
    warn(writing, setting.rule,
         words_of(setting) + ": " + std::to_string(writing.facts.pods) +
             " pods are too many to require it of each pair; preferred");
  }
  prefer_together(writing, setting, term);
}

}  // namespace

void replace_selection(Writing& writing, const rules::Setting& setting) {
  if (setting.rule->existing != rules::Existing::kReplace) return;
  for (const AnyOf& any_of : requirements_of(setting)) replace_nodes(writing, any_of);
}

void write_node_selector(Writing& writing, const rules::Setting& setting) {
  const kube::Judgement judgement = judge_nodes(writing, requirements_of(setting).front());
  switch (judgement.standing) {
    case Standing::kImplied:
      return;
    case Standing::kEmpties:
      report_contradiction(writing, setting, words_of(setting), judgement.against);
      return;
    case Standing::kCompatible:
      break;
  }
  if (is_flavor_key(writing, setting.assignment->slot.key)) {
    require_nodes(writing, setting, requirements_of(setting).front(), words_of(setting));
    return;
  }
  std::string path = "/spec/nodeSelector";
  kube::append_segment(path, setting.assignment->slot.key);
  set_or_warn(writing, setting, path, Json::string(setting.text));
}

void write_products(Writing& writing, const rules::Setting& setting) {
  for (const AnyOf& any_of : requirements_of(setting)) {
    require_nodes(writing, setting, any_of, words_of(setting));
  }
}

void write_preferred_products(Writing& writing, const rules::Setting& setting) {
  const auto* answer = std::get_if<rules::ProductAnswer>(&setting.answer);
  if (answer == nullptr) return;
  for (const rules::LabelValues& choice : answer->choices) prefer_nodes(writing, setting, choice);
}

void write_level(Writing& writing, const rules::Setting& setting) {
  const auto* answer = std::get_if<rules::LevelAnswer>(&setting.answer);
  if (answer == nullptr) return;
  for (const AnyOf& any_of : requirements_of(setting)) {
    require_nodes(writing, setting, any_of, words_of(setting));
  }
  // The backend keeps the group together; what is free now is stale once it has queued.
  if (writing.options.gang != nullptr && writing.options.gang->holds_level) return;
  for (const rules::LabelValues& values : answer->prefer) prefer_nodes(writing, setting, values);
  if (answer->together && !answer->label.empty()) draw_together(writing, setting, *answer);
}

void write_spread(Writing& writing, const rules::Setting& setting) {
  const auto* answer = std::get_if<rules::LevelAnswer>(&setting.answer);
  const auto label = sibling_label(writing);
  if (answer == nullptr || answer->label.empty() || !label) return;
  for (const Json constraint : writing.editor.get(kSpreads).items()) {
    if (constraint["topologyKey"].string_or_empty() == answer->label) return;
  }
  base::Arena& arena = writing.arena();
  append_or_warn(writing, setting, kSpreads,
                 kube::make_object(arena, {{"maxSkew", kube::make_int(arena, 1)},
                                           {"topologyKey", Json::string(answer->label)},
                                           {"whenUnsatisfiable", Json::string("ScheduleAnyway")},
                                           {"labelSelector", selector_of(*label, arena)}}));
}

}  // namespace berth::mutate
