// Builder: tree to evaluation nodes. Parts that are the same for every request are evaluated now,
// constant patterns compiled, and the commonest shapes get nodes of their own (fuse.h).
#pragma once

#include <optional>
#include <vector>

#include "rules/cel/ast.h"
#include "rules/cel/compile.h"
#include "rules/cel/diagnostic.h"
#include "rules/cel/node.h"
#include "rules/cel/regex.h"
#include "rules/cel/resolver.h"

namespace berth::rules::cel {

/// Whether hot shapes get nodes of their own. The plain way is the slow twin in tests.
enum class Fusing : std::uint8_t { kFused, kPlain };
/// Whether fixed parts are evaluated now. The plain way is the slow twin in tests.
enum class Folding : std::uint8_t { kFolded, kPlain };

struct BuildOptions {
  Checking checking = Checking::kChecked;
  Fusing fusing = Fusing::kFused;
  Folding folding = Folding::kFolded;
};

/// Nodes of a resolved (and, with kChecked, type-checked) tree. Constants go to the tree's arena.
/// Adds diagnostics where a pattern is wrong or not constant, or a literal does not convert.
class Builder {
 public:
  Builder(Ast& ast, const BuildOptions& options, std::vector<Diagnostic>& diagnostics)
      : ast_(ast), options_(options), diagnostics_(diagnostics) {}

  /// Where the parts of the program live.
  base::Arena& arena() { return ast_.arena; }

  NodePtr build(Expr& expr);

 private:
  NodePtr build_varying(Expr& expr);
  NodePtr build_path(Expr& expr);
  NodePtr build_call(Expr& expr);
  NodePtr build_lazy_optional(Expr& expr);
  NodePtr build_regex(Expr& expr);
  NodePtr build_operator(Expr& expr);
  NodePtr build_logic(Expr& expr);
  NodePtr build_ternary(Expr& expr);
  NodePtr build_macro(Expr& expr);
  std::vector<NodePtr> build_all(std::span<Expr* const> arguments);
  NodePtr fold(const Expr& expr, NodePtr node);
  void check_conversion(const Expr& expr, Value value);
  void report(const Expr& expr, std::string code, std::string text, std::string hint);

  Ast& ast_;
  BuildOptions options_;
  std::vector<Diagnostic>& diagnostics_;
  bool inside_fixed_ = false;
};

/// compile() with another way of building: for the slow twins in tests.
Compilation compile_with(std::string_view text, const Environment& environment,
                         std::string_view expected, const BuildOptions& options);

/// Number of nodes in a tree.
int count_nodes(const Expr& expr);

/// Cost of one turn of a macro with these bodies, beyond what is spent inside them.
std::int64_t units_of_turn(std::span<Expr* const> bodies);

/// How a call uses a pattern; nothing for other calls.
std::optional<RegexUse> regex_use(const Expr& call);

}  // namespace berth::rules::cel
