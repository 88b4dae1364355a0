#include "rules/facts.h"

#include "fixtures.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::json_of;

class FactsOf : public ::testing::Test {
 protected:
  Facts observed(const Subject& subject, const topology::Snapshot& cluster,
                 std::string_view namespace_name = "team-nlp") {
    ObserveOptions options;
    options.arena = &arena_;
    subject_ = subject;
    return observe(subject_, testing::request_in(namespace_name), cluster, options);
  }
  Facts of_pod(std::string_view yaml) {
    return observed(testing::pod_subject(json_of(yaml, arena_)), *nothing_);
  }
  static std::vector<std::string> texts(const Facts& facts) {
    std::vector<std::string> out;
    for (const Finding& finding : facts.findings) out.push_back(finding.text);
    return out;
  }

  base::Arena arena_;
  Subject subject_;
  testing::Cluster nothing_ = testing::nothing_known();
};

// ------------------------------------------------------------------ pods of real shapes

struct PodCase {
  const char* file;
  const char* kind;
  const char* name;
  std::int64_t gpus;
  std::int64_t pods;
  const char* intent;
  const char* vendor;
};

const PodCase kPods[] = {
    {"02-pytorchjob-worker", "PyTorchJob", "asr-pretrain", 8, 4, "training", "nvidia"},
    {"04-trainjob-node", "TrainJob", "llm-sft", 8, 16, "training", "nvidia"},
    {"07-mpijob-worker", "MPIJob", "cfd-allreduce", 8, 1, "training", "nvidia"},
    {"08-ray-head", "RayJob", "tune-grid", 0, 1, "training", ""},
    {"10-ray-submitter", "RayJob", "tune-grid", 0, 1, "training", ""},
    {"11-volcano-vcjob-worker", "Job", "seg-train", 2, 1, "training", "nvidia"},
    {"13-plain-job-finetune", "Job", "lora-ft", 2, 1, "", "nvidia"},
    {"16-computedomain-mpi-worker", "MPIJob", "nvl-bench", 4, 1, "training", "nvidia"},
    {"17-bare-debug-pod", "Pod", "gpu-shell", 1, 1, "", "nvidia"},
    {"18-argo-workflow-step", "Workflow", "feature-pipeline-8kq2d", 1, 1, "batch", "nvidia"},
    {"19-slinky-slurm-nodeset", "NodeSet", "slurm-worker-h100", 8, 1, "", "nvidia"},
    {"20-spark-rapids-executor", "Pod", "etl-gpu-driver", 1, 1, "data-prep", "nvidia"},
    {"21-vllm-deployment-tp2", "Deployment", "chat-large", 2, 1, "inference", "nvidia"},
    {"24-kserve-raw-proxy-first", "InferenceService", "fraud", 1, 1, "inference", "nvidia"},
    {"25-kserve-transformer-cpu", "InferenceService", "fraud", 0, 1, "inference", ""},
    {"26-kserve-multinode-worker", "InferenceService", "big", 4, 2, "inference", "nvidia"},
    {"30-nim-service", "NIMService", "nim-table-structure", 1, 1, "inference", "nvidia"},
    {"31-llmd-decode", "Deployment", "pd-qwen-decode", 1, 1, "inference", "nvidia"},
    {"33-ollama-statefulset", "StatefulSet", "ollama", 1, 1, "inference", "nvidia"},
    {"38-lws-vllm-leader", "LeaderWorkerSet", "frontier", 8, 2, "inference", "nvidia"},
    {"39-lws-vllm-worker", "LeaderWorkerSet", "frontier", 8, 2, "inference", "nvidia"},
    {"40-amd-vllm", "Deployment", "chat-mi300", 8, 1, "inference", "amd"},
    {"42-kubeflow-notebook", "Notebook", "nlp-lab", 4, 1, "interactive", "nvidia"},
    {"43-hub-gpu-placeholder", "StatefulSet", "user-placeholder-gpu", 1, 1, "", "nvidia"},
    {"46-dcgm-exporter-ds", "DaemonSet", "nvidia-dcgm-exporter", 0, 1, "", ""},
    {"48-device-plugin-validator", "ClusterPolicy", "cluster-policy", 1, 1, "", "nvidia"},
    {"50-kai-reservation-pod", "Pod", "gpu-reservation-l40s-1-hspw5", 1, 1, "", "nvidia"},
    {"52-yunikorn-placeholder", "Pod", "tg-train-app-7-workers-tx9swjknln", 4, 1, "", "nvidia"},
};

