// The record: an annotation `<prefix>/rules` on every pod or template that berth changed, with the
// ids of the rules that applied. It tells people whom to ask; decisions never rest on it.
#pragma once

#include <string_view>

#include "kube/pod.h"
#include "mutate/writing.h"

namespace berth::mutate {

/// The pod carries the record, and the rule is in it.
bool is_recorded(const kube::Pod& pod, std::string_view prefix, std::string_view rule_id);

/// Adds the applied rules to the record, where something was changed.
void write_record(Writing& writing);

/// At an owner's door: hands the intent keys that only the owner carries (`<prefix>/intent`, ...)
/// down to the template, labels as labels, so that its pods carry them.
void write_intent_of_owner(Writing& writing);

/// Bytes that one more annotation may have: the API server takes 256 KiB in total.
bool annotation_fits(kube::Json annotations, std::string_view key, std::string_view value);

}  // namespace berth::mutate
