// Unifier: whether a type fits where another is wanted, finding out type parameters on the way.
// One per compilation.
#pragma once

#include <vector>

#include "rules/cel/type.h"

namespace berth::rules::cel {

class Unifier {
 public:
  explicit Unifier(TypePool& pool) : pool_(pool) {}

  /// A type yet to be found.
  const Type* fresh();
  /// The signature's type with a fresh unknown for each parameter; `names` remembers them.
  struct Renaming {
    std::vector<std::pair<std::string_view, const Type*>> names;
  };
  const Type* instantiate(const Type* type, Renaming& renaming);

  /// `from` can be used where `to` is wanted. What is learnt is kept where that holds, and
  /// forgotten where it does not.
  bool assignable(const Type* from, const Type* to);
  bool assignable(const std::vector<const Type*>& from, const std::vector<const Type*>& to);

  /// What is known of a type at its top.
  const Type* known(const Type* type) const;
  /// The type with all that is known put in; unknown parts stay.
  const Type* substituted(const Type* type);
  /// The same with dyn for what stayed unknown.
  const Type* final_type(const Type* type);

  /// The wider of two types of which one fits the other.
  const Type* wider(const Type* a, const Type* b) const;

 private:
  enum class Unknowns : std::uint8_t { kStay, kBecomeDyn };
  bool fits(const Type* from, const Type* to);
  bool bind(const Type* unknown, const Type* type, bool* was_bound);
  bool fits_parameters(const Type* from, const Type* to);
  bool mentions(const Type* type, const Type* unknown) const;
  bool at_least_as_wide(const Type* a, const Type* b) const;
  const Type* rebuild(const Type* type, Unknowns unknowns);

  TypePool& pool_;
  std::vector<const Type*> found_;  // by number of the unknown; nullptr where not found yet
};

/// Exactly the same type.
bool same(const Type& a, const Type& b);

}  // namespace berth::rules::cel
