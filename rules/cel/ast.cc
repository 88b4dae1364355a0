#include "rules/cel/ast.h"

#include <array>

namespace berth::rules::cel {
namespace {

void print_to(const Expr& expr, std::string& out);

void print_all(std::span<Expr* const> arguments, std::string& out) {
  for (const Expr* argument : arguments) {
    out += ' ';
    print_to(*argument, out);
  }
}

void print_items(const Expr& expr, std::string& out) {
  const std::size_t step = expr.kind == ExprKind::kMap ? 2 : 1;
  for (std::size_t i = 0; i < expr.arguments.size(); ++i) {
    out += ' ';
    if (i % step == 0 && expr.optional_items[i / step]) out += '?';
    print_to(*expr.arguments[i], out);
  }
}

// What stands behind the opening bracket.
std::string head(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kLiteral:
    case ExprKind::kName:
      return {};
    case ExprKind::kSelect:
      return expr.optional ? ".?" : ".";
    case ExprKind::kIndex:
      return expr.optional ? "[?]" : "[]";
    case ExprKind::kCall:
      return expr.receiver ? "." + std::string(expr.name) + "()" : std::string(expr.name) + "()";
    case ExprKind::kOperator:
      return std::string(to_text(expr.op));
    case ExprKind::kAnd:
      return "&&";
    case ExprKind::kOr:
      return "||";
    case ExprKind::kTernary:
      return "?:";
    case ExprKind::kList:
      return "list";
    case ExprKind::kMap:
      return "map";
    case ExprKind::kHas:
      return "has";
    case ExprKind::kMacro:
      return std::string(to_text(expr.macro)) + " " + std::string(expr.name) +
             (expr.second_name.empty() ? "" : "," + std::string(expr.second_name));
    case ExprKind::kBind:
      return "bind " + std::string(expr.name);
  }
  return {};
}

void print_to(const Expr& expr, std::string& out) {
  if (expr.kind == ExprKind::kLiteral) {
    out += to_source(expr.literal);
    return;
  }
  if (expr.kind == ExprKind::kName) {
    if (expr.leading_dot) out += '.';
    out += expr.name;
    return;
  }
  out += '(';
  out += head(expr);
  if (expr.kind == ExprKind::kList || expr.kind == ExprKind::kMap) {
    print_items(expr, out);
  } else {
    print_all(expr.arguments, out);
  }
  if (expr.kind == ExprKind::kSelect) {
    out += ' ';
    out += expr.name;
  }
  out += ')';
}

}  // namespace

Op turned(Op op) {
  switch (op) {
    case Op::kLess:
      return Op::kGreater;
    case Op::kAtMost:
      return Op::kAtLeast;
    case Op::kGreater:
      return Op::kLess;
    case Op::kAtLeast:
      return Op::kAtMost;
    case Op::kNegate:
    case Op::kNot:
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
  return op;
}

std::string_view to_text(Op op) {
  static constexpr std::array<std::string_view, 14> kTexts = {
      "-", "!", "+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "in"};
  return kTexts[static_cast<std::size_t>(op)];
}

std::string_view to_text(Macro macro) {
  static constexpr std::array<std::string_view, 11> kTexts = {
      "all",    "exists",        "existsOne",    "map",
      "filter", "transformList", "transformMap", "transformMapEntry",
      "sortBy", "optMap",        "optFlatMap"};
  return kTexts[static_cast<std::size_t>(macro)];
}

std::string print(const Expr& expr) {
  std::string out;
  print_to(expr, out);
  return out;
}

bool append_path(const Expr& expr, std::string& out) {
  if (expr.kind == ExprKind::kName && expr.meaning != Meaning::kLocal) {
    out += expr.name;
    return true;
  }
  if (expr.kind != ExprKind::kSelect || expr.optional) return false;
  if (!append_path(*expr.arguments[0], out)) return false;
  out += '.';
  out += expr.name;
  return true;
}

}  // namespace berth::rules::cel
