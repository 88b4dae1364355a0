#include "rules/cel/cost.h"

#include <algorithm>
#include <vector>

#include "rules/cel/builder.h"
#include "rules/cel/library.h"
#include "rules/cel/regex.h"

namespace berth::rules::cel {
namespace {

constexpr std::int64_t kCap = 1'000'000'000'000;

std::int64_t sum(std::int64_t a, std::int64_t b) {
  return std::min(a + b, kCap);
}
std::int64_t product(std::int64_t a, std::int64_t b) {
  if (a == 0 || b == 0) return 0;
  return a > kCap / b ? kCap : a * b;
}

// Units to evaluate something, and the size of what comes out: bytes or items.
struct Estimate {
  std::int64_t units = 0;
  std::int64_t size = 1;
};

std::int64_t size_by_type(const Type* type) {
  if (type == nullptr) return kWorstItems;
  switch (type->kind) {
    case TypeKind::kString:
    case TypeKind::kBytes:
    case TypeKind::kDyn:
    case TypeKind::kUnknown:
    case TypeKind::kParam:
      return kWorstBytes;
    case TypeKind::kList:
    case TypeKind::kMap:
    case TypeKind::kShape:
      return kWorstItems;
    case TypeKind::kOptional:
      return size_by_type(type->parameters[0]);
    case TypeKind::kNull:
    case TypeKind::kBool:
    case TypeKind::kInt:
    case TypeKind::kUint:
    case TypeKind::kDouble:
    case TypeKind::kTimestamp:
    case TypeKind::kDuration:
    case TypeKind::kQuantity:
    case TypeKind::kType:
    case TypeKind::kStruct:
    case TypeKind::kOpaque:
      break;
  }
  return 1;
}

bool is_list(const Expr& expr) {
  return expr.type != nullptr && (expr.type->is(TypeKind::kList) || expr.type->is(TypeKind::kMap));
}

// As units_of() does with values: items count half, bytes a 64th.
std::int64_t reading(const Expr& expr, std::int64_t size) {
  return is_list(expr) ? size / 2 : size / 64;
}

class Estimator {
 public:
  explicit Estimator(int locals) : locals_(static_cast<std::size_t>(locals), kWorstBytes) {}

  Estimate estimate(const Expr& expr);

 private:
  Estimate call(const Expr& expr);
  Estimate work(const Expr& expr, Work work, const std::vector<Estimate>& arguments);
  Estimate binary(const Expr& expr);
  Estimate macro(const Expr& expr);
  Estimate all(const Expr& expr);

