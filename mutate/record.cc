#include "mutate/record.h"

#include <algorithm>
#include <array>
#include <string>

#include "kube/pointer.h"
#include "mutate/metadata.h"

namespace berth::mutate {
namespace {

using kube::Json;

constexpr std::size_t kAnnotationBytes = 256 * 1024;  // in total, keys and values
constexpr std::string_view kAnnotations = "/metadata/annotations";
constexpr std::string_view kLabels = "/metadata/labels";

bool lists(std::string_view record, std::string_view id) {
  while (!record.empty()) {
    const std::size_t comma = std::min(record.find(','), record.size());
    if (record.substr(0, comma) == id) return true;
    record.remove_prefix(std::min(comma + 1, record.size()));
  }
  return false;
}

// Keys with a meaning on the object that carries them, not for its pods.
bool stays_on_owner(std::string_view name) {
  constexpr std::array<std::string_view, 3> kNames = {"rules", "decision", "ignore"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

std::string with_rules(std::string_view known, const rules::Decision& decision) {
  std::string record(known);
  for (const rules::Rule* rule : decision.applied) {
    if (lists(record, rule->id)) continue;
    if (!record.empty()) record += ',';
    record += rule->id;
  }
  return record;
}

bool changed_below(const Changes& changes, std::string_view pointer) {
  return std::any_of(changes.begin(), changes.end(),
                     [&](const Change& change) { return change.path.starts_with(pointer); });
}

// Intent keys of the owner, to the same map of the template. A label by which the owner selects its
// pods is its author's affair: the template gets it as an annotation.
void hand_down(Writing& writing, std::string_view map) {
  const Json from = writing.subject.object["metadata"][map];
  const std::string prefix = std::string(writing.options.label_prefix) + "/";
  for (const kube::JsonMember& member : from.members()) {
    if (!member.key.starts_with(prefix) || !member.value.is_string()) continue;
    if (stays_on_owner(member.key.substr(prefix.size()))) continue;
    const kube::Pod pod = writing.pod();
    if (pod.labels().has(member.key) || pod.annotations().has(member.key)) continue;
    if (!annotation_fits(pod.annotations(), member.key, member.value.string_or_empty())) continue;
    const bool as_label = map == "labels" && !finds_pods_by(writing, member.key);
    std::string path(as_label ? kLabels : kAnnotations);
    kube::append_segment(path, member.key);
    writing.editor.set(path, member.value);
  }
}

}  // namespace

bool is_recorded(const kube::Pod& pod, std::string_view prefix, std::string_view rule_id) {
  return lists(pod.annotation(std::string(prefix) + "/rules"), rule_id);
}

bool annotation_fits(Json annotations, std::string_view key, std::string_view value) {
  std::size_t bytes = key.size() + value.size();
  for (const kube::JsonMember& member : annotations.members()) {
    if (member.key == key) continue;
    bytes += member.key.size() + member.value.string_or_empty().size();
  }
  return bytes <= kAnnotationBytes;
}

void write_record(Writing& writing) {
  if (writing.editor.changes().empty() || writing.decision.applied.empty()) return;
  // On the template where it was changed; an owner of which only its own labels were changed keeps
  // the record beside them.
  const bool on_template = changed_below(writing.editor.changes(), writing.subject.pod_pointer);
  const Json annotations = on_template ? writing.pod().annotations()
                                       : writing.editor.object()["metadata"]["annotations"];
  const std::string key = std::string(writing.options.label_prefix) + "/rules";
  const std::string record = with_rules(annotations[key].string_or_empty(), writing.decision);
  if (!annotation_fits(annotations, key, record)) return;
  writing.editor.attribute_to(nullptr, nullptr);
  std::string path(kAnnotations);
  kube::append_segment(path, key);
  const Json value = kube::make_string(writing.arena(), record);
  if (on_template) {
    writing.editor.set(path, value);
  } else {
    writing.editor.set_on_object(path, value);
  }
}

void write_intent_of_owner(Writing& writing) {
  if (!writing.at_owner() || writing.decision.applied.empty()) return;
  writing.editor.attribute_to(nullptr, nullptr);
  hand_down(writing, "annotations");
  hand_down(writing, "labels");
}

}  // namespace berth::mutate
