// Merging node affinity so that the result never admits a node that the author's own terms refused:
// each new requirement is ANDed into every nodeSelectorTerm. Contradictions are found, not written.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kube/json.h"

namespace berth::kube {

enum class NodeOperator { kIn, kNotIn, kExists, kDoesNotExist };
std::string_view to_text(NodeOperator op);

struct NodeRequirement {
  std::string key;
  NodeOperator op = NodeOperator::kIn;
  std::vector<std::string> values;  ///< sorted, without duplicates; empty for Exists, DoesNotExist

  bool operator==(const NodeRequirement&) const = default;
};

/// How a requirement stands to what the author wrote (nodeSelector and required terms).
enum class Standing {
  kImplied,     ///< nothing to write: every term (or the nodeSelector) says at least this already
  kCompatible,  ///< can be ANDed into each term
  kEmpties,     ///< no term would be left that any label set can satisfy: must not be written
};
struct Judgement {
  Standing standing = Standing::kCompatible;
  std::string against;  ///< for kEmpties: the author's words that exclude it ("nodeSelector
                        ///< nvidia.com/gpu.product=A100")
  /// Terms of the author that match no node as they stand: empty ones, and those that contradict
  /// themselves or the nodeSelector. They must stay as they are: an empty one with an expression
  /// added would open nodes.
  std::size_t dead_terms = 0;
};

/// Judges one requirement against a pod spec ({nodeSelector, affinity}). Gt and Lt of the author
/// are understood. An author's term list that is empty, or all of whose terms are empty (they match
/// no node), gives kEmpties.
Judgement judge(Json pod_spec, const NodeRequirement& requirement);

/// True where `term` (a nodeSelectorTerm) and the requirement cannot both hold for any label set.
bool contradicts(Json term, const NodeRequirement& requirement);

}  // namespace berth::kube
