#include "rules/cel/conjuncts.h"

#include <optional>
#include <utility>
#include <vector>

namespace berth::rules::cel {
namespace {

constexpr std::size_t kMaxOperands = 6;

void flatten(Expr& expr, std::vector<Expr*>& out) {
  if (expr.kind != ExprKind::kAnd) {
    out.push_back(&expr);
    return;
  }
  for (Expr* argument : expr.arguments) flatten(*argument, out);
}

// The path of a fact, "object.metadata.labels['team']"; false for anything else.
bool append_fact(const Expr& expr, std::string& out) {
  if (expr.meaning == Meaning::kVariable) {
    out += expr.name;
    return true;
  }
  if (expr.optional || expr.arguments.empty()) return false;
  if (expr.kind == ExprKind::kSelect && expr.meaning == Meaning::kNone) {
    if (!append_fact(*expr.arguments[0], out)) return false;
    out += '.';
    out += expr.name;
    return true;
  }
  if (expr.kind != ExprKind::kIndex || expr.arguments[1]->kind != ExprKind::kLiteral) return false;
  const Value key = expr.arguments[1]->literal;
  if (!key.is(Kind::kString) || !append_fact(*expr.arguments[0], out)) return false;
  out += "['";
  out += key.text();
  out += "']";
  return true;
}

std::string fact_path(const Expr& expr) {
  std::string out;
  return append_fact(expr, out) ? out : std::string();
}

std::optional<Comparison> comparison_of(Op op) {
  switch (op) {
    case Op::kEqual:
      return Comparison::kEqual;
    case Op::kNotEqual:
      return Comparison::kNotEqual;
    case Op::kLess:
      return Comparison::kLess;
    case Op::kAtMost:
      return Comparison::kAtMost;
    case Op::kGreater:
      return Comparison::kGreater;
    case Op::kAtLeast:
      return Comparison::kAtLeast;
    case Op::kIn:
      return Comparison::kIn;
    case Op::kNegate:
    case Op::kNot:
    case Op::kAdd:
    case Op::kSubtract:
    case Op::kMultiply:
    case Op::kDivide:
    case Op::kModulo:
      break;
  }
  return std::nullopt;
}

// The value of a part that is the same for every request.
std::optional<Value> fixed_value(Expr& expr, Builder& builder) {
  if (!expr.is_fixed()) return std::nullopt;
  const NodePtr node = builder.build(expr);
  if (node->constant() == nullptr) return std::nullopt;
  return *node->constant();
}

std::optional<FactTest> boolean_test(const Expr& expr, Comparison comparison) {
  if (expr.type == nullptr || !expr.type->is(TypeKind::kBool)) return std::nullopt;
  std::string path = fact_path(expr);
  if (path.empty()) return std::nullopt;
  return FactTest{std::move(path), comparison, Value::boolean(true)};
}

Comparison opposite(Comparison comparison) {
  switch (comparison) {
    case Comparison::kEqual:
      return Comparison::kNotEqual;
    case Comparison::kNotEqual:
      return Comparison::kEqual;
    case Comparison::kLess:
      return Comparison::kAtLeast;
    case Comparison::kAtMost:
      return Comparison::kGreater;
    case Comparison::kGreater:
      return Comparison::kAtMost;
    case Comparison::kAtLeast:
      return Comparison::kLess;
    case Comparison::kIn:
      return Comparison::kNotIn;
    case Comparison::kNotIn:
      return Comparison::kIn;
  }
  return comparison;
}

std::optional<FactTest> negated(std::optional<FactTest> test) {
  if (!test) return test;
  if (test->constant.is(Kind::kBool) && test->comparison == Comparison::kEqual) {
    test->constant = Value::boolean(!test->constant.as_bool());
  } else {
    test->comparison = opposite(test->comparison);
  }
  return test;
}

std::optional<FactTest> test_of(Expr& expr, Builder& builder);

// `a == 1 || a in [2, 3]` as `a in [1, 2, 3]`; nothing where the parts ask for more than one fact.
std::optional<FactTest> any_of_one(Expr& expr, Builder& builder) {
  std::string path;
  std::vector<Value> values;
  for (Expr* argument : expr.arguments) {
    const auto test = test_of(*argument, builder);
    if (!test || (!path.empty() && test->path != path)) return std::nullopt;
    path = test->path;
    if (test->comparison == Comparison::kEqual) {
      values.push_back(test->constant);
    } else if (test->comparison == Comparison::kIn) {
      for (std::size_t i = 0; i < test->constant.size(); ++i)
        values.push_back(test->constant.item(i));
    } else {
      return std::nullopt;
    }
  }
  const auto kept = builder.arena().copy(std::span<const Value>(values));
  return FactTest{std::move(path), Comparison::kIn, Value::list(kept)};
}

std::optional<FactTest> test_of(Expr& expr, Builder& builder) {
  if (expr.kind == ExprKind::kOr) return any_of_one(expr, builder);
  if (expr.kind != ExprKind::kOperator) return boolean_test(expr, Comparison::kEqual);
  if (expr.op == Op::kNot) return negated(test_of(*expr.arguments[0], builder));
  const auto comparison = comparison_of(expr.op);
  if (!comparison) return std::nullopt;
  std::string left = fact_path(*expr.arguments[0]);
  if (!left.empty()) {
    const auto constant = fixed_value(*expr.arguments[1], builder);
    const bool fits = constant && (*comparison != Comparison::kIn || constant->is(Kind::kList));
    if (fits) return FactTest{std::move(left), *comparison, *constant};
    return std::nullopt;
  }
  std::string right = fact_path(*expr.arguments[1]);
  if (right.empty() || *comparison == Comparison::kIn) return std::nullopt;
  const auto constant = fixed_value(*expr.arguments[0], builder);
  if (!constant) return std::nullopt;
  return FactTest{std::move(right), *comparison_of(turned(expr.op)), *constant};
}

class Explainer {
 public:
  Explainer(std::string_view text, Builder& builder) : text_(text), builder_(builder) {}