  std::vector<std::int64_t> locals_;
};

Estimate Estimator::estimate(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kLiteral: {
      const bool text = expr.literal.is(Kind::kString) || expr.literal.is(Kind::kBytes);
      return {0, text ? static_cast<std::int64_t>(expr.literal.size()) : 1};
    }
    case ExprKind::kName:
      if (expr.meaning == Meaning::kLocal) return {0, locals_[static_cast<std::size_t>(expr.slot)]};
      return {0, size_by_type(expr.type)};
    case ExprKind::kSelect:
    case ExprKind::kIndex:
    case ExprKind::kHas:
      return {all(expr).units, size_by_type(expr.type)};
    case ExprKind::kCall:
      return call(expr);
    case ExprKind::kOperator:
      return binary(expr);
    case ExprKind::kAnd:
    case ExprKind::kOr:
      return {all(expr).units, 1};
    case ExprKind::kTernary: {
      const Estimate a = estimate(*expr.arguments[1]);
      const Estimate b = estimate(*expr.arguments[2]);
      return {sum(estimate(*expr.arguments[0]).units, std::max(a.units, b.units)),
              std::max(a.size, b.size)};
    }
    case ExprKind::kList:
    case ExprKind::kMap: {
      const auto count = static_cast<std::int64_t>(expr.optional_items.size());
      return {sum(all(expr).units, count), count};
    }
    case ExprKind::kMacro:
    case ExprKind::kBind:
      return macro(expr);
  }
  return {};
}

Estimate Estimator::all(const Expr& expr) {
  Estimate out;
  for (const Expr* argument : expr.arguments) {
    const Estimate one = estimate(*argument);
    out.units = sum(out.units, one.units);
    out.size = std::max(out.size, one.size);
  }
  return out;
}

Estimate Estimator::binary(const Expr& expr) {
  const Estimate a = estimate(*expr.arguments[0]);
  if (expr.arguments.size() == 1) return a;
  const Estimate b = estimate(*expr.arguments[1]);
  const auto units = sum(a.units, b.units);
  if (expr.op == Op::kIn) return {sum(units, b.size / 4), 1};
  if (expr.op < Op::kEqual) {
    const auto size = sum(a.size, b.size);
    return {sum(units, is_list(expr) ? size / 4 : size / 64), size};
  }
  const auto smaller = std::min(a.size, b.size);
  return {sum(units, is_list(*expr.arguments[0]) ? smaller : smaller / 64), 1};
}

Estimate Estimator::work(const Expr& expr, Work kind, const std::vector<Estimate>& arguments) {
  const auto size = [&](std::size_t i) { return i < arguments.size() ? arguments[i].size : 0; };
  const auto read = [&](std::size_t i) {
    return i < arguments.size() ? reading(*expr.arguments[i], arguments[i].size) : 0;
  };
  const auto result = size_by_type(expr.type);
  switch (kind) {
    case Work::kConstant:
      return {1, std::min<std::int64_t>(result, 64)};
    case Work::kScan:
      return {1 + read(0), result};
    case Work::kScanBoth:
      return {1 + product(1 + read(0), 1 + read(1)), std::min(result, kWorstItems)};
    case Work::kCopy:
      return {1 + 2 * read(0), size(0)};
    case Work::kJoin: {
      const auto joined = product(std::max<std::int64_t>(size(0), 1), 64);
      return {1 + read(0) + joined / 64, joined};
    }
    case Work::kMultiply: {
      const auto made = product(1 + size(0), 1 + size(2));
      return {1 + product(1 + read(0), 1 + read(1)) + made / 64, made};
    }
    case Work::kRange: {
      const Expr& count = *expr.arguments[0];
      const bool known = count.kind == ExprKind::kLiteral && count.literal.is(Kind::kInt);
      const auto items = known ? std::max<std::int64_t>(count.literal.as_int(), 0) : kWorstItems;
      return {1 + items / 4, std::min(items, kCap)};
    }
  }
  return {};
}

Estimate Estimator::call(const Expr& expr) {
  std::vector<Estimate> arguments;
  std::int64_t units = 0;
  for (const Expr* argument : expr.arguments) {
    arguments.push_back(estimate(*argument));
    units = sum(units, arguments.back().units);
  }
  if (expr.method != nullptr) return {sum(units, expr.method->units), size_by_type(expr.type)};
  if (regex_use(expr).has_value()) {
    const auto bytes = static_cast<std::size_t>(std::min(arguments[0].size, kCap));
    return {sum(units, regex_units(bytes)), size_by_type(expr.type)};
  }
  Estimate worst{0, 1};
  for (const Overload* overload : expr.overloads) {
    const Estimate one = work(expr, overload->row->work, arguments);
    worst.units = std::max(worst.units, one.units);
    worst.size = std::max(worst.size, one.size);
  }
  worst.units = sum(worst.units, units);
  return worst;
}

Estimate Estimator::macro(const Expr& expr) {
  const Estimate range = estimate(*expr.arguments[0]);
  const auto slot = static_cast<std::size_t>(expr.slot);
  const auto bodies = expr.arguments.subspan(1);
  const bool once = expr.kind == ExprKind::kBind || expr.macro == Macro::kOptMap ||
                    expr.macro == Macro::kOptFlatMap;
  locals_[slot] = once ? range.size : kWorstBytes;
  if (!expr.second_name.empty()) locals_[slot + 1] = kWorstBytes;
  std::int64_t turn = once ? 0 : units_of_turn(bodies);
  std::int64_t size = range.size;
  for (const Expr* body : bodies) {
    const Estimate one = estimate(*body);
    turn = sum(turn, one.units);
    if (once) size = one.size;
  }
  return {sum(range.units, once ? turn : product(range.size, turn)), size};
}

}  // namespace

std::int64_t worst_units(const Ast& ast) {
  return sum(1 + ast.nodes / 4, Estimator(ast.locals).estimate(*ast.root).units);
}

}  // namespace berth::rules::cel
