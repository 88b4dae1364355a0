// The label by which the pods of one workload know each other.
#pragma once

#include <optional>
#include <string_view>

#include "mutate/writing.h"

namespace berth::mutate {

struct SiblingLabel {
  std::string_view key;
  std::string_view value;
};

/// A label that the pod has (or, at an owner's door, will have) and that all pods of its workload
/// share; nothing where none is known. Both doors give the same label.
std::optional<SiblingLabel> sibling_label(const Writing& writing);

/// {matchLabels: {key: value}}.
kube::Json selector_of(const SiblingLabel& label, base::Arena& arena);

}  // namespace berth::mutate
