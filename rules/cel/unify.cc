#include "rules/cel/unify.h"

#include <utility>

namespace berth::rules::cel {
namespace {

bool is_unknown(const Type* type) {
  return type->is(TypeKind::kUnknown);
}

bool same_head(const Type& a, const Type& b) {
  return a.kind == b.kind && a.structure == b.structure && a.shape == b.shape &&
         a.parameters.size() == b.parameters.size() &&
         (a.kind != TypeKind::kOpaque || a.name == b.name) &&
         (a.kind != TypeKind::kUnknown || a.unknown == b.unknown);
}

// Kinds that null stands in for, as in CEL's own checker.
bool takes_null(const Type& type) {
  switch (type.kind) {
    case TypeKind::kDyn:
    case TypeKind::kNull:
    case TypeKind::kOptional:
    case TypeKind::kOpaque:
    case TypeKind::kTimestamp:
    case TypeKind::kDuration:
    case TypeKind::kQuantity:
    case TypeKind::kStruct:
    case TypeKind::kShape:
      return true;
    case TypeKind::kBool:
    case TypeKind::kInt:
    case TypeKind::kUint:
    case TypeKind::kDouble:
    case TypeKind::kString:
    case TypeKind::kBytes:
    case TypeKind::kList:
    case TypeKind::kMap:
    case TypeKind::kType:
    case TypeKind::kParam:
    case TypeKind::kUnknown:
      break;
  }
  return false;
}

}  // namespace

bool same(const Type& a, const Type& b) {
  if (!same_head(a, b)) return false;
  for (std::size_t i = 0; i < a.parameters.size(); ++i) {
    if (!same(*a.parameters[i], *b.parameters[i])) return false;
  }
  return true;
}

const Type* Unifier::fresh() {
  Type type;
  type.kind = TypeKind::kUnknown;
  type.unknown = static_cast<std::uint32_t>(found_.size());
  found_.push_back(nullptr);
  return pool_.add(type);
}

const Type* Unifier::instantiate(const Type* type, Renaming& renaming) {
  if (type->is(TypeKind::kParam)) {
    for (const auto& [name, unknown] : renaming.names) {
      if (name == type->name) return unknown;
    }
    renaming.names.emplace_back(type->name, fresh());
    return renaming.names.back().second;
  }
  if (type->parameters.empty()) return type;
  std::vector<const Type*> parameters;
  bool changed = false;
  for (const Type* parameter : type->parameters) {
    parameters.push_back(instantiate(parameter, renaming));
    changed = changed || parameters.back() != parameter;
  }
  return changed ? pool_.with(type->kind, std::move(parameters), type->name) : type;
}

bool Unifier::assignable(const Type* from, const Type* to) {
  const auto before = found_;
  if (fits(from, to)) return true;
  found_ = before;
  return false;
}

bool Unifier::assignable(const std::vector<const Type*>& from, const std::vector<const Type*>& to) {
  if (from.size() != to.size()) return false;
  const auto before = found_;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (fits(from[i], to[i])) continue;
    found_ = before;
    return false;
  }
  return true;
}

bool Unifier::fits(const Type* from, const Type* to) {
  if (is_unknown(to)) {
    bool was_bound = false;
    if (bind(to, from, &was_bound)) return true;
    if (was_bound) return false;
  }
  if (is_unknown(from)) {
    bool was_bound = false;
    return bind(from, to, &was_bound);
  }
  if (from->is(TypeKind::kDyn) || to->is(TypeKind::kDyn)) return true;
  if (from->is(TypeKind::kNull)) return takes_null(*to);
  if (to->is(TypeKind::kNull)) return takes_null(*from);
  if (from->is(TypeKind::kType) && to->is(TypeKind::kType)) return true;
  // A shape arrives as JSON: it is a map too.
  if (from->is(TypeKind::kShape) && to->is(TypeKind::kMap)) {
    return fits(TypePool::simple(TypeKind::kString), to->parameters[0]) &&
           fits(TypePool::simple(TypeKind::kDyn), to->parameters[1]);
  }
  return same_head(*from, *to) && fits_parameters(from, to);
}

bool Unifier::fits_parameters(const Type* from, const Type* to) {
  for (std::size_t i = 0; i < from->parameters.size(); ++i) {
    if (!fits(from->parameters[i], to->parameters[i])) return false;
  }
  return true;
}

// Whether `type` may stand for the unknown, together with what that stands for already.
bool Unifier::bind(const Type* unknown, const Type* type, bool* was_bound) {
  if (same(*unknown, *type)) {
    *was_bound = true;
    return true;
  }
  const Type* bound = found_[unknown->unknown];
  if (bound != nullptr) {
    *was_bound = true;
    if (same(*bound, *type)) return true;
    if (!fits(type, bound)) return false;
    const Type* general = wider(type, found_[unknown->unknown]);
    if (!mentions(general, unknown)) found_[unknown->unknown] = general;
    return true;
  }
  if (mentions(type, unknown)) return false;
  found_[unknown->unknown] = type;
  return true;
}

bool Unifier::mentions(const Type* type, const Type* unknown) const {
  if (same(*type, *unknown)) return true;
  if (is_unknown(type)) {
    const Type* bound = found_[type->unknown];
    return bound != nullptr && mentions(bound, unknown);
  }
  for (const Type* parameter : type->parameters) {
    if (mentions(parameter, unknown)) return true;
  }
  return false;
}

bool Unifier::at_least_as_wide(const Type* a, const Type* b) const {
  if (a->is(TypeKind::kDyn) || is_unknown(a)) return true;
  if (b->is(TypeKind::kDyn) || is_unknown(b)) return false;
  if (a->is(TypeKind::kType) && b->is(TypeKind::kType)) return true;
  if (b->is(TypeKind::kNull) && takes_null(*a)) return true;
  if (!same_head(*a, *b)) return false;
  for (std::size_t i = 0; i < a->parameters.size(); ++i) {
    if (!at_least_as_wide(a->parameters[i], b->parameters[i])) return false;
  }
  return true;
}

const Type* Unifier::wider(const Type* a, const Type* b) const {
  return at_least_as_wide(a, b) ? a : b;
}

const Type* Unifier::known(const Type* type) const {
  while (is_unknown(type) && found_[type->unknown] != nullptr) type = found_[type->unknown];
  return type;
}

const Type* Unifier::rebuild(const Type* type, Unknowns unknowns) {
  type = known(type);
  if (is_unknown(type)) {
    return unknowns == Unknowns::kStay ? type : TypePool::simple(TypeKind::kDyn);
  }
  if (type->parameters.empty()) return type;
  std::vector<const Type*> parameters;
  bool changed = false;
  for (const Type* parameter : type->parameters) {
    parameters.push_back(rebuild(parameter, unknowns));
    changed = changed || parameters.back() != parameter;
  }
  return changed ? pool_.with(type->kind, std::move(parameters), type->name) : type;
}

const Type* Unifier::substituted(const Type* type) {
  return rebuild(type, Unknowns::kStay);
}

const Type* Unifier::final_type(const Type* type) {
  return rebuild(type, Unknowns::kBecomeDyn);
}

}  // namespace berth::rules::cel
