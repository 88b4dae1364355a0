// Editor: executes an edit on a copy of the received object and records it in the same step. The
// list of recorded changes is the JSON Patch and is the explanation; there is no diff. Nothing is
// ever deleted from or inserted into the middle of a list except list elements that the caller
// names, so earlier indices stay valid. One request, one thread. Paths are relative to a root
// pointer: "" for a pod, "/spec/template" for an owner.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/arena.h"
#include "base/source_text.h"
#include "kube/json.h"
#include "rules/rule.h"

namespace berth::mutate {

enum class Op : std::uint8_t { kAdd, kReplace, kRemove };
std::string_view to_text(Op op);

struct Change {
  Op op = Op::kAdd;
  std::string_view path;               ///< JSON Pointer from the root of the object; in the arena
  kube::Json before;                   ///< null for an add
  kube::Json after;                    ///< null for a remove
  const rules::Rule* rule = nullptr;   ///< null: berth's own record
  const base::Place* place = nullptr;  ///< of the action in the rule file; null without a rule
};
using Changes = std::vector<Change>;

class Editor {
 public:
  /// `object` must outlive the arena's use. `root` is the pointer of the pod or template.
  Editor(kube::Json object, std::string_view root, base::Arena& arena);

  /// Which rule and which of its actions the next edits belong to; both outlive the changes.
  void attribute_to(const rules::Rule* rule, const base::Place* place);

  /// Value at a path below the root, null Json where absent.
  kube::Json get(std::string_view path) const;

  // The edits return false, and do nothing, where the path leads through a value of another type
  // (a text where an object is needed, no list to append to) or beyond the end of a list.

  /// Sets a member; missing parents are created (one change, at the topmost missing parent). JSON
  /// null counts as absent. No change is recorded when the value is equal already.
  bool set(std::string_view path, kube::Json value);
  /// The same with a path from the root of the whole object: what an owner carries beside its
  /// template.
  bool set_on_object(std::string_view path, kube::Json value);
  /// Removes a member, or a list element that the caller names, if present.
  bool remove(std::string_view path);
  /// Appends to a list; a missing or null list is created with the one element.
  bool append(std::string_view list_path, kube::Json item);

  kube::Json object() const { return object_; }  ///< as edited
  const Changes& changes() const { return changes_; }
  Changes take_changes() { return std::move(changes_); }
  base::Arena& arena() { return arena_; }

 private:
  bool set_at(std::string_view path, kube::Json value);  // of a path in the arena
  std::string_view from_root(std::string_view path);
  void record(Op op, std::string_view path, kube::Json before, kube::Json after);

  base::Arena& arena_;
  kube::Json object_;
  std::string root_;
  Changes changes_;
  const rules::Rule* rule_ = nullptr;
  const base::Place* place_ = nullptr;
};

/// The changes as a JSON Patch array.
kube::Json to_patch(const Changes& changes, base::Arena& arena);

}  // namespace berth::mutate
