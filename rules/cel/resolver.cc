#include "rules/cel/resolver.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/problem.h"
#include "rules/cel/library.h"
#include "rules/cel/program.h"

namespace berth::rules::cel {
namespace {

constexpr std::array<std::string_view, 13> kTypeValues = {"bool",
                                                          "int",
                                                          "uint",
                                                          "double",
                                                          "string",
                                                          "bytes",
                                                          "list",
                                                          "map",
                                                          "null_type",
                                                          "type",
                                                          "optional_type",
                                                          "google.protobuf.Timestamp",
                                                          "google.protobuf.Duration"};

// Prefixes of functions: behind them, an unknown name is an unknown function.
constexpr std::array<std::string_view, 10> kNamespaces = {
    "math", "sets", "lists", "strings", "base64", "optional", "cel", "ip", "format", "jsonpatch"};

class Resolver {
 public:
  Resolver(Ast& ast, const Environment& environment, Checking checking,
           std::vector<Diagnostic>& diagnostics)
      : ast_(ast), environment_(environment), checking_(checking), diagnostics_(diagnostics) {}

  void visit(Expr& expr);

 private:
  void visit_path(Expr& expr);
  void visit_call(Expr& expr);
  void visit_scope(Expr& expr);
  void visit_all(Expr& expr);
  void depend(Expr& expr, const Expr& on);

  bool bind_name(Expr& expr, const std::string& name);
  bool bind_computed(std::span<Expr* const> chain);
  bool bind_chain(std::span<Expr* const> chain);
  bool is_function(const std::string& name) const;
  std::vector<std::string> scoped(const std::string& name, const Expr& first) const;
  void push(std::string_view name, int slot);

  void report(const Expr& at, std::string code, std::string text, std::string hint);
  void unknown_name(Expr& first);
  void unknown_function(const Expr& call, const std::string& name);

  struct Local {
    std::string_view name;
    int slot;
  };

  Ast& ast_;
  const Environment& environment_;
  Checking checking_;
  std::vector<Diagnostic>& diagnostics_;
  std::vector<Local> locals_;
};

// A name followed by plain selects, outermost last; empty for anything else.
std::vector<Expr*> chain_of(Expr& expr) {
  std::vector<Expr*> out;
  for (Expr* step = &expr;; step = step->arguments[0]) {
    out.push_back(step);
    if (step->kind == ExprKind::kName) break;
    if (step->kind != ExprKind::kSelect || step->optional) return {};
  }
  std::reverse(out.begin(), out.end());
  return out;
}

void Resolver::report(const Expr& at, std::string code, std::string text, std::string hint) {
  diagnostics_.push_back(
      {base::Severity::kError, std::move(code), std::move(text), std::move(hint), at.at, at.end});
}

void Resolver::depend(Expr& expr, const Expr& on) {
  expr.uses_request = expr.uses_request || on.uses_request;
  expr.lowest_local = std::min(expr.lowest_local, on.lowest_local);
}

void Resolver::visit(Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kLiteral:
      return;
    case ExprKind::kName:
    case ExprKind::kSelect:
      return visit_path(expr);
    case ExprKind::kCall:
      return visit_call(expr);
    case ExprKind::kMacro:
    case ExprKind::kBind:
      return visit_scope(expr);
    case ExprKind::kHas: {
      // The select itself is no path to look up: its last step is tested.
      Expr& tested = *expr.arguments[0];
      visit(*tested.arguments[0]);
      depend(tested, *tested.arguments[0]);
      return depend(expr, tested);
    }
    case ExprKind::kIndex:
    case ExprKind::kOperator:
    case ExprKind::kAnd:
    case ExprKind::kOr:
    case ExprKind::kTernary:
    case ExprKind::kList:
    case ExprKind::kMap:
      return visit_all(expr);
  }
}

void Resolver::visit_all(Expr& expr) {
  for (Expr* argument : expr.arguments) {
    visit(*argument);
    depend(expr, *argument);
  }
}

void Resolver::visit_path(Expr& expr) {
  const auto chain = chain_of(expr);
  if (chain.empty()) return visit_all(expr);
  Expr& first = *chain[0];
  const auto found = std::find_if(locals_.rbegin(), locals_.rend(),
                                  [&](const Local& l) { return l.name == first.name; });
  if (!first.leading_dot && found != locals_.rend()) {
    first.meaning = Meaning::kLocal;
    first.slot = found->slot;
    first.lowest_local = found->slot;
  } else if (!bind_chain(chain)) {
    unknown_name(first);
  }
  // What is outside the part that was found are plain selects.
  bool inside = true;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    if (!inside) depend(*chain[i], *chain[i - 1]);
    if (chain[i]->meaning != Meaning::kNone) inside = false;
  }
}

std::vector<std::string> Resolver::scoped(const std::string& name, const Expr& first) const {
  std::vector<std::string> out;
  if (!first.leading_dot) {
    std::string prefix = environment_.container();
    while (!prefix.empty()) {
      out.push_back(prefix + "." + name);
      const auto dot = prefix.rfind('.');
      prefix.resize(dot == std::string::npos ? 0 : dot);
    }
  }
  out.push_back(name);
  return out;
}

bool Resolver::bind_name(Expr& expr, const std::string& name) {
  if (const auto* variable = environment_.variable(name); variable != nullptr) {
    expr.meaning = Meaning::kVariable;
    expr.slot = variable->slot;
    expr.uses_request = true;
    return true;
  }
  const auto* type = std::find(kTypeValues.begin(), kTypeValues.end(), name);
  if (type == kTypeValues.end()) return false;
  expr.meaning = Meaning::kTypeValue;
  expr.type_value = *type;
  return true;
}

