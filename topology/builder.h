// Builder: collects objects of a cluster, of any kind and as the API server has them, and makes a
// Snapshot of them, which never changes again. For files; what watches bring goes to the Model that
// it stands on. One thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "kube/json.h"
#include "topology/node_reader.h"
#include "topology/snapshot.h"

namespace berth::topology {

struct BuildOptions {
  std::vector<Level> levels = default_levels();  ///< empty: the default levels
  std::string label_prefix = "berth.dev";        ///< of the marks on pods
  bool fresh = true;
  std::vector<std::string> unhealthy_conditions;  ///< node conditions that are bad when True
  std::int64_t generation = 0;
  StatedServices services;  ///< what the configuration says of gang and queue systems
};

class Builder {
 public:
  explicit Builder(const BuildOptions& options);
  ~Builder();
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  /// Memory of the snapshot to be: whatever is given to add() must lie in it.
  base::Arena& arena();

  enum class Outcome {
    kTaken,
    kReplaced,  ///< an object of the same kind and name came before; this one counts
    kIgnored,   ///< a kind that nothing reads
    kUnnamed,   ///< no metadata.name
  };
  struct Added {
    Outcome outcome = Outcome::kTaken;
    std::vector<Remark> remarks;
  };
  /// Takes one object of any kind ({apiVersion, kind, metadata, ...}).
  Added add(kube::Json object);

  /// Counts something as used on a node without a pod: whole cards, and slices or shares by the
  /// resource's name. Names nothing: no effect. For the short form of rule tests.
  struct Use {
    std::string node;
    std::string resource;
    std::int64_t units = 0;
  };
  void add_use(Use use);

  /// The picture of all that was added.
  std::shared_ptr<const Snapshot> finish();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace berth::topology
