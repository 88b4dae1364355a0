#include "kube/gang_shape.h"

namespace berth::kube {
namespace {

// kubeflow/training-operator pkg/apis/kubeflow.org/v1 elasticPolicy: bounds of the workers; the
// master, where there is one, comes on top.
void read_training(Json spec, GangShape& shape) {
  const auto least = spec["elasticPolicy"]["minReplicas"].as_int();
  if (!least || *least < 1) return;
  shape.least = *least + (spec["pytorchReplicaSpecs"]["Master"].is_object() ? 1 : 0);
}

// kubeflow/mpi-operator pkg/apis/kubeflow/v2beta1: the launcher comes after its workers.
void read_mpi(Json spec, GangShape& shape) {
  if (spec["launcherCreationPolicy"].string_or_empty() != "WaitForWorkersReady") return;
  const auto workers = spec["mpiReplicaSpecs"]["Worker"]["replicas"].as_int();
  if (workers && *workers > 0) shape.least = *workers;
}

// kubernetes-sigs/jobset api/jobset/v1alpha2
constexpr std::string_view kExclusiveJobs = "alpha.jobset.sigs.k8s.io/exclusive-topology";

void read_jobset(Json spec, GangShape& shape) {
  if (spec["startupPolicy"]["startupPolicyOrder"].string_or_empty() == "InOrder") {
    shape.staggered = "startupPolicyOrder: InOrder";
  }
  for (const Json job : spec["replicatedJobs"].items()) {
    if (job["dependsOn"].size() > 0) shape.staggered = "dependsOn of a replicated job";
    if (job["template"]["metadata"]["annotations"].has(kExclusiveJobs)) {
      shape.staggered = "exclusive-topology: jobs come after their leader is placed";
    }
  }
}

// kubeflow/spark-operator: the driver asks the API server for its executors once it runs.
void read_spark(GangShape& shape) {
  shape.staggered = "the driver makes its executors";
}

// kubernetes-sigs/lws api/leaderworkerset/v1
void read_lws(Json owner, GangShape& shape) {
  constexpr std::string_view kExclusive = "leaderworkerset.sigs.k8s.io/exclusive-topology";
  if (owner["spec"]["startupPolicy"].string_or_empty() == "LeaderReady") {
    shape.staggered = "startupPolicy: LeaderReady";
  }
  if (owner["metadata"]["annotations"].has(kExclusive)) {
    shape.staggered = "exclusive-topology: workers come after their leader is placed";
  }
}

// ray-project/kuberay ray-operator/apis/ray/v1: the autoscaler starts with the lower bounds.
void read_ray(Json cluster, GangShape& shape) {
  if (!cluster["enableInTreeAutoscaling"].bool_or(false)) return;
  std::int64_t least = 1;
  for (const Json group : cluster["workerGroupSpecs"].items()) {
    const std::int64_t hosts = group["numOfHosts"].as_int().value_or(1);
    const std::int64_t replicas = group["minReplicas"].as_int().value_or(0);
    if (hosts < 1 || hosts > 1'000'000 || replicas < 0 || replicas > 1'000'000) return;
    least += hosts * replicas;
  }
  shape.least = least;
}

// volcano-sh/volcano staging/src/volcano.sh/apis/pkg/apis/batch/v1alpha1
void read_volcano(Json spec, GangShape& shape) {
  const auto least = spec["minAvailable"].as_int();
  if (least && *least > 0) shape.least = *least;
  for (const Json task : spec["tasks"].items()) {
    if (task["dependsOn"].is_object()) shape.staggered = "dependsOn of a task";
  }
}

}  // namespace

GangShape gang_shape_of(std::string_view group, std::string_view kind, Json owner) {
  GangShape shape;
  const Json spec = owner["spec"];
  if (group == "kubeflow.org") {
    read_training(spec, shape);
    if (kind == "MPIJob") read_mpi(spec, shape);
  } else if (group == "jobset.x-k8s.io") {
    read_jobset(spec, shape);
  } else if (group == "sparkoperator.k8s.io") {
    read_spark(shape);
  } else if (group == "leaderworkerset.x-k8s.io") {
    read_lws(owner, shape);
  } else if (group == "batch.volcano.sh") {
    read_volcano(spec, shape);
  } else if (kind == "RayCluster") {
    read_ray(spec, shape);
  } else if (kind == "RayJob") {
    read_ray(spec["rayClusterSpec"], shape);
  } else if (kind == "RayService") {
    read_ray(spec["rayClusterConfig"], shape);
  }
  return shape;
}

}  // namespace berth::kube