  Explained explain(Expr& expr) {
    Explained out;
    out.node = builder_.build(expr);
    const bool comparison = expr.kind == ExprKind::kOperator && expr.op >= Op::kEqual;
    if (comparison && expr.arguments[1]->is_fixed()) {
      out.comparison = add(*expr.arguments[0], out.operands);
    } else if (comparison && expr.arguments[0]->is_fixed()) {
      out.comparison = add(*expr.arguments[1], out.operands);
    } else if (!is_shown(expr)) {
      for (Expr* argument : expr.arguments) collect(*argument, out.operands);
    }
    return out;
  }

 private:
  // What is shown as a whole: a path, a variable, or a function of a closed type.
  static bool is_shown(const Expr& expr) {
    return !fact_path(expr).empty() || expr.meaning == Meaning::kComputed || expr.method != nullptr;
  }

  bool add(Expr& expr, std::vector<Operand>& out) {
    if (expr.lowest_local != kNoLocal || !expr.uses_request) return false;
    out.push_back(
        {std::string(text_.substr(expr.begin, expr.end - expr.begin)), builder_.build(expr)});
    return true;
  }

  void collect(Expr& expr, std::vector<Operand>& out) {
    if (out.size() >= kMaxOperands || expr.kind == ExprKind::kHas) return;
    if (!is_shown(expr)) {
      for (Expr* argument : expr.arguments) collect(*argument, out);
      return;
    }
    // Whole lists and maps say too much.
    const bool aggregate = expr.type == nullptr || expr.type->is(TypeKind::kList) ||
                           expr.type->is(TypeKind::kMap) || expr.type->is(TypeKind::kShape) ||
                           expr.type->is(TypeKind::kStruct);
    if (!aggregate) add(expr, out);
  }

  std::string_view text_;
  Builder& builder_;
};

}  // namespace

void find_conjuncts(Program::Parts& parts, Builder& builder) {
  std::vector<Expr*> flat;
  flatten(*parts.ast.root, flat);
  Explainer explainer(parts.text, builder);
  for (Expr* expr : flat) {
    Conjunct conjunct;
    conjunct.begin = expr->begin;
    conjunct.end = expr->end;
    conjunct.text = parts.text.substr(expr->begin, expr->end - expr->begin);
    conjunct.test = test_of(*expr, builder);
    parts.conjuncts.push_back(std::move(conjunct));
    parts.explained.push_back(explainer.explain(*expr));
  }
}

}  // namespace berth::rules::cel
