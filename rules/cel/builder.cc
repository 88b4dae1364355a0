#include "rules/cel/builder.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <re2/re2.h>

#include "rules/cel/fuse.h"
#include "rules/cel/library.h"
#include "rules/cel/program.h"
#include "rules/cel/regex.h"

namespace berth::rules::cel {
namespace {

// The overloads that a call may mean, by name, style and number of arguments.
std::vector<Candidate> candidates_of(const Expr& call) {
  std::vector<Candidate> out;
  const auto add = [&](const Overload& overload) {
    if (overload.row->call == nullptr) return;
    Candidate candidate;
    std::copy(overload.kinds.begin(), overload.kinds.end(), candidate.kinds.begin());
    candidate.call = overload.row->call;
    candidate.work = overload.row->work;
    out.push_back(candidate);
  };
  if (!call.overloads.empty()) {
    for (const Overload* overload : call.overloads) add(*overload);
    return out;
  }
  for (const Overload& overload : Library::get().find(call.name)) {
    const auto& signature = overload.signature;
    if (signature.receiver == call.receiver &&
        signature.parameters.size() == call.arguments.size()) {
      add(overload);
    }
  }
  return out;
}

// Conversions of a literal, with what a right one looks like.
struct Conversion {
  std::string_view name;
  std::string_view hint;
};
constexpr std::array<Conversion, 9> kConversions = {{
    {"duration", "durations look like '90s' or '1h30m'"},
    {"timestamp", "timestamps look like '2026-01-31T08:00:00Z'"},
    {"quantity", "quantities look like '500m', '16Gi' or '2'"},
    {"int", ""},
    {"uint", ""},
    {"double", ""},
    {"bool", "it is 'true' or 'false'"},
    {"string", ""},
    {"bytes", ""},
}};

// The conversion that a call is, where its argument is a literal; else nullptr.
const Conversion* literal_conversion(const Expr& expr) {
  if (expr.kind != ExprKind::kCall || expr.receiver || expr.arguments.size() != 1) return nullptr;
  if (expr.arguments[0]->kind != ExprKind::kLiteral) return nullptr;
  const auto* row = std::find_if(kConversions.begin(), kConversions.end(),
                                 [&](const Conversion& c) { return c.name == expr.name; });
  return row == kConversions.end() ? nullptr : row;
}

// or() and orValue(): the right side is evaluated only where the left one has no value.
class OrValueNode final : public Node {
 public:
  OrValueNode(NodePtr optional, NodePtr otherwise, Access result, std::uint32_t at)
      : optional_(std::move(optional)),
        otherwise_(std::move(otherwise)),
        result_(result),
        at_(at) {}
  Value evaluate(Frame& frame) const override {
    const Value value = optional_->evaluate(frame);
    if (value.is_error()) return value;
    if (!value.is(Kind::kOptional)) return fail(kNoSuchOverload).at_offset(at_);
    if (value.has_value()) return result_ == Access::kPlain ? value.optional_value() : value;
    const Value other = otherwise_->evaluate(frame);
    const bool fits = result_ == Access::kPlain || other.is_error() || other.is(Kind::kOptional);
    return fits ? other : fail(kNoSuchOverload).at_offset(at_);
  }

