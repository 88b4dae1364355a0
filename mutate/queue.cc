#include "mutate/queue.h"

#include <algorithm>
#include <array>

#include "kube/pointer.h"
#include "mutate/gang_backend.h"
#include "mutate/kueue_queues.h"

namespace berth::mutate {
namespace {

using kube::Json;

// Where a queueing system reads the name of the queue.
struct Contract {
  rules::GangBackend backend;
  std::string_view scheduler;  // that tells the system when no rule does
  std::string_view map;        // of the metadata
  std::string_view key;
};
constexpr Contract kKueue = {rules::GangBackend::kKueue, "", "labels", "kueue.x-k8s.io/queue-name"};
constexpr std::array kOthers = {
    Contract{rules::GangBackend::kVolcano, "volcano", "annotations",
             "scheduling.volcano.sh/queue-name"},
    Contract{rules::GangBackend::kKai, "kai-scheduler", "labels", "kai.scheduler/queue"},
    Contract{rules::GangBackend::kYunikorn, "yunikorn", "labels", "yunikorn.apache.org/queue"},
    Contract{rules::GangBackend::kKoordinator, "koord-scheduler", "labels",
             "quota.scheduling.koordinator.sh/name"},
};

bool is_local_queue(const Writing& writing, std::string_view name) {
  return kueue_queues(writing.cluster, writing.facts.namespace_name).has(name);
}

// The system that a rule names for the gang; else Kueue where it has the queue, since it may sit
// above any scheduler; else what the scheduler tells.
const Contract& contract_of(const Writing& writing, std::string_view queue) {
  for (const rules::Setting& setting : writing.decision.settings) {
    const auto* gang = std::get_if<rules::Gang>(&setting.assignment->value);
    if (gang == nullptr) continue;
    const auto* answer = std::get_if<rules::GangAnswer>(&setting.answer);
    const rules::GangBackend backend = answer != nullptr ? answer->backend : gang->backend;
    for (const Contract& other : kOthers) {
      if (backend == other.backend) return other;
    }
    if (backend == rules::GangBackend::kKueue) return kKueue;
  }
  if (is_local_queue(writing, queue)) return kKueue;
  const std::string_view scheduler = writing.pod().spec()["schedulerName"].string_or_empty();
  for (const Contract& other : kOthers) {
    if (scheduler == other.scheduler) return other;
  }
  return kKueue;
}

// Whether a LocalQueue can be named; says why not, except where there is nothing to say.
bool local_queue_serves(Writing& writing, const rules::Setting& setting) {
  const KueueQueues queues = kueue_queues(writing.cluster, writing.facts.namespace_name);
  if (!queues.known || queues.is_open(setting.text)) return true;
  const std::string name(setting.text);
  if (queues.has(name)) {
    warn(writing, setting.rule,
         "queue " + name + " not written: it is stopped and would hold the workload for ever");
    return false;
  }
  if (queues.has("default")) return false;
  warn(writing, setting.rule,
       "queue " + name + " not written: no such LocalQueue in namespace " +
           std::string(writing.facts.namespace_name));
  return false;
}

bool queue_serves(Writing& writing, const rules::Setting& setting, const Contract& contract) {
  // Queues of the others are no objects.
  const bool kai = contract.backend == rules::GangBackend::kKai;
  if (!kai && contract.backend != rules::GangBackend::kVolcano) return true;
  const std::string_view group = kai ? "scheduling.run.ai" : "scheduling.volcano.sh";
  if (writing.cluster.objects_of("Queue", group).empty()) return true;
  const Json queue = writing.cluster.object("Queue." + std::string(group), "", setting.text);
  const bool closed = queue["status"]["state"].string_or_empty() == "Closed";
  if (!queue.is_null() && !closed) return true;
  warn(writing, setting.rule,
       "queue " + std::string(setting.text) +
           " not written: " + (closed ? "it is closed" : "no such Queue"));
  return false;
}

}  // namespace

void write_queue(Writing& writing, const rules::Setting& setting) {
  if (setting.text.empty()) return;
  const Contract& contract = contract_of(writing, setting.text);
  const bool kueue = contract.backend == rules::GangBackend::kKueue;
  // Trainer hands a TrainJob's queue of Volcano on; of others the pods carry it.
  const bool of_trainer =
      contract.backend == rules::GangBackend::kVolcano && writing.subject.kind == "TrainJob";
  const bool on_object = (kueue || of_trainer) && writing.at_owner();
  const std::string above(on_object ? owner_pointer(writing.subject.group, writing.subject.kind)
                                    : std::string_view{});
  const Json whole = writing.editor.object();
  const Json* const object = on_object ? kube::find_at(whole, above) : nullptr;
  const Json metadata = object != nullptr ? (*object)["metadata"] : writing.pod().metadata();
  const std::string_view there = metadata[contract.map][contract.key].string_or_empty();
  if (there == setting.text) return;
  std::string path = above + "/metadata/" + std::string(contract.map);
  kube::append_segment(path, contract.key);
  const Difference difference{path, std::string(setting.text), std::string(there)};
  if (!there.empty() && !may_overwrite(writing, setting, difference)) return;
  if (kueue && !writing.at_owner() && is_managed_by_kueue(writing.facts.kind)) {
    warn(writing, setting.rule,
         "queue " + std::string(setting.text) + " not written: Kueue reads it on the " +
             std::string(writing.facts.kind) + ", not on its pods");
    return;
  }
  if (kueue ? !local_queue_serves(writing, setting) : !queue_serves(writing, setting, contract))
    return;
  if (on_object) {
    writing.editor.set_on_object(path, Json::string(setting.text));
  } else {
    set_or_warn(writing, setting, path, Json::string(setting.text));
  }
}

}  // namespace berth::mutate
