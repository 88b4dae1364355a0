// GPU facts: how many whole GPUs a pod asks for, of which vendor, and in which other forms: slices,
// shares, device classes, claims. Counts that cannot be read are findings. Pure.
#pragma once

#include "rules/facts.h"
#include "topology/snapshot.h"

namespace berth::rules {

/// Fills gpus, vendor, shared, wants_gpu and, where a count cannot be read, hands_off; adds the
/// findings. `namespace_name` is where resource claim templates are looked for.
void read_gpus(const kube::Pod& pod, const topology::Snapshot& cluster, Facts& facts);

/// What one unit of an extended resource stands for; a device class is looked up in the cluster,
/// well-known ones are known without it.
kube::GpuResource gpu_of_resource(std::string_view name, const topology::Snapshot& cluster);

/// A well-known device class of the cluster stands behind the extended resource.
bool has_device_class(std::string_view resource, const topology::Snapshot& cluster);

}  // namespace berth::rules
