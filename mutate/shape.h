// shape: whether a pod still looks like one. Not a validation: only what would make the API server
// refuse the pod, or drop a field silently, after a slip of ours.
#pragma once

#include <string>
#include <vector>

#include "kube/json.h"

namespace berth::mutate {

/// What is wrong with a pod or template, each as one line that names the place: doubled names,
/// mounts without a volume or two at one path, texts that are no texts, spec fields that no pod has
/// or that have the wrong type. Empty for nearly every pod. What the pod shares with `before`, the
/// pod it was made from, is not looked at again.
std::vector<std::string> shape_problems(kube::Json pod, kube::Json before = {});

}  // namespace berth::mutate
