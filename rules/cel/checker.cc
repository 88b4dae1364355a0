#include "rules/cel/checker.h"

#include <algorithm>
#include <array>
#include <utility>

#include "rules/cel/program.h"

namespace berth::rules::cel {
namespace {

const Type* simple(TypeKind kind) {
  return TypePool::simple(kind);
}
const Type* dyn() {
  return simple(TypeKind::kDyn);
}

TypeKind literal_kind(Value value) {
  switch (value.kind()) {
    case Kind::kNull:
      return TypeKind::kNull;
    case Kind::kBool:
      return TypeKind::kBool;
    case Kind::kInt:
      return TypeKind::kInt;
    case Kind::kUint:
      return TypeKind::kUint;
    case Kind::kDouble:
      return TypeKind::kDouble;
    case Kind::kString:
      return TypeKind::kString;
    case Kind::kBytes:
      return TypeKind::kBytes;
    case Kind::kError:
    case Kind::kList:
    case Kind::kMap:
    case Kind::kType:
    case Kind::kTimestamp:
    case Kind::kDuration:
    case Kind::kQuantity:
    case Kind::kOptional:
    case Kind::kStruct:
      break;
  }
  return TypeKind::kDyn;
}

}  // namespace

const Type* Checker::run() {
  locals_.assign(static_cast<std::size_t>(ast_.locals), dyn());
  return unifier_.final_type(check(*ast_.root));
}

const Type* Checker::check(Expr& expr) {
  expr.type = type_of(expr);
  return expr.type;
}

const Type* Checker::type_of(Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kLiteral:
      return simple(literal_kind(expr.literal));
    case ExprKind::kName:
    case ExprKind::kSelect:
      return check_path(expr);
    case ExprKind::kIndex:
      return check_index(expr);
    case ExprKind::kCall:
      return check_call(expr);
    case ExprKind::kOperator:
      return check_operator(expr);
    case ExprKind::kAnd:
    case ExprKind::kOr:
      return check_logic(expr);
    case ExprKind::kTernary:
      return check_ternary(expr);
    case ExprKind::kList:
      return check_list(expr);
    case ExprKind::kMap:
      return check_map(expr);
    case ExprKind::kHas:
      check(*expr.arguments[0]);
      return simple(TypeKind::kBool);
    case ExprKind::kMacro:
      return check_macro(expr);
    case ExprKind::kBind: {
      const Type* value = check(*expr.arguments[0]);
      locals_[static_cast<std::size_t>(expr.slot)] = value;
      return check(*expr.arguments[1]);
    }
  }
  return dyn();
}

void Checker::report(base::Severity severity, std::uint32_t begin, std::uint32_t end,
                     std::string code, std::string text, std::string hint) {
  diagnostics_.push_back({severity, std::move(code), std::move(text), std::move(hint), begin, end});
}

bool Checker::has_error_inside(const Expr& expr) const {
  return std::any_of(diagnostics_.begin(), diagnostics_.end(), [&](const Diagnostic& d) {
    return d.severity == base::Severity::kError && d.begin >= expr.begin && d.end <= expr.end;
  });
}

void Checker::error(const Expr& at, std::string code, std::string text, std::string hint) {
  report(base::Severity::kError, at.begin, at.end, std::move(code), std::move(text),
         std::move(hint));
}

// ------------------------------------------------------------------ names and fields

const Type* Checker::check_path(Expr& expr) {
  switch (expr.meaning) {
    case Meaning::kLocal:
      return locals_[static_cast<std::size_t>(expr.slot)];
    case Meaning::kVariable:
      return environment_.variables()[static_cast<std::size_t>(expr.slot)].type;
    case Meaning::kComputed:
      return expr.computed->type;
    case Meaning::kTypeValue: {
      const Type* named = environment_.parse_type(expr.type_value, pool_);
      return pool_.type_of(named == nullptr ? dyn() : named);
    }
    case Meaning::kUnknown:
      return dyn();  // reported already
    case Meaning::kNone:
    case Meaning::kFunction:
      break;
  }
  return check_select(expr);
}

const Type* Checker::check_select(Expr& expr) {
  const Type* owner = unifier_.known(check(*expr.arguments[0]));
  bool optional = expr.optional;
  if (owner->is(TypeKind::kOptional)) {
    owner = unifier_.known(owner->parameters[0]);
    optional = true;
  }
  const Type* type = field_type(expr, owner);
  return optional ? pool_.optional(type) : type;
}

