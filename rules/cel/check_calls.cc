// The checker's calls and operators: choosing overloads, and saying why none fits.
#include <algorithm>
#include <array>
#include <utility>

#include "rules/cel/checker.h"
#include "rules/cel/program.h"
#include "rules/cel/time.h"

namespace berth::rules::cel {
namespace {

const Type* dyn() {
  return TypePool::simple(TypeKind::kDyn);
}

// Under which name the library has an operator: all orders share one set of rows.
std::string_view library_name(Op op) {
  switch (op) {
    case Op::kNegate:
      return "neg";
    case Op::kNot:
      return "not";
    case Op::kLess:
    case Op::kAtMost:
    case Op::kGreater:
    case Op::kAtLeast:
      return "<";
    case Op::kAdd:
    case Op::kSubtract:
    case Op::kMultiply:
    case Op::kDivide:
    case Op::kModulo:
    case Op::kEqual:
    case Op::kNotEqual:
    case Op::kIn:
      break;
  }
  return to_text(op);
}

// "string.startsWith(string)" of a signature.
std::string call_text(const Environment::Signature& signature) {
  std::string out;
  std::size_t from = 0;
  if (signature.receiver) {
    out = to_text(*signature.parameters[0]) + ".";
    from = 1;
  }
  out += signature.name + "(";
  for (std::size_t i = from; i < signature.parameters.size(); ++i) {
    if (i > from) out += ", ";
    const Type& parameter = *signature.parameters[i];
    out += parameter.words == nullptr ? to_text(parameter) : std::string(parameter.name);
  }
  return out + ")";
}

std::string joined(const std::vector<std::string>& texts) {
  std::string out;
  for (const auto& text : texts) {
    if (!out.empty()) out += ", ";
    out += text;
  }
  return out;
}

}  // namespace

std::vector<const Type*> Checker::without_soft(const std::vector<const Type*>& types) const {
  std::vector<const Type*> out;
  for (const Type* type : types) out.push_back(is_soft(type) ? dyn() : type);
  return out;
}

std::string Checker::texts_of(const std::vector<const Type*>& types) {
  std::vector<std::string> texts;
  for (const Type* type : types) texts.push_back(text_of(type));
  return joined(texts);
}

bool Checker::try_signature(const Environment::Signature& signature,
                            const std::vector<const Type*>& arguments, const Type** result) {
  Unifier::Renaming renaming;
  std::vector<const Type*> parameters;
  for (const Type* parameter : signature.parameters) {
    parameters.push_back(unifier_.instantiate(parameter, renaming));
  }
  if (!unifier_.assignable(arguments, parameters)) return false;
  const Type* type = unifier_.substituted(unifier_.instantiate(signature.result, renaming));
  if (*result == nullptr) {
    *result = type;
  } else if (!same(**result, *type)) {
    *result = dyn();
  }
  return true;
}

Checker::Choice Checker::choose(std::string_view name, const Expr& call,
                                const std::vector<const Type*>& arguments) {
  Choice out;
  for (const auto& signature : environment_.functions()) {
    if (signature.name == name && signature.receiver == call.receiver) {
      try_signature(signature, arguments, &out.result);
    }
  }
  for (const Overload& overload : Library::get().find(name)) {
    if (overload.signature.receiver != call.receiver) continue;
    if (try_signature(overload.signature, arguments, &out.result)) {
      out.overloads.push_back(&overload);
    }
  }
  return out;
}

Checker::Choice Checker::choose_softly(std::string_view name, const Expr& call,
                                       const std::vector<const Type*>& arguments) {
  Choice out = choose(name, call, arguments);
  const bool soft = std::any_of(arguments.begin(), arguments.end(),
                                [this](const Type* type) { return is_soft(type); });
  if (out.result != nullptr || !soft) return out;
  out = choose(name, call, without_soft(arguments));
  if (out.result == nullptr) return out;
  // Comparing a field with null is how some ask whether it is there.
  const bool null_test = (name == "==" || name == "!=") &&
                         std::any_of(arguments.begin(), arguments.end(), [this](const Type* type) {
                           return unifier_.known(type)->is(TypeKind::kNull);
                         });
  if (null_test) return out;
  const std::string shown =
      call.kind == ExprKind::kOperator ? std::string(to_text(call.op)) : std::string(name);
  report(
      base::Severity::kWarning, call.begin, call.end, "cel-pod-field",
      "'" + shown + "' does not take (" + texts_of(arguments) + "), by the known fields of a pod",
      "it fails, or is never true, when it is evaluated");
  return out;
}

// ------------------------------------------------------------------ operators

const Type* Checker::check_operator(Expr& expr) {
  std::vector<const Type*> types;
  for (Expr* argument : expr.arguments) types.push_back(check(*argument));
  const Choice choice = choose_softly(library_name(expr.op), expr, types);
  if (choice.result != nullptr) return choice.result;
  if (!has_error_inside(expr)) no_operator(expr, types);
  return choice.result == nullptr && expr.op >= Op::kEqual ? TypePool::simple(TypeKind::kBool)
                                                           : dyn();
}

std::string Checker::operator_hint(const Expr& expr, const std::vector<const Type*>& arguments) {
  if (arguments.size() != 2) return {};
  const auto kind = [&](std::size_t i) { return unifier_.known(arguments[i])->kind; };
  const auto either = [&](TypeKind a, TypeKind b) {
    return (kind(0) == a && kind(1) == b) || (kind(0) == b && kind(1) == a);
  };
  for (const Expr* argument : expr.arguments) {
    if (argument->kind != ExprKind::kLiteral) continue;
    const std::string text = to_text(argument->literal);
    if (either(TypeKind::kQuantity, TypeKind::kString) ||
        either(TypeKind::kQuantity, TypeKind::kInt)) {
      return "write quantity('" + text + "')";
    }
    if (either(TypeKind::kInt, TypeKind::kString) && argument->literal.is(Kind::kString)) {
      return text.find_first_not_of("0123456789") == std::string::npos && !text.empty()
                 ? "write " + text + " without quotes"
                 : std::string();
    }
    if (either(TypeKind::kDouble, TypeKind::kInt) && argument->literal.is(Kind::kInt)) {
      return "write " + text + ".0";
    }
    if (either(TypeKind::kDuration, TypeKind::kString)) return "write duration('" + text + "')";
  }
  if (either(TypeKind::kDouble, TypeKind::kInt)) return "convert with int() or double()";
  if (either(TypeKind::kString, TypeKind::kInt)) return "convert with int() or string()";
  if (kind(0) == TypeKind::kOptional || kind(1) == TypeKind::kOptional) {
    return "take the value out with orValue(...)";
  }
  return {};
}

void Checker::no_operator(const Expr& expr, const std::vector<const Type*>& arguments) {
  error(expr, "cel-type",
        "'" + std::string(to_text(expr.op)) + "' does not take (" + texts_of(arguments) + ")",
        operator_hint(expr, arguments));
}

// ------------------------------------------------------------------ calls

const Type* Checker::check_call(Expr& expr) {
  std::vector<const Type*> types;
  for (Expr* argument : expr.arguments) {
    // Items that are formatted may differ in type.
    if (expr.name == "format" && argument->kind == ExprKind::kList) argument->mixed = true;
    types.push_back(check(*argument));
  }
  if (expr.receiver) {
    const Type* receiver = unifier_.known(types[0]);
    if (receiver->is(TypeKind::kStruct)) return check_method(expr, *receiver);
  }
  const Choice choice = choose_softly(expr.name, expr, types);
  if (choice.result == nullptr) {
    if (!has_error_inside(expr)) no_overload(expr, types);
    return dyn();
  }
  expr.overloads = ast_.arena.copy(std::span<const Overload* const>(choice.overloads));
  check_format(expr);
  check_zone(expr);
  return choice.result;
}

void Checker::check_zone(const Expr& expr) {
  const bool part = expr.receiver && expr.name.starts_with("get") && expr.arguments.size() == 2 &&
                    expr.arguments[1]->kind == ExprKind::kLiteral &&
                    expr.arguments[1]->literal.is(Kind::kString);
  if (!part) return;
  const std::string zone(expr.arguments[1]->literal.text());
  if (zone_offset(zone)) return;
  report(base::Severity::kError, expr.arguments[1]->begin, expr.arguments[1]->end,
         "cel-unavailable", "'" + zone + "' (named time zones) is not available in rules",
         "give an offset such as '+01:00'");
}

void Checker::check_format(const Expr& expr) {
  const bool literal = expr.name == "format" && expr.receiver &&
                       expr.arguments[0]->kind == ExprKind::kLiteral &&
                       expr.arguments[1]->kind == ExprKind::kList;
  if (!literal) return;
  const Expr& list = *expr.arguments[1];
  const auto marked = std::count(list.optional_items.begin(), list.optional_items.end(), true);
  if (marked > 0) return;
  std::vector<const Type*> types;
  for (const Expr* item : list.arguments) types.push_back(unifier_.final_type(item->type));
  const std::string problem = format_problem(expr.arguments[0]->literal.text(), types);
  if (!problem.empty()) error(expr, "cel-constant", problem);
}

const Type* Checker::check_method(Expr& expr, const Type& receiver) {
  const StructType& type = *receiver.structure;
  std::vector<const Type*> types;
  for (const Expr* argument : expr.arguments) types.push_back(argument->type);
  std::vector<std::string> calls;
  std::vector<std::string_view> names;
  for (const MethodRow& method : type.methods) {
    names.push_back(method.name);
    if (method.name != expr.name) continue;
    const auto& signature = environment_.signature_of(type, method);
    const Type* result = nullptr;
    if (try_signature(signature, types, &result) ||
        try_signature(signature, without_soft(types), &result)) {
      expr.method = &method;
      for (std::size_t i = 1; i < expr.arguments.size(); ++i) {
        check_words(*expr.arguments[i], *signature.parameters[i]);
      }
      return result;
    }
    std::string text = call_text(signature);
    calls.push_back(text.substr(text.find('.') + 1));
  }
  const std::string owner = owner_name(expr, type.name);
  if (calls.empty()) {
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    report(base::Severity::kError, expr.at, expr.end, "cel-unknown-function",
           owner + " has no function '" + std::string(expr.name) + "'",
           base::suggestion(expr.name, names));
  } else {
    types.erase(types.begin());
    report(base::Severity::kError, expr.at, expr.end, "cel-type",
           "'" + owner + "." + std::string(expr.name) + "' does not take (" + texts_of(types) + ")",
           "it is " + joined(calls));
  }
  return dyn();
}

void Checker::check_words(const Expr& argument, const Type& parameter) {
  if (parameter.words == nullptr) return;
  Value value = argument.literal;
  if (argument.meaning == Meaning::kComputed && argument.computed->program->is_constant()) {
    value = argument.computed->program->constant();
  } else if (argument.kind != ExprKind::kLiteral) {
    return;
  }
  if (!value.is(Kind::kString)) return;
  const WordType& type = *parameter.words;
  if (std::find(type.words.begin(), type.words.end(), value.text()) != type.words.end()) return;
  if (type.knows != nullptr && type.knows(value.text())) return;
  const std::vector<std::string_view> known(type.words.begin(), type.words.end());
  report(type.openness == Openness::kOpen ? base::Severity::kWarning : base::Severity::kError,
         argument.begin, argument.end, std::string(type.code),
         "unknown " + type.name + " '" + std::string(value.text()) + "'",
         base::suggestion(value.text(), known));
}

void Checker::no_function(const Expr& call) {
  const std::string name(call.name);
  if (const auto what = Library::unavailable(name); !what.empty()) {
    return report(base::Severity::kError, call.at, call.end, "cel-unavailable",
                  "'" + name + "' (" + std::string(what) + ") is not available in rules", {});
  }
  const auto near = base::nearest(name, Library::get().names());
  report(base::Severity::kError, call.at, call.end, "cel-unknown-function",
         "no function '" + name + "'",
         near.empty() ? std::string() : "did you mean '" + std::string(near) + "'?");
}

void Checker::no_overload(const Expr& call, const std::vector<const Type*>& arguments) {
  std::vector<std::string> calls;
  for (const Overload& overload : Library::get().find(call.name)) {
    calls.push_back(call_text(overload.signature));
  }
  for (const auto& signature : environment_.functions()) {
    if (signature.name == call.name) calls.push_back(call_text(signature));
  }
  if (calls.empty()) return no_function(call);
  std::vector<const Type*> given(arguments.begin() + (call.receiver ? 1 : 0), arguments.end());
  std::string text = "'" + std::string(call.name) + "'";
  if (call.receiver) text += " of a " + text_of(arguments[0]);
  constexpr std::size_t kFewCalls = 6;
  report(base::Severity::kError, call.at, call.end, "cel-type",
         text + " does not take (" + texts_of(given) + ")",
         calls.size() <= kFewCalls ? "it is " + joined(calls) : std::string());
}

}  // namespace berth::rules::cel
