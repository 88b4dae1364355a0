// What the tests of expressions share: a small `workload` and `topology`, a pod, and the
// environment that declares them beside `request`.
#pragma once

#include <string>
#include <string_view>

#include "base/arena.h"
#include "kube/json.h"
#include "rules/cel/compile.h"
#include "rules/cel/pod_schema.h"
#include "rules/cel/program.h"

namespace berth::rules::cel::testing {

struct Workload {
  std::string_view intent = "training";
  std::int64_t gpus = 8;
  std::int64_t pods = 4;
  bool shared = false;
  kube::Quantity memory = *kube::Quantity::parse(std::string_view("18Gi"));
  kube::Json labels;
};

inline const Workload& workload_of(const void* object) {
  return *static_cast<const Workload*>(object);
}

inline const StructType kWorkloadType{
    "Workload",
    {{"intent", "string",
      [](const void* o, base::Arena&) { return Value::string(workload_of(o).intent); }},
     {"gpus", "int",
      [](const void* o, base::Arena&) { return Value::integer(workload_of(o).gpus); }},
     {"pods", "int",
      [](const void* o, base::Arena&) { return Value::integer(workload_of(o).pods); }},
     {"totalGpus", "int",
      [](const void* o, base::Arena&) {
        return Value::integer(workload_of(o).gpus * workload_of(o).pods);
      }},
     {"shared", "bool",
      [](const void* o, base::Arena&) { return Value::boolean(workload_of(o).shared); }},
     {"gpuMemory", "quantity",
      [](const void* o, base::Arena&) { return Value::quantity(&workload_of(o).memory); }},
     {"labels", "map(string, string)",
      [](const void* o, base::Arena&) { return Value::json(workload_of(o).labels); }}},
    {}};

inline constexpr std::string_view kLargest = "rack-2";
inline const StructType kDomainType{
    "Domain",
    {{"name", "string", [](const void*, base::Arena&) { return Value::string(kLargest); }},
     {"free", "int", [](const void*, base::Arena&) { return Value::integer(16); }}},
    {}};

inline constexpr Failure kStale{"the picture of the cluster is out of date", ""};

inline const StructType kTopologyType{
    "Topology",
    {{"fresh", "bool", [](const void*, base::Arena&) { return Value::boolean(true); }}},
    {{"fits",
      {"level"},
      "bool",
      [](const void*, std::span<const Value> a, base::Arena&) {
        return Value::boolean(a[0].text() == "block");
      }},
     {"free",
      {},
      "int",
      [](const void*, std::span<const Value>, base::Arena&) { return Value::integer(24); }},
     {"free",
      {"string"},
      "int",
      [](const void*, std::span<const Value>, base::Arena&) { return Value::error(&kStale); }},
     {"domains",
      {"level"},
      "list(Domain)",
      [](const void*, std::span<const Value>, base::Arena& arena) {
        const auto items = arena.make_array<Value>(1);
        items[0] = Value::structure(arena, kDomainType, nullptr);
        return Value::list(items);
      }}}};

inline constexpr JsonField kUserFields[] = {{"username", "string"}, {"groups", "list(string)"}};
inline constexpr JsonField kRequestFields[] = {
    {"operation", "string"}, {"namespace", "string"}, {"dryRun", "bool"}, {"userInfo", "UserInfo"}};
inline constexpr JsonShape kRequestShapes[] = {{"UserInfo", Openness::kClosed, kUserFields},
                                               {"Request", Openness::kClosed, kRequestFields}};

inline constexpr std::string_view kPod = R"({
  "apiVersion": "v1", "kind": "Pod",
  "metadata": {"name": "train-0", "namespace": "team-nlp",
    "labels": {"team": "nlp", "tier": "gold", "app": "bert"}, "annotations": {}},
  "spec": {
    "nodeSelector": {"zone": "a"}, "priority": 1000, "hostNetwork": false,
    "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists"}],
    "containers": [
      {"name": "main", "image": "registry.example/train:v1.2", "args": ["--epochs", "3"],
       "env": [{"name": "NCCL_DEBUG", "value": "INFO"}, {"name": "WORLD_SIZE", "value": "4"}],
       "ports": [{"containerPort": 8080}],
       "resources": {"limits": {"nvidia.com/gpu": "8", "memory": "512Gi", "cpu": 16}}},
      {"name": "sidecar", "image": "registry.example/log:latest", "resources": {}}]}})";

/// The environment, the values behind it and an arena: what one evaluation needs.
class Fixture {
 public:
  Fixture() {
    environment.add(WordType{"level", {"node", "rack", "block"}});
    environment.add(kDomainType);
    environment.add(kWorkloadType);
    environment.add(kTopologyType);
    environment.add(pod_shapes());
    environment.add(kRequestShapes);
    workload_slot = environment.declare("workload", "Workload");
    topology_slot = environment.declare("topology", "Topology");
    object_slot = environment.declare("object", "Pod");
    request_slot = environment.declare("request", "Request");
    any_slot = environment.declare("any", "dyn");
    object = *kube::parse_json(kPod, data);
    workload.labels = object["metadata"]["labels"];
    activation.bind(workload_slot, kWorkloadType, &workload);
    activation.bind(topology_slot, kTopologyType, nullptr);
    activation.bind(object_slot, object);
    activation.bind(request_slot,
                    *kube::parse_json(R"({"operation": "CREATE", "namespace": "team-nlp",
                                          "userInfo": {"username": "ann", "groups": ["dev"]}})",
                                      data));
    activation.bind(any_slot, object);
  }

  /// Compiles and evaluates; the diagnostics as text where it does not compile.
  std::string run(std::string_view text) {
    const auto compiled = compile(text, environment);
    return compiled.program == nullptr ? problems(compiled) : to_source(value(*compiled.program));
  }

  Value value(const Program& program) {
    Budget budget;
    return evaluate(program, activation, arena, budget);
  }

  static std::string problems(const Compilation& compiled) {
    std::string out;
    for (const auto& diagnostic : compiled.diagnostics) {
      if (!out.empty()) out += '\n';
      out += to_text(diagnostic);
    }
    return out;
  }

  Environment environment;
  int workload_slot = 0;
  int topology_slot = 0;
  int object_slot = 0;
  int request_slot = 0;
  int any_slot = 0;
  base::Arena data;  // behind the request
  base::Arena arena;
  kube::Json object;
  Workload workload;
  Activation activation;
};

}  // namespace berth::rules::cel::testing
