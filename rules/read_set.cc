#include <algorithm>
#include <array>
#include <string_view>

#include "kube/json_yaml.h"
#include "rules/cel/pod_schema.h"
#include "rules/reading.h"

namespace berth::rules {
namespace {

using base::YamlMember;
using base::YamlNode;

/// Fields that have an action of their own, or that only the cluster may write.
struct Owned {
  std::string_view path;
  std::string_view instead;
};
constexpr std::array kOwned = {
    Owned{"spec.schedulerName", "use 'scheduler'"},
    Owned{"spec.priorityClassName", "use 'priorityClass'"},
    Owned{"spec.priority", "use 'priorityClass'"},
    Owned{"spec.preemptionPolicy", "use 'priorityClass'"},
    Owned{"spec.runtimeClassName", "use 'runtimeClass'"},
    Owned{"spec.nodeSelector", "use 'placement.nodeSelector'"},
    Owned{"spec.affinity", "use 'placement'"},
    Owned{"spec.tolerations", "use 'tolerate'"},
    Owned{"spec.topologySpreadConstraints", "use 'placement.spread'"},
    Owned{"spec.volumes", "use 'volumes'"},
    Owned{"spec.containers", "use 'env', 'shm' or 'volumes'"},
    Owned{"spec.nodeName", "only the scheduler binds a pod"},
};

const cel::JsonShape* find_shape(std::string_view name) {
  for (const cel::JsonShape& shape : cel::pod_shapes()) {
    if (shape.name == name) return &shape;
  }
  return nullptr;
}

const cel::JsonField* find_field(const cel::JsonShape& shape, std::string_view name) {
  for (const cel::JsonField& field : shape.fields) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

/// What a path leads to.
struct Target {
  std::string_view type;     ///< "int", "bool", "string", ...; empty where no pod has the path
  std::string_view unknown;  ///< the step that no pod has
  std::vector<std::string_view> candidates;  ///< what could stand there
};

Target target_of(std::string_view path) {
  Target target;
  const cel::JsonShape* shape = find_shape("Pod");
  while (shape != nullptr) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    const std::string_view step = path.substr(0, dot);
    const cel::JsonField* field = find_field(*shape, step);
    if (field == nullptr) {
      target.unknown = step;
      for (const cel::JsonField& other : shape->fields) target.candidates.push_back(other.name);
      return target;
    }
    if (dot == path.size()) {
      target.type = field->type;
      return target;
    }
    path.remove_prefix(dot + 1);
    shape = find_shape(field->type);
  }
  target.unknown = path.substr(0, path.find('.'));
  return target;
}

bool is_scalar_type(std::string_view type) {
  return type == "int" || type == "bool" || type == "string" || type == "double";
}

bool is_below(std::string_view path, std::string_view parent) {
  return path.starts_with(parent) && (path.size() == parent.size() || path[parent.size()] == '.');
}

/// The type of the field; empty, with a problem, where `set` may not write it.
std::string_view settable_type(const YamlMember& entry, Report& report) {
  const auto owned = std::find_if(kOwned.begin(), kOwned.end(),
                                  [&](const Owned& row) { return is_below(entry.key, row.path); });
  if (owned != kOwned.end()) {
    report.error(entry.key_offset, "set-path", in_quotes(entry.key) + " cannot be set here",
                 std::string(owned->instead));
    return {};
  }
  if (!entry.key.starts_with("spec.")) {
    report.error(entry.key_offset, "set-path", in_quotes(entry.key) + " is no field below 'spec.'",
                 entry.key.starts_with("metadata.") ? "use 'labels' or 'annotations'" : "");
    return {};
  }
  const Target target = target_of(entry.key);
  if (target.type.empty()) {
    report.error(entry.key_offset, "set-path",
                 "no pod has the path " + in_quotes(entry.key) + ": " + in_quotes(target.unknown) +
                     " is not known",
                 base::suggestion(target.unknown, target.candidates));
    return {};
  }
  if (!is_scalar_type(target.type)) {
    report.error(entry.key_offset, "set-path", in_quotes(entry.key) + " is no single value",
                 "'set' writes texts, numbers, true and false");
    return {};
  }
  return target.type;
}

/// The constant in the type of its field; null Json, with a problem, where it has another.
kube::Json constant_of(const YamlMember& entry, std::string_view type, Reading& reading) {
  if (type == "string") return kube::make_string(reading.set.arena, entry.value.text);
  const kube::Json json = kube::to_json(entry.value, reading.set.arena);
  const bool right = type == "bool"  ? json.is_bool()
                     : type == "int" ? json.as_int().has_value()
                                     : json.is_number();
  if (right) return json;
  const std::string_view wanted = type == "bool"  ? "true or false"
                                  : type == "int" ? "a whole number"
                                                  : "a number";
  reading.report.error(entry.value.offset, "wrong-type",
                       in_quotes(entry.key) + " is " + in_quotes(entry.value.text) + "; expected " +
                           std::string(wanted));
  return {};
}

}  // namespace

void read_set(const YamlMember& action, Rule& rule, Reading& reading) {
  for (const YamlMember& entry : action.value.members) {
    const std::string_view type = settable_type(entry, reading.report);
    if (type.empty() || !entry.value.is_scalar()) continue;
    Scalar value;
    value.pointer = '/' + entry.key;
    std::replace(value.pointer.begin(), value.pointer.end(), '.', '/');
    if (entry.value.text.find("${") == std::string::npos) {
      value.constant = constant_of(entry, type, reading);
    } else {
      ValueType wanted;
      wanted.form = Form::kTemplate;
      wanted.cel = type;
      value.value = reading.expressions.text(entry.value, wanted, reading.report);
      if (type != "string" && value.value.pieces.size() > 1) {
        reading.report.error(entry.value.offset, "wrong-type", in_quotes(entry.key) + " is no text",
                             "let one ${...} be the whole value");
      }
    }
    assign(rule, {SlotKind::kSet, entry.key}, std::move(value), entry.key_offset, reading);
  }
}

}  // namespace berth::rules
