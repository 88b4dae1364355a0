// Frame: one evaluation in progress. It holds the activation, the arena for what is made on the
// way, the variables of macros, and what may still be spent. Lives on the stack of evaluate().
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/arena.h"
#include "rules/cel/failure.h"
#include "rules/cel/program.h"
#include "rules/cel/value.h"

namespace berth::rules::cel {

class Frame {
 public:
  Frame(const Activation& activation, base::Arena& arena, Budget& budget, std::span<Value> locals,
        std::int64_t units)
      : activation_(activation), arena_(arena), budget_(budget), locals_(locals), units_(units) {}

  const Activation& activation() const { return activation_; }
  base::Arena& arena() { return arena_; }
  Value& local(int slot) { return locals_[static_cast<std::size_t>(slot)]; }

  /// Takes from the budget. False once it is used up: then the caller gives fail(kCostLimit), and
  /// so does the whole evaluation, whatever the operators around make of it.
  bool spend(std::int64_t units) {
    units_ -= units;
    return units_ >= 0;
  }
  bool exhausted() const { return units_ < 0; }
  std::int64_t units_left() const { return units_; }
  /// What the request has beyond the units of this frame.
  Budget& budget() { return budget_; }

  /// Room for a text or for items in the arena, paid for first; empty data() where that is too
  /// much.
  std::span<char> make_text(std::size_t bytes) {
    if (!spend(static_cast<std::int64_t>(bytes / 64))) return {};
    return {static_cast<char*>(arena_.allocate(bytes + 1, 1)), bytes};
  }
  std::span<Value> make_items(std::size_t count) {
    if (!spend(static_cast<std::int64_t>(count / 4))) return {};
    return {static_cast<Value*>(arena_.allocate((count + 1) * sizeof(Value), alignof(Value))),
            count};
  }
  /// A text copied into the arena and paid for.
  Value text(std::string_view text);

 private:
  const Activation& activation_;
  base::Arena& arena_;
  Budget& budget_;
  std::span<Value> locals_;
  std::int64_t units_;
};

inline Value Frame::text(std::string_view text) {
  const auto room = make_text(text.size());
  if (room.data() == nullptr) return fail(kCostLimit);
  text.copy(room.data(), text.size());
  return Value::string({room.data(), text.size()});
}

}  // namespace berth::rules::cel
