// Macros: loops over lists and maps, with a variable or two.
#include <algorithm>
#include <utility>

#include "rules/cel/node.h"
#include "rules/cel/number.h"

namespace berth::rules::cel {
namespace {

// What the macros over a range share: the turns, and what a turn costs.
class Range {
 public:
  Range(Frame& frame, const MacroParts& parts, Value value)
      : frame_(frame), parts_(parts), value_(value) {}

  std::size_t size() const { return value_.size(); }
  bool is_map() const { return value_.is(Kind::kMap); }
  Value key(std::size_t i) const { return value_.key_at(i); }

  /// Sets the variables of turn i. False when the budget is used up.
  bool turn(std::size_t i) {
    if (!frame_.spend(parts_.units)) return false;
    Value& first = frame_.local(parts_.slot);
    if (!parts_.two) {
      first = is_map() ? value_.key_at(i) : value_.item(i);
      return true;
    }
    first = is_map() ? value_.key_at(i) : Value::integer(static_cast<std::int64_t>(i));
    frame_.local(parts_.slot + 1) = is_map() ? value_.value_at(i) : value_.item(i);
    return true;
  }

 private:
  Frame& frame_;
  const MacroParts& parts_;
  Value value_;
};

class MacroNode : public Node {
 public:
  explicit MacroNode(MacroParts parts) : parts_(std::move(parts)) {}
  Value evaluate(Frame& frame) const final {
    const Value range = parts_.range->evaluate(frame);
    if (range.is_error()) return range;
    if (!range.is(Kind::kList) && !range.is(Kind::kMap)) return overload();
    return run(frame, Range(frame, parts_, range));
  }

 private:
  virtual Value run(Frame& frame, Range range) const = 0;

 protected:
  Value overload() const { return fail(kNoSuchOverload).at_offset(parts_.at); }
  /// Whether the turn passes the filter: true, false, or an error.
  Value passes(Frame& frame) const {
    if (parts_.filter == nullptr) return Value::boolean(true);
    const Value value = parts_.filter->evaluate(frame);
    return value.is(Kind::kBool) || value.is_error() ? value : overload();
  }
  Value body(Frame& frame) const { return parts_.body->evaluate(frame); }

  MacroParts parts_;
};

// all and exists: the deciding value ends the loop and absorbs errors.
class QuantifierNode final : public MacroNode {
 public:
  explicit QuantifierNode(MacroParts parts) : MacroNode(std::move(parts)) {}

 private:
  Value run(Frame& frame, Range range) const override {
    const bool deciding = parts_.macro == Macro::kExists;
    Value error;
    for (std::size_t i = 0; i < range.size(); ++i) {
      if (!range.turn(i)) return fail(kCostLimit);
      const Value value = body(frame);
      if (value.is(Kind::kBool)) {
        if (value.as_bool() == deciding) return value;
      } else if (!error.is_error()) {
        error = value.is_error() ? value : overload();
      }
    }
    return error.is_error() ? error : Value::boolean(!deciding);
  }
};

class ExistsOneNode final : public MacroNode {
 public:
  explicit ExistsOneNode(MacroParts parts) : MacroNode(std::move(parts)) {}

 private:
  Value run(Frame& frame, Range range) const override {
    std::size_t count = 0;
    for (std::size_t i = 0; i < range.size(); ++i) {
      if (!range.turn(i)) return fail(kCostLimit);
      const Value value = body(frame);
      if (value.is_error()) return value;
      if (!value.is(Kind::kBool)) return overload();
      if (value.as_bool()) ++count;
    }
    return Value::boolean(count == 1);
  }
};

// map, filter, transformList.
class ListMacroNode final : public MacroNode {
 public:
  explicit ListMacroNode(MacroParts parts) : MacroNode(std::move(parts)) {}

 private:
  Value run(Frame& frame, Range range) const override {
    const auto room = frame.make_items(range.size());
    if (room.data() == nullptr) return fail(kCostLimit);
    std::size_t count = 0;
    for (std::size_t i = 0; i < range.size(); ++i) {
      if (!range.turn(i)) return fail(kCostLimit);
      const Value pass = passes(frame);
      if (pass.is_error()) return pass;
      if (!pass.as_bool()) continue;
      // filter has no body: it keeps the item.
      const Value value = parts_.body == nullptr ? frame.local(parts_.slot) : body(frame);
      if (value.is_error()) return value;
      room[count++] = value;
    }
    return Value::list(room.first(count));
  }
};

// transformMap keeps keys; transformMapEntry makes entries of maps.
class MapMacroNode final : public MacroNode {
 public:
  explicit MapMacroNode(MacroParts parts) : MacroNode(std::move(parts)) {}

