// `set`: one scalar field of the spec that no other action owns.
#pragma once

#include "mutate/writing.h"

namespace berth::mutate {

/// What the API server's defaulting put there counts as unset. activeDeadlineSeconds is not written
/// under an owner that makes an ended pod anew.
void write_scalar(Writing& writing, const rules::Setting& setting);

}  // namespace berth::mutate
