// Operators, logic and aggregates.
#include <utility>

#include "rules/cel/node.h"
#include "rules/cel/number.h"

namespace berth::rules::cel {
namespace {

// && and ||: a deciding part absorbs errors on either side of it.
class LogicNode final : public Node {
 public:
  LogicNode(std::vector<NodePtr> parts, Value deciding, std::uint32_t at)
      : parts_(std::move(parts)), deciding_(deciding.as_bool()), at_(at) {}
  Value evaluate(Frame& frame) const override {
    Value error;
    for (const auto& part : parts_) {
      const Value value = part->evaluate(frame);
      if (value.is(Kind::kBool)) {
        if (value.as_bool() == deciding_) return value;
      } else if (!error.is_error()) {
        error = value.is_error() ? value : fail(kNoSuchOverload).at_offset(at_);
      }
    }
    return error.is_error() ? error : Value::boolean(!deciding_);
  }

 private:
  std::vector<NodePtr> parts_;
  bool deciding_;
  std::uint32_t at_;
};

class NotNode final : public Node {
 public:
  NotNode(NodePtr operand, std::uint32_t at) : operand_(std::move(operand)), at_(at) {}
  Value evaluate(Frame& frame) const override {
    const Value value = operand_->evaluate(frame);
    if (value.is(Kind::kBool)) return Value::boolean(!value.as_bool());
    return value.is_error() ? value : fail(kNoSuchOverload).at_offset(at_);
  }

 private:
  NodePtr operand_;
  std::uint32_t at_;
};

class NegateNode final : public Node {
 public:
  NegateNode(NodePtr operand, std::uint32_t at) : operand_(std::move(operand)), at_(at) {}
  Value evaluate(Frame& frame) const override {
    const Value value = operand_->evaluate(frame);
    return value.is_error() ? value : negate(value).at_offset(at_);
  }

 private:
  NodePtr operand_;
  std::uint32_t at_;
};

class TernaryNode final : public Node {
 public:
  TernaryNode(NodePtr condition, NodePtr then, NodePtr otherwise, std::uint32_t at)
      : condition_(std::move(condition)),
        then_(std::move(then)),
        otherwise_(std::move(otherwise)),
        at_(at) {}
  Value evaluate(Frame& frame) const override {
    const Value condition = condition_->evaluate(frame);
    if (condition.is_error()) return condition;
    if (!condition.is(Kind::kBool)) return fail(kNoSuchOverload).at_offset(at_);
    return (condition.as_bool() ? then_ : otherwise_)->evaluate(frame);
  }

 private:
  NodePtr condition_;
  NodePtr then_;
  NodePtr otherwise_;
  std::uint32_t at_;
};

// Both sides, then `Apply`.
template <typename Apply>
class BinaryNode final : public Node {
 public:
  BinaryNode(Apply apply, NodePtr left, NodePtr right, std::uint32_t at)
      : apply_(apply), left_(std::move(left)), right_(std::move(right)), at_(at) {}
  Value evaluate(Frame& frame) const override {
    const Value left = left_->evaluate(frame);
    if (left.is_error()) return left;
    const Value right = right_->evaluate(frame);
    if (right.is_error()) return right;
    return apply_(frame, left, right).at_offset(at_);
  }

 private:
  Apply apply_;
  NodePtr left_;
  NodePtr right_;
  std::uint32_t at_;
};

template <typename Apply>
NodePtr make_binary(Apply apply, NodePtr left, NodePtr right, std::uint32_t at) {
  return std::make_unique<BinaryNode<Apply>>(apply, std::move(left), std::move(right), at);
}

// What an entry marked with ? contributes: nothing, its value, or an error.
Value unwrapped(Value value) {
  if (value.is_error()) return value;
  if (!value.is(Kind::kOptional)) return fail(kNotOptional);
  return value.has_value() ? value.optional_value() : value;
}

bool is_absent(Value value) {
  return value.is(Kind::kOptional) && !value.has_value();
}

class ListNode final : public Node {
 public:
  ListNode(std::vector<NodePtr> items, std::vector<bool> optional, std::uint32_t at)
      : items_(std::move(items)), optional_(std::move(optional)), at_(at) {}
  Value evaluate(Frame& frame) const override {
    const auto room = frame.make_items(items_.size());
    if (room.data() == nullptr) return fail(kCostLimit);
    std::size_t count = 0;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      Value value = items_[i]->evaluate(frame);
      if (optional_[i]) {
        value = unwrapped(value).at_offset(at_);
        if (is_absent(value)) continue;
      }
      if (value.is_error()) return value;
      room[count++] = value;
    }
    return Value::list(room.first(count));
  }

