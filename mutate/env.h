// `env`: one variable in the chosen containers.
#pragma once

#include "mutate/writing.h"

namespace berth::mutate {

/// Appends the variable where a container does not set it; a value of the author stays unless the
/// rule says `existing: replace`. A container with GPUs never gets NVIDIA_VISIBLE_DEVICES: that one
/// is the device plugin's.
void write_env(Writing& writing, const rules::Setting& setting);

}  // namespace berth::mutate
