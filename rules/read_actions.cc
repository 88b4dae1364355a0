#include <algorithm>
#include <array>
#include <string_view>

#include "kube/json_yaml.h"
#include "rules/forms.h"
#include "rules/reading.h"
#include "rules/schema_check.h"

namespace berth::rules {
namespace {

using base::YamlMember;
using base::YamlNode;

const ObjectType& then_type() {
  return object_type(SchemaKind::kRuleSet, "then");
}

const ValueType& type_of(std::string_view object, std::string_view key) {
  return find_key(object_type(SchemaKind::kRuleSet, object), key)->type;
}

Template text_of(const YamlNode& node, const ValueType& type, Reading& reading) {
  return node.is_scalar() ? reading.expressions.text(node, type, reading.report) : Template{};
}

// ------------------------------------------------------------------ one value for the pod

void read_text(const YamlMember& action, SlotKind slot, Rule& rule, Reading& reading) {
  Text text{text_of(action.value, type_of("then", action.key), reading)};
  assign(rule, {slot, {}}, std::move(text), action.key_offset, reading);
}

/// Keys under our prefix in which we keep what was decided.
void check_reserved(const YamlMember& entry, SlotKind slot, Reading& reading) {
  if (slot != SlotKind::kLabel && slot != SlotKind::kAnnotation) return;
  for (const std::string_view name : {"/rules", "/decision"}) {
    if (entry.key != std::string(reading.label_prefix) + std::string(name)) continue;
    reading.report.error(entry.key_offset, "reserved-key",
                         in_quotes(entry.key) + " is kept for the record of what was decided",
                         "take another key");
  }
}

/// A value for each key of a mapping.
void read_map(const YamlMember& action, SlotKind slot, Rule& rule, Reading& reading) {
  for (const YamlMember& entry : action.value.members) {
    check_reserved(entry, slot, reading);
    if (!entry.value.is_scalar()) continue;
    Text text{text_of(entry.value, type_of("then", action.key), reading)};
    assign(rule, {slot, entry.key}, std::move(text), entry.key_offset, reading);
  }
}

void check_share(const Fields& fields, Share share, Reading& reading) {
  const YamlNode* memory = fields.find("memory");
  const YamlNode* profile = fields.find("profile");
  const std::size_t at = fields.node().offset;
  if (profile != nullptr && memory != nullptr) {
    reading.report.error(profile->offset, "exclusive-keys",
                         "'profile' and 'memory' exclude each other");
  } else if (profile != nullptr && share != Share::kMig) {
    reading.report.error(profile->offset, "exclusive-keys", "'profile' goes with share: mig only");
  } else if (memory != nullptr && share == Share::kWhole) {
    reading.report.error(memory->offset, "exclusive-keys",
                         "'memory' has no meaning with share: whole");
  } else if (share == Share::kAuto && fields.find("orElse") != nullptr) {
    reading.report.error(fields.find("orElse")->offset, "exclusive-keys",
                         "'orElse' has no meaning with share: auto, which takes whole cards then");
  } else if (share == Share::kMig && memory == nullptr && profile == nullptr) {
    reading.report.error(at, "missing-key", "share: mig needs a size",
                         "give 'memory' or 'profile'");
  }
}

void read_gpu(const YamlMember& action, SlotKind slot, Rule& rule, Reading& reading) {
  const Fields fields(action.value, object_type(SchemaKind::kRuleSet, "gpu"));
  GpuShare value;
  value.share = static_cast<Share>(fields.word("share"));
  value.or_else = static_cast<OrElse>(fields.word("orElse"));
  value.profile = fields.text("profile");
  if (const YamlNode* memory = fields.find("memory")) {
    value.memory = text_of(*memory, type_of("gpu", "memory"), reading);
  }
  const bool known = fields.text("share") == to_text(value.share);
  if (known) check_share(fields, value.share, reading);
  assign(rule, {slot, {}}, std::move(value), action.key_offset, reading);
}

// ------------------------------------------------------------------ lists

/// The items of a list, or the one value itself.
template <typename Read>
void for_each_item(const YamlNode& node, Read read) {
  if (!node.is_sequence()) read(node);
  for (const YamlNode& item : node.items) read(item);
}

void read_tolerations(const YamlMember& action, SlotKind, Rule& rule, Reading& reading) {
  for_each_item(action.value, [&](const YamlNode& item) { read_toleration(item, rule, reading); });
}

void read_volumes(const YamlMember& action, SlotKind, Rule& rule, Reading& reading) {
  for_each_item(action.value, [&](const YamlNode& item) { read_volume(item, rule, reading); });
}

void read_placement_action(const YamlMember& action, SlotKind, Rule& rule, Reading& reading) {
  read_placement(action, rule, reading);
}

void read_set_action(const YamlMember& action, SlotKind, Rule& rule, Reading& reading) {
  read_set(action, rule, reading);
}

struct Action {
  std::string_view key;
  SlotKind slot;
  void (*read)(const YamlMember&, SlotKind, Rule&, Reading&);
};

constexpr std::array kActions = {
    Action{"placement", SlotKind::kPlacement, read_placement_action},
    Action{"gpu", SlotKind::kGpu, read_gpu},
    Action{"gang", SlotKind::kGang, read_gang},
    Action{"queue", SlotKind::kQueue, read_text},
    Action{"scheduler", SlotKind::kScheduler, read_text},
    Action{"priorityClass", SlotKind::kPriorityClass, read_text},
    Action{"runtimeClass", SlotKind::kRuntimeClass, read_text},
    Action{"tolerate", SlotKind::kTolerate, read_tolerations},
    Action{"env", SlotKind::kEnv, read_map},
    Action{"shm", SlotKind::kShm, read_text},
    Action{"volumes", SlotKind::kVolume, read_volumes},
    Action{"labels", SlotKind::kLabel, read_map},
    Action{"annotations", SlotKind::kAnnotation, read_map},
    Action{"set", SlotKind::kSet, read_set_action},
};

ContainerChoice containers_of(const YamlNode& node) {
  if (node.is_sequence()) return {ContainerChoice::Kind::kNamed, texts_of(node)};
  return {node.text == "all" ? ContainerChoice::Kind::kAll : ContainerChoice::Kind::kGpu, {}};
}

}  // namespace

void assign(Rule& rule, Slot slot, ActionValue value, std::size_t offset, Reading& reading) {
  rule.assignments.push_back(
      {std::move(slot), std::move(value), reading.report.source().place_at(offset)});
}

void read_actions(const YamlNode& then, Rule& rule, Reading& reading) {
  const Fields fields(then, then_type());
  for (const YamlMember& member : then.members) {
    reading.report.set_key(member.key);
    for (const Action& action : kActions) {
      if (action.key == member.key && !member.value.is_null())
        action.read(member, action.slot, rule, reading);
    }
    if (member.key == "containers") rule.containers = containers_of(member.value);
    if (member.key == "warn") rule.warn = text_of(member.value, type_of("then", "warn"), reading);
    if (member.key == "deny") rule.deny = text_of(member.value, type_of("then", "deny"), reading);
    reading.report.set_key({});
  }
  const bool only_containers = then.members.size() == 1 && fields.find("containers") != nullptr;
  if (only_containers) {
    reading.report.error(then.offset, "empty", "'then' names containers, but no action");
  }
}

void read_toleration(const YamlNode& node, Rule& rule, Reading& reading) {
  Toleration value;
  if (node.is_scalar()) {
    const auto parsed = parse_taint(node.text);
    if (!parsed) return;
    value = *parsed;
  } else if (node.is_mapping()) {
    const Fields fields(node, object_type(SchemaKind::kRuleSet, "toleration"));
    value.key = fields.text("key");
    value.value = fields.text("value");
    value.op = fields.text("operator", value.value.empty() ? "Exists" : "Equal");
    value.effect = fields.text("effect");
    value.seconds = parse_count(fields.text("tolerationSeconds"));
    std::string fault;
    if (value.op == "Exists" && !value.value.empty()) fault = "operator Exists takes no value";
    if (value.op == "Equal" && value.key.empty()) fault = "operator Equal needs a key";
    if (value.seconds && value.effect != "NoExecute")
      fault = "'tolerationSeconds' goes with effect NoExecute only";
    if (!fault.empty()) reading.report.error(node.offset, "exclusive-keys", fault);
  } else {
    return;
  }
  if (value.key.empty()) {
    reading.report.warning(node.offset, "blanket-toleration",
                           "this tolerates every taint, those of broken nodes included",
                           "name the key");
  }
  std::string key = value.key + ':' + value.effect;
  assign(rule, {SlotKind::kTolerate, std::move(key)}, std::move(value), node.offset, reading);
}

void read_volume(const YamlNode& node, Rule& rule, Reading& reading) {
  if (!node.is_mapping()) return;
  constexpr std::string_view kOwn[] = {"name",        "mountPath", "subPath",
                                       "subPathExpr", "readOnly",  "mountPropagation"};
  std::vector<std::string_view> sources;
  for (const YamlMember& member : node.members) {
    const bool own = std::find(std::begin(kOwn), std::end(kOwn), member.key) != std::end(kOwn);
    const bool known = find_key(object_type(SchemaKind::kRuleSet, "volume"), member.key) != nullptr;
    if (known && !own) sources.push_back(member.key);
  }
  const Fields fields(node, object_type(SchemaKind::kRuleSet, "volume"));
  if (sources.size() != 1) {
    reading.report.error(node.offset, "exclusive-keys",
                         sources.empty() ? "the volume has no source"
                                         : "the volume has two sources, " + in_quotes(sources[0]) +
                                               " and " + in_quotes(sources[1]),
                         "give one such as emptyDir, configMap or persistentVolumeClaim");
  }
  const YamlNode* path = fields.find("mountPath");
  if (path != nullptr && path->is_scalar() && !path->text.starts_with('/')) {
    reading.report.error(path->offset, "wrong-form",
                         "mountPath " + in_quotes(path->text) + " is not absolute");
  }
  assign(rule, {SlotKind::kVolume, fields.text("name")},
         Volume{kube::to_json(node, reading.set.arena)}, node.offset, reading);
}

}  // namespace berth::rules