 private:
  NodePtr optional_;
  NodePtr otherwise_;
  Access result_;
  std::uint32_t at_;
};

}  // namespace

int count_nodes(const Expr& expr) {
  int out = 1;
  for (const Expr* argument : expr.arguments) out += count_nodes(*argument);
  return out;
}

std::int64_t units_of_turn(std::span<Expr* const> bodies) {
  std::int64_t nodes = 0;
  for (const Expr* body : bodies) nodes += count_nodes(*body);
  return 1 + nodes / 2;
}

std::optional<RegexUse> regex_use(const Expr& call) {
  const bool method = call.receiver && (call.arguments.size() == 2 || call.arguments.size() == 3);
  if (call.name == "matches" && call.arguments.size() == 2) return RegexUse::kMatches;
  if (call.name == "find" && method && call.arguments.size() == 2) return RegexUse::kFind;
  if (call.name == "findAll" && method) return RegexUse::kFindAll;
  return std::nullopt;
}

void Builder::report(const Expr& expr, std::string code, std::string text, std::string hint) {
  diagnostics_.push_back({base::Severity::kError, std::move(code), std::move(text), std::move(hint),
                          expr.begin, expr.end});
}

NodePtr Builder::build(Expr& expr) {
  if (expr.kind == ExprKind::kLiteral) return constant_node(expr.literal);
  if (!expr.is_fixed() || (inside_fixed_ && literal_conversion(expr) == nullptr)) {
    return build_varying(expr);
  }
  const bool outer = inside_fixed_;
  inside_fixed_ = true;
  NodePtr node = build_varying(expr);
  inside_fixed_ = outer;
  return fold(expr, std::move(node));
}

NodePtr Builder::fold(const Expr& expr, NodePtr node) {
  if (options_.folding == Folding::kPlain || node->constant() != nullptr) return node;
  const Activation nothing;
  Budget budget;
  std::vector<Value> locals(static_cast<std::size_t>(ast_.locals));
  Frame frame(nothing, ast_.arena, budget, locals, kUnitsPerExpression);
  const Value value = node->evaluate(frame);
  if (value.is_error() || frame.exhausted()) {
    check_conversion(expr, value);
    return node;
  }
  return constant_node(value);
}

// A literal that no request could make right is an error now.
void Builder::check_conversion(const Expr& expr, Value value) {
  const Conversion* conversion = literal_conversion(expr);
  const bool checked = options_.checking == Checking::kChecked;
  if (!checked || !value.is_error() || conversion == nullptr) return;
  report(expr, "cel-constant",
         to_source(expr.arguments[0]->literal) + " is no " + std::string(conversion->name),
         std::string(conversion->hint));
}

std::vector<NodePtr> Builder::build_all(std::span<Expr* const> arguments) {
  std::vector<NodePtr> out;
  out.reserve(arguments.size());
  for (Expr* argument : arguments) out.push_back(build(*argument));
  return out;
}

NodePtr Builder::build_varying(Expr& expr) {
  if (options_.fusing == Fusing::kFused) {
    if (NodePtr fused = fuse(expr, *this); fused != nullptr) return fused;
  }
  switch (expr.kind) {
    case ExprKind::kLiteral:
      return constant_node(expr.literal);
    case ExprKind::kName:
    case ExprKind::kSelect:
      return build_path(expr);
    case ExprKind::kIndex: {
      NodePtr operand = build(*expr.arguments[0]);
      const auto access = expr.optional ? Access::kOptional : Access::kPlain;
      return index_node(std::move(operand), build(*expr.arguments[1]), access, expr.at);
    }
    case ExprKind::kCall:
      return build_call(expr);
    case ExprKind::kOperator:
      return build_operator(expr);
    case ExprKind::kAnd:
    case ExprKind::kOr:
      return build_logic(expr);
    case ExprKind::kTernary:
      return build_ternary(expr);
    case ExprKind::kList:
    case ExprKind::kMap: {
      std::vector<bool> marks(expr.optional_items.begin(), expr.optional_items.end());
      auto items = build_all(expr.arguments);
      return expr.kind == ExprKind::kList ? list_node(std::move(items), std::move(marks), expr.at)
                                          : map_node(std::move(items), std::move(marks), expr.at);
    }
    case ExprKind::kHas: {
      Expr& tested = *expr.arguments[0];
      return has_node(build(*tested.arguments[0]), tested.name, tested.at);
    }
    case ExprKind::kMacro:
    case ExprKind::kBind:
      return build_macro(expr);
  }
  return nullptr;
}

NodePtr Builder::build_path(Expr& expr) {
  switch (expr.meaning) {
    case Meaning::kLocal:
      return local_node(expr.slot);
    case Meaning::kVariable:
      return variable_node(expr.slot, expr.name, expr.at);
    case Meaning::kComputed:
      if (expr.computed->program->is_constant()) {
        return constant_node(expr.computed->program->constant());
      }
      return computed_node(expr.computed->program, expr.computed->memo, expr.at);
    case Meaning::kTypeValue:
      return constant_node(Value::type(expr.type_value));
    case Meaning::kUnknown:
      return failing_node("undeclared reference", expr.name, expr.at);
    case Meaning::kNone:
    case Meaning::kFunction:
      break;
  }
  const auto access = expr.optional ? Access::kOptional : Access::kPlain;
  return select_node(build(*expr.arguments[0]), expr.name, access, expr.at);
}

NodePtr Builder::build_call(Expr& expr) {
  if (expr.method != nullptr) {
    NodePtr receiver = build(*expr.arguments[0]);
    return method_node(std::move(receiver), build_all(expr.arguments.subspan(1)), *expr.method,
                       expr.at);
  }
  if (expr.receiver && expr.arguments.size() == 2 &&
      (expr.name == "or" || expr.name == "orValue")) {
    NodePtr optional = build(*expr.arguments[0]);
    const auto result = expr.name == "or" ? Access::kOptional : Access::kPlain;
    return std::make_unique<OrValueNode>(std::move(optional), build(*expr.arguments[1]), result,
                                         expr.at);
  }
  if (regex_use(expr).has_value()) {
    if (NodePtr node = build_regex(expr); node != nullptr) return node;
  }
  auto candidates = candidates_of(expr);
  if (candidates.empty() || expr.arguments.size() > candidates[0].kinds.size()) {
    build_all(expr.arguments);
    return failing_node("unbound function", expr.name, expr.at);
  }
  return call_node(build_all(expr.arguments), std::move(candidates), expr.at);
}

NodePtr Builder::build_regex(Expr& expr) {
  Expr& pattern_expr = *expr.arguments[1];
  NodePtr pattern = build(pattern_expr);
  if (pattern_expr.is_fixed() && pattern->constant() == nullptr) {
    pattern = fold(pattern_expr, std::move(pattern));
  }
  const Value* value = pattern->constant();
  const bool checked = options_.checking == Checking::kChecked;
  if (value == nullptr || !value->is(Kind::kString)) {
    if (checked && value == nullptr) {
      report(pattern_expr, "cel-regex",
             "the pattern of " + std::string(expr.name) + "() must be constant",
             "write it as a text, or as a variable that is one");
    }
    return nullptr;
  }
  const auto regex = compile_regex(value->text());
  if (!regex->ok()) {
    if (!checked) return nullptr;
    report(pattern_expr, "cel-regex", "invalid regular expression: " + regex->error(), {});
  }
  NodePtr text = build(*expr.arguments[0]);
  NodePtr limit = expr.arguments.size() == 3 ? build(*expr.arguments[2]) : nullptr;
  return regex_node(*regex_use(expr), regex, std::move(text), std::move(limit), expr.at);
}

NodePtr Builder::build_operator(Expr& expr) {
  NodePtr first = build(*expr.arguments[0]);
  if (expr.op == Op::kNot) return not_node(std::move(first), expr.at);
  if (expr.op == Op::kNegate) return negate_node(std::move(first), expr.at);
  return binary_node(expr.op, std::move(first), build(*expr.arguments[1]), expr.at);
}

NodePtr Builder::build_logic(Expr& expr) {
  const bool deciding = expr.kind == ExprKind::kOr;
  std::vector<NodePtr> parts;
  for (Expr* argument : expr.arguments) {
    NodePtr part = build(*argument);
    const Value* value = part->constant();
    if (options_.folding == Folding::kFolded && value != nullptr && value->is(Kind::kBool)) {
      // A deciding constant decides whatever the others give; the other one has no influence.
      if (value->as_bool() == deciding) return part;
      continue;
    }
    parts.push_back(std::move(part));
  }
  if (parts.empty()) return constant_node(Value::boolean(!deciding));
  return deciding ? or_node(std::move(parts), expr.at) : and_node(std::move(parts), expr.at);
}

NodePtr Builder::build_ternary(Expr& expr) {
  NodePtr condition = build(*expr.arguments[0]);
  const Value* value = condition->constant();
  if (options_.folding == Folding::kFolded && value != nullptr && value->is(Kind::kBool)) {
    return build(*expr.arguments[value->as_bool() ? 1 : 2]);
  }
  NodePtr then = build(*expr.arguments[1]);
  return ternary_node(std::move(condition), std::move(then), build(*expr.arguments[2]), expr.at);
}

NodePtr Builder::build_macro(Expr& expr) {
  NodePtr range = build(*expr.arguments[0]);
  if (expr.kind == ExprKind::kBind) {
    return bind_node(std::move(range), build(*expr.arguments[1]), expr.slot);
  }
  MacroParts parts;
  parts.macro = expr.macro;
  parts.range = std::move(range);
  parts.slot = expr.slot;
  parts.two = !expr.second_name.empty();
  parts.at = expr.at;
  const auto bodies = expr.arguments.subspan(1);
  parts.units = units_of_turn(bodies);
  if (expr.macro == Macro::kFilter) {
    parts.filter = build(*bodies[0]);
  } else if (bodies.size() == 2) {
    parts.filter = build(*bodies[0]);
    parts.body = build(*bodies[1]);
  } else {
    parts.body = build(*bodies[0]);
  }
  return macro_node(std::move(parts));
}

}  // namespace berth::rules::cel