TEST_F(FactsOf, PodsOfRealShapes) {
  for (const PodCase& row : kPods) {
    const std::string path = std::string("tests/data/cases/pods/") + row.file + ".yaml";
    const Facts facts = of_pod(testing::file_text(path));
    EXPECT_EQ(facts.kind, row.kind) << row.file;
    EXPECT_EQ(facts.name, row.name) << row.file;
    EXPECT_EQ(facts.gpus, row.gpus) << row.file;
    EXPECT_EQ(facts.pods, row.pods) << row.file;
    EXPECT_EQ(facts.total_gpus, row.gpus * row.pods) << row.file;
    EXPECT_EQ(facts.intent, row.intent) << row.file;
    EXPECT_EQ(facts.vendor, row.vendor) << row.file;
    EXPECT_EQ(facts.wants_gpu, row.gpus > 0) << row.file;
    EXPECT_THAT(texts(facts), IsEmpty()) << row.file;
    EXPECT_EQ(facts.daemon, row.kind == std::string("DaemonSet")) << row.file;
    EXPECT_EQ(!facts.hands_off.empty(),
              std::string_view(row.file).find("placeholder") != std::string_view::npos)
        << row.file;
  }
}

// ------------------------------------------------------------------ intent keys

std::string pod_with(std::string_view labels, std::string_view annotations) {
  return "{metadata: {labels: {" + std::string(labels) + "}, annotations: {" +
         std::string(annotations) +
         "}}, spec: {containers: [{name: main, resources: {limits: {nvidia.com/gpu: 1}}}]}}";
}

struct MemoryCase {
  const char* text;  // as YAML
  const char* memory;
  const char* finding;
};

const MemoryCase kMemories[] = {
    {"9Gi", "9Gi", ""},
    {"9.5Gi", "9728Mi", ""},
    {"10G", "9765625Ki", ""},
    {"'9728'", "9728", "berth.dev/gpu-memory: '9728' is a number of bytes; did you mean '9728Mi'?"},
    {"'9.5 Gi'", "0",
     "berth.dev/gpu-memory: cannot read '9.5 Gi'; expected a quantity such as 18Gi; the key is "
     "ignored"},
    {"9500MB", "0",
     "berth.dev/gpu-memory: cannot read '9500MB'; expected a quantity such as 18Gi; the key is "
     "ignored"},
    {"'-4Gi'", "0",
     "berth.dev/gpu-memory: cannot read '-4Gi'; expected a quantity such as 18Gi; the key is "
     "ignored"},
    {"'9,5Gi'", "0",
     "berth.dev/gpu-memory: cannot read '9,5Gi'; expected a quantity such as 18Gi; the key is "
     "ignored"},
    {"''", "0",
     "berth.dev/gpu-memory: cannot read ''; expected a quantity such as 18Gi; the key is ignored"},
    {"9728", "0", "berth.dev/gpu-memory: expected a text, found a number; put it in quotes"},
};

TEST_F(FactsOf, MemoryIsNeverGuessed) {
  for (const MemoryCase& row : kMemories) {
    const Facts facts = of_pod(pod_with("", std::string("berth.dev/gpu-memory: ") + row.text));
    EXPECT_EQ(facts.gpu_memory.to_text(kube::Quantity::Form::kBinary), row.memory) << row.text;
    if (*row.finding == '\0') {
      EXPECT_THAT(texts(facts), IsEmpty()) << row.text;
    } else {
      EXPECT_THAT(texts(facts), ElementsAre(row.finding)) << row.text;
    }
  }
}

TEST_F(FactsOf, TheAnnotationWinsOverTheLabel) {
  const Facts facts = of_pod(pod_with("berth.dev/intent: training", "berth.dev/intent: inference"));
  EXPECT_EQ(facts.intent, "inference");
  EXPECT_THAT(texts(facts),
              ElementsAre("berth.dev/intent: the label says 'training', the annotation "
                          "'inference'; the annotation counts"));
}

TEST_F(FactsOf, WordsThatCannotBeReadAreNamedWithWhatWasExpected) {
  const Facts facts =
      of_pod(pod_with("berth.dev/sharing: half, berth.dev/gpu-product: H1000, "
                      "berth.dev/gang-size: '0', berth.dev/colocate: shelf",
                      ""));
  EXPECT_EQ(facts.sharing, "");
  EXPECT_EQ(facts.gpu_product, "");
  EXPECT_FALSE(facts.pods_known);
  const auto found = texts(facts);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_THAT(found[0], HasSubstr("gpu-product: cannot read 'H1000'"));
  EXPECT_THAT(found[1], HasSubstr("sharing: cannot read 'half'; expected exclusive, mig, mps"));
  EXPECT_THAT(found[2], HasSubstr("gang-size: cannot read '0'; expected a number of pods"));
  EXPECT_THAT(found[3], HasSubstr("colocate: cannot read 'shelf'"));
}

