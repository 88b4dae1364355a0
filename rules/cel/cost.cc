#include "rules/cel/cost.h"

#include <algorithm>
#include <vector>

#include "rules/cel/builder.h"
#include "rules/cel/library.h"
#include "rules/cel/regex.h"

namespace berth::rules::cel {
namespace {

constexpr std::int64_t kCap = 1'000'000'000'000;
// Texts that grow by replace() or join() count with at most this: the budget stops them at run.
constexpr std::int64_t kWorstMadeBytes = 16 * kWorstBytes;

std::int64_t sum(std::int64_t a, std::int64_t b) {
  return std::min(a + b, kCap);
}
std::int64_t product(std::int64_t a, std::int64_t b) {
  if (a == 0 || b == 0) return 0;
  return a > kCap / b ? kCap : a * b;
}

// How large a value may be, as a list and as a text: a dyn may be either.
struct Size {
  std::int64_t items = 0;
  std::int64_t bytes = 0;
};
constexpr Size kScalar{0, 64};  // as a text, a number is short
constexpr Size kAny{kWorstItems, kWorstBytes};

Size larger(Size a, Size b) {
  return {std::max(a.items, b.items), std::max(a.bytes, b.bytes)};
}

struct Estimate {
  std::int64_t units = 0;
  Size size = kScalar;
};

Size size_by_type(const Type* type) {
  if (type == nullptr) return kAny;
  switch (type->kind) {
    case TypeKind::kDyn:
    case TypeKind::kUnknown:
    case TypeKind::kParam:
      return kAny;
    case TypeKind::kString:
    case TypeKind::kBytes:
      return {0, kWorstBytes};
    case TypeKind::kList:
    case TypeKind::kMap:
    case TypeKind::kShape:
      return {kWorstItems, 0};
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
  return kScalar;
}

// As units_of() counts with values: items half, bytes a 64th.
std::int64_t reading(Size size) {
  return std::max(size.items / 2, size.bytes / 64);
}

bool range_is_list(const Expr& macro) {
  const Type* range = macro.arguments[0]->type;
  return range != nullptr && range->is(TypeKind::kList);
}

// What a macro's variable may be: items of a list, keys or values of a map.
Size item_size(const Type* range) {
  if (range == nullptr || range->parameters.empty()) return kAny;
  Size out = size_by_type(range->parameters[0]);
  if (range->is(TypeKind::kMap)) out = larger(out, size_by_type(range->parameters[1]));
  return out;
}

class Estimator {
 public:
  explicit Estimator(int locals) : locals_(static_cast<std::size_t>(locals), kAny) {}

  Estimate estimate(const Expr& expr);

 private:
  Estimate call(const Expr& expr);
  Estimate work(const Expr& expr, Work work, const std::vector<Estimate>& arguments);
  Estimate binary(const Expr& expr);
  Estimate macro(const Expr& expr);
  std::int64_t units_of_all(const Expr& expr);

  std::vector<Size> locals_;
};

Estimate Estimator::estimate(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kLiteral: {
      const bool text = expr.literal.is(Kind::kString) || expr.literal.is(Kind::kBytes);
      return {0, text ? Size{0, static_cast<std::int64_t>(expr.literal.size())} : kScalar};
    }
    case ExprKind::kName:
      if (expr.meaning == Meaning::kLocal) return {0, locals_[static_cast<std::size_t>(expr.slot)]};
      return {0, size_by_type(expr.type)};
    case ExprKind::kSelect:
    case ExprKind::kIndex:
    case ExprKind::kHas:
      return {units_of_all(expr), size_by_type(expr.type)};
    case ExprKind::kCall:
      return call(expr);
    case ExprKind::kOperator:
      return binary(expr);
    case ExprKind::kAnd:
    case ExprKind::kOr:
      return {units_of_all(expr), kScalar};
    case ExprKind::kTernary: {
      const Estimate a = estimate(*expr.arguments[1]);
      const Estimate b = estimate(*expr.arguments[2]);
      return {sum(estimate(*expr.arguments[0]).units, std::max(a.units, b.units)),
              larger(a.size, b.size)};
    }
    case ExprKind::kList:
    case ExprKind::kMap: {
      const auto count = static_cast<std::int64_t>(expr.optional_items.size());
      return {sum(units_of_all(expr), count), {count, 0}};
    }
    case ExprKind::kMacro:
    case ExprKind::kBind:
      return macro(expr);
  }
  return {};
}

std::int64_t Estimator::units_of_all(const Expr& expr) {
  std::int64_t out = 0;
  for (const Expr* argument : expr.arguments) out = sum(out, estimate(*argument).units);
  return out;
}

Estimate Estimator::binary(const Expr& expr) {
  const Estimate a = estimate(*expr.arguments[0]);
  if (expr.arguments.size() == 1) return a;
  const Estimate b = estimate(*expr.arguments[1]);
  const auto units = sum(a.units, b.units);
  if (expr.op == Op::kIn) return {sum(units, b.size.items / 4), kScalar};
  if (expr.op < Op::kEqual) {
    const Size joined{sum(a.size.items, b.size.items), sum(a.size.bytes, b.size.bytes)};
    return {sum(units, std::max(joined.items / 4, joined.bytes / 64)), joined};
  }
  return {sum(units, std::max(std::min(a.size.items, b.size.items),
                              std::min(a.size.bytes, b.size.bytes) / 64)),
          kScalar};
}

Estimate Estimator::work(const Expr& expr, Work kind, const std::vector<Estimate>& arguments) {
  const auto size = [&](std::size_t i) {
    return i < arguments.size() ? arguments[i].size : Size{};
  };
  const auto read = [&](std::size_t i) { return reading(size(i)); };
  const Size result = size_by_type(expr.type);
  const auto made = [&](std::int64_t bytes) {
    bytes = std::min(bytes, kWorstMadeBytes);
    return Estimate{bytes / 64, {result.items, bytes}};
  };
  switch (kind) {
    case Work::kConstant:
      return {1, result.items == 0 ? kScalar : result};
    case Work::kScan:
      return {1 + read(0), result};
    case Work::kScanBoth:
      return {1 + product(1 + read(0), 1 + read(1)), result};
    case Work::kCopy:
      return {1 + 2 * read(0), size(0)};
    case Work::kJoin: {
      const Estimate out = made(product(std::max<std::int64_t>(size(0).items, 1), 64));
      return {1 + read(0) + out.units, out.size};
    }
    case Work::kMultiply: {
      const Estimate out = made(product(1 + size(0).bytes, 1 + size(2).bytes));
      return {1 + product(1 + read(0), 1 + read(1)) + out.units, out.size};
    }
    case Work::kRange: {
      const Expr& count = *expr.arguments[0];
      const bool known = count.kind == ExprKind::kLiteral && count.literal.is(Kind::kInt);
      const auto items = known ? std::max<std::int64_t>(count.literal.as_int(), 0) : kWorstItems;
      return {1 + items / 4, {std::min(items, kCap), 0}};
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
    const auto bytes = static_cast<std::size_t>(std::min(arguments[0].size.bytes, kCap));
    return {sum(units, regex_units(bytes)), size_by_type(expr.type)};
  }
  Estimate worst{0, kScalar};
  for (const Overload* overload : expr.overloads) {
    const Estimate one = work(expr, overload->row->work, arguments);
    worst.units = std::max(worst.units, one.units);
    worst.size = larger(worst.size, one.size);
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
  locals_[slot] = once ? range.size : item_size(expr.arguments[0]->type);
  if (!expr.second_name.empty()) {
    locals_[slot + 1] = locals_[slot];
    if (range_is_list(expr)) locals_[slot] = kScalar;
  }
  std::int64_t turn = once ? 0 : units_of_turn(bodies);
  Size size{range.size.items, 0};
  for (const Expr* body : bodies) {
    const Estimate one = estimate(*body);
    turn = sum(turn, one.units);
    if (once) size = one.size;
  }
  return {sum(range.units, once ? turn : product(range.size.items, turn)), size};
}

}  // namespace

std::int64_t worst_units(const Ast& ast) {
  return sum(1 + ast.nodes / 4, Estimator(ast.locals).estimate(*ast.root).units);
}

}  // namespace berth::rules::cel
