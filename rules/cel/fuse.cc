#include "rules/cel/fuse.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "rules/cel/builder.h"

namespace berth::rules::cel {
namespace {

// ------------------------------------------------------------------ paths

struct Path {
  const Expr* variable = nullptr;
  std::vector<PathStep> steps;
};

// Plain selects and constant text keys from a declared variable that arrives as JSON.
bool collect_path(const Expr& expr, Path& path) {
  if (expr.meaning == Meaning::kVariable) {
    path.variable = &expr;
    const bool closed = expr.type != nullptr && expr.type->is(TypeKind::kStruct);
    return !closed;
  }
  if (expr.optional) return false;
  if (expr.kind == ExprKind::kSelect && expr.meaning == Meaning::kNone) {
    if (!collect_path(*expr.arguments[0], path)) return false;
    path.steps.push_back({std::string(expr.name), expr.at});
    return true;
  }
  if (expr.kind != ExprKind::kIndex || expr.arguments[1]->kind != ExprKind::kLiteral) return false;
  const Value key = expr.arguments[1]->literal;
  if (!key.is(Kind::kString) || !collect_path(*expr.arguments[0], path)) return false;
  path.steps.push_back({std::string(key.text()), expr.at});
  return true;
}

NodePtr fuse_path(const Expr& expr) {
  if (expr.field != nullptr && !expr.optional && expr.arguments[0]->meaning == Meaning::kVariable) {
    return fact_node(expr.arguments[0]->slot, *expr.field, expr.at);
  }
  Path path;
  if (!collect_path(expr, path) || path.steps.empty()) return nullptr;
  return json_path_node(path.variable->slot, path.variable->name, std::move(path.steps),
                        path.variable->at);
}

// ------------------------------------------------------------------ fact op constant

// An int against a constant one.
class CompareIntNode final : public Node {
 public:
  CompareIntNode(Op op, NodePtr left, Value right, std::uint32_t at)
      : op_(op), left_(std::move(left)), right_(right), at_(at) {}
  Value evaluate(Frame& frame) const override {
    const Value left = left_->evaluate(frame);
    if (left.is(Kind::kInt)) return Value::boolean(holds(left.as_int(), right_.as_int()));
    return left.is_error() ? left : relation(op_, left, right_).at_offset(at_);
  }

 private:
  bool holds(std::int64_t a, std::int64_t b) const {
    switch (op_) {
      case Op::kEqual:
        return a == b;
      case Op::kNotEqual:
        return a != b;
      case Op::kLess:
        return a < b;
      case Op::kAtMost:
        return a <= b;
      case Op::kGreater:
        return a > b;
      case Op::kAtLeast:
        return a >= b;
      case Op::kNegate:
      case Op::kNot:
      case Op::kAdd:
      case Op::kSubtract:
      case Op::kMultiply:
      case Op::kDivide:
      case Op::kModulo:
      case Op::kIn:
        break;
    }
    return false;
  }

  Op op_;
  NodePtr left_;
  Value right_;
  std::uint32_t at_;
};

// A text == or != a constant one.
class EqualTextNode final : public Node {
 public:
  EqualTextNode(Op op, NodePtr left, Value right)
      : op_(op), left_(std::move(left)), right_(right) {}
  Value evaluate(Frame& frame) const override {
    const Value left = left_->evaluate(frame);
    if (left.is_error()) return left;
    const bool same = left.is(Kind::kString) && left.text() == right_.text();
    return Value::boolean(same == (op_ == Op::kEqual));
  }

 private:
  Op op_;
  NodePtr left_;
  Value right_;
};

// A text in a constant list of texts, which is sorted by length and content.
class InTextsNode final : public Node {
 public:
  InTextsNode(NodePtr left, std::vector<std::string_view> texts)
      : left_(std::move(left)), texts_(std::move(texts)) {
    std::sort(texts_.begin(), texts_.end(), before);
  }
  Value evaluate(Frame& frame) const override {
    const Value left = left_->evaluate(frame);
    if (left.is_error()) return left;
    return Value::boolean(left.is(Kind::kString) &&
                          std::binary_search(texts_.begin(), texts_.end(), left.text(), before));
  }

 private:
  static bool before(std::string_view a, std::string_view b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  }