 private:
  std::vector<NodePtr> items_;
  std::vector<bool> optional_;
  std::uint32_t at_;
};

class MapNode final : public Node {
 public:
  MapNode(std::vector<NodePtr> entries, std::vector<bool> optional, std::uint32_t at)
      : entries_(std::move(entries)), optional_(std::move(optional)), at_(at) {}
  Value evaluate(Frame& frame) const override {
    if (!frame.spend(static_cast<std::int64_t>(entries_.size()))) return fail(kCostLimit);
    const auto room = frame.arena().make_array<Entry>(optional_.size());
    std::size_t count = 0;
    for (std::size_t i = 0; i < optional_.size(); ++i) {
      const Value key = entries_[2 * i]->evaluate(frame);
      if (key.is_error()) return key;
      Value value = entries_[2 * i + 1]->evaluate(frame);
      if (optional_[i]) {
        value = unwrapped(value).at_offset(at_);
        if (is_absent(value)) continue;
      }
      if (value.is_error()) return value;
      const Value error = check_key(Value::map(room.first(count)), key);
      if (error.is_error()) return error.at_offset(at_);
      room[count++] = {key, value};
    }
    return Value::map(room.first(count));
  }

 private:
  static Value check_key(Value so_far, Value key) {
    const bool fits =
        key.is(Kind::kString) || key.is(Kind::kBool) || key.is(Kind::kInt) || key.is(Kind::kUint);
    if (!fits) return fail(kBadKey);
    Value found;
    return find(so_far, key, &found) ? fail(kRepeatedKey) : Value();
  }

  std::vector<NodePtr> entries_;
  std::vector<bool> optional_;
  std::uint32_t at_;
};

}  // namespace

NodePtr and_node(std::vector<NodePtr> parts, std::uint32_t at) {
  return std::make_unique<LogicNode>(std::move(parts), Value::boolean(false), at);
}
NodePtr or_node(std::vector<NodePtr> parts, std::uint32_t at) {
  return std::make_unique<LogicNode>(std::move(parts), Value::boolean(true), at);
}
NodePtr not_node(NodePtr operand, std::uint32_t at) {
  return std::make_unique<NotNode>(std::move(operand), at);
}
NodePtr negate_node(NodePtr operand, std::uint32_t at) {
  return std::make_unique<NegateNode>(std::move(operand), at);
}
NodePtr ternary_node(NodePtr condition, NodePtr then, NodePtr otherwise, std::uint32_t at) {
  return std::make_unique<TernaryNode>(std::move(condition), std::move(then), std::move(otherwise),
                                       at);
}

NodePtr binary_node(Op op, NodePtr left, NodePtr right, std::uint32_t at) {
  switch (op) {
    case Op::kAdd:
    case Op::kSubtract:
    case Op::kMultiply:
    case Op::kDivide:
    case Op::kModulo:
      return make_binary([op](Frame& f, Value a, Value b) { return arithmetic(f, op, a, b); },
                         std::move(left), std::move(right), at);
    case Op::kIn:
      return make_binary([](Frame& f, Value a, Value b) { return contains(f, a, b); },
                         std::move(left), std::move(right), at);
    case Op::kEqual:
    case Op::kNotEqual:
    case Op::kLess:
    case Op::kAtMost:
    case Op::kGreater:
    case Op::kAtLeast:
    case Op::kNegate:
    case Op::kNot:
      break;
  }
  return make_binary(
      [op](Frame& f, Value a, Value b) {
        return f.spend(comparison_units(a, b)) ? relation(op, a, b) : fail(kCostLimit);
      },
      std::move(left), std::move(right), at);
}

NodePtr list_node(std::vector<NodePtr> items, std::vector<bool> optional, std::uint32_t at) {
  return std::make_unique<ListNode>(std::move(items), std::move(optional), at);
}
NodePtr map_node(std::vector<NodePtr> entries, std::vector<bool> optional, std::uint32_t at) {
  return std::make_unique<MapNode>(std::move(entries), std::move(optional), at);
}

}  // namespace berth::rules::cel
