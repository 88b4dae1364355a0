// A model keeper with the sinks that a feed would give it, and texts of small objects to feed it.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/arena.h"
#include "tests/topology/clusters.h"
#include "topology/kind_sink.h"
#include "topology/model_keeper.h"

namespace berth::topology {

inline std::size_t source_of(std::string_view kind, std::string_view group = "") {
  const auto kinds = watched_kinds();
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i].kind == kind && kinds[i].group == group) return i;
  }
  ADD_FAILURE() << kind << " is not watched";
  return 0;
}

// A keeper with the sinks that a feed would give it.
struct Rig {
  explicit Rig(const BuildOptions& build = lab_options())
      : options{build.levels, build.unhealthy_conditions, build.label_prefix},
        keeper(build.levels, Services(build.services), out) {}

  void changed(std::size_t source, const std::string& text) {
    base::Arena arena;
    KindSink(source, options, keeper.queue()).changed(kube::parse_json(text, arena).value());
  }
  void removed(std::size_t source, const std::string& text) {
    base::Arena arena;
    KindSink(source, options, keeper.queue()).removed(kube::parse_json(text, arena).value());
  }
  void listed(std::size_t source, const std::vector<std::string>& texts) {
    KindSink sink(source, options, keeper.queue());
    sink.list_began();
    for (const std::string& text : texts) {
      base::Arena arena;
      sink.listed(kube::parse_json(text, arena).value());
    }
    sink.list_ended();
  }

  bool turn(const std::string& stale) { return keeper.turn(stale, now); }
  void admitted(const std::string& text) {
    base::Arena arena;
    Admitted pod{read_pod_record(kube::parse_json(text, arena).value(), options.label_prefix)};
    keeper.queue().push({0, {}, {}, std::move(pod)});
  }
  std::int64_t free_on(const std::string& node) const {
    return out.get()->find_node(node)->whole_gpus_free();
  }

  std::chrono::milliseconds now{0};
  SinkOptions options;
  base::Published<Snapshot> out;
  ModelKeeper keeper;
};

inline std::string node_text(int number, int gpus, const std::string& rack, bool cordoned,
                             const std::string& taint) {
  return R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n)" + std::to_string(number) +
         R"(","labels":{"kubernetes.io/hostname":"n)" + std::to_string(number) +
         R"(","lab.example.com/rack":")" + rack +
         R"(","nvidia.com/gpu.product":"NVIDIA-H100-80GB-HBM3","nvidia.com/gpu.count":")" +
         std::to_string(gpus) + R"("}},"spec":{"unschedulable":)" + (cordoned ? "true" : "false") +
         R"(,"taints":[{"key":"nvidia.com/gpu","value":")" + taint +
         R"(","effect":"NoSchedule"}]},"status":{"allocatable":{"nvidia.com/gpu":")" +
         std::to_string(gpus) + R"(","pods":"110"}}})";
}

inline std::string pod_text(int number, int node, int gpus, bool ended) {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p)" + std::to_string(number) +
         R"(","namespace":"team"},"spec":{)" +
         (node >= 0 ? "\"nodeName\":\"n" + std::to_string(node) + "\"," : std::string()) +
         R"("containers":[{"name":"main","resources":{"limits":{"nvidia.com/gpu":")" +
         std::to_string(gpus) + R"("}}}]},"status":{"phase":")" +
         (ended ? "Succeeded" : "Running") + "\"}}";
}

}  // namespace berth::topology
