#include "rules/gang_advice.h"

#include <array>
#include <string>
#include <string_view>

namespace berth::rules {
namespace {

using kube::Json;

// volcano-sh/volcano pkg/controllers/podgroup; kai-scheduler/KAI-Scheduler plugins/job
constexpr std::string_view kVolcanoSize = "scheduling.volcano.sh/group-min-member";
constexpr std::string_view kKaiSize = "kai.scheduler/batch-min-member";

bool is_batch(const Subject& subject) {
  return subject.group == "batch" && (subject.kind == "Job" || subject.kind == "CronJob");
}

bool is_read(const Subject& subject, std::string_view key) {
  return key == kKaiSize ? is_batch(subject) : is_batch(subject) || subject.group == "apps";
}

void advise_size(const Subject& subject, std::vector<Message>& out) {
  if (subject.door != Door::kOwner) return;
  for (const std::string_view key : {kVolcanoSize, kKaiSize}) {
    const bool on_owner = subject.object["metadata"]["annotations"].has(key);
    if (!is_read(subject, key) || on_owner || subject.pod.annotation(key).empty()) continue;
    out.push_back({nullptr, std::string(key) + " is read on the " + std::string(subject.kind) +
                                ", not on its pods: the gang has 1 pod"});
  }
}

struct SystemKey {
  std::string_view system;
  std::string_view map;
  std::string_view key;
};
// Kueue may sit above any of them.
constexpr std::array kSystems = {
    SystemKey{"Volcano", "annotations", "scheduling.k8s.io/group-name"},
    SystemKey{"scheduler-plugins", "labels", "scheduling.x-k8s.io/pod-group"},
    SystemKey{"KAI", "annotations", "pod-group-name"},
    SystemKey{"YuniKorn", "annotations", "yunikorn.apache.org/task-groups"},
    SystemKey{"Koordinator", "annotations", "gang.scheduling.koordinator.sh/name"},
};

void advise_systems(const Subject& subject, std::vector<Message>& out) {
  std::string found;
  int systems = 0;
  for (const SystemKey& row : kSystems) {
    if (subject.pod.metadata()[row.map][row.key].string_or_empty().empty()) continue;
    found.append(systems++ > 0 ? " and " : "").append(row.system);
  }
  if (systems < 2) return;
  out.push_back({nullptr, "gang keys of " + found + " on one pod: keep those of its scheduler"});
}

void advise_kueue(const Subject& subject, std::vector<Message>& out) {
  constexpr std::string_view kGroup = "kueue.x-k8s.io/pod-group-name";
  constexpr std::string_view kCount = "kueue.x-k8s.io/pod-group-total-count";
  if (subject.door != Door::kPod) return;
  const bool named = !subject.pod.label(kGroup).empty() || !subject.pod.annotation(kGroup).empty();
  if (named == !subject.pod.annotation(kCount).empty()) return;
  out.push_back({nullptr, "Kueue refuses the pod: " + std::string(named ? kGroup : kCount) +
                              " needs " + std::string(named ? kCount : kGroup) + " beside it"});
}

}  // namespace

std::vector<Message> advise_gang(const Subject& subject) {
  std::vector<Message> out;
  advise_size(subject, out);
  advise_systems(subject, out);
  advise_kueue(subject, out);
  return out;
}

}  // namespace berth::rules
