// Label selectors, node selectors, taints and tolerations: what matches what, by the rules of
// Kubernetes (component-helpers scheduling/corev1, apimachinery labels). Pure functions over Json.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "kube/json.h"

namespace berth::kube {

/// The number that Gt and Lt compare: decimal digits with an optional sign that fit 64 bits.
std::optional<std::int64_t> label_number(std::string_view text);

/// A metav1.LabelSelector ({matchLabels, matchExpressions}) against a map of labels. Null or empty
/// matches all.
bool label_selector_matches(Json selector, Json labels);

/// At most 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends; or empty.
bool is_label_value(std::string_view text);

/// Can be held against labels at all: a known operator with as many values as it takes, each a
/// label value. One that cannot never holds, not even as NotIn; a signed number ("-4") is none.
bool is_requirement(Json requirement);

/// One nodeSelectorRequirement (key, operator In NotIn Exists DoesNotExist Gt Lt, values) against
/// node labels.
bool requirement_matches(Json requirement, Json node_labels);
/// The same against the value of its key; nullptr where the key is absent.
bool requirement_holds(Json requirement, const std::string_view* actual);

/// The same for matchFields: metadata.name In or NotIn one value.
bool is_field_requirement(Json requirement);
bool field_holds(Json requirement, std::string_view node_name);

/// One nodeSelectorTerm: all matchExpressions and matchFields (metadata.name). An empty term
/// matches nothing.
bool node_term_matches(Json term, Json node_labels, std::string_view node_name);

/// The pod's nodeSelector and required node affinity against a node.
bool node_affinity_matches(Json pod_spec, Json node_labels, std::string_view node_name);

/// Sum of the weights of the preferred node affinity terms that match.
std::int64_t preferred_weight(Json pod_spec, Json node_labels, std::string_view node_name);

/// One toleration against one taint ({key, value, effect}).
bool toleration_covers_taint(Json toleration, Json taint);

/// Every NoSchedule and NoExecute taint of the list is tolerated by some toleration of the list.
bool tolerates_all(Json tolerations, Json taints);

/// `wide` tolerates at least whatever `narrow` tolerates, for at least as long.
bool toleration_covers(Json wide, Json narrow);

}  // namespace berth::kube
