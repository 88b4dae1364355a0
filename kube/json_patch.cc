#include "kube/json_patch.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kube/pointer.h"

namespace berth::kube {
namespace {

// Bounds that keep a hostile patch from growing a document without end: "copy" alone could double
// it with every operation.
constexpr std::size_t kDepthLimit = 512;
constexpr std::size_t kCopiedValuesLimit = 1'000'000;

enum class Op { kAdd, kRemove, kReplace, kMove, kCopy, kTest };

std::optional<Op> read_op(std::string_view name) {
  if (name == "add") return Op::kAdd;
  if (name == "remove") return Op::kRemove;
  if (name == "replace") return Op::kReplace;
  if (name == "move") return Op::kMove;
  if (name == "copy") return Op::kCopy;
  if (name == "test") return Op::kTest;
  return std::nullopt;
}

using Segments = std::span<const std::string_view>;

std::string quoted(std::string_view text) {
  std::string out = "'";
  out.append(text).append("'");
  return out;
}

base::Error no_such(Json parent, std::string_view segment) {
  if (parent.is_object()) return base::invalid("there is no member " + quoted(segment));
  if (!parent.is_array()) {
    return base::invalid(quoted(segment) + " is looked for in a " +
                         std::string(to_text(parent.type())));
  }
  if (segment != "-" && !array_index(segment)) {
    return base::invalid(quoted(segment) + " is no array index");
  }
  return base::invalid("index " + quoted(segment) + " is beyond an array of " +
                       std::to_string(parent.size()));
}

// The member or item of a parent, or nullptr.
const Json* child(const Json& parent, std::string_view segment) {
  if (parent.is_object()) return parent.find(segment);
  const auto index = array_index(segment);
  return index && *index < parent.items().size() ? &parent.items()[*index] : nullptr;
}

base::Result<Json> value_at(Json at, Segments path) {
  for (const std::string_view segment : path) {
    const Json* next = child(at, segment);
    if (next == nullptr) return no_such(at, segment);
    at = *next;
  }
  return at;
}

class Patcher {
 public:
  explicit Patcher(base::Arena& arena) : arena_(arena) {}

  base::Result<Json> apply(Json document, Json operation) {
    const auto op = read_op(operation["op"].string_or_empty());
    if (!op) return base::invalid("the op is none of add, remove, replace, move, copy, test");
    auto path = read_pointer(operation, "path");
    if (!path) return path.error();
    switch (*op) {
      case Op::kRemove:
        return remove(document, *path);
      case Op::kMove:
      case Op::kCopy:
        return transfer(document, operation, *path, *op);
      case Op::kAdd:
      case Op::kReplace:
      case Op::kTest:
        break;
    }
    const Json* value = operation.find("value");
    if (value == nullptr) return base::invalid("there is no value");
    if (*op == Op::kTest) return test(document, *path, *value);
    return put(document, *path, *value, *op);
  }

 private:
  base::Result<Segments> read_pointer(Json operation, std::string_view key) {
    const Json* text = operation.find(key);
    if (text == nullptr || !text->is_string()) {
      return base::invalid("there is no text in " + quoted(key));
    }
    return split_pointer(text->string_or_empty(), arena_);
  }

  static base::Result<Json> test(Json document, Segments path, Json expected) {
    const auto actual = value_at(document, path);
    if (!actual) return actual.error();
    if (!equal(*actual, expected)) return base::invalid("the value there is another one");
    return document;
  }

  base::Result<Json> transfer(Json document, Json operation, Segments path, Op op) {
    const auto from = read_pointer(operation, "from");
    if (!from) return from.error();
    const auto value = value_at(document, *from);
    if (!value) return base::invalid("in 'from': " + value.error().text);
    if (op == Op::kCopy) {
      if (!count(*value, 0)) return base::invalid("the patch copies too much");
      return put(document, path, *value, Op::kAdd);
    }
    const bool inside =
        from->size() <= path.size() && std::equal(from->begin(), from->end(), path.begin());
    if (inside && from->size() == path.size()) return document;
    if (inside) return base::invalid("a value cannot move into itself");
    const auto without = remove(document, *from);
    if (!without) return without.error();
    return put(*without, path, *value, Op::kAdd);
  }

