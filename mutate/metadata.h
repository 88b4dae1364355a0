// `labels` and `annotations`: one key each.
#pragma once

#include "mutate/writing.h"

namespace berth::mutate {

/// A label. Labels by which an owner finds its pods, and those that controllers write, are never
/// added or changed, not even with `existing: replace`. Values too long are shortened with a hash.
void write_label(Writing& writing, const rules::Setting& setting);

/// An annotation, unless it would bring the total above what the API server takes.
void write_annotation(Writing& writing, const rules::Setting& setting);

}  // namespace berth::mutate
