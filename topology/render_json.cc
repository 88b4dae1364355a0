#include <algorithm>
#include <array>
#include <cstdio>

#include "base/arena.h"
#include "kube/json.h"
#include "topology/gpu_sums.h"
#include "topology/render.h"

namespace berth::topology {
namespace {

using kube::Json;
using kube::JsonMember;

// Json values in an arena of their own. Texts of the snapshot are not copied.
class Writer {
 public:
  explicit Writer(const Snapshot& snapshot) : snapshot_(snapshot), sums_(snapshot) {}

  std::string write() {
    std::vector<Json> levels;
    for (std::size_t i = 0; i < snapshot_.levels().size(); ++i) levels.push_back(level(i));
    std::vector<Json> nodes;
    for (const Node& one : snapshot_.nodes()) nodes.push_back(node(one));
    return kube::to_json(kube::make_object(arena_, {{"generation", number(snapshot_.generation())},
                                                    {"fresh", Json::boolean(snapshot_.fresh())},
                                                    {"gpus", written(sums_.all())},
                                                    {"levels", kube::make_array(arena_, levels)},
                                                    {"nodes", kube::make_array(arena_, nodes)}}));
  }

 private:
  Json number(std::int64_t value) { return kube::make_int(arena_, value); }

  Json counts(std::int64_t total, std::int64_t used) {
    return kube::make_object(arena_, {{"total", number(total)},
                                      {"free", number(std::max<std::int64_t>(0, total - used))}});
  }

  // In hundredths, null where usual pods are not known.
  Json unusable(double value) {
    if (!sums_.knows_usual_pods()) return {};
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.2f", value);
    return kube::parse_json(text.data(), arena_).value_or(Json());
  }

  Json written(const GpuSum& sum) {
    return kube::make_object(arena_, {{"total", number(sum.total)},
                                      {"free", number(sum.free)},
                                      {"unusable", unusable(sum.unusable)}});
  }

  Json level(std::size_t index) {
    std::vector<Json> domains;
    for (const Domain& one : snapshot_.domains(index)) domains.push_back(domain(one));
    return kube::make_object(arena_, {{"name", Json::string(snapshot_.levels()[index].name)},
                                      {"domains", kube::make_array(arena_, domains)}});
  }

  Json domain(const Domain& one) {
    std::vector<Json> nodes;
    for (const std::int32_t i : one.nodes)
      nodes.push_back(Json::string(snapshot_.nodes()[static_cast<std::size_t>(i)].name));
    std::vector<JsonMember> within;
    for (const LabelValue& pair : one.within)
      within.push_back({pair.label, Json::string(pair.value)});
    return kube::make_object(arena_, {{"name", Json::string(one.name)},
                                      {"label", Json::string(one.label)},
                                      {"covered", Json::boolean(one.covered)},
                                      {"within", kube::make_object(arena_, within)},
                                      {"gpus", written(sums_.of(one.nodes))},
                                      {"nodes", kube::make_array(arena_, nodes)}});
  }

  Json places(const Node& one) {
    std::vector<JsonMember> out;
    for (std::size_t level = 0; level < one.domain.size(); ++level) {
      if (one.domain[level] < 0) continue;
      const Domain& domain = snapshot_.domains(level)[static_cast<std::size_t>(one.domain[level])];
      out.push_back({snapshot_.levels()[level].name, Json::string(domain.name)});
    }
    return kube::make_object(arena_, out);
  }

  Json node(const Node& one) {
    std::vector<Json> slices;
    for (const SliceCount& slice : one.slices) {
      slices.push_back(kube::make_object(
          arena_, {{"profile", Json::string(slice.profile)},
                   {"memoryMiB", number(slice.memory_mib)},
                   {"total", number(slice.total)},
                   {"free", number(std::max<std::int64_t>(0, slice.total - slice.used))}}));
    }
    return kube::make_object(
        arena_, {{"name", Json::string(one.name)},
                 {"vendor", Json::string(one.vendor)},
                 {"product", Json::string(one.product)},
                 {"productLabel", Json::string(one.product_label)},
                 {"memoryMiB", number(one.memory_mib)},
                 {"sharing", Json::string(to_text(one.sharing))},
                 {"cards", number(one.cards)},
                 {"gpus", counts(one.whole_gpus, one.whole_gpus_used)},
                 {"shares", counts(one.shares, one.shares_used)},
                 {"slices", kube::make_array(arena_, slices)},
                 {"pods", kube::make_object(arena_, {{"limit", number(one.pods_limit)},
                                                     {"used", number(one.pods_used)}})},
                 {"schedulable", Json::boolean(one.schedulable)},
                 {"healthy", Json::boolean(one.healthy)},
                 {"unwell", Json::string(one.unwell)},
                 {"computeDomain", Json::string(one.compute_domain)},
                 {"in", places(one)}});
  }

  const Snapshot& snapshot_;
  const GpuSums sums_;
  base::Arena arena_;
};

}  // namespace

std::string render_json(const Snapshot& snapshot) {
  return Writer(snapshot).write();
}

}  // namespace berth::topology
