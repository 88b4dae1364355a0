#include "rules/schema.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "kube/json.h"
#include "rules/schema_rows.h"

namespace berth::rules {
namespace {

constexpr std::string_view kTextTypes = R"("type":["string","number","boolean"])";

/// How a form reads in complaints and in JSON Schema.
struct FormRow {
  Form form;
  std::string_view expectation;  ///< empty where it is put together from the type
  std::string_view json;         ///< members of the JSON Schema, without braces
};

constexpr std::array kForms = {
    FormRow{Form::kText, "a text", kTextTypes},
    FormRow{Form::kExpression, "a CEL expression",
            R"("type":["string","number","boolean"],"description":"a CEL expression")"},
    FormRow{Form::kTemplate, "a text",
            R"("type":["string","number","boolean"],"description":"text; ${...} holds CEL")"},
    FormRow{Form::kBool, "true or false", R"("type":"boolean")"},
    FormRow{Form::kAny, "a value", ""},
    FormRow{Form::kScalar, "a text, a number, true or false", kTextTypes},
    FormRow{Form::kSetName, "a name",
            R"("type":"string","pattern":"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$","maxLength":63)"},
    FormRow{Form::kNamespaceGlob, "a namespace",
            R"("type":"string","pattern":"^[a-z0-9*]([-a-z0-9*]*[a-z0-9*])?$")"},
    FormRow{Form::kLabelKey, "a label key", R"("type":"string")"},
    FormRow{Form::kLabelValue, "a label value", kTextTypes},
    FormRow{Form::kLabelChoice, "a label value or \"*\"", kTextTypes},
    FormRow{Form::kAnnotationKey, "an annotation key", R"("type":"string")"},
    FormRow{Form::kEnvName, "a name", R"("type":"string")"},
    FormRow{Form::kVariableName, "a name",
            R"("type":"string","pattern":"^[A-Za-z_][A-Za-z0-9_]*$")"},
    FormRow{Form::kObjectName, "the name of an object",
            R"("type":"string","pattern":"^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$","maxLength":253)"},
    FormRow{Form::kSpecPath, "a path", R"("type":"string","pattern":"^spec\\.[A-Za-z.]+$")"},
    FormRow{Form::kGpus, "a number or a text such as \">=2\" or \"2-4\"",
            R"("type":["integer","string"],"minimum":0,)"
            R"("pattern":"^((>=|<=|>|<)?[0-9]+|[0-9]+-[0-9]+)$")"},
    FormRow{Form::kPercent, "a text such as 25%",
            R"("type":"string","pattern":"^(100|[0-9]{1,2})(\\.[0-9]+)?%$")"},
    FormRow{Form::kQuantity, "a quantity such as 16Gi", R"("type":["string","number"])"},
    FormRow{Form::kParallelism, "a text such as tp=8,pp=4,dp=16", R"("type":"string")"},
    FormRow{Form::kDuration, "a duration such as 10m", R"("type":"string")"},
    FormRow{Form::kTaint, "a taint such as key=value:NoSchedule", R"("type":"string")"},
    FormRow{Form::kLevel, "a topology level", R"("type":"string")"},
    FormRow{Form::kProduct, "a GPU product", R"("type":"string")"},
    FormRow{Form::kProfile, "a MIG profile such as 1g.10gb",
            R"("type":"string","pattern":"^[0-9]+g\\.[0-9]+gb([+.][a-z.]+)?$")"},
    FormRow{Form::kVendor, "a vendor", R"("type":"string")"},
    FormRow{Form::kOwnerKind, "a kind", R"("type":"string")"},
    FormRow{Form::kFramework, "a framework", R"("type":"string")"},
};

const FormRow* find_form(Form form) {
  for (const FormRow& row : kForms) {
    if (row.form == form) return &row;
  }
  return nullptr;
}

std::string joined(const std::vector<std::string_view>& list) {
  std::string out;
  for (const std::string_view word : list) out += (out.empty() ? "" : ", ") + std::string(word);
  return out;
}

std::string number_expectation(const ValueType& type) {
  std::string out = type.form == Form::kInteger ? "a whole number from " : "a number from ";
  out += std::to_string(type.low);
  if (type.high != INT64_MAX) out += " to " + std::to_string(type.high);
  return out;
}

bool is_number(Form form) {
  return form == Form::kInteger || form == Form::kNumber;
}

/// What one item should be.
std::string item_expectation(const ValueType& type) {
  if (is_number(type.form)) return number_expectation(type);
  if (type.form == Form::kObject) return "a mapping";
  if (type.form == Form::kWord) {
    const auto list = words_of(type);
    return list.size() == 1 ? std::string(list[0]) : "one of " + joined(list);
  }
  const FormRow* row = find_form(type.form == Form::kTemplate ? type.constant : type.form);
  return std::string(row == nullptr ? "a whole number" : row->expectation);
}

// ------------------------------------------------------------------ JSON Schema

std::string quoted(std::string_view text) {
  std::string out;
  kube::append_json_string(out, text);
  return out;
}

std::string number_schema(const ValueType& type) {
  std::string out = type.form == Form::kInteger ? R"({"type":"integer")" : R"({"type":"number")";
  out += ",\"minimum\":" + std::to_string(type.low);
  if (type.high != INT64_MAX) out += ",\"maximum\":" + std::to_string(type.high);
  return out + '}';
}

std::string item_schema(const ValueType& type) {
  if (is_number(type.form)) return number_schema(type);
  if (type.form == Form::kObject) {
    return "{\"$ref\":" + quoted("#/definitions/" + std::string(type.of)) + '}';
  }
  if (type.form != Form::kWord) return '{' + std::string(find_form(type.form)->json) + '}';
  std::string out;
  for (const std::string_view word : words_of(type)) {
    out += (out.empty() ? "" : ",") + quoted(word);
  }
  return "{\"enum\":[" + out + "]}";
}

std::string list_schema(const ValueType& type) {
  std::string out = "{\"type\":\"array\",\"items\":" + item_schema(type);
  if (type.low > 0) out += ",\"minItems\":" + std::to_string(type.low);
  return out + '}';
}

std::string value_schema(const ValueType& type) {
  const auto either = [](const std::string& a, const std::string& b) {
    return "{\"anyOf\":[" + a + ',' + b + "]}";
  };
  const auto map = [&](const std::string& value) {
    return "{\"type\":\"object\",\"additionalProperties\":" + value + '}';
  };
  switch (type.shape) {
    case Shape::kOne:
      return item_schema(type);
    case Shape::kList:
      return list_schema(type);
    case Shape::kOneOrList:
      return either(item_schema(type), list_schema(type));
    case Shape::kMap:
      return map(item_schema(type));
    case Shape::kMapOneOrList:
      return map(either(item_schema(type), list_schema(type)));
  }
  return "{}";
}

std::string key_schema(const Key& key) {
  std::string value = value_schema(key.type);
  if (key.other.form != Form::kNothing) {
    value = "{\"anyOf\":[" + value + ',' + value_schema(key.other) + "]}";
  }
  std::string extra = "\"description\":" + quoted(key.help);
  if (!key.fallback.empty()) extra += ",\"default\":" + quoted(key.fallback);
  // draft-07 ignores what stands beside a $ref, so the description goes around it
  return "{\"allOf\":[" + value + "]," + extra + '}';
}

std::string object_schema(const ObjectType& object) {
  std::string properties;
  std::string required;
  for (const Key& key : object.keys) {
    properties += (properties.empty() ? "" : ",\n    ") + quoted(key.name) + ": " + key_schema(key);
    if (key.need == Need::kRequired) required += (required.empty() ? "" : ",") + quoted(key.name);
  }
  std::string out = "\"description\": " + quoted(object.help) +
                    ", \"type\": \"object\", \"additionalProperties\": false";
  if (!required.empty()) out += ", \"required\": [" + required + ']';
  return out + ",\n    \"properties\": {\n    " + properties + '}';
}

}  // namespace

std::span<const ObjectType> schema(SchemaKind kind) {
  static const auto kRuleSet = ruleset_objects();
  static const auto kRuleTest = ruletest_objects();
  static const auto kConfig = config_objects();
  switch (kind) {
    case SchemaKind::kRuleSet:
      return kRuleSet;
    case SchemaKind::kRuleTest:
      return kRuleTest;
    case SchemaKind::kConfig:
      return kConfig;
  }
  return {};
}

const ObjectType& object_type(SchemaKind kind, std::string_view name) {
  const auto objects = schema(kind);
  const auto found = std::find_if(objects.begin(), objects.end(),
                                  [&](const ObjectType& object) { return object.name == name; });
  assert(found != objects.end());
  return *found;
}

const Key* find_key(const ObjectType& object, std::string_view name) {
  for (const Key& key : object.keys) {
    if (key.name == name) return &key;
  }
  return nullptr;
}

std::vector<std::string_view> words_of(const ValueType& type) {
  std::vector<std::string_view> out;
  std::string_view rest = type.of;
  while (!rest.empty()) {
    const std::size_t bar = std::min(rest.find('|'), rest.size());
    out.push_back(rest.substr(0, bar));
    rest.remove_prefix(std::min(bar + 1, rest.size()));
  }
  return out;
}

std::string expectation(const ValueType& type) {
  const std::string item = item_expectation(type);
  switch (type.shape) {
    case Shape::kOne:
      return item;
    case Shape::kList:
      return "a list, each item " + item;
    case Shape::kOneOrList:
      return item + " or a list of such";
    case Shape::kMap:
      return "a mapping, each value " + item;
    case Shape::kMapOneOrList:
      return "a mapping, each value " + item + " or a list of such";
  }
  return item;
}

std::string expectation(const Key& key) {
  if (key.other.form == Form::kNothing) return expectation(key.type);
  return expectation(key.type) + ", or " + expectation(key.other);
}

std::string json_schema(SchemaKind kind) {
  const auto objects = schema(kind);
  std::string out =
      "{\n  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n  \"title\": " +
      quoted(objects.front().name) + ",\n  " + object_schema(objects.front());
  out += ",\n  \"definitions\": {";
  for (const ObjectType& object : objects.subspan(1)) {
    out += (object.name == objects[1].name ? "\n  " : ",\n  ") + quoted(object.name) + ": {" +
           object_schema(object) + '}';
  }
  return out + "}\n}\n";
}

}  // namespace berth::rules
