// What a rule requires of nodes, beside what the author wrote: it is ANDed into every term of the
// author, so the result never admits a node that the author's own terms refused. What contradicts
// the author is not written, but said.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube/affinity.h"
#include "mutate/writing.h"

namespace berth::mutate {

/// One thing to require: any of the alternatives has to hold.
using AnyOf = std::vector<kube::NodeRequirement>;

kube::NodeRequirement requirement_of(const rules::LabelValues& values, kube::NodeOperator op);

/// How the requirement stands to the pod as edited so far and, where the pod selects nodes itself,
/// to the nodes that are known. kEmpties comes with what excludes it.
kube::Judgement judge_nodes(const Writing& writing, const AnyOf& any_of);

/// `existing: replace`: what the author selects by and that excludes all alternatives goes. Done
/// for all rules before anything is required, so that no answer depends on their order.
void replace_nodes(Writing& writing, const AnyOf& any_of);

/// Writes the requirement. `words` is what a message calls it ("product H100"). Where it
/// contradicts the author a warning names both, or the pod is refused (`existing: deny`).
void require_nodes(Writing& writing, const rules::Setting& setting, const AnyOf& any_of,
                   std::string_view words);

/// Says that a requirement contradicts the author: kept with a warning, or refused.
void report_contradiction(Writing& writing, const rules::Setting& setting, std::string_view words,
                          std::string_view against);

/// A requirement as a term of node affinity has it.
kube::Json to_json(const kube::NodeRequirement& requirement, base::Arena& arena);

}  // namespace berth::mutate
