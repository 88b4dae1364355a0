// Program: a compiled expression. Immutable and safe from every thread. evaluate() is pure: the
// result depends on the activation alone, nothing is allocated on the heap once the arena is warm,
// and the budget bounds its time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "rules/cel/environment.h"
#include "rules/cel/type.h"
#include "rules/cel/value.h"

namespace berth::rules::cel {

/// Cost units. One is 10 to 20 ns here.
inline constexpr std::int64_t kUnitsPerExpression = 20'000;
inline constexpr std::int64_t kUnitsPerRequest = 500'000;

/// What a request may still spend. Each evaluation gets the smaller of its own limit and what is
/// left; beyond it the result is the error "cost limit exceeded".
struct Budget {
  std::int64_t units_left = kUnitsPerRequest;
  std::int64_t units_per_expression = kUnitsPerExpression;
};

/// Memory of one computed variable for one request.
struct Memo {
  enum class State : std::uint8_t { kUnset, kBusy, kSet };
  State state = State::kUnset;
  Value value;
};

/// The variables' values for one request, by the slots that Environment::declare gave. What is not
/// bound evaluates to the error "not bound". No heap.
class Activation {
 public:
  void bind(int slot, Value value) { values_[static_cast<std::size_t>(slot)] = value; }
  void bind(int slot, kube::Json json) { bind(slot, Value::json(json)); }
  /// The object must outlive the activation.
  void bind(int slot, const StructType& type, const void* object) {
    auto& ref = structs_[static_cast<std::size_t>(slot)];
    ref = {&type, object};
    bind(slot, Value::structure(&ref));
  }
  Activation();
  Activation(const Activation&) = delete;  // values point into it
  Activation& operator=(const Activation&) = delete;

  Value value(int slot) const { return values_[static_cast<std::size_t>(slot)]; }

  /// One per computed variable of the rule set, unset at the start of a request.
  std::span<Memo> memo;

 private:
  std::array<Value, Environment::kMaxVariables> values_;
  std::array<StructRef, Environment::kMaxVariables> structs_;
};

enum class Comparison : std::uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kAtMost,
  kGreater,
  kAtLeast,
  kIn,
  kNotIn
};
std::string_view to_text(Comparison comparison);

/// `fact op constant`: what the proof of conflicts works on. A plain boolean fact is `== true`, a
/// negated one `== false`; `32 <= workload.gpus` is turned round, a negated comparison is its
/// opposite, and `a == 1 || a == 2` is `a in [1, 2]`.
struct FactTest {
  std::string path;  ///< "workload.totalGpus", "object.metadata.labels['team']"
  Comparison comparison = Comparison::kEqual;
  Value constant;  ///< a list for kIn and kNotIn; lives as long as the program
};

/// One part of the top-level `&&`.
struct Conjunct {
  std::string text;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::optional<FactTest> test;  ///< absent where the part is anything else
};

class Node;

class Program {
 public:
  struct Parts;
  explicit Program(std::unique_ptr<Parts> parts);
  ~Program();

  const std::string& text() const;
  /// As Environment's type texts; "dyn" where unknown or unchecked.
  const std::string& result_type() const;
  /// The same for every request, and known now.
  bool is_constant() const;
  /// Requires: is_constant(). Lives as long as the program.
  Value constant() const;
  /// Names after `variables.` that it uses itself, sorted.
  std::span<const std::string> computed_used() const;
  /// Variables that it uses, itself or through `variables`, sorted: "object", "topology".
  std::span<const std::string> variables_used() const;
  /// At least one, in the order of the text (none of an unchecked program). The whole condition is
  /// simple where every part has a test.
  std::span<const Conjunct> conjuncts() const;
  /// Worst case at load: lists of 64 items, strings of 1 KiB.
  std::int64_t worst_units() const;

  const Parts& parts() const { return *parts_; }

 private:
  std::unique_ptr<Parts> parts_;
};

/// Evaluates for one request. The value may view the activation, the program and the arena.
Value evaluate(const Program& program, const Activation& activation, base::Arena& arena,
               Budget& budget);

/// Why the result is not true: the first part that is false or fails, with the values in it, for
/// example "workload.totalGpus >= 32: is 8". Empty where the result is true.
std::string explain_failure(const Program& program, const Activation& activation,
                            base::Arena& arena, Budget& budget);

}  // namespace berth::rules::cel
