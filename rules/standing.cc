#include "rules/standing.h"

#include <algorithm>
#include <array>
#include <span>

#include "kube/workload.h"
#include "rules/intent.h"

namespace berth::rules {
namespace {

constexpr std::string_view kExclusiveTopology = "alpha.jobset.sigs.k8s.io/exclusive-topology";

using enum SlotKind;
constexpr std::array kOfScheduling = {kGpu,       kNodeSelector, kProducts, kPreferProducts,
                                      kPlacement, kSpread,       kGang,     kQueue,
                                      kScheduler, kPack};
constexpr std::array kOfDaemons = {kGpu,       kNodeSelector,  kProducts, kPreferProducts,
                                   kPlacement, kSpread,        kGang,     kQueue,
                                   kScheduler, kPriorityClass, kPack};
constexpr std::array kOfGroups = {kPlacement, kSpread, kGang, kQueue, kScheduler};
constexpr std::array kOfLevels = {kPlacement, kSpread, kGang, kPack};
constexpr std::array kThatAge = {kProducts, kPreferProducts, kPlacement, kSpread};

// Takes the settings of these slots out; the rule of the first one, or nullptr where there is none.
const Rule* take_out(std::span<const SlotKind> kinds, Decision& decision) {
  const Rule* first = nullptr;
  std::erase_if(decision.settings, [&](const Setting& setting) {
    const bool out =
        std::find(kinds.begin(), kinds.end(), setting.assignment->slot.kind) != kinds.end();
    if (out && first == nullptr) first = setting.rule;
    return out;
  });
  return first;
}

void take_out_and_warn(std::span<const SlotKind> kinds, std::string text, Decision& decision) {
  const Rule* rule = take_out(kinds, decision);
  if (rule != nullptr) decision.warnings.push_back({rule, std::move(text)});
}

bool is_long_lived_owner(const Subject& subject) {
  if (subject.door != Door::kOwner) return false;
  const kube::OwnerKind* row = kube::find_owner_kind(subject.group, subject.kind);
  return row != nullptr && row->long_lived;
}

// Pods of long-lived owners come and go one by one: they are no group.
bool comes_one_by_one(std::string_view kind) {
  return kind == "Pod" || kind == "Deployment" || kind == "ReplicaSet" || kind == "StatefulSet" ||
         kind == "DaemonSet" || kind == "CronJob" || kind == "Notebook" ||
         kind == "InferenceService";
}

bool has_any(std::span<const SlotKind> kinds, const Decision& decision) {
  return std::any_of(
      decision.settings.begin(), decision.settings.end(), [&](const Setting& setting) {
        return std::find(kinds.begin(), kinds.end(), setting.assignment->slot.kind) != kinds.end();
      });
}

// Members of the same group that were made without us, while none was made with us.
std::size_t strangers(const Subject& subject, const Facts& facts,
                      const topology::Snapshot& cluster) {
  if (subject.door != Door::kPod || comes_one_by_one(facts.kind) || facts.name.empty()) return 0;
  std::size_t count = 0;
  for (const topology::KnownPod* pod :
       cluster.pods_of(facts.namespace_name, facts.kind, facts.name)) {
    if (pod->marked) return 0;
    if (pod->name != subject.pod.name()) ++count;
  }
  return count;
}

}  // namespace

bool is_long_lived(std::string_view kind) {
  return comes_one_by_one(kind) || kind == "LeaderWorkerSet" || kind == "RayService";
}

void keep_what_ages(Decision& decision) {
  std::erase_if(decision.settings, [](const Setting& setting) {
    const SlotKind kind = setting.assignment->slot.kind;
    return kind != kLabel && std::find(kThatAge.begin(), kThatAge.end(), kind) == kThatAge.end();
  });
  decision.warnings.clear();
  decision.denials.clear();
}

void keep_pack(Decision& decision) {
  const bool grouped =
      std::any_of(decision.settings.begin(), decision.settings.end(), [](const Setting& setting) {
        const auto* gang = std::get_if<GangAnswer>(&setting.answer);
        return gang != nullptr && gang->backend != GangBackend::kNone;
      });
  std::erase_if(decision.settings, [grouped](const Setting& setting) {
    return grouped || setting.assignment->slot.kind != kPack;
  });
  decision.warnings.clear();
  decision.denials.clear();
}

void respect_standing(const Subject& subject, const Facts& facts, const topology::Snapshot& cluster,
                      Decision& decision) {
  if (facts.daemon) take_out(kOfDaemons, decision);
  if (facts.bound) {
    take_out_and_warn(kOfScheduling,
                      "the pod is bound to node " + quoted(subject.pod.node_name()) +
                          ": placement, gang, queue and scheduler are left as they are",
                      decision);
  }
  const std::string_view exclusive = subject.pod.annotation(kExclusiveTopology);
  const std::string_view of_owner =
      subject.object["metadata"]["annotations"][kExclusiveTopology].string_or_empty();
  if (!exclusive.empty() || !of_owner.empty()) {
    take_out_and_warn(kOfLevels,
                      "the JobSet has each job placed alone on " +
                          quoted(exclusive.empty() ? of_owner : exclusive) +
                          ": gang and placement are left to it",
                      decision);
  }
  if (is_long_lived_owner(subject)) take_out(kThatAge, decision);
  if (!has_any(kOfGroups, decision)) return;
  if (const std::size_t pods = strangers(subject, facts, cluster); pods > 0) {
    take_out_and_warn(kOfGroups,
                      "partial workload: " + std::to_string(pods) + " pods of " +
                          std::string(facts.kind) +
                          " were made without berth: gang and placement not begun",
                      decision);
  }
}

}  // namespace berth::rules
