// Writing: what every writer works with, and the two things that all of them do: settle with a
// value of the author, and tell the user. Internal to mutate; one request, one thread.
#pragma once

#include <string>
#include <string_view>

#include "kube/pod.h"
#include "mutate/apply.h"
#include "mutate/editor.h"

namespace berth::mutate {

struct Writing {
  Editor& editor;
  const rules::Decision& decision;
  const rules::Subject& subject;
  const rules::Facts& facts;
  const topology::Snapshot& cluster;
  const ApplyOptions& options;
  Outcome& outcome;
  kube::Json author;  ///< the pod's spec before the first requirement on nodes is written

  /// The pod (or template) as edited so far.
  kube::Pod pod() const { return kube::Pod(editor.get("")); }
  base::Arena& arena() const { return editor.arena(); }
  bool at_owner() const { return subject.door == rules::Door::kOwner; }
  /// A template of which pods are made for months: an answer of the topology would age.
  bool long_lived() const;
};

/// A warning to the user, once.
void warn(Writing& writing, const rules::Rule* rule, std::string text);

/// The author's value of a field and what a rule wants there, as text.
struct Difference {
  std::string path;  ///< below the root of the pod
  std::string wanted;
  std::string found;
};

/// Settles by the rule's `existing`: true where the rule may write over the value; otherwise it is
/// recorded as kept, or refused. Requires: the two differ.
bool may_overwrite(Writing& writing, const rules::Setting& setting, const Difference& difference);

/// `may_overwrite` for what cannot be written over: recorded as kept, or refused.
void keep(Writing& writing, const rules::Setting& setting, const Difference& difference);

/// A value as users read it: a text without quotes, the rest as JSON.
std::string as_text(kube::Json value);

/// Sets a field, or says that it cannot be written because of the type of what is there.
void set_or_warn(Writing& writing, const rules::Setting& setting, std::string_view path,
                 kube::Json value);
void append_or_warn(Writing& writing, const rules::Setting& setting, std::string_view list_path,
                    kube::Json item);

}  // namespace berth::mutate
