// Short spellings for the rows of the schema tables. Used by rules/schema_*.cc only.
#pragma once

#include <string_view>
#include <vector>

#include "rules/schema.h"

namespace berth::rules {

// One table a file kind; the first object is the file.
std::vector<ObjectType> ruleset_objects();
std::vector<ObjectType> ruletest_objects();
std::vector<ObjectType> config_objects();

// Two objects of rule files with a file of their own.
ObjectType gang_object();
ObjectType group_topology_object();

inline constexpr ValueType kNone{};

constexpr ValueType one(Form form) {
  return {.form = form};
}
constexpr ValueType list_of(Form form) {
  return {.form = form, .shape = Shape::kList, .low = 1};
}
constexpr ValueType one_or_list(Form form) {
  return {.form = form, .shape = Shape::kOneOrList, .low = 1};
}
constexpr ValueType words(std::string_view list) {
  return {.form = Form::kWord, .of = list};
}
constexpr ValueType integer(std::int64_t low, std::int64_t high) {
  return {.form = Form::kInteger, .low = low, .high = high};
}
constexpr ValueType object(std::string_view name) {
  return {.form = Form::kObject, .of = name};
}
constexpr ValueType object_list(std::string_view name, std::int64_t least) {
  return {.form = Form::kObject, .shape = Shape::kList, .of = name, .low = least};
}
constexpr ValueType map_of(Form key, Form value) {
  return {.form = value, .shape = Shape::kMap, .key = key};
}
/// Text with ${...} for a field that takes `constant`; alone, an expression must be `cel`.
constexpr ValueType computed(Form constant, std::string_view cel) {
  return {.form = Form::kTemplate, .constant = constant, .cel = cel};
}
constexpr ValueType computed_map(Form key, Form constant) {
  return {.form = Form::kTemplate,
          .shape = Shape::kMap,
          .key = key,
          .constant = constant,
          .cel = "string|int|uint|double|bool|quantity"};
}

}  // namespace berth::rules