  // Counts the values of a copy against the limit; false when it is reached.
  bool count(Json value, std::size_t depth) {
    if (++copied_ > kCopiedValuesLimit || depth > kDepthLimit) return false;
    for (const Json& item : value.items()) {
      if (!count(item, depth + 1)) return false;
    }
    for (const JsonMember& member : value.members()) {
      if (!count(member.value, depth + 1)) return false;
    }
    return true;
  }

  static bool fits(Json value, std::size_t depth) {
    if (depth > kDepthLimit) return false;
    for (const Json& item : value.items()) {
      if (!fits(item, depth + 1)) return false;
    }
    for (const JsonMember& member : value.members()) {
      if (!fits(member.value, depth + 1)) return false;
    }
    return true;
  }

  // Add and replace.
  base::Result<Json> put(Json document, Segments path, Json value, Op op) {
    if (!fits(value, path.size())) {
      return base::invalid("the result would nest deeper than " + std::to_string(kDepthLimit));
    }
    return put_below(document, path, value, op);
  }

  base::Result<Json> put_below(Json at, Segments path, Json value, Op op) {
    if (path.empty()) return value;
    if (path.size() > 1) {
      const Json* next = child(at, path.front());
      if (next == nullptr) return no_such(at, path.front());
      const auto changed = put_below(*next, path.subspan(1), value, op);
      if (!changed) return changed.error();
      return set(at, path.front(), *changed);
    }
    const std::string_view last = path.front();
    if (op == Op::kReplace) {
      return child(at, last) == nullptr ? base::Result<Json>(no_such(at, last))
                                        : set(at, last, value);
    }
    if (at.is_object()) return set(at, last, value);
    const auto index = last == "-" ? at.items().size() : array_index(last);
    if (!at.is_array() || !index || *index > at.items().size()) return no_such(at, last);
    return with_inserted(arena_, at, *index, value);
  }

  base::Result<Json> remove(Json at, Segments path) {
    if (path.empty()) return base::invalid("the whole document cannot be removed");
    const std::string_view segment = path.front();
    const Json* next = child(at, segment);
    if (next == nullptr) return no_such(at, segment);
    if (path.size() > 1) {
      const auto changed = remove(*next, path.subspan(1));
      if (!changed) return changed.error();
      return set(at, segment, *changed);
    }
    if (at.is_object()) return without_member(arena_, at, segment);
    return without_item(arena_, at, *array_index(segment));
  }

  // Requires: `parent` is an object, or an array that has the index.
  Json set(Json parent, std::string_view segment, Json value) {
    if (parent.is_array()) return with_item(arena_, parent, *array_index(segment), value);
    return with_member(arena_, parent, segment, value);
  }

  base::Arena& arena_;
  std::size_t copied_ = 0;
};

std::string name_of(std::size_t index, Json operation) {
  std::string out = "operation " + std::to_string(index);
  if (!operation.is_object()) return out + " is no object";
  return out + " (" + std::string(operation["op"].string_or("no op")) + " " +
         std::string(operation["path"].string_or("no path")) + "): ";
}

}  // namespace

base::Result<Json> apply_patch(Json document, Json patch, base::Arena& arena) {
  if (!patch.is_array()) {
    return base::invalid("expected an array of operations, found " +
                         std::string(to_text(patch.type())));
  }
  Patcher patcher(arena);
  for (std::size_t i = 0; i < patch.items().size(); ++i) {
    const Json operation = patch.items()[i];
    if (!operation.is_object()) return base::invalid(name_of(i, operation));
    const auto changed = patcher.apply(document, operation);
    if (!changed) return base::invalid(name_of(i, operation) + changed.error().text);
    document = *changed;
  }
  return document;
}

}  // namespace berth::kube
