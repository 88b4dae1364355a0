// What a program is made of; for the compiler and its tests.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rules/cel/ast.h"
#include "rules/cel/node.h"
#include "rules/cel/program.h"

namespace berth::rules::cel {

/// A part of a condition whose value an explanation shows.
struct Operand {
  std::string text;
  NodePtr node;
};

struct Explained {
  NodePtr node;             ///< one part of the top-level &&
  bool comparison = false;  ///< with a constant: one operand, shown as "is 8"
  std::vector<Operand> operands;
};

struct Program::Parts {
  std::string text;
  Ast ast;  ///< owns constants that nodes view
  NodePtr root;
  std::string result_type = "dyn";
  std::vector<std::string> computed_used;
  std::vector<std::string> variables_used;
  std::vector<std::shared_ptr<const Program>> programs;  ///< whose constants are viewed
  std::vector<Conjunct> conjuncts;
  std::vector<Explained> explained;  ///< beside conjuncts
  std::int64_t worst_units = 0;
  std::int64_t base_units = 1;
};

}  // namespace berth::rules::cel