const Type* Checker::field_type(Expr& expr, const Type* owner) {
  switch (owner->kind) {
    case TypeKind::kDyn:
      return dyn();
    case TypeKind::kUnknown:
      unifier_.assignable(dyn(), owner);
      return dyn();
    case TypeKind::kMap:
      return owner->parameters[1];
    case TypeKind::kStruct:
      return struct_field(expr, *owner->structure);
    case TypeKind::kShape:
      return shape_field(expr, *owner->shape);
    case TypeKind::kNull:
    case TypeKind::kBool:
    case TypeKind::kInt:
    case TypeKind::kUint:
    case TypeKind::kDouble:
    case TypeKind::kString:
    case TypeKind::kBytes:
    case TypeKind::kTimestamp:
    case TypeKind::kDuration:
    case TypeKind::kQuantity:
    case TypeKind::kList:
    case TypeKind::kOptional:
    case TypeKind::kType:
    case TypeKind::kOpaque:
    case TypeKind::kParam:
      break;
  }
  const auto severity = owner->soft ? base::Severity::kWarning : base::Severity::kError;
  std::string hint;
  if (owner->is(TypeKind::kList))
    hint = "take an item as [0], or all of them with exists() or all()";
  report(severity, expr.at, expr.end, owner->soft ? "cel-pod-field" : "cel-type",
         "a value of type " + text_of(owner) + " has no fields", hint);
  return dyn();
}

std::string Checker::owner_name(const Expr& expr, std::string_view fallback) const {
  std::string path;
  if (append_path(*expr.arguments[0], path)) return path;
  return std::string(fallback);
}

const Type* Checker::struct_field(Expr& expr, const StructType& type) {
  if (const FieldRow* row = type.field(expr.name); row != nullptr) {
    expr.field = row;
    return environment_.type_of(type, *row);
  }
  std::vector<std::string_view> known;
  for (const auto& field : type.fields) known.push_back(field.name);
  const auto method = std::find_if(type.methods.begin(), type.methods.end(),
                                   [&](const MethodRow& m) { return m.name == expr.name; });
  const std::string owner = owner_name(expr, type.name);
  report(base::Severity::kError, expr.at, expr.end, "cel-unknown-field",
         owner + " has no field '" + std::string(expr.name) + "'",
         method == type.methods.end()
             ? base::suggestion(expr.name, known)
             : "it is a function: " + owner + "." + std::string(expr.name) + "(...)");
  return dyn();
}

const Type* Checker::shape_field(Expr& expr, const JsonShape& shape) {
  std::vector<std::string_view> known;
  for (const JsonField& field : shape.fields) {
    if (field.name == expr.name) return environment_.type_of(shape, field);
    known.push_back(field.name);
  }
  const bool open = shape.openness == Openness::kOpen;
  const std::string owner = owner_name(expr, shape.name);
  const std::string field = "field '" + std::string(expr.name) + "'";
  report(open ? base::Severity::kWarning : base::Severity::kError, expr.at, expr.end,
         open ? "cel-pod-field" : "cel-unknown-field",
         owner + (open ? " has no known " : " has no ") + field,
         base::suggestion(expr.name, known));
  return dyn();
}

const Type* Checker::check_index(Expr& expr) {
  const Type* owner = unifier_.known(check(*expr.arguments[0]));
  const Type* key = check(*expr.arguments[1]);
  bool optional = expr.optional;
  if (owner->is(TypeKind::kOptional)) {
    owner = unifier_.known(owner->parameters[0]);
    optional = true;
  }
  const Type* wanted = simple(TypeKind::kInt);
  const Type* result = dyn();
  if (owner->is(TypeKind::kList)) {
    result = owner->parameters[0];
  } else if (owner->is(TypeKind::kMap)) {
    wanted = owner->parameters[0];
    result = owner->parameters[1];
  } else if (owner->is(TypeKind::kShape)) {
    wanted = simple(TypeKind::kString);
  } else {
    if (owner->is(TypeKind::kUnknown)) unifier_.assignable(dyn(), owner);
    wanted = nullptr;
    optional = false;  // dyn is all that is known, of an optional too
    if (!owner->is(TypeKind::kDyn) && !owner->is(TypeKind::kUnknown)) {
      report(owner->soft ? base::Severity::kWarning : base::Severity::kError, expr.at, expr.end,
             owner->soft ? "cel-pod-field" : "cel-type",
             "a value of type " + text_of(owner) + " has no items", {});
    }
  }
  if (wanted != nullptr && !unifier_.assignable(key, wanted)) {
    const bool soft = is_soft(key) || is_soft(wanted);
    const Expr& at = *expr.arguments[1];
    report(soft ? base::Severity::kWarning : base::Severity::kError, at.begin, at.end,
           soft ? "cel-pod-field" : "cel-type",
           "the index of a " + text_of(owner) + " is of type " + text_of(wanted) + ", this is " +
               text_of(key),
           {});
  }
  return optional ? pool_.optional(result) : result;
}