TEST_F(FactsOf, AStatedGangSizeCounts) {
  const Facts facts = of_pod(pod_with("berth.dev/gang-size: '6'", ""));
  EXPECT_TRUE(facts.pods_known);
  EXPECT_EQ(facts.pods, 6);
  EXPECT_EQ(facts.total_gpus, 6);
}

// ------------------------------------------------------------------ GPUs

struct CountCase {
  const char* resources;
  std::int64_t gpus;
  bool shared;
  bool wants_gpu;
  const char* finding;  // part of one
};

const CountCase kCounts[] = {
    {"limits: {nvidia.com/gpu: '1000m'}", 1, false, true, ""},
    {"limits: {nvidia.com/gpu: 0.008k}", 8, false, true, ""},
    {"limits: {nvidia.com/gpu: 1Ki}", 1024, false, true, ""},
    {"limits: {nvidia.com/gpu: '0'}", 0, false, false, ""},
    {"limits: {nvidia.com/mig-1g.10gb: 2}", 0, true, true, ""},
    {"limits: {nvidia.com/gpu.shared: 1}", 0, true, true, ""},
    {"limits: {huawei.com/Ascend910: 8}", 8, false, true, ""},
    {"limits: {deviceclass.resource.kubernetes.io/gpu.nvidia.com: 1}", 1, false, true, ""},
    {"limits: {deviceclass.resource.kubernetes.io/mig.nvidia.com: 1}", 0, true, true, ""},
    {"limits: {deviceclass.resource.kubernetes.io/nic.example.com: 1}", 0, false, false, ""},
    {"limits: {cpu: 4}", 0, false, false, ""},
    {"limits: {nvidia.com/gpu: '1.5'}", 0, false, false,
     "container main asks for '1.5' of nvidia.com/gpu; expected a whole number"},
    {"limits: {nvidia.com/gpu: abc}", 0, false, false,
     "spec.containers[0].resources.limits[\"nvidia.com/gpu\"]: 'abc' is no quantity"},
    {"limits: {nvidia.com/gpu: '1 '}", 0, false, false, "'1 ' is no quantity"},
    {"limits: {cpu: lots}", 0, false, false, "spec.containers[0].resources.limits.cpu: 'lots'"},
};

TEST_F(FactsOf, CountsGpusInEveryForm) {
  for (const CountCase& row : kCounts) {
    const Facts facts = of_pod(std::string("{spec: {containers: [{name: main, resources: {") +
                               row.resources + "}}]}}");
    EXPECT_EQ(facts.gpus, row.gpus) << row.resources;
    EXPECT_EQ(facts.shared, row.shared) << row.resources;
    EXPECT_EQ(facts.wants_gpu, row.wants_gpu) << row.resources;
    if (*row.finding == '\0') {
      EXPECT_THAT(texts(facts), IsEmpty()) << row.resources;
    } else {
      EXPECT_THAT(texts(facts), ElementsAre(HasSubstr(row.finding))) << row.resources;
    }
  }
}

TEST_F(FactsOf, HugeCountsDoNotOverflow) {
  const Facts facts = of_pod(
      "{metadata: {labels: {berth.dev/gang-size: '1000000'}}, spec: {containers: [{name: a, "
      "resources: {limits: {nvidia.com/gpu: 9E}}}, {name: b, resources: {limits: "
      "{nvidia.com/gpu: 9E}}}]}}");
  EXPECT_GT(facts.gpus, 0);
  EXPECT_EQ(facts.total_gpus, INT64_MAX);
}

TEST_F(FactsOf, ClaimsCountWhereTheirTemplateIsKnown) {
  constexpr std::string_view kPod =
      "{spec: {containers: [{name: main, resources: {claims: [{name: gpus}]}}], resourceClaims: "
      "[{name: gpus, resourceClaimTemplateName: two}]}}";
  EXPECT_FALSE(of_pod(kPod).wants_gpu);
  const auto cluster = testing::cluster_of(
      {"{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: two, "
       "namespace: team-nlp}, spec: {spec: {devices: {requests: [{name: gpu, exactly: "
       "{deviceClassName: gpu.nvidia.com, count: 2}}]}}}}"});
  const Facts facts = observed(testing::pod_subject(json_of(kPod, arena_)), *cluster);
  EXPECT_TRUE(facts.wants_gpu);
  EXPECT_EQ(facts.gpus, 2);
  EXPECT_EQ(facts.vendor, "nvidia");
}

// ------------------------------------------------------------------ owners

