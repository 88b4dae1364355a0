// `tolerate`: one toleration, unless one of the pod's covers it. Tolerations are never changed or
// taken away.
#pragma once

#include "mutate/writing.h"

namespace berth::mutate {

void write_toleration(Writing& writing, const rules::Setting& setting);

}  // namespace berth::mutate
