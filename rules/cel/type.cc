#include "rules/cel/type.h"

#include <algorithm>
#include <array>
#include <utility>

namespace berth::rules::cel {
namespace {

std::string with_parameters(std::string_view name, const Type& type) {
  std::string out(name);
  if (type.parameters.empty()) return out;
  out += '(';
  for (const Type* parameter : type.parameters) {
    if (out.back() != '(') out += ", ";
    out += to_text(*parameter);
  }
  out += ')';
  return out;
}

}  // namespace

const FieldRow* StructType::field(std::string_view field_name) const {
  const auto it = std::find_if(fields.begin(), fields.end(),
                               [&](const FieldRow& row) { return row.name == field_name; });
  return it == fields.end() ? nullptr : &*it;
}

std::string to_text(const Type& type) {
  switch (type.kind) {
    case TypeKind::kDyn:
    case TypeKind::kUnknown:
      return "dyn";
    case TypeKind::kNull:
      return "null";
    case TypeKind::kBool:
      return "bool";
    case TypeKind::kInt:
      return "int";
    case TypeKind::kUint:
      return "uint";
    case TypeKind::kDouble:
      return "double";
    case TypeKind::kString:
      return "string";
    case TypeKind::kBytes:
      return "bytes";
    case TypeKind::kTimestamp:
      return "timestamp";
    case TypeKind::kDuration:
      return "duration";
    case TypeKind::kQuantity:
      return "quantity";
    case TypeKind::kList:
      return with_parameters("list", type);
    case TypeKind::kMap:
      return with_parameters("map", type);
    case TypeKind::kOptional:
      return with_parameters("optional", type);
    case TypeKind::kType:
      return with_parameters("type", type);
    case TypeKind::kStruct:
      return std::string(type.structure->name);
    case TypeKind::kShape:
      return std::string(type.shape->name);
    case TypeKind::kOpaque:
      return with_parameters(type.name, type);
    case TypeKind::kParam:
      return std::string(type.name);
  }
  return {};
}

const Type* TypePool::simple(TypeKind kind) {
  static const std::array<Type, 20> kTypes = [] {
    std::array<Type, 20> out{};
    for (std::size_t i = 0; i < out.size(); ++i) out[i].kind = static_cast<TypeKind>(i);
    return out;
  }();
  return &kTypes[static_cast<std::size_t>(kind)];
}

const Type* TypePool::with(TypeKind kind, std::vector<const Type*> parameters,
                           std::string_view name) {
  Type type;
  type.kind = kind;
  type.name = name;
  for (const Type* parameter : parameters) type.soft = type.soft || parameter->soft;
  parameters_.push_back(std::move(parameters));
  type.parameters = parameters_.back();
  return add(type);
}

const Type* TypePool::add(Type type) {
  types_.push_back(type);
  return &types_.back();
}

std::string_view TypePool::keep(std::string_view text) {
  texts_.emplace_back(text);
  return texts_.back();
}

}  // namespace berth::rules::cel