TEST_F(FactsOf, ThePodsOfAnOwnerAreCountedAtBothDoors) {
  constexpr std::string_view kJob =
      "{apiVersion: batch/v1, kind: Job, metadata: {name: train, namespace: team-nlp, uid: u-1, "
      "labels: {berth.dev/intent: training}}, spec: {parallelism: 8, completions: 8, template: "
      "{spec: {containers: [{name: main, resources: {limits: {nvidia.com/gpu: 2}}}]}}}}";
  const Facts owner = observed(testing::owner_subject(json_of(kJob, arena_)), *nothing_);
  EXPECT_EQ(owner.kind, "Job");
  EXPECT_EQ(owner.name, "train");
  EXPECT_EQ(owner.pods, 8);
  EXPECT_EQ(owner.total_gpus, 16);
  EXPECT_EQ(owner.intent, "training");
  EXPECT_EQ(owner.labels["berth.dev/intent"].string_or_empty(), "training");

  const auto cluster = testing::cluster_of({std::string(kJob)});
  const Facts pod = observed(
      testing::pod_subject(json_of(
          "{metadata: {generateName: train-, ownerReferences: [{apiVersion: batch/v1, kind: Job, "
          "name: train, uid: u-1, controller: true}]}, spec: {containers: [{name: main, "
          "resources: {limits: {nvidia.com/gpu: 2}}}]}}",
          arena_)),
      *cluster);
  EXPECT_EQ(pod.pods, 8);
  EXPECT_TRUE(pod.pods_known);
  EXPECT_EQ(pod.intent, "");
  EXPECT_THAT(texts(pod), ElementsAre("berth.dev/intent is on Job train, not on its pod template: "
                                      "it does not count"));
}

TEST_F(FactsOf, ALongLivedOwnerIsNoGang) {
  const Facts facts = observed(
      testing::owner_subject(json_of(
          "{apiVersion: apps/v1, kind: Deployment, metadata: {name: serve}, spec: {replicas: 5, "
          "template: {spec: {containers: [{name: main, resources: {limits: {nvidia.com/gpu: "
          "1}}}]}}}}",
          arena_)),
      *nothing_);
  EXPECT_EQ(facts.pods, 1);
  EXPECT_FALSE(facts.pods_known);
}

TEST_F(FactsOf, OwnersAreFollowedAsFarAsTheClusterKnowsThem) {
  const auto cluster = testing::cluster_of(
      {"{apiVersion: v1, kind: List, items: [{apiVersion: apps/v1, kind: ReplicaSet, metadata: "
       "{name: serve-abc, namespace: team-nlp, uid: r, ownerReferences: [{apiVersion: apps/v1, "
       "kind: Deployment, name: serve, uid: d, controller: true}]}}, {apiVersion: apps/v1, kind: "
       "Deployment, metadata: {name: serve, namespace: team-nlp, uid: d, ownerReferences: "
       "[{apiVersion: example.com/v1, kind: ModelServer, name: m, uid: m-1, controller: "
       "true}]}}]}"});
  const Facts facts = observed(
      testing::pod_subject(json_of(
          "{metadata: {name: serve-abc-1, ownerReferences: [{apiVersion: apps/v1, kind: "
          "ReplicaSet, name: serve-abc, uid: r, controller: true}]}, spec: {containers: []}}",
          arena_)),
      *cluster);
  EXPECT_EQ(facts.kind, "ModelServer");
  EXPECT_EQ(facts.name, "m");
  EXPECT_EQ(facts.uid, "m-1");
}

TEST_F(FactsOf, TheNamespaceOfTheRequestIsTheTruth) {
  const Subject subject = testing::pod_subject(
      json_of("{metadata: {namespace: shop}, spec: {containers: []}}", arena_));
  EXPECT_EQ(observed(subject, *nothing_, "team-nlp").namespace_name, "team-nlp");
  EXPECT_EQ(observed(subject, *nothing_, "").namespace_name, "shop");
}

TEST_F(FactsOf, WrongTypesReadAsAbsent) {
  for (const char* yaml :
       {"{}", "[]", "{metadata: 7, spec: []}", "{spec: {containers: {a: b}, nodeName: 4}}",
        "{metadata: {labels: [1], annotations: x, ownerReferences: y}, spec: {resourceClaims: {}}}",
        "{spec: {containers: [7, null, {resources: {limits: [1]}}]}}"}) {
    const Facts facts = of_pod(yaml);
    EXPECT_EQ(facts.gpus, 0) << yaml;
    EXPECT_EQ(facts.kind, "Pod") << yaml;
  }
}

}  // namespace
}  // namespace berth::rules
