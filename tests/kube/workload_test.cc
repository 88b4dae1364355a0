#include "kube/workload.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kube/gpu_resource.h"

namespace berth::kube {
namespace {

std::string review_text(const std::string& name) {
  std::ifstream file(std::filesystem::path(BERTH_SOURCE_DIR) / "tests/data/cases/reviews" /
                     (name + ".json"));
  EXPECT_TRUE(file.good()) << name;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Json request_of(const std::string& name, base::Arena& arena) {
  const auto review = parse_json(review_text(name), arena);
  EXPECT_TRUE(review.has_value()) << name;
  return review.value_or(Json())["request"];
}

Pod pod_from(std::string_view text, base::Arena& arena) {
  const auto json = parse_json(text, arena);
  EXPECT_TRUE(json.has_value()) << text;
  return Pod(json.value_or(Json()));
}

std::int64_t whole_gpus(const Pod& pod) {
  std::int64_t count = 0;
  for (const std::string_view name : pod.resource_names()) {
    if (classify_gpu_resource(name).form != GpuForm::kWhole) continue;
    count += pod.effective_request(name).rounded_up();
  }
  return count;
}

// "kind/name role=... uid pods=... gpus=... framework", what is unknown left out.
std::string describe(const Pod& pod) {
  const Owner owner = top_owner(pod);
  std::string out(owner.kind);
  out.append("/").append(owner.name);
  if (!owner.role.empty()) out.append(" role=").append(owner.role);
  if (!owner.uid.empty()) out.append(" uid");
  if (const auto pods = pods_of(pod)) out.append(" pods=").append(std::to_string(*pods));
  if (whole_gpus(pod) > 0) out.append(" gpus=").append(std::to_string(whole_gpus(pod)));
  const std::string_view framework = framework_of(pod, owner);
  return framework.empty() ? out : out.append(" ").append(framework);
}

TEST(Workload, ReadsPodsAsOperatorsMakeThem) {
  struct Row {
    std::string review;
    std::string expected;
  };
  const std::vector<Row> rows = {
      {"02-pytorchjob-worker", "PyTorchJob/asr-pretrain role=worker uid pods=4 gpus=8 pytorch"},
      {"04-trainjob-node", "TrainJob/llm-sft role=node pods=16 gpus=8 pytorch"},
      {"07-mpijob-worker", "MPIJob/cfd-allreduce role=worker uid gpus=8 mpi"},
      {"08-ray-head", "RayJob/tune-grid role=head ray"},
      {"10-ray-submitter", "RayJob/tune-grid ray"},
      {"11-volcano-vcjob-worker", "Job/seg-train role=worker uid gpus=2"},
      {"13-plain-job-finetune", "Job/lora-ft uid gpus=2 pytorch"},
      {"16-computedomain-mpi-worker", "MPIJob/nvl-bench role=worker uid gpus=4 mpi"},
      {"17-bare-debug-pod", "Pod/gpu-shell gpus=1"},
      {"18-argo-workflow-step", "Workflow/feature-pipeline-8kq2d uid gpus=1"},
      {"19-slinky-slurm-nodeset", "NodeSet/slurm-worker-h100 uid gpus=8"},
      {"20-spark-rapids-executor", "Pod/etl-gpu-driver role=executor uid gpus=1 spark"},
      {"21-vllm-deployment-tp2", "Deployment/chat-large gpus=2 vllm"},
      {"24-kserve-raw-proxy-first", "InferenceService/fraud role=predictor gpus=1 xgboost"},
      {"25-kserve-transformer-cpu", "InferenceService/fraud role=transformer"},
      {"26-kserve-multinode-worker", "InferenceService/big role=worker pods=2 gpus=4 ray"},
      {"30-nim-service", "NIMService/nim-table-structure gpus=1 nim"},
      {"31-llmd-decode", "Deployment/pd-qwen-decode role=decode gpus=1 vllm"},
      {"33-ollama-statefulset", "StatefulSet/ollama uid gpus=1 ollama"},
      {"38-lws-vllm-leader", "LeaderWorkerSet/frontier role=leader pods=2 gpus=8 vllm"},
      {"39-lws-vllm-worker", "LeaderWorkerSet/frontier role=worker pods=2 gpus=8 vllm"},
      {"40-amd-vllm", "Deployment/chat-mi300 gpus=8 vllm"},
      {"42-kubeflow-notebook", "Notebook/nlp-lab gpus=4 pytorch"},
      {"43-hub-gpu-placeholder", "StatefulSet/user-placeholder-gpu uid gpus=1"},
      {"46-dcgm-exporter-ds", "DaemonSet/nvidia-dcgm-exporter uid"},
      {"48-device-plugin-validator", "ClusterPolicy/cluster-policy uid gpus=1"},
      {"50-kai-reservation-pod", "Pod/gpu-reservation-l40s-1-hspw5 gpus=1"},
      {"52-yunikorn-placeholder", "Pod/tg-train-app-7-workers-tx9swjknln gpus=4"},
      {"cronjob.pod-0", "Job/nightly-eval-29935018 uid gpus=1"},
      {"daemonset.pod-0", "DaemonSet/gpu-burn-in uid gpus=1"},
      {"deployment-vllm.pod-0", "Deployment/chat-8b gpus=1 vllm"},
      {"deployment-intent-on-owner-only.pod-0", "Deployment/embed gpus=1"},
      {"job-indexed.pod-3", "Job/bert-large uid gpus=8 pytorch"},
      {"job-native-gang.pod-0", "Job/bert-gang uid gpus=8 pytorch"},
      {"statefulset.pod-1", "StatefulSet/voice-70b uid gpus=4"},
      {"pod-generate-name", "Pod/exp- gpus=1"},
      {"pod-name-and-generate-name", "Pod/both-names gpus=1"},
      {"pod-quantities", "Pod/amounts gpus=23"},
      {"pod-native-sidecar", "Pod/with-sidecar gpus=3"},
      {"pod-dra-extended-resource", "Pod/by-class gpus=1"},
      {"pod-update-label", "Pod/tagged uid gpus=1"},
  };
  for (const Row& row : rows) {
    base::Arena arena;
    EXPECT_EQ(describe(Pod(request_of(row.review, arena)["object"])), row.expected) << row.review;
  }
}

TEST(Workload, FindsTemplatesAndCountsOfOwners) {
  struct Row {
    std::string review;
    std::string expected;  // "pointer=count role; ..."
  };
  const std::vector<Row> rows = {
      {"job-plain.owner", "/spec/template=1"},
      {"job-indexed.owner", "/spec/template=4"},
      {"job-kueue-suspended.owner", "/spec/template=2"},
      {"cronjob.owner", "/spec/jobTemplate/spec/template=1"},
      {"deployment-vllm.owner", "/spec/template=2"},
      {"deployment-zero-replicas.owner", "/spec/template=0"},
      {"deployment-vllm.replicaset", "/spec/template=2"},
      {"statefulset.owner", "/spec/template=2"},
      {"daemonset.owner", "/spec/template=1"},
      {"jobset.owner", "/spec/replicatedJobs/0/template/spec/template=8 workers"},
      {"leaderworkerset.owner",
       "/spec/leaderWorkerTemplate/leaderTemplate=1 leader; "
       "/spec/leaderWorkerTemplate/workerTemplate=1 worker"},
      {"pytorchjob.owner",
       "/spec/pytorchReplicaSpecs/Master/template=1 Master; "
       "/spec/pytorchReplicaSpecs/Worker/template=3 Worker"},
      {"tfjob.owner",
       "/spec/tfReplicaSpecs/Chief/template=1 Chief; /spec/tfReplicaSpecs/PS/template=1 PS; "
       "/spec/tfReplicaSpecs/Worker/template=2 Worker"},
      {"jaxjob.owner", "/spec/jaxReplicaSpecs/Worker/template=2 Worker"},
      {"mpijob.owner",
       "/spec/mpiReplicaSpecs/Launcher/template=1 Launcher; "
       "/spec/mpiReplicaSpecs/Worker/template=4 Worker"},
      {"raycluster.owner",
       "/spec/headGroupSpec/template=1 head; /spec/workerGroupSpecs/0/template=4 gpu"},
      {"rayjob.owner",
       "/spec/rayClusterSpec/headGroupSpec/template=1 head; "
       "/spec/rayClusterSpec/workerGroupSpecs/0/template=2 gpu"},
      {"rayservice.owner",
       "/spec/rayClusterConfig/headGroupSpec/template=1 head; "
       "/spec/rayClusterConfig/workerGroupSpecs/0/template=2 small"},
      {"vcjob.owner", "/spec/tasks/0/template=1 master; /spec/tasks/1/template=2 worker"},
      // Known workloads that keep no pod template.
      {"trainjob.owner", "/spec/trainer=4 trainer"},
      {"inferenceservice.owner", "/spec/predictor=1 predictor; /spec/transformer=1 transformer"},
      {"llminferenceservice.owner", ""},
  };
  for (const Row& row : rows) {
    base::Arena arena;
    const Json request = request_of(row.review, arena);
    const std::string_view group = request["kind"]["group"].string_or_empty();
    const std::string_view kind = request["kind"]["kind"].string_or_empty();
    EXPECT_NE(find_owner_kind(group, kind), nullptr) << row.review;
    std::string seen;
    for (const TemplatePath& path : templates_of(group, kind, request["object"])) {
      if (!seen.empty()) seen += "; ";
      seen += path.pointer + "=" + std::to_string(pods_of_template(path, request["object"]));
      if (!path.role.empty()) seen += " " + path.role;
    }
    EXPECT_EQ(seen, row.expected) << row.review;
  }
}

TEST(Workload, CountsPodsOfOwnersByTheirRules) {
  struct Row {
    std::string why;
    std::string group;
    std::string kind;
    std::string object;
    std::string counts;
  };
  const std::vector<Row> rows = {
      {"a Job runs no more pods than it has left to complete", "batch", "Job",
       R"({"spec":{"parallelism":8,"completions":3,"template":{}}})", "3 "},
      {"a Job without numbers has one", "batch", "Job", R"({"spec":{"template":{}}})", "1 "},
      {"a Job without completions runs its parallelism", "batch", "Job",
       R"({"spec":{"parallelism":5,"template":{}}})", "5 "},
      {"a JobSet multiplies", "jobset.x-k8s.io", "JobSet",
       R"({"spec":{"replicatedJobs":[
         {"name":"a","replicas":2,"template":{"spec":{"parallelism":4,"template":{}}}},
         {"name":"b","template":{"spec":{"template":{}}}}]}})",
       "8 1 "},
      {"a group of an LWS without a leader template", "leaderworkerset.x-k8s.io", "LeaderWorkerSet",
       R"({"spec":{"replicas":3,"leaderWorkerTemplate":{"size":4,"workerTemplate":{}}}})", "4 "},
      {"a group of an LWS with a leader template", "leaderworkerset.x-k8s.io", "LeaderWorkerSet",
       R"({"spec":{"leaderWorkerTemplate":{"size":4,"leaderTemplate":{},"workerTemplate":{}}}})",
       "1 3 "},
      {"hosts of a Ray worker group", "ray.io", "RayCluster",
       R"({"spec":{"headGroupSpec":{"template":{}},
                   "workerGroupSpecs":[{"replicas":2,"numOfHosts":4,"template":{}}]}})",
       "1 8 "},
      {"the submitter of a RayJob", "ray.io", "RayJob",
       R"({"spec":{"rayClusterSpec":{},"submitterPodTemplate":{}}})", "1 "},
      {"Spark executors", "sparkoperator.k8s.io", "SparkApplication",
       R"({"spec":{"driver":{"template":{}},"executor":{"instances":6,"template":{}}}})", "1 6 "},
      {"a number that is none", "apps", "Deployment",
       R"({"spec":{"replicas":"many","template":{}}})", "1 "},
      {"a product that is too large", "jobset.x-k8s.io", "JobSet",
       R"({"spec":{"replicatedJobs":[{"replicas":9223372036854775807,
         "template":{"spec":{"parallelism":2,"template":{}}}}]}})",
       "9223372036854775807 "},
      {"negative numbers", "jobset.x-k8s.io", "JobSet",
       R"({"spec":{"replicatedJobs":[{"replicas":-3,"template":{"spec":{"template":{}}}}]}})",
       "0 "},
      {"wrong types", "kubeflow.org", "PyTorchJob",
       R"({"spec":{"pytorchReplicaSpecs":{"Worker":7,"Master":{"template":[]}}}})", ""},
      {"an unknown kind", "example.com", "Job", R"({"spec":{"template":{}}})", ""},
      {"a Pod", "", "Pod", R"({"spec":{"containers":[]}})", ""},
  };
  for (const Row& row : rows) {
    base::Arena arena;
    const Json object = parse_json(row.object, arena).value();
    std::string counts;
    for (const TemplatePath& path : templates_of(row.group, row.kind, object)) {
      counts += std::to_string(pods_of_template(path, object)) + " ";
    }
    EXPECT_EQ(counts, row.counts) << row.why;
  }
}

