#include "rules/schema_check.h"

#include <algorithm>
#include <cassert>
#include <vector>

#include "rules/form_check.h"
#include "rules/forms.h"

namespace berth::rules {
namespace {

using base::YamlKind;
using base::YamlMember;
using base::YamlNode;

std::string_view kind_word(const YamlNode& node) {
  switch (node.kind) {
    case YamlKind::kNull:
      return "has no value";
    case YamlKind::kScalar:
      return "is a text";
    case YamlKind::kSequence:
      return "is a list";
    case YamlKind::kMapping:
      return "is a mapping";
  }
  return "";
}

bool item_accepts(const ValueType& type, const YamlNode& node) {
  if (type.form == Form::kAny) return true;
  return type.form == Form::kObject ? node.is_mapping() : node.is_scalar();
}

bool accepts(const ValueType& type, const YamlNode& node) {
  switch (type.shape) {
    case Shape::kOne:
      return item_accepts(type, node);
    case Shape::kList:
      return node.is_sequence();
    case Shape::kOneOrList:
      return node.is_sequence() || item_accepts(type, node);
    case Shape::kMap:
    case Shape::kMapOneOrList:
      return node.is_mapping();
  }
  return false;
}

class Checker {
 public:
  Checker(const CheckOptions& options, Report& report) : options_(options), report_(report) {}

  CheckResult run(const YamlNode& node, const ObjectType& type);

 private:
  void check_object(const YamlNode& node, const ObjectType& type);
  void check_members(const YamlNode& node, const ObjectType& type);
  void unknown_key(const YamlMember& member, const ObjectType& type);
  std::string elsewhere(std::string_view key, const ObjectType& type) const;
  void check_value(const YamlMember& member, const Key& key);
  void check_items(const YamlMember& member, const Key& key);
  void check_item(const YamlNode& node, const Key& key);
  void check_map(const YamlMember& member, const Key& key);
  void check_key(const YamlMember& member, Form form);
  void wrong_type(const YamlNode& node, std::string_view name, const std::string& expected);

