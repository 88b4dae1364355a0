#include "mutate/editor.h"

#include <algorithm>
#include <span>

#include "kube/pointer.h"

namespace berth::mutate {
namespace {

using kube::Json;

using Keys = std::span<const std::string_view>;

// The part of a path that leads to its first `count` keys. Requires: it has as many.
std::string_view path_to(std::string_view path, std::size_t count) {
  std::size_t end = 0;
  while (count-- > 0) end = path.find('/', end + 1);
  return path.substr(0, end);
}

// The child of an object or a list; nullptr where there is none.
const Json* child_of(const Json& parent, std::string_view key) {
  if (parent.is_object()) return parent.find(key);
  const auto index = kube::array_index(key);
  if (!parent.is_array() || !index || *index >= parent.items().size()) return nullptr;
  return &parent.items()[*index];
}

// The tree with the value at the end of the keys exchanged. Requires: every key but the last
// exists.
Json with_value(base::Arena& arena, Json tree, Keys keys, Json value) {
  if (keys.empty()) return value;
  const Json* child = child_of(tree, keys[0]);
  const Json below = child != nullptr ? *child : Json();
  const Json changed = with_value(arena, below, keys.subspan(1), value);
  if (tree.is_array()) {
    return kube::with_item(arena, tree, *kube::array_index(keys[0]), changed);
  }
  return kube::with_member(arena, tree, keys[0], changed);
}

Json wrapped(base::Arena& arena, Keys keys, Json value) {
  for (std::size_t i = keys.size(); i > 0; --i) {
    value = kube::make_object(arena, {{keys[i - 1], value}});
  }
  return value;
}

}  // namespace

std::string_view to_text(Op op) {
  switch (op) {
    case Op::kAdd:
      return "add";
    case Op::kReplace:
      return "replace";
    case Op::kRemove:
      return "remove";
  }
  return "";
}

Editor::Editor(Json object, std::string_view root, base::Arena& arena)
    : arena_(arena), object_(object), root_(root) {}

void Editor::attribute_to(const rules::Rule* rule, const base::Place* place) {
  rule_ = rule;
  place_ = place;
}

Json Editor::get(std::string_view path) const {
  const Json* found = kube::find_at(object_, root_);
  if (found != nullptr) found = kube::find_at(*found, path);
  return found != nullptr ? *found : Json();
}

void Editor::record(Op op, std::string_view path, Json before, Json after) {
  constexpr std::size_t kUsual = 16;
  if (changes_.empty()) changes_.reserve(kUsual);
  changes_.push_back({op, path, before, after, rule_, place_});
}

// The same path from the root of the whole object, in the arena.
std::string_view Editor::from_root(std::string_view path) {
  return arena_.joined({root_, path});
}

bool Editor::set(std::string_view path, Json value) {
  const Json now = get(path);
  if (!now.is_null() && kube::equal(now, value)) return true;
  return set_at(from_root(path), value);
}

bool Editor::set_on_object(std::string_view path, Json value) {
  return set_at(arena_.copy(path), value);
}

bool Editor::set_at(std::string_view path, Json value) {
  const auto keys = kube::split_pointer(path, arena_);
  if (!keys) return false;
  Json at = object_;
  std::size_t depth = 0;
  while (depth < keys->size()) {
    const Json* child = child_of(at, (*keys)[depth]);
    if (child == nullptr || child->is_null()) break;
    at = *child;
    ++depth;
  }
  if (depth == keys->size()) {
    if (kube::equal(at, value)) return true;
    object_ = with_value(arena_, object_, *keys, value);
    record(Op::kReplace, path, at, value);
    return true;
  }
  if (!at.is_object()) return false;
  const Json added = wrapped(arena_, keys->subspan(depth + 1), value);
  object_ = with_value(arena_, object_, keys->first(depth + 1), added);
  record(Op::kAdd, path_to(path, depth + 1), Json(), added);
  return true;
}

bool Editor::remove(std::string_view path) {
  path = from_root(path);
  const auto keys = kube::split_pointer(path, arena_);
  if (!keys || keys->empty()) return false;
  const Json* at = &object_;
  const Json* parent = nullptr;
  for (const std::string_view key : *keys) {
    parent = at;
    at = child_of(*parent, key);
    if (at == nullptr) return parent->is_object() || parent->is_array() || parent->is_null();
  }
  const Json before = *at;
  const std::string_view key = keys->back();
  const Json rest = parent->is_array()
                        ? kube::without_item(arena_, *parent, *kube::array_index(key))
                        : kube::without_member(arena_, *parent, key);
  object_ = with_value(arena_, object_, keys->first(keys->size() - 1), rest);
  record(Op::kRemove, path, before, Json());
  return true;
}

bool Editor::append(std::string_view list_path, Json item) {
  const Json list = get(list_path);
  if (list.is_null()) return set(list_path, kube::make_array(arena_, {item}));
  if (!list.is_array()) return false;
  const std::string_view path = from_root(list_path);
  const auto keys = kube::split_pointer(path, arena_);
  if (!keys) return false;
  const std::size_t end = list.items().size();
  object_ = with_value(arena_, object_, *keys, kube::with_inserted(arena_, list, end, item));
  record(Op::kAdd, arena_.joined({path, "/", std::to_string(end)}), Json(), item);
  return true;
}

Json to_patch(const Changes& changes, base::Arena& arena) {
  const auto operations = arena.make_array<Json>(changes.size());
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const Change& change = changes[i];
    const Json op = Json::string(to_text(change.op));
    const Json path = Json::string(change.path);
    operations[i] =
        change.op == Op::kRemove
            ? kube::make_object(arena, {{"op", op}, {"path", path}})
            : kube::make_object(arena, {{"op", op}, {"path", path}, {"value", change.after}});
  }
  return Json::array(operations);
}

}  // namespace berth::mutate