TEST(Workload, TellsLongLivedKinds) {
  EXPECT_TRUE(find_owner_kind("apps", "Deployment")->long_lived);
  EXPECT_TRUE(find_owner_kind("batch", "CronJob")->long_lived);
  EXPECT_FALSE(find_owner_kind("batch", "Job")->long_lived);
  EXPECT_FALSE(find_owner_kind("batch.volcano.sh", "Job")->long_lived);
  EXPECT_FALSE(find_owner_kind("kubeflow.org", "MPIJob")->long_lived);
  EXPECT_EQ(find_owner_kind("apps", "Job"), nullptr);
  EXPECT_EQ(find_owner_kind("", "Pod"), nullptr);
}

struct PodRow {
  std::string why;
  std::string pod;
  std::string expected;
};

TEST(Workload, FindsTheTopOwner) {
  const std::vector<PodRow> rows = {
      {"the launcher of an MPIJob is made by a Job",
       R"({"metadata":{"labels":{"training.kubeflow.org/job-name":"sim",
           "training.kubeflow.org/operator-name":"mpi-operator",
           "training.kubeflow.org/job-role":"launcher"},
         "ownerReferences":[{"kind":"Job","name":"sim-launcher","uid":"u","controller":true}]}})",
       "MPIJob/sim role=launcher mpi"},
      {"an unknown operator's pods belong to their controller",
       R"({"metadata":{"labels":{"training.kubeflow.org/job-name":"x",
           "training.kubeflow.org/operator-name":"other"},
         "ownerReferences":[{"kind":"OtherJob","name":"x","uid":"u","controller":true}]}})",
       "OtherJob/x uid"},
      {"a JobSet has its uid on the pod",
       R"({"metadata":{"labels":{"jobset.sigs.k8s.io/jobset-name":"mix",
           "jobset.sigs.k8s.io/jobset-uid":"u1",
           "jobset.sigs.k8s.io/replicatedjob-name":"workers"}}})",
       "JobSet/mix role=workers uid"},
      {"a RayCluster of its own",
       R"({"metadata":{"labels":{"ray.io/cluster":"c","ray.io/node-type":"worker",
           "ray.io/originated-from-crd":"RayCluster","ray.io/originated-from-cr-name":"c"},
         "ownerReferences":[{"kind":"RayCluster","name":"c","uid":"u","controller":true}]}})",
       "RayCluster/c role=worker uid ray"},
      {"a RayService",
       R"({"metadata":{"labels":{"ray.io/cluster":"s-raycluster-1","ray.io/node-type":"head",
           "ray.io/originated-from-crd":"RayService","ray.io/originated-from-cr-name":"s"}}})",
       "RayService/s role=head ray"},
      {"an LLMInferenceService over an LWS",
       R"({"metadata":{"labels":{"app.kubernetes.io/name":"qwen",
           "app.kubernetes.io/part-of":"llminferenceservice","llm-d.ai/role":"prefill",
           "leaderworkerset.sigs.k8s.io/name":"qwen-mn"},
         "annotations":{"leaderworkerset.sigs.k8s.io/size":"3"}}})",
       "LLMInferenceService/qwen role=prefill pods=3"},
      {"a Spark application of the operator",
       R"({"metadata":{"labels":{"sparkoperator.k8s.io/app-name":"etl","spark-role":"driver"}}})",
       "SparkApplication/etl role=driver spark"},
      {"a ReplicaSet that is no Deployment's",
       R"({"metadata":{"ownerReferences":[
           {"kind":"ReplicaSet","name":"alone","uid":"u","controller":true}]}})",
       "ReplicaSet/alone uid"},
      {"a hash that is not in the name",
       R"({"metadata":{"labels":{"pod-template-hash":"abc"},"ownerReferences":[
           {"kind":"ReplicaSet","name":"web-xyz","uid":"u","controller":true}]}})",
       "ReplicaSet/web-xyz uid"},
      {"a name that is nothing but the hash",
       R"({"metadata":{"labels":{"pod-template-hash":"abc"},"ownerReferences":[
           {"kind":"ReplicaSet","name":"-abc","uid":"u","controller":true}]}})",
       "ReplicaSet/-abc uid"},
      {"an Argo Rollout",
       R"({"metadata":{"labels":{"rollouts-pod-template-hash":"abc"},"ownerReferences":[
           {"kind":"ReplicaSet","name":"web-abc","uid":"u","controller":true}]}})",
       "Rollout/web"},
      {"a mirror pod belongs to itself",
       R"({"metadata":{"name":"etcd-a","uid":"u","ownerReferences":[
           {"kind":"Node","name":"a","uid":"n","controller":true}]}})",
       "Pod/etcd-a uid"},
      {"an owner that does not control",
       R"({"metadata":{"name":"p","ownerReferences":[{"kind":"Job","name":"j","uid":"u"}]}})",
       "Pod/p"},
      {"nothing at all", "{}", "Pod/"},
      {"wrong types", R"({"metadata":{"labels":7,"ownerReferences":["x"]},"spec":[]})", "Pod/"},
  };
  for (const PodRow& row : rows) {
    base::Arena arena;
    EXPECT_EQ(describe(pod_from(row.pod, arena)), row.expected) << row.why;
  }
}