bool Resolver::bind_chain(std::span<Expr* const> chain) {
  std::vector<std::string> names;
  for (const Expr* step : chain) {
    names.push_back(names.empty() ? std::string(step->name)
                                  : names.back() + "." + std::string(step->name));
  }
  for (auto i = chain.size(); i-- > 0;) {
    for (const auto& name : scoped(names[i], *chain[0])) {
      if (bind_name(*chain[i], name)) return true;
    }
  }
  return bind_computed(chain);
}

bool Resolver::bind_computed(std::span<Expr* const> chain) {
  if (chain.size() < 2 || chain[0]->name != "variables") return false;
  Expr& expr = *chain[1];
  expr.computed = environment_.computed(expr.name);
  expr.meaning = expr.computed == nullptr ? Meaning::kUnknown : Meaning::kComputed;
  if (expr.computed != nullptr) {
    expr.uses_request = !expr.computed->program->is_constant();
    return true;
  }
  if (checking_ == Checking::kChecked) {
    std::vector<std::string_view> known;
    for (const auto& computed : environment_.computed()) known.push_back(computed.name);
    report(expr, "cel-unknown-name", "no variable '" + std::string(expr.name) + "' is defined",
           base::suggestion(expr.name, known));
  }
  return true;
}

void Resolver::unknown_name(Expr& first) {
  first.meaning = Meaning::kUnknown;
  if (checking_ == Checking::kUnchecked) return;
  const std::string name(first.name);
  if (const auto what = Library::unavailable(name); !what.empty()) {
    return report(first, "cel-unavailable",
                  "'" + name + "' (" + std::string(what) + ") is not available in rules", {});
  }
  std::vector<std::string_view> known;
  for (const auto& variable : environment_.variables()) known.push_back(variable.name);
  for (const auto& variable : locals_) known.push_back(variable.name);
  if (!environment_.computed().empty()) known.emplace_back("variables");
  const auto near = base::nearest(name, known);
  report(first, "cel-unknown-name", "unknown name '" + name + "'",
         near.empty() ? "write '" + name + "' in quotes if it is a text"
                      : "did you mean '" + std::string(near) + "'?");
}

bool Resolver::is_function(const std::string& name) const {
  const auto functions = environment_.functions();
  return std::any_of(functions.begin(), functions.end(),
                     [&](const auto& f) { return f.name == name && !f.receiver; }) ||
         !Library::get().find(name).empty();
}

void Resolver::visit_call(Expr& expr) {
  const auto chain = expr.receiver ? chain_of(*expr.arguments[0]) : std::vector<Expr*>{};
  const bool is_local = !chain.empty() && !chain[0]->leading_dot &&
                        std::any_of(locals_.begin(), locals_.end(),
                                    [&](const Local& l) { return l.name == chain[0]->name; });
  if (!chain.empty() && !is_local) {
    // math.greatest(...): the receiver is a namespace.
    std::string name;
    append_path(*expr.arguments[0], name);
    name += "." + std::string(expr.name);
    for (const auto& candidate : scoped(name, *chain[0])) {
      if (!is_function(candidate)) continue;
      expr.name = ast_.arena.copy(std::string_view(candidate));
      expr.receiver = false;
      expr.meaning = Meaning::kFunction;
      expr.arguments = expr.arguments.subspan(1);
      break;
    }
    const bool namespaced =
        std::find(kNamespaces.begin(), kNamespaces.end(), chain[0]->name) != kNamespaces.end();
    if (expr.receiver && namespaced && checking_ == Checking::kChecked &&
        environment_.variable(chain[0]->name) == nullptr) {
      chain[0]->meaning = Meaning::kUnknown;
      unknown_function(expr, name);
      for (Expr* argument : expr.arguments.subspan(1)) visit(*argument);
      return;
    }
  } else if (!expr.receiver && !environment_.container().empty()) {
    for (const auto& candidate : scoped(std::string(expr.name), expr)) {
      if (!is_function(candidate)) continue;
      expr.name = ast_.arena.copy(std::string_view(candidate));
      break;
    }
  }
  visit_all(expr);
}

void Resolver::unknown_function(const Expr& call, const std::string& name) {
  if (const auto what = Library::unavailable(name); !what.empty()) {
    return report(call, "cel-unavailable",
                  "'" + name + "' (" + std::string(what) + ") is not available in rules", {});
  }
  const auto near = base::nearest(name, Library::get().names());
  report(call, "cel-unknown-function", "no function '" + name + "'",
         near.empty() ? std::string() : "did you mean '" + std::string(near) + "'?");
}

void Resolver::push(std::string_view name, int slot) {
  locals_.push_back({name, slot});
  ast_.locals = std::max(ast_.locals, slot + 1);
}

void Resolver::visit_scope(Expr& expr) {
  visit(*expr.arguments[0]);
  depend(expr, *expr.arguments[0]);
  const auto before = locals_.size();
  expr.slot = static_cast<int>(before);
  push(expr.name, expr.slot);
  if (!expr.second_name.empty()) push(expr.second_name, expr.slot + 1);
  for (Expr* body : expr.arguments.subspan(1)) {
    visit(*body);
    expr.uses_request = expr.uses_request || body->uses_request;
    if (body->lowest_local < expr.slot) {
      expr.lowest_local = std::min(expr.lowest_local, body->lowest_local);
    }
  }
  locals_.resize(before);
}

}  // namespace

void resolve(Ast& ast, const Environment& environment, Checking checking,
             std::vector<Diagnostic>& diagnostics) {
  Resolver(ast, environment, checking, diagnostics).visit(*ast.root);
}

}  // namespace berth::rules::cel
