// verify: never make it worse. Holds an outcome against a second implementation before it leaves
// the process.
#pragma once

#include <optional>
#include <string>

#include "base/arena.h"
#include "mutate/apply.h"

namespace berth::mutate {

/// Applies the patch to the received object by kube/json_patch and compares; checks the shape of
/// what was touched (no doubled names, mounts have volumes, texts are texts, no known field of the
/// wrong type); runs apply once more on the result and wants no change. Nothing when all hold, else
/// what failed.
std::optional<std::string> verify(const Outcome& outcome, const rules::Decision& decision,
                                  const rules::Subject& subject, const rules::Facts& facts,
                                  const topology::Snapshot& cluster, base::Arena& arena,
                                  const ApplyOptions& options);

/// The same for edits of one step that is no decision: the patch gives the object.
std::optional<std::string> verify_patch(const Outcome& outcome, kube::Json received,
                                        base::Arena& arena);

}  // namespace berth::mutate
