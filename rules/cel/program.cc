#include "rules/cel/program.h"

#include <algorithm>
#include <array>

#include "rules/cel/evaluate.h"
#include "rules/cel/frame.h"
#include "rules/cel/program_parts.h"

namespace berth::rules::cel {
namespace {

Value run(const Node& node, const Program::Parts& parts, const Activation& activation,
          base::Arena& arena, Budget& budget) {
  if (const Value* constant = node.constant(); constant != nullptr) return *constant;
  const auto units = std::min(budget.units_per_expression, budget.units_left);
  budget.units_left -= units;
  const auto count = static_cast<std::size_t>(parts.ast.locals);
  const auto locals = count == 0 ? std::span<Value>() : arena.make_array<Value>(count);
  Frame frame(activation, arena, budget, locals, units);
  Value value = fail(kCostLimit);
  if (frame.spend(parts.base_units)) value = node.evaluate(frame);
  if (frame.exhausted()) return fail(kCostLimit);
  budget.units_left += frame.units_left();
  return value;
}

std::string failed_part(const Explained& part, const Program::Parts& parts,
                        const Activation& activation, base::Arena& arena, Budget& budget) {
  const Value value = run(*part.node, parts, activation, arena, budget);
  if (value.is_error()) return to_source(value);
  std::string out;
  for (const auto& operand : part.operands) {
    if (!out.empty()) out += ", ";
    const Value shown = run(*operand.node, parts, activation, arena, budget);
    out += part.comparison ? "is " : operand.text + " is ";
    out += to_source(shown);
  }
  return out.empty() ? "is " + to_source(value) : out;
}

}  // namespace

Activation::Activation() {
  values_.fill(fail(kNotBound));
}

std::string_view to_text(Comparison comparison) {
  static constexpr std::array<std::string_view, 8> kTexts = {
      "==", "!=", "<", "<=", ">", ">=", "in", "not in"};
  return kTexts[static_cast<std::size_t>(comparison)];
}

Program::Program(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Program::~Program() = default;

const std::string& Program::text() const {
  return parts_->text;
}
const std::string& Program::result_type() const {
  return parts_->result_type;
}
bool Program::is_constant() const {
  return parts_->root->constant() != nullptr;
}
Value Program::constant() const {
  return *parts_->root->constant();
}
std::span<const std::string> Program::computed_used() const {
  return parts_->computed_used;
}
std::span<const std::string> Program::variables_used() const {
  return parts_->variables_used;
}
std::span<const Conjunct> Program::conjuncts() const {
  return parts_->conjuncts;
}
std::int64_t Program::worst_units() const {
  return parts_->worst_units;
}

Value evaluate(const Program& program, const Activation& activation, base::Arena& arena,
               Budget& budget) {
  return run(*program.parts().root, program.parts(), activation, arena, budget);
}

Value evaluate_nested(const Program& program, Frame& frame) {
  return run(*program.parts().root, program.parts(), frame.activation(), frame.arena(),
             frame.budget());
}

std::string explain_failure(const Program& program, const Activation& activation,
                            base::Arena& arena, Budget& budget) {
  if (evaluate(program, activation, arena, budget).is_true()) return {};
  const auto& parts = program.parts();
  // A false part decides even where another one fails, so look for it first.
  std::size_t shown = 0;
  for (const bool errors : {false, true}) {
    for (std::size_t i = 0; i < parts.explained.size(); ++i) {
      const Value value = run(*parts.explained[i].node, parts, activation, arena, budget);
      if (errors ? value.is_true() : !value.is_false()) continue;
      shown = i;
      return parts.conjuncts[shown].text + ": " +
             failed_part(parts.explained[shown], parts, activation, arena, budget);
    }
  }
  return {};
}

}  // namespace berth::rules::cel
