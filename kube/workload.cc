#include "kube/workload.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace berth::kube {
namespace {

constexpr std::string_view kOperatorName = "training.kubeflow.org/operator-name";
constexpr std::string_view kLwsName = "leaderworkerset.sigs.k8s.io/name";

// ---------------------------------------------------------------- owner

// A kind that is recognised by labels of its pods.
struct LabelRow {
  std::string_view kind;
  std::string_view name;             // label with the owner's name
  std::string_view condition = {};   // label that must be there, too
  std::string_view equals = {};      // its value; empty: any
  std::string_view uid = {};         // label with the owner's uid
  std::string_view role = {};        // labels with the role, the first one present counts
  std::string_view other_role = {};  //
};

// From the outermost owner inwards: the first row that matches holds.
constexpr LabelRow kLabelRows[] = {
    // kserve/kserve pkg/controller/v1alpha2/llmisvc, pkg/constants/constants.go
    {"LLMInferenceService",
     "app.kubernetes.io/name",
     "app.kubernetes.io/part-of",
     "llminferenceservice",
     {},
     "llm-d.ai/role",
     {}},
    {.kind = "InferenceService",
     .name = "serving.kserve.io/inferenceservice",
     .role = "multinode/role",
     .other_role = "component"},
    // ai-dynamo/dynamo deploy/operator consts, ai-dynamo/grove operator/api/common/labels.go
    {.kind = "DynamoGraphDeployment",
     .name = "nvidia.com/dynamo-graph-deployment-name",
     .role = "nvidia.com/dynamo-component"},
    {"PodCliqueSet",
     "app.kubernetes.io/part-of",
     "app.kubernetes.io/managed-by",
     "grove-operator",
     {},
     "grove.io/podclique",
     {}},
    // NVIDIA/k8s-nim-operator
    {.kind = "NIMService",
     .name = "app.kubernetes.io/instance",
     .condition = "app.kubernetes.io/managed-by",
     .equals = "k8s-nim-operator"},
    // SeldonIO/seldon-core operator
    {.kind = "SeldonDeployment", .name = "seldon-deployment-id"},
    // ray-project/kuberay ray-operator/controllers/ray/utils/constant.go
    {"RayJob",
     "ray.io/originated-from-cr-name",
     "ray.io/originated-from-crd",
     "RayJob",
     {},
     "ray.io/node-type",
     {}},
    {"RayService",
     "ray.io/originated-from-cr-name",
     "ray.io/originated-from-crd",
     "RayService",
     {},
     "ray.io/node-type",
     {}},
    {.kind = "RayCluster", .name = "ray.io/cluster", .role = "ray.io/node-type"},
    // kubeflow/trainer pkg/constants/constants.go: the JobSet has the name of the TrainJob
    {"TrainJob",
     "jobset.sigs.k8s.io/jobset-name",
     "trainer.kubeflow.org/trainjob-ancestor-step",
     {},
     {},
     "jobset.sigs.k8s.io/replicatedjob-name",
     {}},
    // kubernetes-sigs/jobset api/jobset/v1alpha2/jobset_types.go
    {.kind = "JobSet",
     .name = "jobset.sigs.k8s.io/jobset-name",
     .uid = "jobset.sigs.k8s.io/jobset-uid",
     .role = "jobset.sigs.k8s.io/replicatedjob-name"},
    // kubernetes-sigs/lws api/leaderworkerset/v1/leaderworkerset_types.go
    {.kind = "LeaderWorkerSet", .name = kLwsName},
    // volcano-sh/volcano staging/src/volcano.sh/apis/pkg/apis/batch/v1alpha1/labels.go
    {.kind = "Job", .name = "volcano.sh/job-name", .role = "volcano.sh/task-spec"},
    // kubeflow/spark-operator pkg/common/spark.go
    {.kind = "SparkApplication", .name = "sparkoperator.k8s.io/app-name", .role = "spark-role"},
    // kubeflow/kubeflow components/notebook-controller
    {.kind = "Notebook", .name = "notebook-name"},
    // knative/serving pkg/apis/serving/register.go
    {.kind = "Service", .name = "serving.knative.dev/service"},
};

// Operators that name themselves on their pods. kubeflow/training-operator
// pkg/apis/kubeflow.org/v1/common_types.go, kubeflow/mpi-operator
// pkg/controller/mpi_job_controller.go
struct TrainingOperator {
  std::string_view name;
  std::string_view kind;
};
constexpr TrainingOperator kTrainingOperators[] = {
    {"pytorchjob-controller", "PyTorchJob"}, {"tfjob-controller", "TFJob"},
    {"xgboostjob-controller", "XGBoostJob"}, {"paddlejob-controller", "PaddleJob"},
    {"jaxjob-controller", "JAXJob"},         {"mxjob-controller", "MXJob"},
    {"mpijob-controller", "MPIJob"},         {"mpi-operator", "MPIJob"},
};

std::optional<LabelRow> training_row(const Pod& pod) {
  const std::string_view name = pod.label(kOperatorName);
  for (const TrainingOperator& row : kTrainingOperators) {
    if (row.name != name) continue;
    return LabelRow{.kind = row.kind,
                    .name = "training.kubeflow.org/job-name",
                    .role = "training.kubeflow.org/replica-type",
                    .other_role = "training.kubeflow.org/job-role"};
  }
  return std::nullopt;
}

std::optional<LabelRow> row_of(const Pod& pod) {
  const auto training = training_row(pod);
  if (training && !pod.label(training->name).empty()) return training;
  const Json labels = pod.labels();
  for (const LabelRow& row : kLabelRows) {
    if (labels[row.name].string_or_empty().empty()) continue;
    if (row.condition.empty()) return row;
    const std::string_view value = labels[row.condition].string_or_empty();
    if (row.equals.empty() ? labels.has(row.condition) : value == row.equals) return row;
  }
  return std::nullopt;
}

// Roles that are told without an operator's row.
std::string_view common_role(const Pod& pod) {
  for (const std::string_view key : {"llm-d.ai/role", "spark-role"}) {
    if (!pod.label(key).empty()) return pod.label(key);
  }
  return {};
}

std::string_view role_of(const Pod& pod, const LabelRow& row) {
  // Only the leader's index is there from the first round on.
  if (row.name == kLwsName) {
    const std::string_view index = pod.label("leaderworkerset.sigs.k8s.io/worker-index");
    return index == "0" ? "leader" : "worker";
  }
  for (const std::string_view key : {row.role, row.other_role}) {
    if (!key.empty() && !pod.label(key).empty()) return pod.label(key);
  }
  return common_role(pod);
}

Owner owner_by_label(const Pod& pod, const LabelRow& row) {
  Owner owner{row.kind, pod.label(row.name), {}, role_of(pod, row)};
  const auto controller = pod.controller();
  if (controller && controller->kind == owner.kind && controller->name == owner.name) {
    owner.uid = controller->uid;
  } else if (!row.uid.empty()) {
    owner.uid = pod.label(row.uid);
  }
  return owner;
}

// A ReplicaSet is named after its owner and the hash of the template.
std::string_view name_without_hash(std::string_view name, std::string_view hash) {
  if (hash.empty() || name.size() < hash.size() + 2 || !name.ends_with(hash)) return {};
  name.remove_suffix(hash.size());
  if (!name.ends_with('-')) return {};
  name.remove_suffix(1);
  return name;
}

Owner owner_by_controller(const Pod& pod, const OwnerReference& controller) {
  if (controller.kind == "ReplicaSet") {
    const auto deployment = name_without_hash(controller.name, pod.label("pod-template-hash"));
    if (!deployment.empty()) return {"Deployment", deployment, {}, common_role(pod)};
    const auto rollout =
        name_without_hash(controller.name, pod.label("rollouts-pod-template-hash"));
    if (!rollout.empty()) return {"Rollout", rollout, {}, common_role(pod)};
  }
  return {controller.kind, controller.name, controller.uid, common_role(pod)};
}

// ---------------------------------------------------------------- number of pods

std::optional<std::int64_t> positive(std::string_view text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value);
  if (failure != std::errc() || stop != end || value < 1) return std::nullopt;
  return value;
}

