// Environment: the names that an expression may use, with their types. Built once per kind of
// expression, then copied and extended per file with that file's `variables`; a copy is cheap.
// Build and extend it in one thread; compile() only reads it.
//
//   Environment environment;
//   environment.add(kWorkloadType);                              // a table, see type.h
//   int workload = environment.declare("workload", "Workload");
//   environment.add(pod_shapes());
//   int object = environment.declare("object", "Pod");
//   environment.add(WordType{"level", {"node", "rack", "block"}});  // constants are checked at
//   load
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/cel/type.h"

namespace berth::rules::cel {

class Program;
class TypeReader;

/// Whether [1, 'a'] is refused, as Kubernetes does, or has the type list(dyn).
enum class Literals { kOneType, kMixed };

class Environment {
 public:
  /// The most variables that declare() takes.
  static constexpr int kMaxVariables = 16;

  Environment();

  /// Makes a type nameable. The table must outlive the environment and its programs; types that it
  /// names must be added before it (shapes of one span may name each other).
  void add(const StructType& type);
  void add(std::span<const JsonShape> shapes);
  /// Makes a type of strings nameable whose constants are checked.
  void add(WordType words);

  /// Declares a variable and gives its slot for Activation::bind. Requires: a valid type text whose
  /// names have been added, and fewer than kMaxVariables so far.
  int declare(std::string_view name, std::string_view type);

  /// Declares `variables.<name>`: computed by `program` at most once a request, on first use, and
  /// kept in slot `memo` of Activation::memo. A constant program is folded instead. Requires:
  /// `name` is new.
  void declare_computed(std::string_view name, std::shared_ptr<const Program> program, int memo);

  /// Declares a function for type checking only (no evaluation); for conformance cases.
  void declare_function(std::string_view signature);

  void set_literals(Literals literals) { literals_ = literals; }
  /// Names are looked up inside this dotted prefix first, as CEL's containers say.
  void set_container(std::string_view container) { container_ = container; }

  // ------------------------------------------------------------- for the compiler

  struct Variable {
    std::string name;
    const Type* type = nullptr;
    int slot = 0;
  };
  struct Computed {
    std::string name;
    std::shared_ptr<const Program> program;
    int memo = 0;
    const Type* type = nullptr;
  };
  /// A declared function: see library.h for those that are built in.
  struct Signature {
    std::string name;
    bool receiver = false;  ///< the first parameter is what the call is made on
    std::vector<const Type*> parameters;
    const Type* result = nullptr;
  };

  const Variable* variable(std::string_view name) const;
  const Computed* computed(std::string_view name) const;
  std::span<const Variable> variables() const { return variables_; }
  std::span<const Computed> computed() const { return computed_; }
  std::span<const Signature> functions() const { return functions_; }
  Literals literals() const { return literals_; }
  const std::string& container() const { return container_; }

  /// The types of a table's rows, read when it was added. Requires: the row is of such a table.
  const Type* type_of(const StructType& type, const FieldRow& field) const;
  const Signature& signature_of(const StructType& type, const MethodRow& method) const;
  const Type* type_of(const JsonShape& shape, const JsonField& field) const;

  /// Reads a type text into the pool. nullptr where a name is unknown or the syntax is wrong.
  const Type* parse_type(std::string_view text, TypePool& pool) const;
  /// Reads "string.startsWith(string) -> bool" or "size(list(A)) -> int".
  std::optional<Signature> parse_signature(std::string_view text, TypePool& pool) const;

 private:
  friend class TypeReader;

  struct Struct {
    const StructType* table = nullptr;
    std::vector<const Type*> fields;
    std::vector<Signature> methods;
  };
  struct Shape {
    const JsonShape* table = nullptr;
    std::vector<const Type*> fields;
  };
  const Struct* find_struct(std::string_view name) const;
  const Shape* find_shape(std::string_view name) const;

  std::shared_ptr<TypePool> pool_;
  std::vector<std::shared_ptr<const Struct>> structs_;
  std::vector<std::shared_ptr<Shape>> shapes_;
  std::vector<std::shared_ptr<const WordType>> words_;
  std::vector<Variable> variables_;
  std::vector<Computed> computed_;
  std::vector<Signature> functions_;
  Literals literals_ = Literals::kOneType;
  std::string container_;
};

}  // namespace berth::rules::cel
