#include "mutate/writing.h"

#include <algorithm>

#include "kube/workload.h"
#include "mutate/record.h"

namespace berth::mutate {
namespace {

void record_kept(Writing& writing, const rules::Setting& setting, const Difference& difference) {
  const rules::Slot& slot = setting.assignment->slot;
  writing.outcome.kept.push_back({setting.rule, slot, writing.subject.pod_pointer + difference.path,
                                  difference.wanted, difference.found});
  // A pod that this rule has written to before: somebody changed the value since.
  if (is_recorded(writing.subject.pod, writing.options.label_prefix, setting.rule->id)) {
    warn(writing, setting.rule,
         to_text(slot) + " stays " + difference.found + ", not " + difference.wanted);
  }
}

void deny(Writing& writing, const rules::Setting& setting, const Difference& difference) {
  writing.outcome.denials.push_back({setting.rule, to_text(setting.assignment->slot) + " is " +
                                                       difference.found + ", but has to be " +
                                                       difference.wanted});
}

}  // namespace

bool Writing::long_lived() const {
  if (!at_owner()) return false;
  const kube::OwnerKind* kind = kube::find_owner_kind(subject.group, subject.kind);
  return kind != nullptr && kind->long_lived;
}

void warn(Writing& writing, const rules::Rule* rule, std::string text) {
  auto& warnings = writing.outcome.warnings;
  const bool said = std::any_of(warnings.begin(), warnings.end(),
                                [&](const rules::Message& other) { return other.text == text; });
  if (!said) warnings.push_back({rule, std::move(text)});
}

bool may_overwrite(Writing& writing, const rules::Setting& setting, const Difference& difference) {
  switch (setting.rule->existing) {
    case rules::Existing::kReplace:
      return true;
    case rules::Existing::kKeep:
      record_kept(writing, setting, difference);
      return false;
    case rules::Existing::kDeny:
      deny(writing, setting, difference);
      return false;
  }
  return false;
}

void keep(Writing& writing, const rules::Setting& setting, const Difference& difference) {
  if (setting.rule->existing == rules::Existing::kDeny) {
    deny(writing, setting, difference);
  } else {
    record_kept(writing, setting, difference);
  }
}

std::string as_text(kube::Json value) {
  return value.is_string() ? std::string(value.string_or_empty()) : kube::to_json(value);
}

void set_or_warn(Writing& writing, const rules::Setting& setting, std::string_view path,
                 kube::Json value) {
  if (writing.editor.set(path, value)) return;
  warn(writing, setting.rule,
       to_text(setting.assignment->slot) + " not written: no place at " + std::string(path));
}

void append_or_warn(Writing& writing, const rules::Setting& setting, std::string_view list_path,
                    kube::Json item) {
  if (writing.editor.append(list_path, item)) return;
  warn(writing, setting.rule,
       to_text(setting.assignment->slot) + " not written: no list at " + std::string(list_path));
}

}  // namespace berth::mutate
