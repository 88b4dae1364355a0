#include "rules/cel/compile.h"

#include <algorithm>
#include <set>
#include <utility>

#include "rules/cel/builder.h"
#include "rules/cel/checker.h"
#include "rules/cel/conjuncts.h"
#include "rules/cel/cost.h"
#include "rules/cel/parser.h"
#include "rules/cel/program_parts.h"
#include "rules/cel/resolver.h"
#include "rules/cel/unify.h"

namespace berth::rules::cel {
namespace {

// Calls `visit` for each expression of a tree.
template <typename Visit>
void walk(const Expr& expr, const Visit& visit) {
  visit(expr);
  for (const Expr* argument : expr.arguments) walk(*argument, visit);
}

void collect_names(Program::Parts& parts, const Environment& environment) {
  std::set<std::string> computed;
  std::set<std::string> variables;
  walk(*parts.ast.root, [&](const Expr& expr) {
    if (expr.meaning == Meaning::kVariable) {
      variables.insert(environment.variables()[static_cast<std::size_t>(expr.slot)].name);
    }
    if (expr.meaning != Meaning::kComputed) return;
    computed.insert(std::string(expr.name));
    const auto& program = expr.computed->program;
    variables.insert(program->variables_used().begin(), program->variables_used().end());
    parts.programs.push_back(program);
  });
  parts.computed_used.assign(computed.begin(), computed.end());
  parts.variables_used.assign(variables.begin(), variables.end());
}

void check_cost(Program::Parts& parts, std::vector<Diagnostic>& diagnostics) {
  parts.worst_units = parts.root->constant() != nullptr ? 1 : worst_units(parts.ast);
  if (parts.worst_units <= kMaxWorstUnits) return;
  diagnostics.push_back(
      {base::Severity::kError, "cel-cost",
       "the expression may cost " + std::to_string(parts.worst_units) + " units (lists of " +
           std::to_string(kWorstItems) + " items, texts of " + std::to_string(kWorstBytes) +
           " bytes), at most " + std::to_string(kMaxWorstUnits) + " are allowed",
       "nest fewer loops over lists", parts.ast.root->begin, parts.ast.root->end});
}

// `expected` is one type text or several with | between them.
void check_expected(const Expr& root, const Type& type, const Environment& environment,
                    std::string_view expected, TypePool& pool,
                    std::vector<Diagnostic>& diagnostics) {
  std::string wanted;
  for (std::size_t at = 0; at <= expected.size();) {
    const auto end = std::min(expected.find('|', at), expected.size());
    const auto alternative = expected.substr(at, end - at);
    const Type* parsed = environment.parse_type(alternative, pool);
    if (parsed != nullptr && Unifier(pool).assignable(&type, parsed)) return;
    wanted += (wanted.empty() ? "" : " or ") + std::string(alternative);
    at = end + 1;
  }
  const auto severity = type.soft ? base::Severity::kWarning : base::Severity::kError;
  diagnostics.push_back({severity,
                         type.soft ? "cel-pod-field" : "cel-type",
                         "the result is of type " + to_text(type) + ", wanted " + wanted,
                         {},
                         root.begin,
                         root.end});
}

}  // namespace

Compilation compile(std::string_view text, const Environment& environment,
                    std::string_view expected) {
  return compile_with(text, environment, expected, {});
}

Compilation compile_with(std::string_view text, const Environment& environment,
                         std::string_view expected, const BuildOptions& options) {
  Compilation out;
  auto parts = std::make_unique<Program::Parts>();
  parts->text = std::string(text);
  if (!parse(parts->text, parts->ast, out.diagnostics)) return out;
  resolve(parts->ast, environment, Checking::kChecked, out.diagnostics);
  TypePool pool;
  const Type* type = Checker(parts->ast, environment, pool, out.diagnostics).run();
  parts->result_type = to_text(*type);
  if (!has_errors(out.diagnostics)) {
    check_expected(*parts->ast.root, *type, environment, expected, pool, out.diagnostics);
  }
  if (!has_errors(out.diagnostics)) {
    Builder builder(parts->ast, options, out.diagnostics);
    parts->root = builder.build(*parts->ast.root);
    if (!has_errors(out.diagnostics)) find_conjuncts(*parts, builder);
    check_cost(*parts, out.diagnostics);
  }
  std::stable_sort(out.diagnostics.begin(), out.diagnostics.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.begin < b.begin; });
  if (has_errors(out.diagnostics)) return out;
  collect_names(*parts, environment);
  parts->base_units = 1 + parts->ast.nodes / 4;
  out.program = std::make_shared<const Program>(std::move(parts));
  return out;
}

Compilation compile_unchecked(std::string_view text, const Environment& environment) {
  Compilation out;
  auto parts = std::make_unique<Program::Parts>();
  parts->text = std::string(text);
  if (!parse(parts->text, parts->ast, out.diagnostics)) return out;
  resolve(parts->ast, environment, Checking::kUnchecked, out.diagnostics);
  const BuildOptions options{Checking::kUnchecked, Fusing::kPlain, Folding::kFolded};
  parts->root = Builder(parts->ast, options, out.diagnostics).build(*parts->ast.root);
  collect_names(*parts, environment);
  parts->base_units = 1 + parts->ast.nodes / 4;
  out.program = std::make_shared<const Program>(std::move(parts));
  return out;
}

std::vector<std::string> computed_names(std::string_view text) {
  Ast ast;
  std::vector<Diagnostic> diagnostics;
  if (!parse(text, ast, diagnostics)) return {};
  std::set<std::string> names;
  walk(*ast.root, [&](const Expr& expr) {
    const bool computed = expr.kind == ExprKind::kSelect &&
                          expr.arguments[0]->kind == ExprKind::kName &&
                          expr.arguments[0]->name == "variables";
    if (computed) names.insert(std::string(expr.name));
  });
  return {names.begin(), names.end()};
}

}  // namespace berth::rules::cel
