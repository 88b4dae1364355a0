#include "rules/cel/macros.h"

#include <algorithm>
#include <array>
#include <vector>

namespace berth::rules::cel {
namespace {

// One shape of a macro called on a range: r.name(variables..., bodies...).
struct Row {
  std::string_view name;
  std::size_t arguments;  // without the receiver
  Macro macro;
  std::size_t variables;
};

constexpr std::array<Row, 20> kRows = {{
    {"all", 2, Macro::kAll, 1},
    {"all", 3, Macro::kAll, 2},
    {"exists", 2, Macro::kExists, 1},
    {"exists", 3, Macro::kExists, 2},
    {"exists_one", 2, Macro::kExistsOne, 1},
    {"exists_one", 3, Macro::kExistsOne, 2},
    {"existsOne", 2, Macro::kExistsOne, 1},
    {"existsOne", 3, Macro::kExistsOne, 2},
    {"map", 2, Macro::kMap, 1},
    {"map", 3, Macro::kMap, 1},
    {"filter", 2, Macro::kFilter, 1},
    {"transformList", 3, Macro::kTransformList, 2},
    {"transformList", 4, Macro::kTransformList, 2},
    {"transformMap", 3, Macro::kTransformMap, 2},
    {"transformMap", 4, Macro::kTransformMap, 2},
    {"transformMapEntry", 3, Macro::kTransformMapEntry, 2},
    {"transformMapEntry", 4, Macro::kTransformMapEntry, 2},
    {"sortBy", 2, Macro::kSortBy, 1},
    {"optMap", 2, Macro::kOptMap, 1},
    {"optFlatMap", 2, Macro::kOptFlatMap, 1},
}};

bool is_simple_name(const Expr& expr) {
  return expr.kind == ExprKind::kName && !expr.leading_dot;
}

std::string expand_has(Expr& call, const Expr** error_at) {
  if (call.arguments[0]->kind != ExprKind::kSelect || call.arguments[0]->optional) {
    *error_at = call.arguments[0];
    return "has() needs a field, as in has(object.metadata.labels)";
  }
  call.kind = ExprKind::kHas;
  return {};
}

std::string expand_bind(Ast& ast, Expr& call, const Expr** error_at) {
  const Expr& variable = *call.arguments[1];
  if (!is_simple_name(variable)) {
    *error_at = &variable;
    return "cel.bind needs a simple name as its first argument";
  }
  call.kind = ExprKind::kBind;
  call.receiver = false;
  call.name = variable.name;
  const std::vector<Expr*> rest = {call.arguments[2], call.arguments[3]};
  call.arguments = ast.arena.copy(std::span<Expr* const>(rest));
  return {};
}

std::string expand_on_range(Ast& ast, Expr& call, const Row& row, const Expr** error_at) {
  for (std::size_t i = 1; i <= row.variables; ++i) {
    if (!is_simple_name(*call.arguments[i])) {
      *error_at = call.arguments[i];
      return std::string(row.name) + "() needs a simple name here, as in list." +
             std::string(row.name) + (row.variables == 1 ? "(x, ...)" : "(k, v, ...)");
    }
  }
  if (row.variables == 2 && call.arguments[1]->name == call.arguments[2]->name) {
    *error_at = call.arguments[2];
    return "the two variables of " + std::string(row.name) + "() have one name";
  }
  std::vector<Expr*> rest = {call.arguments[0]};
  rest.insert(rest.end(), call.arguments.begin() + 1 + static_cast<long>(row.variables),
              call.arguments.end());
  call.kind = ExprKind::kMacro;
  call.receiver = false;
  call.macro = row.macro;
  call.name = call.arguments[1]->name;
  if (row.variables == 2) call.second_name = call.arguments[2]->name;
  call.arguments = ast.arena.copy(std::span<Expr* const>(rest));
  return {};
}

bool is_many_for_math(const Expr& call) {
  return (call.name == "greatest" || call.name == "least") && call.arguments.size() > 2 &&
         call.arguments[0]->kind == ExprKind::kName && call.arguments[0]->name == "math";
}

// math.greatest(a, b, c) is math.greatest([a, b, c]).
void pack_into_list(Ast& ast, Expr& call) {
  auto* list = ast.arena.make<Expr>();
  list->kind = ExprKind::kList;
  list->mixed = true;
  list->begin = list->at = call.arguments[1]->begin;
  list->end = call.arguments.back()->end;
  list->height = call.height;
  list->arguments = call.arguments.subspan(1);
  list->optional_items = ast.arena.make_array<bool>(list->arguments.size());
  const std::vector<Expr*> packed = {call.arguments[0], list};
  call.arguments = ast.arena.copy(std::span<Expr* const>(packed));
  ++ast.nodes;
}

}  // namespace

std::string expand_macro(Ast& ast, Expr& call, const Expr** error_at) {
  const auto count = call.arguments.size();
  if (!call.receiver) {
    return call.name == "has" && count == 1 ? expand_has(call, error_at) : std::string();
  }
  if (call.name == "bind" && count == 4 && call.arguments[0]->kind == ExprKind::kName &&
      call.arguments[0]->name == "cel") {
    return expand_bind(ast, call, error_at);
  }
  if (is_many_for_math(call)) {
    pack_into_list(ast, call);
    return {};
  }
  const auto* row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& candidate) {
    return candidate.name == call.name && candidate.arguments + 1 == count;
  });
  if (row == kRows.end()) return {};
  return expand_on_range(ast, call, *row, error_at);
}

}  // namespace berth::rules::cel
