// Checker: gives every part of a resolved tree its type, chooses the overloads of calls, and says
// what does not fit, with suggestions. A clash that rests on the table of pod fields is a warning:
// clusters may be newer than the table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rules/cel/ast.h"
#include "rules/cel/diagnostic.h"
#include "rules/cel/environment.h"
#include "rules/cel/library.h"
#include "rules/cel/unify.h"

namespace berth::rules::cel {

class Checker {
 public:
  Checker(Ast& ast, const Environment& environment, TypePool& pool,
          std::vector<Diagnostic>& diagnostics)
      : ast_(ast),
        environment_(environment),
        pool_(pool),
        unifier_(pool),
        diagnostics_(diagnostics) {}

  /// Checks the whole tree; the type of the root, with dyn for what is unknown.
  const Type* run();

 private:
  const Type* check(Expr& expr);
  const Type* type_of(Expr& expr);
  const Type* check_path(Expr& expr);
  const Type* check_select(Expr& expr);
  const Type* check_index(Expr& expr);
  const Type* check_list(Expr& expr);
  const Type* check_map(Expr& expr);
  const Type* check_macro(Expr& expr);
  const Type* check_optional_macro(Expr& expr);
  const Type* check_body(Macro macro, Expr& body, const Type* key);
  const Type* check_logic(Expr& expr);
  const Type* check_ternary(Expr& expr);
  const Type* check_operator(Expr& expr);
  const Type* check_call(Expr& expr);
  const Type* check_method(Expr& expr, const Type& receiver);

  // Fields.
  const Type* field_type(Expr& expr, const Type* owner);
  const Type* struct_field(Expr& expr, const StructType& type);
  const Type* shape_field(Expr& expr, const JsonShape& shape);

  // Overloads.
  struct Choice {
    std::vector<const Overload*> overloads;  // of the library, those that fit
    const Type* result = nullptr;            // nullptr: none fits
  };
  Choice choose(std::string_view name, const Expr& call, const std::vector<const Type*>& arguments);
  /// The same, and once more with dyn for what the pod table says, with a warning.
  Choice choose_softly(std::string_view name, const Expr& call,
                       const std::vector<const Type*>& arguments);
  bool try_signature(const Environment::Signature& signature,
                     const std::vector<const Type*>& arguments, const Type** result);
  void check_format(const Expr& expr);
  void check_zone(const Expr& expr);
  void check_words(const Expr& argument, const Type& parameter);

  // Joins the types of items that stand beside each other in a literal.
  const Type* join(const Type* so_far, const Type* next, const Expr& at, Literals literals,
                   std::string_view what);
  bool wants(Expr& expr, TypeKind kind, std::string_view what);
  bool is_soft(const Type* type) const { return unifier_.known(type)->soft; }
  std::vector<const Type*> without_soft(const std::vector<const Type*>& types) const;
  std::string text_of(const Type* type) { return to_text(*unifier_.final_type(type)); }
  std::string texts_of(const std::vector<const Type*>& types);

  void report(base::Severity severity, std::uint32_t begin, std::uint32_t end, std::string code,
              std::string text, std::string hint);
  void error(const Expr& at, std::string code, std::string text, std::string hint = {});
  /// A problem below has been reported: what follows from it is not said again.
  bool has_error_inside(const Expr& expr) const;
  void no_function(const Expr& call);
  void no_overload(const Expr& call, const std::vector<const Type*>& arguments);
  void no_operator(const Expr& expr, const std::vector<const Type*>& arguments);
  std::string operator_hint(const Expr& expr, const std::vector<const Type*>& arguments);
  std::string owner_name(const Expr& expr, std::string_view fallback) const;

  Ast& ast_;
  const Environment& environment_;
  TypePool& pool_;
  Unifier unifier_;
  std::vector<Diagnostic>& diagnostics_;
  std::vector<const Type*> locals_;  // by slot
};

}  // namespace berth::rules::cel
