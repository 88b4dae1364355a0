// Intent keys: what a team says about its workload in labels and annotations of one prefix. The
// annotation wins over the label, the pod (or template) over its owner. A value that cannot be read
// is a finding and counts as absent. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/json.h"
#include "kube/quantity.h"
#include "rules/facts.h"
#include "topology/snapshot.h"

namespace berth::rules {

/// Where intent keys are looked for, from near to far.
struct IntentPlaces {
  kube::Json labels;
  kube::Json annotations;
  kube::Json owner_labels;  ///< of the owner, at the owner's door only
  kube::Json owner_annotations;
  std::string_view prefix;
};

/// Fills intent, team, gpu_memory, gpu_product, sharing of the facts, and the gang size into `pods`
/// where it is stated; adds the findings.
void read_intent(const IntentPlaces& places, const topology::Snapshot& cluster, Facts& facts);

/// The value of one key, or nothing; a finding where label and annotation differ or the value is no
/// text.
std::optional<std::string_view> read_intent_key(const IntentPlaces& places, std::string_view name,
                                                std::vector<Finding>& findings);

/// `object` (labels or annotations) with those keys of `owner` that start with the prefix and that
/// it lacks.
kube::Json with_owner_keys(kube::Json object, kube::Json owner, std::string_view prefix,
                           base::Arena& arena);

/// A text of a user in single quotes, without control characters, cut at 40 bytes.
std::string quoted(std::string_view text);

}  // namespace berth::rules
