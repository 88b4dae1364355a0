// `gpu`: another resource name for the GPUs that a pod asks for, and the nodes on which the name
// means what the rule wants.
#pragma once

#include "mutate/writing.h"

namespace berth::mutate {

/// Renames the resource in limits and requests of every container that asks for it, init containers
/// and sidecars too. Nothing is renamed where some container's request is not one that the API
/// server takes, where a container goes round the device plugin, or where the nodes that the name
/// needs are excluded by the author.
void write_gpu(Writing& writing, const rules::Setting& setting);

}  // namespace berth::mutate