TEST(Workload, CountsPodsOnlyWhereThePodTells) {
  const auto with_env = [](const std::string& variables, const std::string& labels = "") {
    return R"({"metadata":{"labels":{)" + labels + R"(}},"spec":{"containers":[{},{"env":[)" +
           variables + "]}]}}";
  };
  const auto variable = [](const std::string& name, const std::string& value) {
    return R"({"name":")" + name + R"(","value":")" + value + "\"}";
  };
  const std::string operator_label =
      R"("training.kubeflow.org/operator-name":"pytorchjob-controller")";
  struct Row {
    std::string why;
    std::string pod;
    std::int64_t expected;  // 0: nothing
  };
  const std::vector<Row> rows = {
      {"torchrun", with_env(variable("PET_NNODES", "16")), 16},
      {"an elastic job starts with the smaller number", with_env(variable("PET_NNODES", "2:4")), 2},
      {"no number", with_env(variable("PET_NNODES", "auto")), 0},
      {"a value from elsewhere", with_env(R"({"name":"PET_NNODES","valueFrom":{"fieldRef":{}}})"),
       0},
      {"processes alone tell no pods", with_env(variable("WORLD_SIZE", "8")), 0},
      {"processes in all and here",
       with_env(variable("WORLD_SIZE", "32") + "," + variable("LOCAL_WORLD_SIZE", "8")), 4},
      {"processes that do not divide",
       with_env(variable("WORLD_SIZE", "30") + "," + variable("LOCAL_WORLD_SIZE", "8")), 0},
      {"the training operator with one process a pod",
       with_env(variable("WORLD_SIZE", "4"), operator_label), 4},
      {"the training operator with several",
       with_env(variable("WORLD_SIZE", "32") + "," + variable("PET_NPROC_PER_NODE", "8"),
                operator_label),
       4},
      {"the training operator with a number that torchrun finds out",
       with_env(variable("WORLD_SIZE", "32") + "," + variable("PET_NPROC_PER_NODE", "auto"),
                operator_label),
       0},
      {"a JAXJob",
       with_env(variable("NUM_PROCESSES", "6"),
                R"("training.kubeflow.org/operator-name":"jaxjob-controller")"),
       6},
      {"a variable of that name elsewhere", with_env(variable("NUM_PROCESSES", "6")), 0},
      {"Paddle", with_env(variable("PADDLE_NNODES", "3")), 3},
      {"TensorFlow",
       with_env(variable("TF_CONFIG",
                         R"({\"cluster\":{\"worker\":[\"a:1\",\"b:1\"],\"ps\":[\"c:1\"]}})")),
       3},
      {"TensorFlow, broken", with_env(variable("TF_CONFIG", "{")), 0},
      {"stages of a multi-node predictor",
       with_env(variable("PIPELINE_PARALLEL_SIZE", "2"), R"("multinode/role":"head")"), 2},
      {"stages elsewhere", with_env(variable("PIPELINE_PARALLEL_SIZE", "2")), 0},
      {"LWS", R"({"metadata":{"annotations":{"leaderworkerset.sigs.k8s.io/size":"4"}}})", 4},
      {"Kueue", R"({"metadata":{"annotations":{"kueue.x-k8s.io/pod-group-total-count":"12"}}})",
       12},
      {"Koordinator, all before the least",
       R"({"metadata":{"annotations":{"gang.scheduling.koordinator.sh/min-available":"3",
           "gang.scheduling.koordinator.sh/total-number":"5"}}})",
       5},
      {"YuniKorn, all task groups",
       R"({"metadata":{"annotations":{"yunikorn.apache.org/task-groups":
           "[{\"name\":\"a\",\"minMember\":1},{\"name\":\"b\",\"minMember\":4}]"}}})",
       5},
      {"YuniKorn, broken",
       R"({"metadata":{"annotations":{"yunikorn.apache.org/task-groups":"[{\"name\":\"a\"}]"}}})",
       0},
      {"zero is no size",
       R"({"metadata":{"annotations":{"leaderworkerset.sigs.k8s.io/size":"0"}}})", 0},
      {"nor is a negative one", with_env(variable("PET_NNODES", "-2")), 0},
      {"nor one that does not fit", with_env(variable("PET_NNODES", "99999999999999999999")), 0},
      {"Jobs of a JobSet are no pods",
       R"({"metadata":{"labels":{"jobset.sigs.k8s.io/jobset-name":"m",
           "jobset.sigs.k8s.io/global-replicas":"4"}}})",
       0},
  };
  for (const Row& row : rows) {
    base::Arena arena;
    EXPECT_EQ(pods_of(pod_from(row.pod, arena)).value_or(0), row.expected) << row.why;
  }
}

