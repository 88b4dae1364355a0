// Packing: writes `placement: {pack: true}` as preferences for single nodes, so that the scheduler
// keeps whole nodes whole. Only for pods that the default scheduler places one by one, and never
// against what the author or another rule prefers.
#pragma once

#include "mutate/writing.h"

namespace berth::mutate {

/// Names at most 16 nodes that can take the pod as it is now, best first; the outcome's notes say
/// which and why, or why none. Requires: all else that concerns nodes is written.
void write_pack(Writing& writing, const rules::Setting& setting);

}  // namespace berth::mutate
