// The pod of a test's shorthand, and the cluster of its short topology.
#include "kube/workload.h"
#include "webhook/rule_test.h"

namespace berth::webhook {
namespace {

using kube::Json;
using kube::JsonMember;

Json text(std::string_view value) {
  return Json::string(value);
}

// Labels or annotations of the shorthand, plus one intent key where it is given.
Json with_key(base::Arena& arena, Json map, std::string_view prefix, std::string_view name,
              Json value) {
  if (value.is_null()) return map;
  std::string key = std::string(prefix) + "/" + std::string(name);
  return with_member(arena, map, arena.copy(key), value);
}

Json default_tolerations(base::Arena& arena) {
  const auto toleration = [&arena](std::string_view key) {
    return kube::make_object(arena, {{"key", text(key)},
                                     {"operator", text("Exists")},
                                     {"effect", text("NoExecute")},
                                     {"tolerationSeconds", Json::number("300")}});
  };
  return kube::make_array(arena, {toleration("node.kubernetes.io/not-ready"),
                                  toleration("node.kubernetes.io/unreachable")});
}

Json container(base::Arena& arena, Json shorthand) {
  const std::int64_t gpus = shorthand["gpus"].as_int().value_or(0);
  Json amounts = kube::make_object(arena, {});
  if (gpus > 0) {
    const auto digits = arena.copy(std::to_string(gpus));
    amounts = kube::make_object(arena, {{"nvidia.com/gpu", text(digits)}});
  }
  return kube::make_object(
      arena,
      {{"name", text("main")},
       {"image", text(shorthand["image"].string_or("registry.example.com/app:1.0"))},
       {"resources", kube::make_object(arena, {{"limits", amounts}, {"requests", amounts}})}});
}

// The owner reference from which facts read kind and name. A bare pod has none.
Json owners(base::Arena& arena, std::string_view kind, std::string_view name) {
  return kube::make_array(
      arena, {kube::make_object(arena, {{"apiVersion", text("example.dev/v1")},
                                        {"kind", text(kind)},
                                        {"name", text(name)},
                                        {"uid", text("00000000-0000-4000-8000-000000000001")},
                                        {"controller", Json::boolean(true)}})});
}

}  // namespace

Json pod_of_shorthand(Json shorthand, std::string_view label_prefix, base::Arena& arena) {
  const std::string_view kind = shorthand["kind"].string_or("Pod");
  const std::string_view name = shorthand["name"].string_or("workload");
  Json labels =
      shorthand["labels"].is_object() ? shorthand["labels"] : kube::make_object(arena, {});
  labels = with_key(arena, labels, label_prefix, "intent", shorthand["intent"]);
  Json annotations = shorthand["annotations"].is_object() ? shorthand["annotations"]
                                                          : kube::make_object(arena, {});
  annotations = with_key(arena, annotations, label_prefix, "gpu-memory", shorthand["gpuMemory"]);
  Json metadata = kube::make_object(arena, {{"name", text(name)},
                                            {"namespace", shorthand["namespace"]},
                                            {"labels", labels},
                                            {"annotations", annotations}});
  if (kind != "Pod")
    metadata = with_member(arena, metadata, "ownerReferences", owners(arena, kind, name));
  Json spec = kube::make_object(
      arena, {{"containers", kube::make_array(arena, {container(arena, shorthand)})},
              {"restartPolicy", text("Always")},
              {"schedulerName", text("default-scheduler")},
              {"priority", Json::number("0")},
              {"preemptionPolicy", text("PreemptLowerPriority")},
              {"tolerations", default_tolerations(arena)}});
  for (const JsonMember& member : shorthand["spec"].members()) {
    spec = with_member(arena, spec, member.key, member.value);
  }
  return kube::make_object(
      arena,
      {{"apiVersion", text("v1")}, {"kind", text("Pod")}, {"metadata", metadata}, {"spec", spec}});
}

}  // namespace berth::webhook
