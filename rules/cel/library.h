// Library: the built-in functions and operators, as tables of signature and implementation. Each
// lib_*.cc has one table; this gathers them. Immutable, made on first use, safe from every thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rules/cel/environment.h"
#include "rules/cel/frame.h"
#include "rules/cel/value.h"

namespace berth::rules::cel {

/// What a call costs beyond one unit, and how large its result may be.
enum class Work : std::uint8_t {
  kConstant,  // scalar result, no reading of texts
  kScan,      // reads the first argument, scalar result
  kScanBoth,  // reads the first for each part of the second: contains, sets
  kCopy,      // result no larger than the first argument
  kJoin,      // result as large as all arguments together
  kMultiply,  // result up to the product of the first two
  kRange,     // list of as many items as the first argument says
};

struct FunctionRow {
  /// "string.charAt(int) -> string", "size(list(A)) -> int", "+(int, int) -> int".
  std::string_view signature;
  /// Arguments have the kinds that the signature says, receiver first, and none is an error.
  Value (*call)(Frame& frame, std::span<const Value> arguments) = nullptr;
  Work work = Work::kConstant;
};

/// A function with its signature read.
struct Overload {
  const FunctionRow* row = nullptr;
  Environment::Signature signature;
  std::vector<std::uint32_t> kinds;  ///< per parameter: bit set of the kinds it takes
};

class Library {
 public:
  static const Library& get();

  /// All overloads of a name, operators by their symbol ("+", "in", "neg", "not"). Empty where
  /// there is none.
  std::span<const Overload> find(std::string_view name) const;
  std::vector<std::string_view> names() const;

  /// Why a name that Kubernetes has is not here: "network addresses". Empty for other names.
  static std::string_view unavailable(std::string_view name);

 private:
  Library();
  std::unordered_map<std::string_view, std::vector<Overload>> by_name_;
};

std::span<const FunctionRow> operator_rows();
std::span<const FunctionRow> conversion_rows();
std::span<const FunctionRow> text_rows();
std::span<const FunctionRow> format_rows();
std::span<const FunctionRow> list_rows();
std::span<const FunctionRow> set_rows();
std::span<const FunctionRow> optional_rows();
std::span<const FunctionRow> quantity_rows();
std::span<const FunctionRow> regex_rows();
std::span<const FunctionRow> time_rows();
std::span<const FunctionRow> math_rows();

/// What is wrong with a call of format() whose pattern and list are literals, from the types of the
/// items; empty where nothing is.
std::string format_problem(std::string_view pattern, std::span<const Type* const> arguments);

/// Bit set of the kinds that a parameter of this type takes.
std::uint32_t kinds_of(const Type& type);

}  // namespace berth::rules::cel
