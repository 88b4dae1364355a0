// `scheduler`, `priorityClass` and `runtimeClass`: each with what the API server has tied to it.
#pragma once

#include "mutate/writing.h"

namespace berth::mutate {

/// schedulerName. The API server always fills in default-scheduler, so that counts as unset.
void write_scheduler(Writing& writing, const rules::Setting& setting);

/// priorityClassName together with priority and preemptionPolicy, since the API server refuses a
/// pod in which they disagree. A class that the global default put there counts as unset; a class
/// that does not exist is not written. Templates get the class alone.
void write_priority_class(Writing& writing, const rules::Setting& setting);

/// runtimeClassName. Not written where the class does not exist, where the pod has overhead of
/// another class, or where the class's node selector contradicts the pod's: the API server would
/// refuse the pod.
void write_runtime_class(Writing& writing, const rules::Setting& setting);

}  // namespace berth::mutate
