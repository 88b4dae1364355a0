// Node: a step of evaluation, made from the tree at load. Nodes are immutable and own what is below
// them. evaluate() gives an error value where it fails and never throws.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/cel/ast.h"
#include "rules/cel/frame.h"
#include "rules/cel/library.h"
#include "rules/cel/operators.h"
#include "rules/cel/value.h"

namespace berth::rules::cel {

class Node {
 public:
  Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  virtual ~Node() = default;

  virtual Value evaluate(Frame& frame) const = 0;
  /// The value where it is the same for every request, else nullptr.
  virtual const Value* constant() const { return nullptr; }
};

using NodePtr = std::unique_ptr<const Node>;

/// One way to run a call: taken where each argument is of a kind that the signature has.
struct Candidate {
  std::array<std::uint32_t, 4> kinds{};  ///< bit sets
  Value (*call)(Frame& frame, std::span<const Value> arguments) = nullptr;
  Work work = Work::kConstant;
};

// Leaves. `at` is always the byte offset that an error is said to be at.
NodePtr constant_node(Value value);
NodePtr variable_node(int slot, std::string_view name, std::uint32_t at);
NodePtr local_node(int slot);
NodePtr computed_node(std::shared_ptr<const Program> program, int memo, std::uint32_t at);
/// Always fails, with a text and a name that are kept in the node.
NodePtr failing_node(std::string_view text, std::string_view name, std::uint32_t at);

// Access.
NodePtr select_node(NodePtr operand, std::string_view field, Access access, std::uint32_t at);
NodePtr index_node(NodePtr operand, NodePtr key, Access access, std::uint32_t at);
NodePtr has_node(NodePtr operand, std::string_view field, std::uint32_t at);
/// A field of a declared variable with a closed type.
NodePtr fact_node(int slot, const FieldRow& field, std::uint32_t at);
/// A path of fields and constant keys into a declared variable that arrives as JSON.
struct PathStep {
  std::string name;
  std::uint32_t at = 0;
};
NodePtr json_path_node(int slot, std::string_view variable, std::vector<PathStep> steps,
                       std::uint32_t at);

// Calls.
NodePtr call_node(std::vector<NodePtr> arguments, std::vector<Candidate> candidates,
                  std::uint32_t at);
NodePtr method_node(NodePtr receiver, std::vector<NodePtr> arguments, const MethodRow& method,
                    std::uint32_t at);

// Operators.
NodePtr and_node(std::vector<NodePtr> parts, std::uint32_t at);
NodePtr or_node(std::vector<NodePtr> parts, std::uint32_t at);
NodePtr not_node(NodePtr operand, std::uint32_t at);
NodePtr negate_node(NodePtr operand, std::uint32_t at);
NodePtr ternary_node(NodePtr condition, NodePtr then, NodePtr otherwise, std::uint32_t at);
NodePtr binary_node(Op op, NodePtr left, NodePtr right, std::uint32_t at);

// Aggregates. `optional` has one mark per entry; map entries are key, value, key, value.
NodePtr list_node(std::vector<NodePtr> items, std::vector<bool> optional, std::uint32_t at);
NodePtr map_node(std::vector<NodePtr> entries, std::vector<bool> optional, std::uint32_t at);

/// A macro over a list or map. `filter` may be null.
struct MacroParts {
  Macro macro = Macro::kAll;
  NodePtr range;
  NodePtr filter;
  NodePtr body;
  int slot = 0;            ///< of the first variable; a second one has the next
  bool two = false;        ///< has a second variable
  std::int64_t units = 1;  ///< cost of one turn
  std::uint32_t at = 0;
};
NodePtr macro_node(MacroParts parts);
NodePtr bind_node(NodePtr value, NodePtr body, int slot);

/// The cost of a call by the library's description.
std::int64_t units_of(Work work, std::span<const Value> arguments);

}  // namespace berth::rules::cel
