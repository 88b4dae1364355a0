// Snapshots from files: what `kubectl get -o yaml|json` prints (documents, Lists) and the short
// `kind: Topology` of rule tests. Real objects may stand in any order and number of files; a kind
// with at least one object counts as complete. Pure; one thread.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/problem.h"
#include "base/source_text.h"
#include "topology/builder.h"
#include "topology/snapshot.h"

namespace berth::topology {

struct Loaded {
  std::shared_ptr<const Snapshot> snapshot;  ///< null when there are errors
  base::Problems problems;                   ///< errors, warnings about values that cannot be read,
                                             ///< and notes about kinds that are ignored
};

/// One snapshot of all texts together. A text is YAML (any number of documents) or JSON. No texts
/// give a snapshot that knows nothing.
Loaded load_cluster(std::span<const base::SourceText> texts, const BuildOptions& options);

}  // namespace berth::topology
