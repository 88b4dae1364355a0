#include "mutate/kueue_queues.h"

#include <algorithm>
#include <array>

namespace berth::mutate {
namespace {

using kube::Json;

// kubernetes-sigs/kueue config/components/manager/controller_manager_config.yaml
constexpr std::array<std::string_view, 15> kManaged = {
    "AppWrapper", "CronJob", "JAXJob",     "Job",    "JobSet",     "LeaderWorkerSet",
    "MPIJob",     "PaddleJob", "PyTorchJob", "RayCluster", "RayJob", "RayService",
    "TFJob",      "TrainJob",  "XGBoostJob"};

bool holds(Json queue) {
  const std::string_view policy = queue["spec"]["stopPolicy"].string_or_empty();
  return policy == "Hold" || policy == "HoldAndDrain";
}

bool is_inactive(Json queue) {
  const auto conditions = queue["status"]["conditions"].items();
  return std::any_of(conditions.begin(), conditions.end(), [](const Json& condition) {
    return condition["type"].string_or_empty() == "Active" &&
           condition["status"].string_or_empty() == "False";
  });
}

bool takes_workloads(const topology::Snapshot& cluster, std::string_view space,
                     std::string_view name) {
  const Json queue = cluster.object("LocalQueue", space, name);
  if (holds(queue) || is_inactive(queue)) return false;
  const Json above = cluster.object("ClusterQueue.kueue.x-k8s.io", "",
                                    queue["spec"]["clusterQueue"].string_or_empty());
  return !holds(above);
}

bool is_among(const std::vector<std::string_view>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

}  // namespace

bool KueueQueues::has(std::string_view name) const {
  return is_among(all, name);
}
bool KueueQueues::is_open(std::string_view name) const {
  return is_among(open, name);
}

KueueQueues kueue_queues(const topology::Snapshot& cluster, std::string_view namespace_name) {
  KueueQueues out;
  out.known = cluster.knows(topology::Kind::kLocalQueues);
  out.all = cluster.local_queues(namespace_name);
  for (const std::string_view name : out.all) {
    if (takes_workloads(cluster, namespace_name, name)) out.open.push_back(name);
  }
  return out;
}

bool is_managed_by_kueue(std::string_view kind) {
  return std::find(kManaged.begin(), kManaged.end(), kind) != kManaged.end();
}

bool passes_queue_to_pods(std::string_view kind) {
  return kind == "Deployment" || kind == "StatefulSet" || kind == "ReplicaSet";
}

}  // namespace berth::mutate