TEST(Workload, RecognisesFrameworks) {
  struct Row {
    std::string why;
    std::string container;  // members of the container
    std::string expected;
  };
  const std::vector<Row> rows = {
      {"a module", R"("command":["python3","-m","vllm.entrypoints.openai.api_server"])", "vllm"},
      {"a program by path", R"("command":["/opt/venv/bin/sglang"])", "sglang"},
      {"inside a script", R"("command":["sh","-c","set -e; exec torchrun train.py"])", "pytorch"},
      {"arguments count, too", R"("args":["text-generation-launcher","--port","80"])", "tgi"},
      {"an engine in the image beats a launcher in the command",
       R"("image":"r.io/serve/vllm:0.12","command":["sh","-c","ray start --block"])", "vllm"},
      {"a launcher in the command beats the image",
       R"("image":"r.io/pytorch/pytorch:2","command":["deepspeed","train.py"])", "deepspeed"},
      {"a model path names nothing", R"("command":["serve","/models/vllm"])", ""},
      {"an option names nothing", R"("args":["--vllm-port=8200","--backend=ray"])", ""},
      {"a longer word names nothing", R"("command":["raytracer"],"image":"r.io/arrays/x")", ""},
      {"the registry host names nothing", R"("image":"vllm.example.com/team/app:1")", ""},
      {"the tag names nothing", R"("image":"r.io/nvidia/tritonserver:24.05-vllm")", "triton"},
      {"a digest", R"("image":"vllm/vllm-openai@sha256:00ff")", "vllm"},
      {"a registry with a port", R"("image":"localhost:5000/tensorflow:2")", "tensorflow"},
      {"words of an image name", R"("image":"r.io/hf/text-generation-inference:3")", "tgi"},
      {"the narrower framework", R"("image":"r.io/x/pytorch-deepspeed:1")", "deepspeed"},
      {"a cluster specification", R"("env":[{"name":"TF_CONFIG","value":"{}"}])", "tensorflow"},
      {"tuning says nothing", R"("env":[{"name":"TORCH_NCCL_ASYNC_ERROR_HANDLING","value":"1"}])",
       ""},
      {"nothing", R"("image":"r.io/team/app:1")", ""},
  };
  for (const Row& row : rows) {
    base::Arena arena;
    const Pod pod = pod_from(R"({"spec":{"containers":[{)" + row.container + "}]}}", arena);
    EXPECT_EQ(framework_of(pod, top_owner(pod)), row.expected) << row.why;
  }
  base::Arena arena;
  const Pod router = pod_from(R"({"metadata":{"labels":{"llm-d.ai/engine-type":"sglang"}},
    "spec":{"containers":[],"initContainers":[{"command":["vllm"]}]}})",
                              arena);
  EXPECT_EQ(framework_of(router, top_owner(router)), "sglang");
}

}  // namespace
}  // namespace berth::kube