// ------------------------------------------------------------------ literals

const Type* Checker::join(const Type* so_far, const Type* next, const Expr& at, Literals literals,
                          std::string_view what) {
  if (so_far == nullptr) return next;
  if (unifier_.assignable(so_far, next)) {
    // Strictly, even dyn beside a type is two types.
    const bool dyn_beside =
        (unifier_.known(so_far)->is(TypeKind::kDyn) != unifier_.known(next)->is(TypeKind::kDyn)) &&
        !is_soft(so_far) && !is_soft(next);
    if (literals == Literals::kOneType && dyn_beside) {
      error(at, "cel-type",
            std::string(what) + " differ in type: " + text_of(so_far) + " and " + text_of(next),
            "convert them to one type, for example with string()");
    }
    return unifier_.wider(so_far, next);
  }
  if (literals == Literals::kOneType && !is_soft(so_far) && !is_soft(next)) {
    error(at, "cel-type",
          std::string(what) + " differ in type: " + text_of(so_far) + " and " + text_of(next),
          "convert them to one type, for example with string()");
  }
  return dyn();
}

const Type* Checker::check_list(Expr& expr) {
  const Literals literals = expr.mixed ? Literals::kMixed : environment_.literals();
  const Type* item = nullptr;
  for (std::size_t i = 0; i < expr.arguments.size(); ++i) {
    Expr& argument = *expr.arguments[i];
    const Type* type = check(argument);
    if (expr.optional_items[i]) {
      if (!wants(argument, TypeKind::kOptional, "an entry marked with '?'")) continue;
      const Type* known = unifier_.known(type);
      type = known->is(TypeKind::kOptional) ? known->parameters[0] : dyn();
    }
    item = join(item, type, argument, literals, "the items of the list");
  }
  return pool_.list(item == nullptr ? unifier_.fresh() : item);
}

const Type* Checker::check_map(Expr& expr) {
  const Type* key = nullptr;
  const Type* value = nullptr;
  for (std::size_t i = 0; i < expr.optional_items.size(); ++i) {
    Expr& key_expr = *expr.arguments[2 * i];
    Expr& value_expr = *expr.arguments[2 * i + 1];
    key = join(key, check(key_expr), key_expr, environment_.literals(), "the keys of the map");
    const Type* type = check(value_expr);
    if (expr.optional_items[i]) {
      if (!wants(value_expr, TypeKind::kOptional, "an entry marked with '?'")) continue;
      const Type* known = unifier_.known(type);
      type = known->is(TypeKind::kOptional) ? known->parameters[0] : dyn();
    }
    value = join(value, type, value_expr, environment_.literals(), "the values of the map");
  }
  return pool_.map(key == nullptr ? unifier_.fresh() : key,
                   value == nullptr ? unifier_.fresh() : value);
}

bool Checker::wants(Expr& expr, TypeKind kind, std::string_view what) {
  const Type* type = unifier_.known(expr.type);
  const Type* wanted = kind == TypeKind::kOptional ? pool_.optional(unifier_.fresh())
                       : kind == TypeKind::kMap    ? pool_.map(unifier_.fresh(), unifier_.fresh())
                                                   : simple(kind);
  if (unifier_.assignable(type, wanted)) return true;
  if (type->soft) {
    report(base::Severity::kWarning, expr.begin, expr.end, "cel-pod-field",
           std::string(what) + " must be of type " + to_text(*simple(kind)) + ", this is " +
               text_of(type),
           {});
    return true;
  }
  error(expr, "cel-type",
        std::string(what) + " must be of type " + to_text(*simple(kind)) + ", this is " +
            text_of(type));
  return false;
}

// ------------------------------------------------------------------ logic and macros