 private:
  Value run(Frame& frame, Range range) const override {
    if (!frame.spend(static_cast<std::int64_t>(range.size()))) return fail(kCostLimit);
    const auto room = frame.arena().make_array<Entry>(range.size());
    std::size_t count = 0;
    for (std::size_t i = 0; i < range.size(); ++i) {
      if (!range.turn(i)) return fail(kCostLimit);
      const Value key = frame.local(parts_.slot);
      const Value pass = passes(frame);
      if (pass.is_error()) return pass;
      if (!pass.as_bool()) continue;
      const Value value = body(frame);
      if (value.is_error()) return value;
      if (parts_.macro == Macro::kTransformMap) {
        room[count++] = {key, value};
        continue;
      }
      const Value added = add_entries(frame, room, &count, value);
      if (added.is_error()) return added.at_offset(parts_.at);
    }
    return Value::map(room.first(count));
  }

  // The body of transformMapEntry gives a map of at most one entry.
  Value add_entries(Frame& frame, std::span<Entry> room, std::size_t* count, Value map) const {
    if (!map.is(Kind::kMap)) return overload();
    for (std::size_t i = 0; i < map.size(); ++i) {
      if (*count >= room.size()) return overload();
      if (!frame.spend(static_cast<std::int64_t>(1 + *count / 4))) return fail(kCostLimit);
      Value found;
      if (find(Value::map(room.first(*count)), map.key_at(i), &found)) return fail(kRepeatedKey);
      room[(*count)++] = {map.key_at(i), map.value_at(i)};
    }
    return {};
  }
};

class SortByNode final : public MacroNode {
 public:
  explicit SortByNode(MacroParts parts) : MacroNode(std::move(parts)) {}

 private:
  Value run(Frame& frame, Range range) const override {
    if (range.is_map()) return overload();
    const auto keys = frame.make_items(range.size());
    const auto items = frame.make_items(range.size());
    if (keys.data() == nullptr || items.data() == nullptr) return fail(kCostLimit);
    for (std::size_t i = 0; i < range.size(); ++i) {
      if (!range.turn(i)) return fail(kCostLimit);
      items[i] = frame.local(parts_.slot);
      keys[i] = body(frame);
      if (keys[i].is_error()) return keys[i];
    }
    return sorted(frame, items, keys).at_offset(parts_.at);
  }
};

class OptMapNode final : public Node {
 public:
  explicit OptMapNode(MacroParts parts) : parts_(std::move(parts)) {}
  Value evaluate(Frame& frame) const override {
    const Value operand = parts_.range->evaluate(frame);
    if (operand.is_error()) return operand;
    if (!operand.is(Kind::kOptional)) return fail(kNoSuchOverload).at_offset(parts_.at);
    if (!operand.has_value()) return operand;
    frame.local(parts_.slot) = operand.optional_value();
    const Value value = parts_.body->evaluate(frame);
    if (value.is_error() || parts_.macro == Macro::kOptFlatMap) return value;
    return Value::some(frame.arena(), value);
  }

 private:
  MacroParts parts_;
};

class BindNode final : public Node {
 public:
  BindNode(NodePtr value, NodePtr body, int slot)
      : value_(std::move(value)), body_(std::move(body)), slot_(slot) {}
  Value evaluate(Frame& frame) const override {
    // An error is kept: it matters only where the body uses it.
    frame.local(slot_) = value_->evaluate(frame);
    return body_->evaluate(frame);
  }

 private:
  NodePtr value_;
  NodePtr body_;
  int slot_;
};

}  // namespace

NodePtr macro_node(MacroParts parts) {
  switch (parts.macro) {
    case Macro::kAll:
    case Macro::kExists:
      return std::make_unique<QuantifierNode>(std::move(parts));
    case Macro::kExistsOne:
      return std::make_unique<ExistsOneNode>(std::move(parts));
    case Macro::kMap:
    case Macro::kFilter:
    case Macro::kTransformList:
      return std::make_unique<ListMacroNode>(std::move(parts));
    case Macro::kTransformMap:
    case Macro::kTransformMapEntry:
      return std::make_unique<MapMacroNode>(std::move(parts));
    case Macro::kSortBy:
      return std::make_unique<SortByNode>(std::move(parts));
    case Macro::kOptMap:
    case Macro::kOptFlatMap:
      return std::make_unique<OptMapNode>(std::move(parts));
  }
  return nullptr;
}

NodePtr bind_node(NodePtr value, NodePtr body, int slot) {
  return std::make_unique<BindNode>(std::move(value), std::move(body), slot);
}

}  // namespace berth::rules::cel
