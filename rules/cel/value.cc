#include "rules/cel/value.h"

#include <array>
#include <charconv>
#include <cmath>

#include "rules/cel/failure.h"
#include "rules/cel/number.h"
#include "rules/cel/type.h"
#include "rules/cel/utf8.h"

namespace berth::rules::cel {
namespace {

// Digits with an optional sign, and nothing else: then it is an int where it fits.
bool is_whole(std::string_view number) {
  return number.find_first_not_of("0123456789", number.front() == '-' ? 1 : 0) ==
         std::string_view::npos;
}

Value json_number(kube::Json json) {
  const auto text = json.number_text();
  if (!text.empty() && is_whole(text)) {
    std::int64_t whole = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
    if (error == std::errc() && end == text.data() + text.size()) return Value::integer(whole);
  }
  return Value::real(json.as_double().value_or(0));
}

bool equal_lists(Value a, Value b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!equal(a.item(i), b.item(i))) return false;
  }
  return true;
}

bool equal_maps(Value a, Value b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    Value other;
    if (!find(b, a.key_at(i), &other) || !equal(a.value_at(i), other)) return false;
  }
  return true;
}

bool equal_optionals(Value a, Value b) {
  if (!a.has_value() || !b.has_value()) return a.has_value() == b.has_value();
  return equal(a.optional_value(), b.optional_value());
}

}  // namespace

std::string_view type_name(Kind kind) {
  static constexpr std::array<std::string_view, 16> kNames = {"error",
                                                              "null_type",
                                                              "bool",
                                                              "int",
                                                              "uint",
                                                              "double",
                                                              "string",
                                                              "bytes",
                                                              "list",
                                                              "map",
                                                              "type",
                                                              "google.protobuf.Timestamp",
                                                              "google.protobuf.Duration",
                                                              "kubernetes.Quantity",
                                                              "optional_type",
                                                              "struct"};
  return kNames[static_cast<std::size_t>(kind)];
}

Value Value::json(kube::Json json) {
  switch (json.type()) {
    case kube::JsonType::kNull:
      return {};
    case kube::JsonType::kBool:
      return boolean(json.bool_or(false));
    case kube::JsonType::kNumber:
      return json_number(json);
    case kube::JsonType::kString:
      return string(json.string_or_empty());
    case kube::JsonType::kArray:
      return {Kind::kList, Store::kJson, json.size(), address(json.items().data())};
    case kube::JsonType::kObject:
      return {Kind::kMap, Store::kJson, json.size(), address(json.members().data())};
  }
  return {};
}

Value Value::key_at(std::size_t index) const {
  if (store_ == Store::kJson) return string(pointer<kube::JsonMember>()[index].key);
  return pointer<Entry>()[index].key;
}

Value Value::value_at(std::size_t index) const {
  if (store_ == Store::kJson) return json(pointer<kube::JsonMember>()[index].value);
  return pointer<Entry>()[index].value;
}

kube::Json Value::viewed_json() const {
  if (store_ != Store::kJson) return {};
  if (kind_ == Kind::kList) return kube::Json::array({pointer<kube::Json>(), size_});
  return kube::Json::object({pointer<kube::JsonMember>(), size_});
}

bool find(Value map, std::string_view key, Value* found) {
  const auto json = map.viewed_json();
  if (json.is_object()) {
    const auto* value = json.find(key);
    if (value != nullptr) *found = Value::json(*value);
    return value != nullptr;
  }
  for (std::size_t i = 0; i < map.size(); ++i) {
    const Value candidate = map.key_at(i);
    if (candidate.is(Kind::kString) && candidate.text() == key) {
      *found = map.value_at(i);
      return true;
    }
  }
  return false;
}

bool find(Value map, Value key, Value* found) {
  if (key.is(Kind::kString)) return find(map, key.text(), found);
  if (map.viewed_json().is_object()) return false;
  for (std::size_t i = 0; i < map.size(); ++i) {
    if (equal(map.key_at(i), key)) {
      *found = map.value_at(i);
      return true;
    }
  }
  return false;
}

bool equal(Value a, Value b) {
  if (a.is_number() && b.is_number()) return compare_numbers(a, b) == Order::kEqual;
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Kind::kNull:
      return true;
    case Kind::kBool:
      return a.as_bool() == b.as_bool();
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kType:
      return a.text() == b.text();
    case Kind::kList:
      return equal_lists(a, b);
    case Kind::kMap:
      return equal_maps(a, b);
    case Kind::kTimestamp:
      return a.as_timestamp() == b.as_timestamp();
    case Kind::kDuration:
      return a.as_duration() == b.as_duration();
    case Kind::kQuantity:
      return a.as_quantity() == b.as_quantity();
    case Kind::kOptional:
      return equal_optionals(a, b);
    case Kind::kStruct:
      return a.as_struct().object == b.as_struct().object;
    case Kind::kError:
    case Kind::kInt:
    case Kind::kUint:
    case Kind::kDouble:
      break;
  }
  return false;
}

std::size_t code_points(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  return count;
}

}  // namespace berth::rules::cel