const Type* Checker::check_logic(Expr& expr) {
  const std::string what = expr.kind == ExprKind::kAnd ? "each side of '&&'" : "each side of '||'";
  for (Expr* argument : expr.arguments) {
    check(*argument);
    wants(*argument, TypeKind::kBool, what);
  }
  return simple(TypeKind::kBool);
}

const Type* Checker::check_ternary(Expr& expr) {
  check(*expr.arguments[0]);
  wants(*expr.arguments[0], TypeKind::kBool, "what is before '?'");
  const Type* then = check(*expr.arguments[1]);
  const Type* otherwise = check(*expr.arguments[2]);
  const Type* result = unifier_.fresh();
  if (unifier_.assignable({then, otherwise}, {result, result})) return unifier_.substituted(result);
  if (is_soft(then) || is_soft(otherwise)) return dyn();
  error(expr, "cel-type",
        "the two results of '?' differ in type: " + text_of(then) + " and " + text_of(otherwise));
  return dyn();
}

const Type* Checker::check_body(Macro macro, Expr& body, const Type* key) {
  const Type* type = check(body);
  switch (macro) {
    case Macro::kAll:
    case Macro::kExists:
    case Macro::kExistsOne:
      wants(body, TypeKind::kBool, "the condition of " + std::string(to_text(macro)) + "()");
      return simple(TypeKind::kBool);
    case Macro::kMap:
    case Macro::kTransformList:
      return pool_.list(type);
    case Macro::kTransformMap:
      return pool_.map(key, type);
    case Macro::kTransformMapEntry:
      return wants(body, TypeKind::kMap, "the body of transformMapEntry()") ? type : dyn();
    case Macro::kFilter:
    case Macro::kSortBy:
    case Macro::kOptMap:
    case Macro::kOptFlatMap:
      break;
  }
  return type;
}

const Type* Checker::check_macro(Expr& expr) {
  if (expr.macro == Macro::kOptMap || expr.macro == Macro::kOptFlatMap) {
    return check_optional_macro(expr);
  }
  const Type* range = unifier_.known(check(*expr.arguments[0]));
  const bool two = !expr.second_name.empty();
  const Type* first = dyn();
  const Type* second = dyn();
  if (range->is(TypeKind::kList)) {
    first = two ? simple(TypeKind::kInt) : range->parameters[0];
    second = range->parameters[0];
  } else if (range->is(TypeKind::kMap)) {
    first = range->parameters[0];
    second = range->parameters[1];
  } else if (range->is(TypeKind::kShape)) {
    first = simple(TypeKind::kString);
  } else if (range->is(TypeKind::kUnknown)) {
    unifier_.assignable(dyn(), range);
  } else if (!range->is(TypeKind::kDyn)) {
    const Expr& at = *expr.arguments[0];
    report(range->soft ? base::Severity::kWarning : base::Severity::kError, at.begin, at.end,
           range->soft ? "cel-pod-field" : "cel-type",
           std::string(to_text(expr.macro)) + "() needs a list or a map, this is " + text_of(range),
           {});
  }
  locals_[static_cast<std::size_t>(expr.slot)] = first;
  if (two) locals_[static_cast<std::size_t>(expr.slot) + 1] = second;
  Expr& last = *expr.arguments.back();
  if (expr.arguments.size() == 3 || expr.macro == Macro::kFilter) {
    Expr& filter = *expr.arguments[1];
    check(filter);
    wants(filter, TypeKind::kBool, "the condition of " + std::string(to_text(expr.macro)) + "()");
    if (expr.macro == Macro::kFilter) return pool_.list(first);
  }
  const Type* body = check_body(expr.macro, last, first);
  return expr.macro == Macro::kSortBy ? pool_.list(first) : body;
}

const Type* Checker::check_optional_macro(Expr& expr) {
  check(*expr.arguments[0]);
  const std::string what = "what " + std::string(to_text(expr.macro)) + "() is called on";
  const Type* inside = unifier_.fresh();
  const Type* wanted = pool_.optional(inside);
  if (!unifier_.assignable(expr.arguments[0]->type, wanted)) {
    wants(*expr.arguments[0], TypeKind::kOptional, what);
  }
  const Type* known = unifier_.known(inside);
  locals_[static_cast<std::size_t>(expr.slot)] = known;
  const Type* body = check(*expr.arguments[1]);
  if (expr.macro == Macro::kOptMap) return pool_.optional(body);
  wants(*expr.arguments[1], TypeKind::kOptional, "the body of optFlatMap()");
  return body;
}

}  // namespace berth::rules::cel
