// Pod types: which JSON type each field of a pod has, as far as berth looks at it. A pod that
// breaks them cannot be decoded by the API server, so no API server sends one. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kube/json.h"

namespace berth::kube {

/// The type of a field of a pod's spec; nothing for a name that is no such field (Kubernetes 1.37).
std::optional<JsonType> spec_field_type(std::string_view name);

/// The first value of a pod or pod template that has another type than its field, or a spec or
/// containers that are missing: "/spec/containers is object, expected array". JSON null counts as
/// absent; fields that are not known here may hold anything.
std::optional<std::string> wrong_type(Json pod);

}  // namespace berth::kube
