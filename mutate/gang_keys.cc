#include "mutate/gang_keys.h"

#include <array>

#include "kube/pointer.h"

namespace berth::mutate {
namespace {

using kube::Json;
using rules::GangBackend;

struct PodKey {
  std::string_view map;  // "labels" or "annotations"
  std::string_view key;
};
// Sources: the projects' own constants, as docs/contracts name them.
constexpr std::array kOnPods = {
    PodKey{"labels", "kueue.x-k8s.io/pod-group-name"},
    PodKey{"annotations", "kueue.x-k8s.io/pod-group-name"},
    PodKey{"annotations", "scheduling.k8s.io/group-name"},
    PodKey{"labels", "scheduling.x-k8s.io/pod-group"},
    PodKey{"annotations", "pod-group-name"},
    PodKey{"annotations", "yunikorn.apache.org/task-groups"},
    PodKey{"annotations", "gang.scheduling.koordinator.sh/name"},
};

struct OwnerKey {
  std::string_view map;
  std::string_view key;
  GangBackend backend;
};
constexpr std::array kOnOwners = {
    OwnerKey{"annotations", "scheduling.volcano.sh/group-min-member", GangBackend::kVolcano},
    OwnerKey{"annotations", "kai.scheduler/batch-min-member", GangBackend::kKai},
};

FoundKey found_at(std::string_view pointer, std::string_view map, std::string_view key,
                  std::string_view value) {
  std::string path(pointer);
  path.append("/metadata/").append(map);
  kube::append_segment(path, key);
  return {std::move(path), std::string(value)};
}

}  // namespace

std::optional<FoundKey> gang_key_on_pod(Json pod, std::string_view pointer) {
  const Json metadata = pod["metadata"];
  for (const PodKey& row : kOnPods) {
    const std::string_view value = metadata[row.map][row.key].string_or_empty();
    if (!value.empty()) return found_at(pointer, row.map, row.key, value);
  }
  for (const std::string_view field : {"schedulingGroup", "workloadRef"}) {
    const Json value = pod["spec"][field];
    if (value.size() == 0) continue;
    return FoundKey{std::string(pointer) + "/spec/" + std::string(field), kube::to_json(value)};
  }
  return std::nullopt;
}

std::optional<FoundKey> gang_key_on_owner(Json owner, GangBackend planned) {
  const Json metadata = owner["metadata"];
  for (const OwnerKey& row : kOnOwners) {
    const std::string_view value = metadata[row.map][row.key].string_or_empty();
    if (value.empty() || row.backend == planned) continue;
    return found_at("", row.map, row.key, value);
  }
  const Json scheduling = owner["spec"]["scheduling"];
  if (scheduling.size() > 0) return FoundKey{"/spec/scheduling", kube::to_json(scheduling)};
  return std::nullopt;
}

}  // namespace berth::mutate