// The literal value of an environment variable in the first main container that has it.
std::string_view environment(const Pod& pod, std::string_view name) {
  for (const Json& container : pod.spec()["containers"].items()) {
    for (const Json& variable : container["env"].items()) {
      if (variable["name"].string_or_empty() == name) return variable["value"].string_or_empty();
    }
  }
  return {};
}

std::optional<std::int64_t> pods_by_annotation(const Pod& pod) {
  // kubernetes-sigs/lws, kubernetes-sigs/kueue pkg/controller/jobs/pod/constants,
  // koordinator-sh/koordinator apis/extension/coscheduling.go
  constexpr std::array<std::string_view, 4> kKeys = {
      "leaderworkerset.sigs.k8s.io/size", "kueue.x-k8s.io/pod-group-total-count",
      "gang.scheduling.koordinator.sh/total-number",
      "gang.scheduling.koordinator.sh/min-available"};
  for (const std::string_view key : kKeys) {
    if (const auto count = positive(pod.annotation(key))) return count;
  }
  return std::nullopt;
}

// kubeflow/training-operator pkg/controller.v1/tensorflow: addresses of all members by role.
std::optional<std::int64_t> pods_by_tf_config(const Pod& pod) {
  const std::string_view text = environment(pod, "TF_CONFIG");
  if (text.empty()) return std::nullopt;
  base::Arena arena;
  const auto config = parse_json(text, arena);
  if (!config) return std::nullopt;
  std::int64_t count = 0;
  for (const JsonMember& role : (*config)["cluster"].members()) {
    count += static_cast<std::int64_t>(role.value.items().size());
  }
  return count > 0 ? std::optional(count) : std::nullopt;
}

