#include <string_view>

#include "rules/forms.h"
#include "rules/reading.h"
#include "rules/schema_check.h"

namespace berth::rules {
namespace {

using base::YamlMember;
using base::YamlNode;

std::vector<const YamlNode*> mappings_of(const YamlNode* node) {
  std::vector<const YamlNode*> out;
  if (node == nullptr) return out;
  if (node->is_mapping()) out.push_back(node);
  for (const YamlNode& item : node->items) {
    if (item.is_mapping()) out.push_back(&item);
  }
  return out;
}

LabelMatch labels_of(const YamlNode& node) {
  LabelMatch out;
  for (const YamlMember& member : node.members) out[member.key] = texts_of(member.value);
  return out;
}

/// The node as JSON in which every scalar is a string, as label selectors want it.
kube::Json text_json(const YamlNode& node, base::Arena& arena) {
  switch (node.kind) {
    case base::YamlKind::kNull:
      return {};
    case base::YamlKind::kScalar:
      return kube::make_string(arena, node.text);
    case base::YamlKind::kSequence: {
      std::vector<kube::Json> items;
      for (const YamlNode& item : node.items) items.push_back(text_json(item, arena));
      return kube::make_array(arena, items);
    }
    case base::YamlKind::kMapping: {
      std::vector<kube::JsonMember> members;
      for (const YamlMember& member : node.members) {
        members.push_back(
            {arena.copy(std::string_view(member.key)), text_json(member.value, arena)});
      }
      return kube::make_object(arena, members);
    }
  }
  return {};
}

void check_selector(const YamlNode& node, Reading& reading) {
  const YamlNode* list = node.find("matchExpressions");
  if (list == nullptr) return;
  const ObjectType& type = object_type(SchemaKind::kRuleSet, "labelRequirement");
  for (const YamlNode& item : list->items) {
    const Fields fields(item, type);
    const std::string op = fields.text("operator");
    const bool wants_values = op == "In" || op == "NotIn";
    const bool has_values = fields.find("values") != nullptr;
    const bool known = wants_values || op == "Exists" || op == "DoesNotExist";
    if (!known || wants_values == has_values) continue;
    reading.report.error(item.offset, "exclusive-keys",
                         "operator " + op + (wants_values ? " needs values" : " takes no values"));
  }
}

/// Sets the keys that the node gives.
void overlay(Match& match, const YamlNode& node, Reading& reading) {
  const Fields fields(node, object_type(SchemaKind::kRuleSet, "match"));
  const auto take = [&](std::string_view key, std::vector<std::string>& to) {
    if (const YamlNode* value = fields.find(key)) to = texts_of(*value);
  };
  take("intent", match.intents);
  take("namespaces", match.namespaces);
  take("kinds", match.kinds);
  take("frameworks", match.frameworks);
  take("vendors", match.vendors);
  take("operations", match.operations);
  if (const YamlNode* value = fields.find("namespaceLabels"))
    match.namespace_labels = labels_of(*value);
  if (const YamlNode* value = fields.find("labels")) match.labels = labels_of(*value);
  if (const YamlNode* value = fields.find("labelSelector"); value && value->is_mapping()) {
    match.label_selector = text_json(*value, reading.set.arena);
    check_selector(*value, reading);
  }
  if (const YamlNode* value = fields.find("gpus"); value && value->is_scalar()) {
    if (const auto range = parse_gpus(value->text)) match.gpus = *range;
  }
  match.place = reading.report.source().place_at(node.offset);
}

}  // namespace

std::vector<std::string> texts_of(const YamlNode& node) {
  std::vector<std::string> out;
  if (node.is_scalar()) out.push_back(node.text);
  for (const YamlNode& item : node.items) {
    if (item.is_scalar()) out.push_back(item.text);
  }
  return out;
}

std::vector<Match> read_matches(const YamlNode* fallback, const YamlNode* own, Reading& reading) {
  const auto under = mappings_of(fallback);
  const auto over = mappings_of(own);
  std::vector<Match> out;
  if (under.empty() || over.empty()) {
    for (const YamlNode* node : under.empty() ? over : under) {
      overlay(out.emplace_back(), *node, reading);
    }
    return out;
  }
  for (const YamlNode* low : under) {
    for (const YamlNode* high : over) {
      Match& match = out.emplace_back();
      overlay(match, *low, reading);
      overlay(match, *high, reading);
    }
  }
  return out;
}

}  // namespace berth::rules
