#include "webhook/forged_record.h"

#include <algorithm>
#include <string>

#include "kube/pointer.h"
#include "mutate/editor.h"

namespace berth::webhook {
namespace {

using kube::Json;

bool is_rule(const rules::RuleSet& set, std::string_view id) {
  return std::any_of(set.rules.begin(), set.rules.end(),
                     [&](const rules::Rule& rule) { return rule.id == id; });
}

// The ids of the record that rules of the set have.
std::string known_ids(const rules::RuleSet& set, std::string_view record) {
  std::string out;
  while (!record.empty()) {
    const std::size_t comma = std::min(record.find(','), record.size());
    const std::string_view id = record.substr(0, comma);
    if (is_rule(set, id)) out.append(out.empty() ? "" : ",").append(id);
    record.remove_prefix(std::min(comma + 1, record.size()));
  }
  return out;
}

void settle(const World& world, const std::string& pointer, mutate::Editor& editor,
            mutate::Outcome& outcome) {
  const std::string key = world.limits.label_prefix + "/rules";
  const Json whole = editor.object();
  const Json* there = kube::find_at(whole, pointer);
  if (there == nullptr) return;
  const Json* found = (*there)["metadata"]["annotations"].find(key);
  if (found == nullptr || found->is_null()) return;
  const std::string_view record = found->string_or_empty();
  const std::string known = known_ids(world.rules, record);
  if (known == record && !known.empty()) return;
  std::string path = pointer + "/metadata/annotations";
  kube::append_segment(path, key);
  if (known.empty()) {
    editor.remove(path);
  } else {
    editor.set(path, kube::make_string(editor.arena(), known));
  }
  outcome.warnings.push_back(
      {nullptr, key + " is berth's own record: what berth did not write is removed"});
}

}  // namespace

mutate::Outcome remove_forged_rules(const World& world, const std::vector<Part>& parts,
                                    kube::Json object, base::Arena& arena) {
  mutate::Outcome outcome;
  mutate::Editor editor(object, "", arena);
  settle(world, "", editor, outcome);
  for (const Part& part : parts) {
    if (!part.subject.pod_pointer.empty()) settle(world, part.subject.pod_pointer, editor, outcome);
  }
  outcome.object = editor.object();
  outcome.changes = editor.take_changes();
  return outcome;
}

}  // namespace berth::webhook