// apache/yunikorn-k8shim pkg/common/constants: all task groups of the application.
std::optional<std::int64_t> pods_by_task_groups(const Pod& pod) {
  const std::string_view text = pod.annotation("yunikorn.apache.org/task-groups");
  if (text.empty()) return std::nullopt;
  base::Arena arena;
  const auto groups = parse_json(text, arena);
  if (!groups) return std::nullopt;
  std::int64_t count = 0;
  for (const Json& group : groups->items()) {
    const auto members = group["minMember"].as_int();
    if (!members || *members < 1 || *members > std::numeric_limits<std::int32_t>::max()) {
      return std::nullopt;
    }
    count += *members;
  }
  return count > 0 ? std::optional(count) : std::nullopt;
}

// WORLD_SIZE counts processes. It tells pods only where the processes of a pod are told as well, or
// where the training operator set it, which leaves them out when there is one.
std::optional<std::int64_t> pods_by_world_size(const Pod& pod) {
  const auto world = positive(environment(pod, "WORLD_SIZE"));
  if (!world) return std::nullopt;
  std::string_view local = environment(pod, "LOCAL_WORLD_SIZE");
  if (local.empty()) local = environment(pod, "PET_NPROC_PER_NODE");
  if (local.empty() && pod.labels().has(kOperatorName)) local = "1";
  const auto per_pod = positive(local);
  if (!per_pod || *world % *per_pod != 0) return std::nullopt;
  return *world / *per_pod;
}

std::optional<std::int64_t> pods_by_environment(const Pod& pod) {
  // torchrun: "4", or "2:4" for an elastic job, which starts with the smaller number.
  const std::string_view nodes = environment(pod, "PET_NNODES");
  if (const auto count = positive(nodes.substr(0, nodes.find(':')))) return count;
  if (const auto count = positive(environment(pod, "PADDLE_NNODES"))) return count;
  if (pod.label(kOperatorName) == "jaxjob-controller") {
    if (const auto count = positive(environment(pod, "NUM_PROCESSES"))) return count;
  }
  if (const auto count = pods_by_world_size(pod)) return count;
  if (const auto count = pods_by_tf_config(pod)) return count;
  // kserve/kserve multi-node predictor: one pod a pipeline stage.
  if (!pod.label("multinode/role").empty()) {
    return positive(environment(pod, "PIPELINE_PARALLEL_SIZE"));
  }
  return std::nullopt;
}

}  // namespace

Owner top_owner(const Pod& pod) {
  if (const auto row = row_of(pod)) return owner_by_label(pod, *row);
  const auto controller = pod.controller();
  // A mirror pod is owned by its node, which is no workload.
  if (controller && controller->kind != "Node") return owner_by_controller(pod, *controller);
  const std::string_view name = pod.name().empty() ? pod.generate_name() : pod.name();
  return {"Pod", name, pod.metadata()["uid"].string_or_empty(), common_role(pod)};
}

std::optional<std::int64_t> pods_of(const Pod& pod) {
  if (const auto count = pods_by_annotation(pod)) return count;
  if (const auto count = pods_by_environment(pod)) return count;
  return pods_by_task_groups(pod);
}

}  // namespace berth::kube
