// `shm` and `volumes`: a volume of the pod and its mounts in the chosen containers.
#pragma once

#include "mutate/writing.h"

namespace berth::mutate {

/// A memory-backed emptyDir at /dev/shm in each chosen container that mounts nothing there. Nothing
/// for Windows, and nothing where the pod shares the host's (hostIPC) or where the container's
/// memory limit is smaller.
void write_shm(Writing& writing, const rules::Setting& setting);

/// A volume under its name, mounted at its path. A volume of the author with that name, or a mount
/// at that path, stays unless the rule says `existing: replace`.
void write_volume(Writing& writing, const rules::Setting& setting);

}  // namespace berth::mutate
