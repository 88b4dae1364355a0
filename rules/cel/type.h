// Types of expressions, and the tables by which other modules declare their own: StructType for
// closed types over C++ objects (`workload`, `topology`), JsonShape for objects that arrive as JSON
// (`object`, `request`, `namespaceObject`). Types are immutable, live in a TypePool and are
// compared by content. Tables are static constants; their types are written as text:
//   bool int uint double string bytes null dyn timestamp duration quantity type
//   list(T) map(K, V) optional(T), or the name of a struct, shape or word type.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "rules/cel/value.h"

namespace berth::rules::cel {

/// One field of a closed type. `get` reads it; the value may view the object or the arena.
struct FieldRow {
  std::string_view name;
  std::string_view type;
  Value (*get)(const void* object, base::Arena& arena) = nullptr;
};

/// One function of a closed type, called as `object.name(arguments)`. Rows with one name and
/// different parameters are overloads. A failure is returned as Value::error.
struct MethodRow {
  std::string_view name;
  std::vector<std::string_view> parameters;
  std::string_view result;
  Value (*call)(const void* object, std::span<const Value> arguments, base::Arena& arena) = nullptr;
  std::int64_t units = 10;  ///< cost of a call; one unit is about 15 ns
};

/// A closed type over C++ objects: an unknown field or function is an error at load.
struct StructType {
  std::string_view name;  ///< "Workload"
  std::vector<FieldRow> fields;
  std::vector<MethodRow> methods;

  const FieldRow* field(std::string_view field_name) const;
};

struct JsonField {
  std::string_view name;
  std::string_view type;
};

/// Whether a field outside the table is an error, or a warning because clusters may be newer.
enum class Openness : std::uint8_t { kClosed, kOpen };

/// The fields of an object that arrives as JSON. Any field may be absent.
struct JsonShape {
  std::string_view name;  ///< "PodSpec"
  Openness openness = Openness::kClosed;
  std::span<const JsonField> fields;
};

enum class TypeKind : std::uint8_t {
  kDyn,
  kNull,
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kTimestamp,
  kDuration,
  kQuantity,
  kList,      // one parameter
  kMap,       // two
  kOptional,  // one
  kType,      // one, or none for "any type"
  kStruct,
  kShape,
  kOpaque,   // a name and parameters
  kParam,    // a type parameter of a signature: A, B, T
  kUnknown,  // stands for a type yet to be found, inside the checker only
};

/// A type of texts whose constants are checked at load.
struct WordType {
  std::string name;                ///< as signatures call it: "level"
  std::vector<std::string> words;  ///< what a constant may say, and what is suggested
  Openness openness = Openness::kClosed;
  /// Of an open one: whether a constant is known beyond `words`.
  bool (*knows)(std::string_view) = nullptr;
  std::string_view code = "cel-constant";  ///< of the problem, an error where closed
};

struct Type {
  TypeKind kind = TypeKind::kDyn;
  std::span<const Type* const> parameters;
  std::string_view name;                  ///< of an opaque type, a parameter or a word type
  const StructType* structure = nullptr;  ///< kStruct
  const JsonShape* shape = nullptr;       ///< kShape
  const WordType* words = nullptr;        ///< kString: what a constant may say; null for any
  bool soft = false;          ///< from an open shape: a clash with it is a warning, not an error
  std::uint32_t unknown = 0;  ///< kUnknown: which

  bool is(TypeKind wanted) const { return kind == wanted; }
};

/// "list(string)", "map(string, dyn)", "Workload".
std::string to_text(const Type& type);

/// Owner of types. Not for use from several threads at once.
class TypePool {
 public:
  /// The type of a kind without parameters; the same for every pool.
  static const Type* simple(TypeKind kind);

  const Type* list(const Type* item) { return with(TypeKind::kList, {item}); }
  const Type* map(const Type* key, const Type* value) { return with(TypeKind::kMap, {key, value}); }
  const Type* optional(const Type* value) { return with(TypeKind::kOptional, {value}); }
  const Type* type_of(const Type* type) { return with(TypeKind::kType, {type}); }
  const Type* with(TypeKind kind, std::vector<const Type*> parameters, std::string_view name = {});
  const Type* add(Type type);
  /// A copy of the text that lives as long as the pool.
  std::string_view keep(std::string_view text);

 private:
  std::deque<Type> types_;
  std::deque<std::vector<const Type*>> parameters_;
  std::deque<std::string> texts_;
};

}  // namespace berth::rules::cel
