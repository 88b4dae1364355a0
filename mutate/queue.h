// `queue`: the name of the queue, where the scheduler in charge looks for it. Kueue reads it on the
// topmost object that it manages, KAI and Volcano on the pod.
#pragma once

#include "mutate/writing.h"

namespace berth::mutate {

/// Not written where the queue does not exist (the pod would wait for ever), where Kueue applies
/// the namespace's queue `default` by itself, or on a pod of an owner that Kueue manages.
void write_queue(Writing& writing, const rules::Setting& setting);

}  // namespace berth::mutate