  NodePtr left_;
  std::vector<std::string_view> texts_;
};

// The texts of a constant list of nothing else; empty for any other value.
std::vector<std::string_view> texts_of(Value list) {
  std::vector<std::string_view> out;
  if (!list.is(Kind::kList)) return out;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list.item(i).is(Kind::kString)) return {};
    out.push_back(list.item(i).text());
  }
  return out;
}

NodePtr fuse_in(Expr& expr, NodePtr left, NodePtr right) {
  auto texts =
      right->constant() == nullptr ? std::vector<std::string_view>{} : texts_of(*right->constant());
  if (texts.empty()) return binary_node(expr.op, std::move(left), std::move(right), expr.at);
  return std::make_unique<InTextsNode>(std::move(left), std::move(texts));
}

NodePtr fuse_relation(Expr& expr, Builder& builder) {
  NodePtr left = builder.build(*expr.arguments[0]);
  NodePtr right = builder.build(*expr.arguments[1]);
  if (expr.op == Op::kIn) return fuse_in(expr, std::move(left), std::move(right));
  // The constant goes to the right. Where both sides may fail, the order tells which error comes.
  Op op = expr.op;
  if (left->constant() != nullptr && right->constant() == nullptr) {
    std::swap(left, right);
    op = turned(op);
  }
  const Value* constant = right->constant();
  if (constant != nullptr && constant->is(Kind::kInt)) {
    return std::make_unique<CompareIntNode>(op, std::move(left), *constant, expr.at);
  }
  const bool equality = op == Op::kEqual || op == Op::kNotEqual;
  if (constant != nullptr && constant->is(Kind::kString) && equality) {
    return std::make_unique<EqualTextNode>(op, std::move(left), *constant);
  }
  return binary_node(op, std::move(left), std::move(right), expr.at);
}

// ------------------------------------------------------------------ absent or default

// path.?key.orValue(constant), without an optional in between.
class PathOrNode final : public Node {
 public:
  PathOrNode(NodePtr map, std::string_view key, Value otherwise, std::uint32_t at)
      : map_(std::move(map)), key_(key), otherwise_(otherwise), at_(at) {}
  Value evaluate(Frame& frame) const override {
    const Value map = map_->evaluate(frame);
    if (map.is_error()) return map;
    if (map.is(Kind::kMap)) {
      Value found;
      return find(map, key_, &found) ? found : otherwise_;
    }
    const Value value = select(frame, map, key_, Access::kOptional).at_offset(at_);
    if (value.is_error()) return value;
    return value.has_value() ? value.optional_value() : otherwise_;
  }

 private:
  NodePtr map_;
  std::string key_;
  Value otherwise_;
  std::uint32_t at_;
};

NodePtr fuse_or_value(Expr& expr, Builder& builder) {
  if (!expr.receiver || expr.name != "orValue" || expr.arguments.size() != 2) return nullptr;
  Expr& step = *expr.arguments[0];
  const bool select = step.kind == ExprKind::kSelect && step.meaning == Meaning::kNone;
  const bool index = step.kind == ExprKind::kIndex &&
                     step.arguments[1]->kind == ExprKind::kLiteral &&
                     step.arguments[1]->literal.is(Kind::kString);
  if (!step.optional || (!select && !index) || step.is_fixed()) return nullptr;
  if (!expr.arguments[1]->is_fixed()) return nullptr;
  const NodePtr otherwise = builder.build(*expr.arguments[1]);
  if (otherwise->constant() == nullptr) return nullptr;
  const auto key = select ? step.name : step.arguments[1]->literal.text();
  return std::make_unique<PathOrNode>(builder.build(*step.arguments[0]), key,
                                      *otherwise->constant(), step.at);
}

}  // namespace

NodePtr fuse(Expr& expr, Builder& builder) {
  switch (expr.kind) {
    case ExprKind::kSelect:
    case ExprKind::kIndex:
      return fuse_path(expr);
    case ExprKind::kOperator:
      return expr.op >= Op::kEqual ? fuse_relation(expr, builder) : nullptr;
    case ExprKind::kCall:
      return fuse_or_value(expr, builder);
    case ExprKind::kLiteral:
    case ExprKind::kName:
    case ExprKind::kAnd:
    case ExprKind::kOr:
    case ExprKind::kTernary:
    case ExprKind::kList:
    case ExprKind::kMap:
    case ExprKind::kHas:
    case ExprKind::kMacro:
    case ExprKind::kBind:
      break;
  }
  return nullptr;
}

}  // namespace berth::rules::cel
