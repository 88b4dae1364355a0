#include "topology/watched_kinds.h"

#include <array>

namespace berth::topology {
namespace {

constexpr WatchedKind owner(std::string_view resource, std::string_view group,
                            std::string_view version, std::string_view kind) {
  return {resource, group, version, kind, WatchedAs::kOwner, Kind::kOwners};
}

constexpr std::array kKinds = {
    WatchedKind{"nodes", "", "v1", "Node", WatchedAs::kNode, Kind::kNodes},
    WatchedKind{"pods", "", "v1", "Pod", WatchedAs::kPod, Kind::kPods},
    WatchedKind{"namespaces", "", "v1", "Namespace", WatchedAs::kNamespace, Kind::kNamespaces},
    WatchedKind{"priorityclasses", "scheduling.k8s.io", "v1", "PriorityClass",
                WatchedAs::kPriorityClass, Kind::kPriorityClasses},
    WatchedKind{"runtimeclasses", "node.k8s.io", "v1", "RuntimeClass", WatchedAs::kRuntimeClass,
                Kind::kRuntimeClasses},
    WatchedKind{"resourcequotas", "", "v1", "ResourceQuota", WatchedAs::kQuota,
                Kind::kResourceQuotas},
    WatchedKind{"localqueues", "kueue.x-k8s.io", "", "LocalQueue", WatchedAs::kObject,
                Kind::kLocalQueues},
    WatchedKind{"queues", "scheduling.volcano.sh", "", "Queue", WatchedAs::kObject, Kind::kQueues},
    WatchedKind{"queues", "scheduling.run.ai", "", "Queue", WatchedAs::kObject, Kind::kQueues},
    owner("deployments", "apps", "v1", "Deployment"),
    owner("statefulsets", "apps", "v1", "StatefulSet"),
    owner("jobs", "batch", "v1", "Job"),
    owner("jobsets", "jobset.x-k8s.io", "", "JobSet"),
    owner("leaderworkersets", "leaderworkerset.x-k8s.io", "", "LeaderWorkerSet"),
    owner("pytorchjobs", "kubeflow.org", "", "PyTorchJob"),
    owner("tfjobs", "kubeflow.org", "", "TFJob"),
    owner("jaxjobs", "kubeflow.org", "", "JAXJob"),
    owner("xgboostjobs", "kubeflow.org", "", "XGBoostJob"),
    owner("paddlejobs", "kubeflow.org", "", "PaddleJob"),
    owner("mpijobs", "kubeflow.org", "", "MPIJob"),
    owner("trainjobs", "trainer.kubeflow.org", "", "TrainJob"),
    owner("rayclusters", "ray.io", "", "RayCluster"),
    owner("rayjobs", "ray.io", "", "RayJob"),
    owner("jobs", "batch.volcano.sh", "", "Job"),
};

}  // namespace

std::span<const WatchedKind> watched_kinds() {
  return kKinds;
}

std::string source_name(const WatchedKind& kind) {
  std::string out(kind.resource);
  return kind.is_optional() ? out.append(".").append(kind.group) : out;
}

}  // namespace berth::topology
