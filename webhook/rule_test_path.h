// Paths of rule tests into an object: `spec.containers[main].resources.limits["nvidia.com/gpu"]`,
// `spec.tolerations[key=nvidia.com/gpu]`, `spec.volumes[0]`.
#pragma once

#include <string_view>

#include "kube/json.h"

namespace berth::webhook {

/// The value at a path; null where any step is absent. `[name]` picks a list element by its name,
/// `[field=value]` by a field, a number by position; `["key"]` is a map key with dots in it.
kube::Json value_at_path(kube::Json object, std::string_view path);

}  // namespace berth::webhook
