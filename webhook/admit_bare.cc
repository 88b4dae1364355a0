#include "webhook/admit_bare.h"

#include <algorithm>

#include "kube/pointer.h"
#include "mutate/editor.h"
#include "mutate/verify.h"

namespace berth::webhook {
namespace {

using kube::Json;

// The list that the path names a new element of, or empty.
std::string_view list_above(Json object, std::string_view path) {
  const std::string_view above = path.substr(0, path.rfind('/'));
  const Json* parent = kube::find_at(object, above);
  return parent != nullptr && parent->is_array() ? above : std::string_view{};
}

bool repeat(const mutate::Change& change, const std::string& path, mutate::Editor& editor) {
  editor.attribute_to(change.rule, change.place);
  if (change.op == mutate::Op::kRemove) return editor.remove(path);
  const std::string_view list = list_above(editor.object(), path);
  if (change.op == mutate::Op::kAdd && !list.empty()) return editor.append(list, change.after);
  return editor.set(path, change.after);
}

bool is_only_record(const mutate::Changes& changes) {
  return std::all_of(changes.begin(), changes.end(), [](const mutate::Change& change) {
    return change.rule == nullptr && change.op != mutate::Op::kRemove;
  });
}

void fold_kept(const kube::BareTemplates& bare, Answer& answer) {
  for (Part& part : answer.parts) {
    for (mutate::Kept& kept : part.outcome.kept) {
      if (auto path = bare.real_path(kept.path)) kept.path = std::move(*path);
    }
  }
}

}  // namespace

std::optional<std::string> fold(const kube::BareTemplates& bare, const Review& review,
                                Answer& answer, base::Arena& arena) {
  fold_kept(bare, answer);
  mutate::Editor editor(review.object, "", arena);
  for (const mutate::Change& change : answer.changes) {
    const auto path = bare.real_path(change.path);
    if (path && !repeat(change, *path, editor)) return "no place at " + *path;
  }
  answer.object = review.object;
  answer.changes.clear();
  if (answer.outcome != Outcome::kPatched) return std::nullopt;
  if (!is_only_record(editor.changes())) {
    mutate::Outcome whole;
    whole.object = editor.object();
    whole.changes = editor.take_changes();
    if (auto bad = mutate::verify_patch(whole, review.object, arena)) return bad;
    answer.object = whole.object;
    answer.changes = std::move(whole.changes);
  }
  answer.outcome = answer.changes.empty() ? Outcome::kUnchanged : Outcome::kPatched;
  return std::nullopt;
}

}  // namespace berth::webhook
