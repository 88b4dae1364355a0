// Any bytes as a cluster file: no crash, a snapshot or an error with a place, and a picture that
// can be asked and drawn.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "topology/capacity.h"
#include "topology/file_source.h"
#include "topology/render.h"

namespace berth::topology {
namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void ask(const Snapshot& snapshot) {
  Demand demand;
  demand.gpus = 1;
  demand.pods = 2;
  const Capacity capacity(snapshot, demand);
  for (std::size_t level = 0; level < snapshot.levels().size(); ++level) {
    const std::int64_t largest = capacity.largest_free(level);
    require(largest >= 0 && largest <= capacity.free());
    for (const DomainRoom& room : capacity.domains(level)) {
      require(room.free >= 0 && room.free <= room.total);
      require(!room.fits_now || capacity.fits(level));
    }
  }
  for (const std::string_view profile : capacity.mig_profiles()) {
    require(capacity.mig_free(profile) >= 0);
  }
  require(!render_tree(snapshot, {.bars = true}).empty());
  require(!render_table(snapshot, {.cpu_nodes = true}).empty());
  base::Arena arena;
  require(kube::parse_json(render_json(snapshot), arena).has_value());
}

}  // namespace
}  // namespace berth::topology

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace berth;
  const std::vector<base::SourceText> texts = {
      {"cluster.yaml", std::string(reinterpret_cast<const char*>(data), size)}};
  const topology::Loaded loaded = topology::load_cluster(texts, {});
  topology::require((loaded.snapshot == nullptr) == loaded.problems.has_errors());
  for (const base::Problem& problem : loaded.problems.list()) {
    topology::require(problem.place.file == "cluster.yaml" && !problem.text.empty());
  }
  if (loaded.snapshot != nullptr) topology::ask(*loaded.snapshot);
  return 0;
}
