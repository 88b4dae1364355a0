#include "mutate/queue.h"

#include <algorithm>
#include <array>

#include "kube/pointer.h"

namespace berth::mutate {
namespace {

using kube::Json;
using topology::Kind;

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
};

// Owners of which Kueue reads the queue on the owner and ignores it on the pods.
constexpr std::array<std::string_view, 14> kManagedByKueue = {
    "AppWrapper", "JAXJob", "Job",        "JobSet", "MPIJob",   "PaddleJob",  "PyTorchJob",
    "RayCluster", "RayJob", "RayService", "TFJob",  "TrainJob", "XGBoostJob", "CronJob"};

bool is_local_queue(const Writing& writing, std::string_view name) {
  const auto queues = writing.cluster.local_queues(writing.facts.namespace_name);
  return std::find(queues.begin(), queues.end(), name) != queues.end();
}

// The system that a rule names for the gang; else Kueue where it has the queue, since it may sit
// above any scheduler; else what the scheduler tells.
const Contract& contract_of(const Writing& writing, std::string_view queue) {
  for (const rules::Setting& setting : writing.decision.settings) {
    const auto* gang = std::get_if<rules::Gang>(&setting.assignment->value);
    if (gang == nullptr) continue;
    for (const Contract& other : kOthers) {
      if (gang->backend == other.backend) return other;
    }
    if (gang->backend == rules::GangBackend::kKueue) return kKueue;
  }
  if (is_local_queue(writing, queue)) return kKueue;
  const std::string_view scheduler = writing.pod().spec()["schedulerName"].string_or_empty();
  for (const Contract& other : kOthers) {
    if (scheduler == other.scheduler) return other;
  }
  return kKueue;
}

bool managed_by_kueue(std::string_view kind) {
  return std::find(kManagedByKueue.begin(), kManagedByKueue.end(), kind) != kManagedByKueue.end();
}

// Whether a LocalQueue can be named; says why not, except where there is nothing to say.
bool local_queue_serves(Writing& writing, const rules::Setting& setting) {
  if (!writing.cluster.knows(Kind::kLocalQueues)) return true;
  if (is_local_queue(writing, setting.text)) return true;
  if (is_local_queue(writing, "default")) return false;
  warn(writing, setting.rule,
       "queue " + std::string(setting.text) + " not written: no such LocalQueue in namespace " +
           std::string(writing.facts.namespace_name));
  return false;
}

bool queue_serves(Writing& writing, const rules::Setting& setting) {
  if (!writing.cluster.knows(Kind::kQueues)) return true;
  const Json queue = writing.cluster.object("Queue", "", setting.text);
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
  const bool on_object = kueue && writing.at_owner();
  const Json metadata = on_object ? writing.editor.object()["metadata"] : writing.pod().metadata();
  const std::string_view there = metadata[contract.map][contract.key].string_or_empty();
  if (there == setting.text) return;
  std::string path = "/metadata/" + std::string(contract.map);
  kube::append_segment(path, contract.key);
  const Difference difference{path, std::string(setting.text), std::string(there)};
  if (!there.empty() && !may_overwrite(writing, setting, difference)) return;
  if (kueue && !writing.at_owner() && managed_by_kueue(writing.facts.kind)) {
    warn(writing, setting.rule,
         "queue " + std::string(setting.text) + " not written: Kueue reads it on the " +
             std::string(writing.facts.kind) + ", not on its pods");
    return;
  }
  if (kueue ? !local_queue_serves(writing, setting) : !queue_serves(writing, setting)) return;
  if (on_object) {
    writing.editor.set_on_object(path, Json::string(setting.text));
  } else {
    set_or_warn(writing, setting, path, Json::string(setting.text));
  }
}

}  // namespace berth::mutate
