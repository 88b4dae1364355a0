// `labels` and `annotations`: one key each.
#pragma once

#include <string_view>

#include "mutate/writing.h"

namespace berth::mutate {

/// A label. Labels by which an owner finds its pods, and those that controllers write, are never
/// added or changed, not even with `existing: replace`. Values too long are shortened with a hash.
void write_label(Writing& writing, const rules::Setting& setting);

/// The owner, as far as it is known, finds its pods by this label.
bool finds_pods_by(const Writing& writing, std::string_view key);

/// An annotation, unless it would bring the total above what the API server takes.
void write_annotation(Writing& writing, const rules::Setting& setting);

}  // namespace berth::mutate