  const CheckOptions& options_;
  Report& report_;
  CheckResult result_;
  std::size_t inside_ = 0;  // errors inside of named objects
};

CheckResult Checker::run(const YamlNode& node, const ObjectType& type) {
  const std::size_t before = report_.errors();
  check_object(node, type);
  result_.outside = report_.errors() - before - inside_;
  return std::move(result_);
}

void Checker::check_object(const YamlNode& node, const ObjectType& type) {
  if (type.named.empty()) {
    check_members(node, type);
    return;
  }
  const std::string parent = report_.parent();
  const std::string key = report_.key();
  const std::size_t before = report_.errors();
  const YamlNode* name = node.find("name");
  report_.set_key({});
  report_.set_parent(std::string(type.named) + ' ' + options_.name_prefix +
                     (name != nullptr && name->is_scalar() ? name->text : "(no name)"));
  check_members(node, type);
  report_.set_parent(parent);
  report_.set_key(key);
  inside_ += report_.errors() - before;
  if (report_.errors() > before) result_.faulty.insert(&node);
}

void Checker::check_members(const YamlNode& node, const ObjectType& type) {
  if (node.members.empty()) {
    report_.error(node.offset, "empty",
                  in_quotes(type.name) + " is empty; expected at least one key");
    return;
  }
  const std::string outer = report_.key();
  const bool named = outer.empty() || type.name == "then";
  for (const YamlMember& member : node.members) {
    const Key* key = find_key(type, member.key);
    if (key == nullptr) {
      unknown_key(member, type);
      continue;
    }
    if (named) report_.set_key(member.key);
    check_value(member, *key);
    report_.set_key(outer);
  }
  for (const Key& key : type.keys) {
    if (key.need == Need::kRequired && node.find(key.name) == nullptr) {
      report_.error(node.offset, "missing-key", "key " + in_quotes(key.name) + " is missing",
                    "expected " + expectation(key));
    }
  }
}

/// Where the table has such a key, as a hint; empty where nowhere.
std::string Checker::elsewhere(std::string_view key, const ObjectType& type) const {
  for (const ObjectType& other : schema(options_.kind)) {
    if (&other == &type || other.name == "defaults" || find_key(other, key) == nullptr) continue;
    if (&other == &schema(options_.kind).front()) return "it belongs to the file, not here";
    return "it belongs under " + in_quotes(other.name);
  }
  return {};
}

void Checker::unknown_key(const YamlMember& member, const ObjectType& type) {
  std::vector<std::string_view> names;
  for (const Key& key : type.keys) names.push_back(key.name);
  std::string hint;
  if (base::nearest(member.key, names).empty()) hint = elsewhere(member.key, type);
  if (hint.empty()) hint = base::suggestion(member.key, names);
  report_.error(member.key_offset, "unknown-key", "unknown key " + in_quotes(member.key),
                std::move(hint));
}

void Checker::wrong_type(const YamlNode& node, std::string_view name, const std::string& expected) {
  const bool expression = expected.find("CEL") != std::string::npos;
  report_.error(node.offset, "wrong-type",
                in_quotes(name) + ' ' + std::string(kind_word(node)) + "; expected " + expected,
                expression && !node.is_null() ? "quote the expression" : "");
}

void Checker::check_value(const YamlMember& member, const Key& key) {
  const bool first = accepts(key.type, member.value);
  const bool second = key.other.form != Form::kNothing && accepts(key.other, member.value);
  if (!first && !second) {
    wrong_type(member.value, member.key, expectation(key));
    return;
  }
  const ValueType& type = first ? key.type : key.other;
  if (type.shape == Shape::kMap || type.shape == Shape::kMapOneOrList) {
    check_map(member, key);
  } else {
    check_items(member, key);
  }
}

void Checker::check_items(const YamlMember& member, const Key& key) {
  const YamlNode& node = member.value;
  if (!node.is_sequence() || (key.type.form == Form::kAny && key.type.shape == Shape::kOne)) {
    check_item(node, key);
    return;
  }
  Key item_key = key;
  if (key.type.shape == Shape::kOne) {  // only the second form is a list
    item_key.type = key.other;
    item_key.other = {};
  }
  const std::int64_t least = item_key.type.low;
  if (std::ssize(node.items) < least) {
    report_.error(node.offset, "empty",
                  in_quotes(member.key) + " has " + std::to_string(node.items.size()) +
                      (node.items.size() == 1 ? " item" : " items") + "; expected at least " +
                      std::to_string(least));
  }
  for (const YamlNode& item : node.items) check_item(item, item_key);
}

void Checker::check_item(const YamlNode& node, const Key& key) {
  const bool second_only =
      !item_accepts(key.type, node) ||
      (node.text.find("${") != std::string::npos && key.other.form == Form::kTemplate);
  const bool second =
      key.other.form != Form::kNothing && second_only && item_accepts(key.other, node);
  const ValueType& type = second ? key.other : key.type;
  if (!item_accepts(type, node)) {
    ValueType single = type;
    single.shape = Shape::kOne;
    wrong_type(node, "item of " + std::string(key.name), expectation(single));
    return;
  }
  if (type.form == Form::kObject) {
    check_object(node, object_type(options_.kind, type.of));
  } else if (type.form != Form::kAny) {
    check_scalar(node, key.name, type, options_, report_);
  }
}

void Checker::check_map(const YamlMember& member, const Key& key) {
  Key entry = key;
  entry.type.shape = key.type.shape == Shape::kMap ? Shape::kOne : Shape::kOneOrList;
  entry.other = {};
  if (member.value.members.empty()) {
    report_.error(member.value.offset, "empty",
                  in_quotes(member.key) + " is empty; expected at least one key");
  }
  for (const YamlMember& value : member.value.members) {
    check_key(value, key.type.key);
    entry.name = value.key;
    check_value(value, entry);
  }
}

void Checker::check_key(const YamlMember& member, Form form) {
  const std::string fault = form_fault(form, member.key);
  if (fault.empty()) return;
  report_.error(member.key_offset, "wrong-name", in_quotes(member.key) + ' ' + fault);
}

}  // namespace

CheckResult check(const YamlNode& node, const ObjectType& type, const CheckOptions& options,
                  Report& report) {
  Checker checker(options, report);
  return checker.run(node, type);
}

// ------------------------------------------------------------------ reading

const YamlNode* Fields::find(std::string_view key) const {
  assert(find_key(type_, key) != nullptr);
  return node_.find(key);
}

std::string Fields::text(std::string_view key, std::string_view fallback) const {
  const YamlNode* node = find(key);
  return node != nullptr && node->is_scalar() ? node->text : std::string(fallback);
}

std::size_t Fields::word(std::string_view key) const {
  const auto list = words_of(find_key(type_, key)->type);
  const std::string found = text(key);
  const auto at = std::find(list.begin(), list.end(), found);
  return at == list.end() ? 0 : static_cast<std::size_t>(at - list.begin());
}

}  // namespace berth::rules
