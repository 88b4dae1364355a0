// Leaves, and the ways into values.
#include <utility>

#include "rules/cel/evaluate.h"
#include "rules/cel/node.h"

namespace berth::rules::cel {
namespace {

class ConstantNode final : public Node {
 public:
  explicit ConstantNode(Value value) : value_(value) {}
  Value evaluate(Frame&) const override { return value_; }
  const Value* constant() const override { return &value_; }

 private:
  Value value_;
};

class VariableNode final : public Node {
 public:
  VariableNode(int slot, std::string_view name, std::uint32_t at)
      : slot_(slot), name_(name), failure_{kNotBound.text, name_}, at_(at) {}
  Value evaluate(Frame& frame) const override {
    const Value value = frame.activation().value(slot_);
    return value.is_error() ? Value::error(&failure_).at_offset(at_) : value;
  }

 private:
  int slot_;
  std::string name_;
  Failure failure_;
  std::uint32_t at_;
};

class LocalNode final : public Node {
 public:
  explicit LocalNode(int slot) : slot_(slot) {}
  Value evaluate(Frame& frame) const override { return frame.local(slot_); }

 private:
  int slot_;
};

class ComputedNode final : public Node {
 public:
  ComputedNode(std::shared_ptr<const Program> program, int memo, std::uint32_t at)
      : program_(std::move(program)), memo_(static_cast<std::size_t>(memo)), at_(at) {}
  Value evaluate(Frame& frame) const override {
    const auto memos = frame.activation().memo;
    if (memo_ >= memos.size()) return fail(kNotBound).at_offset(at_);
    Memo& memo = memos[memo_];
    if (memo.state == Memo::State::kSet) return memo.value;
    if (memo.state == Memo::State::kBusy) return fail(kCycle).at_offset(at_);
    memo.state = Memo::State::kBusy;
    memo.value = evaluate_nested(*program_, frame);
    memo.state = Memo::State::kSet;
    return memo.value;
  }

 private:
  std::shared_ptr<const Program> program_;
  std::size_t memo_;
  std::uint32_t at_;
};

class FailingNode final : public Node {
 public:
  FailingNode(std::string_view text, std::string_view name, std::uint32_t at)
      : text_(text), name_(name), failure_{text_, name_}, at_(at) {}
  Value evaluate(Frame&) const override { return Value::error(&failure_).at_offset(at_); }

 private:
  std::string text_;
  std::string name_;
  Failure failure_;
  std::uint32_t at_;
};

class SelectNode final : public Node {
 public:
  SelectNode(NodePtr operand, std::string_view field, Access access, std::uint32_t at)
      : operand_(std::move(operand)), field_(field), access_(access), at_(at) {}
  Value evaluate(Frame& frame) const override {
    const Value operand = operand_->evaluate(frame);
    if (operand.is_error()) return operand;
    return select(frame, operand, field_, access_).at_offset(at_);
  }

 private:
  NodePtr operand_;
  std::string field_;
  Access access_;
  std::uint32_t at_;
};

class IndexNode final : public Node {
 public:
  IndexNode(NodePtr operand, NodePtr key, Access access, std::uint32_t at)
      : operand_(std::move(operand)), key_(std::move(key)), access_(access), at_(at) {}
  Value evaluate(Frame& frame) const override {
    const Value operand = operand_->evaluate(frame);
    if (operand.is_error()) return operand;
    const Value key = key_->evaluate(frame);
    if (key.is_error()) return key;
    return index(frame, operand, key, access_).at_offset(at_);
  }

 private:
  NodePtr operand_;
  NodePtr key_;
  Access access_;
  std::uint32_t at_;
};

class HasNode final : public Node {
 public:
  HasNode(NodePtr operand, std::string_view field, std::uint32_t at)
      : operand_(std::move(operand)), field_(field), at_(at) {}
  Value evaluate(Frame& frame) const override {
    const Value operand = operand_->evaluate(frame);
    return operand.is_error() ? operand : has(operand, field_).at_offset(at_);
  }

 private:
  NodePtr operand_;
  std::string field_;
  std::uint32_t at_;
};

class FactNode final : public Node {
 public:
  FactNode(int slot, const FieldRow& field, std::uint32_t at)
      : slot_(slot), get_(field.get), at_(at) {}
  Value evaluate(Frame& frame) const override {
    const Value object = frame.activation().value(slot_);
    if (!object.is(Kind::kStruct)) return fail(kNotBound).at_offset(at_);
    return get_(object.as_struct().object, frame.arena()).at_offset(at_);
  }

 private:
  int slot_;
  Value (*get_)(const void* object, base::Arena& arena);
  std::uint32_t at_;
};

class JsonPathNode final : public Node {
 public:
  JsonPathNode(int slot, std::string_view variable, std::vector<PathStep> steps, std::uint32_t at)
      : slot_(slot),
        variable_(variable),
        failure_{kNotBound.text, variable_},
        steps_(std::move(steps)),
        at_(at) {}
  Value evaluate(Frame& frame) const override {
    const Value value = frame.activation().value(slot_);
    if (value.is_error()) return Value::error(&failure_).at_offset(at_);
    kube::Json json = value.viewed_json();
    if (!json.is_object()) return from(frame, value, 0);
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const kube::Json* member = json.find(steps_[i].name);
      if (member == nullptr) {
        return Value::error(frame.arena(), kNoSuchKey.text, steps_[i].name).at_offset(steps_[i].at);
      }
      json = *member;
      if (!json.is_object()) return from(frame, Value::json(json), i + 1);
    }
    return Value::json(json);
  }

 private:
  // The plain way, for what is no JSON object: it knows all cases.
  Value from(Frame& frame, Value value, std::size_t step) const {
    for (; step < steps_.size() && !value.is_error(); ++step) {
      value = select(frame, value, steps_[step].name, Access::kPlain).at_offset(steps_[step].at);
    }
    return value;
  }

  int slot_;
  std::string variable_;
  Failure failure_;
  std::vector<PathStep> steps_;
  std::uint32_t at_;
};

}  // namespace

NodePtr constant_node(Value value) {
  return std::make_unique<ConstantNode>(value);
}
NodePtr variable_node(int slot, std::string_view name, std::uint32_t at) {
  return std::make_unique<VariableNode>(slot, name, at);
}
NodePtr local_node(int slot) {
  return std::make_unique<LocalNode>(slot);
}
NodePtr computed_node(std::shared_ptr<const Program> program, int memo, std::uint32_t at) {
  return std::make_unique<ComputedNode>(std::move(program), memo, at);
}
NodePtr failing_node(std::string_view text, std::string_view name, std::uint32_t at) {
  return std::make_unique<FailingNode>(text, name, at);
}
NodePtr select_node(NodePtr operand, std::string_view field, Access access, std::uint32_t at) {
  return std::make_unique<SelectNode>(std::move(operand), field, access, at);
}
NodePtr index_node(NodePtr operand, NodePtr key, Access access, std::uint32_t at) {
  return std::make_unique<IndexNode>(std::move(operand), std::move(key), access, at);
}
NodePtr has_node(NodePtr operand, std::string_view field, std::uint32_t at) {
  return std::make_unique<HasNode>(std::move(operand), field, at);
}
NodePtr fact_node(int slot, const FieldRow& field, std::uint32_t at) {
  return std::make_unique<FactNode>(slot, field, at);
}
NodePtr json_path_node(int slot, std::string_view variable, std::vector<PathStep> steps,
                       std::uint32_t at) {
  return std::make_unique<JsonPathNode>(slot, variable, std::move(steps), at);
}

}  // namespace berth::rules::cel
