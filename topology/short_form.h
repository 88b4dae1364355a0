// Short form of a cluster, as rule tests write it: nodes by bracket ranges with product, GPUs, free
// GPUs, MIG slices and the domains they are in; `used` takes GPUs of named nodes away. Each entry
// becomes Node objects, so that nothing downstream knows the difference. Pure; one thread.
//
//   nodes:
//   - {name: "a[0-3]", product: H100, gpus: 8, free: 6, in: {rack: r0}}
//   - {name: m1, product: A100-80GB, gpus: 0, mig: {3g.40gb: 2}}
//   used: {"a[0-1]": 2}
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/problem.h"
#include "base/result.h"
#include "kube/json.h"
#include "topology/builder.h"

namespace berth::topology {

/// A problem whose place is a JSON pointer below the document.
struct Finding {
  base::Severity severity = base::Severity::kError;
  std::string code;
  std::string pointer;
  std::string text;
  std::string hint;
};

/// The names that a pattern stands for: "n[1-3]" is n1 n2 n3, "r[1,4-5]", "n[08-10]" keeps the
/// width. Several brackets multiply. At most 20,000 names.
base::Result<std::vector<std::string>> expand_names(std::string_view pattern);

/// Adds the nodes of a short form to the builder. Wrong entries are left out and reported.
/// Requires: `form` lies in builder.arena().
std::vector<Finding> add_short_form(Builder& builder, kube::Json form,
                                    std::span<const Level> levels);

}  // namespace berth::topology
