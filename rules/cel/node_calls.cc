// Calls of library functions and of functions of closed types.
#include <algorithm>
#include <utility>

#include "rules/cel/node.h"

namespace berth::rules::cel {
namespace {

constexpr std::size_t kMaxArguments = 4;

class CallNode final : public Node {
 public:
  CallNode(std::vector<NodePtr> arguments, std::vector<Candidate> candidates, std::uint32_t at)
      : arguments_(std::move(arguments)), candidates_(std::move(candidates)), at_(at) {}
  Value evaluate(Frame& frame) const override {
    std::array<Value, kMaxArguments> values;
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      values[i] = arguments_[i]->evaluate(frame);
      if (values[i].is_error()) return values[i];
    }
    const std::span<const Value> given(values.data(), arguments_.size());
    for (const auto& candidate : candidates_) {
      if (!takes(candidate, given)) continue;
      if (!frame.spend(units_of(candidate.work, given))) return fail(kCostLimit);
      return candidate.call(frame, given).at_offset(at_);
    }
    return fail(kNoSuchOverload).at_offset(at_);
  }

 private:
  static bool takes(const Candidate& candidate, std::span<const Value> given) {
    for (std::size_t i = 0; i < given.size(); ++i) {
      if ((candidate.kinds[i] >> static_cast<unsigned>(given[i].kind()) & 1U) == 0) return false;
    }
    return true;
  }

  std::vector<NodePtr> arguments_;
  std::vector<Candidate> candidates_;
  std::uint32_t at_;
};

class MethodNode final : public Node {
 public:
  MethodNode(NodePtr receiver, std::vector<NodePtr> arguments, const MethodRow& method,
             std::uint32_t at)
      : receiver_(std::move(receiver)),
        arguments_(std::move(arguments)),
        method_(method),
        at_(at) {}
  Value evaluate(Frame& frame) const override {
    const Value receiver = receiver_->evaluate(frame);
    if (receiver.is_error()) return receiver;
    if (!receiver.is(Kind::kStruct)) return fail(kNoSuchOverload).at_offset(at_);
    std::array<Value, kMaxArguments> values;
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      values[i] = arguments_[i]->evaluate(frame);
      if (values[i].is_error()) return values[i];
      if (!fits(values[i], i)) return fail(kNoSuchOverload).at_offset(at_);
    }
    if (!frame.spend(method_.units)) return fail(kCostLimit);
    return method_
        .call(receiver.as_struct().object, {values.data(), arguments_.size()}, frame.arena())
        .at_offset(at_);
  }

 private:
  // The checker has seen the type; what came as dyn is seen here. Word types are strings.
  bool fits(Value value, std::size_t i) const {
    const auto wanted = method_.parameters[i];
    if (wanted == "int") return value.is(Kind::kInt);
    if (wanted == "bool") return value.is(Kind::kBool);
    if (wanted == "double") return value.is(Kind::kDouble);
    if (wanted == "quantity") return value.is(Kind::kQuantity);
    if (wanted == "dyn") return true;
    if (wanted.starts_with("list(")) return value.is(Kind::kList);
    if (wanted.starts_with("map(")) return value.is(Kind::kMap);
    return value.is(Kind::kString);
  }

  NodePtr receiver_;
  std::vector<NodePtr> arguments_;
  const MethodRow& method_;
  std::uint32_t at_;
};

}  // namespace

std::int64_t units_of(Work work, std::span<const Value> arguments) {
  const auto size = [&](std::size_t i) {
    return i < arguments.size() && !arguments[i].is(Kind::kTimestamp) &&
                   !arguments[i].is(Kind::kError)
               ? static_cast<std::int64_t>(arguments[i].size())
               : std::int64_t{0};
  };
  const auto text = [&](std::size_t i) {
    const bool items =
        i < arguments.size() && (arguments[i].is(Kind::kList) || arguments[i].is(Kind::kMap));
    return items ? size(i) / 2 : size(i) / 64;
  };
  switch (work) {
    case Work::kConstant:
    case Work::kRange:
      return 1;
    case Work::kScan:
    case Work::kCopy:
    case Work::kJoin:
      return 1 + text(0);
    case Work::kScanBoth:
    case Work::kMultiply:
      return 1 + (1 + text(0)) * (1 + text(1));
  }
  return 1;
}

NodePtr call_node(std::vector<NodePtr> arguments, std::vector<Candidate> candidates,
                  std::uint32_t at) {
  return std::make_unique<CallNode>(std::move(arguments), std::move(candidates), at);
}

NodePtr method_node(NodePtr receiver, std::vector<NodePtr> arguments, const MethodRow& method,
                    std::uint32_t at) {
  return std::make_unique<MethodNode>(std::move(receiver), std::move(arguments), method, at);
}

}  // namespace berth::rules::cel
