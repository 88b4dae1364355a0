// The fields of a core/v1 Pod and of what it contains, as shapes: `Pod` is the type of `object`.
// The table is generated from the API server's own description by tools/pod_schema.py.
#pragma once

#include <span>

#include "rules/cel/type.h"

namespace berth::rules::cel {

/// "Pod", "PodSpec", "Container" and the rest, all open: an unknown field is a warning.
std::span<const JsonShape> pod_shapes();

}  // namespace berth::rules::cel
