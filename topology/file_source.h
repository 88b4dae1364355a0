// Snapshots from files: what `kubectl get -o yaml|json` prints (documents, Lists) and the short
// `kind: Topology` of rule tests. See interfaces.md section 2 of the design for the format that
// users rely on.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/problem.h"
#include "base/source_text.h"
#include "topology/snapshot.h"

namespace berth::topology {

struct BuildOptions {
  std::vector<Level> levels = default_levels();
  std::string label_prefix = "berth.dev";  ///< of the marks on pods
  bool fresh = true;
};

struct Loaded {
  std::shared_ptr<const Snapshot> snapshot;  ///< null when there are errors
  base::Problems problems;                   ///< errors, and notes about kinds that are ignored
};

/// One snapshot of all texts together. A text is YAML (any number of documents) or JSON.
Loaded load_cluster(std::span<const base::SourceText> texts, const BuildOptions& options);

}  // namespace berth::topology
