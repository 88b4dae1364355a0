// Ast: an expression as a tree, in an arena of its own. The parser makes it, the resolver says what
// the names mean, the checker adds types, the builder turns it into evaluation nodes. Every node
// knows its bytes in the text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/arena.h"
#include "rules/cel/environment.h"
#include "rules/cel/type.h"
#include "rules/cel/value.h"

namespace berth::rules::cel {

enum class ExprKind : std::uint8_t {
  kLiteral,
  kName,      // name, leading_dot
  kSelect,    // arguments[0] . name
  kIndex,     // arguments[0] [ arguments[1] ]
  kCall,      // name(arguments), or arguments[0].name(rest) with `receiver`
  kOperator,  // op over one or two arguments
  kAnd,       // two or more arguments
  kOr,
  kTernary,
  kList,
  kMap,    // arguments: key, value, key, value, ...
  kHas,    // arguments[0] is the select whose last step is tested
  kMacro,  // macro, name, second_name; arguments: range, then filter and transform or predicate
  kBind,   // name; arguments: value, body
};

enum class Op : std::uint8_t {
  kNegate,
  kNot,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kModulo,
  kEqual,
  kNotEqual,
  kLess,
  kAtMost,
  kGreater,
  kAtLeast,
  kIn,
};
/// As written: "&&" aside, "<=", "in", "-".
std::string_view to_text(Op op);

/// The same relation with its sides exchanged: `a < b` is `b > a`. Other operators are as they are.
Op turned(Op op);

enum class Macro : std::uint8_t {
  kAll,
  kExists,
  kExistsOne,
  kMap,
  kFilter,
  kTransformList,
  kTransformMap,
  kTransformMapEntry,
  kSortBy,
  kOptMap,
  kOptFlatMap,
};
std::string_view to_text(Macro macro);

/// What a name or a chain of selects stands for.
enum class Meaning : std::uint8_t {
  kNone,       // not a name, or a plain select
  kLocal,      // variable of a macro or bind; slot
  kVariable,   // declared variable; slot
  kComputed,   // variables.x; computed
  kTypeValue,  // int, list, google.protobuf.Timestamp; type_value
  kFunction,   // of a call: name is the full name, arguments are all explicit
  kUnknown,    // fails when evaluated
};

struct Overload;

inline constexpr int kNoLocal = 1'000'000;

struct Expr {
  ExprKind kind = ExprKind::kLiteral;
  Op op = Op::kNot;
  Macro macro = Macro::kAll;
  Meaning meaning = Meaning::kNone;
  bool leading_dot = false;
  bool optional = false;  ///< `.?` or `[?`
  bool receiver = false;
  bool mixed = false;  ///< a list whose items may differ in type
  std::uint16_t height = 1;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t at = 0;  ///< where complaints point
  std::string_view name;
  std::string_view second_name;
  Value literal;
  std::span<Expr*> arguments;
  std::span<bool> optional_items;  ///< of a list or map: which entries have a `?`

  // Resolver.
  int slot = 0;
  bool uses_request = false;    ///< depends on a variable of the request
  int lowest_local = kNoLocal;  ///< the outermost variable of a macro that it depends on
  const Environment::Computed* computed = nullptr;
  std::string_view type_value;
  // Checker.
  const Type* type = nullptr;
  const FieldRow* field = nullptr;
  const MethodRow* method = nullptr;
  std::span<const Overload*> overloads;  ///< of a call: those that fit; empty where not checked

  /// The same for every request and every turn of the macros around.
  bool is_fixed() const { return !uses_request && lowest_local == kNoLocal; }
};

struct Ast {
  base::Arena arena{1024};
  Expr* root = nullptr;
  int nodes = 0;
  int locals = 0;  ///< slots that macros and binds need at once
};

/// The tree in one line: "(>= (. workload gpus) 8)". For tests.
std::string print(const Expr& expr);

/// The chain of names that an expression spells ("google.protobuf.Timestamp"), appended; false
/// where it is anything else.
bool append_path(const Expr& expr, std::string& out);

}  // namespace berth::rules::cel
