// Kinds that keep no pod template: InferenceService and TrainJob.
#include "tests/webhook/gang_fixture.h"

namespace berth::webhook {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string rules_of(const std::string& lines) {
  return "apiVersion: berth.dev/v1alpha1\nkind: RuleSet\nmetadata: {name: t}\nrules:\n" + lines;
}

constexpr const char* kMigNode =
    "{apiVersion: v1, kind: Node, metadata: {name: m, labels: {kubernetes.io/hostname: m, "
    "nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB, nvidia.com/mig.strategy: mixed}}, status: "
    "{conditions: [{type: Ready, status: 'True'}], allocatable: {nvidia.com/mig-1g.10gb: '8', cpu: "
    "'64', memory: 512Gi, pods: '110'}}}";

std::string service(const std::string& spec, const std::string& metadata = {}) {
  return "{apiVersion: serving.kserve.io/v1beta1, kind: InferenceService, metadata: {name: llama, "
         "namespace: team-nlp, labels: {berth.dev/intent: inference}" +
         metadata + "}, spec: {" + spec + "}}";
}

const std::string kModel =
    "model: {modelFormat: {name: huggingface}, storageUri: 'hf://x', resources: {limits: "
    "{nvidia.com/gpu: '1'}, requests: {nvidia.com/gpu: '1'}}}";

GangWorld run_with(const std::string& rules, const std::string& object,
                   std::vector<std::string> cluster = {}) {
  GangRun run;
  run.object = object;
  run.cluster = std::move(cluster);
  run.rules = rules_of(rules);
  return GangWorld(run);
}

TEST(BareTemplate, AModelOfAnInferenceServiceIsAContainer) {
  const GangWorld run = run_with(
      "- name: slice\n  match: {intent: inference, gpus: 1}\n  then: {gpu: {share: mig, profile: "
      "1g.10gb}, env: {A: b}, shm: 1Gi, tolerate: nvidia.com/gpu, runtimeClass: nvidia, labels: "
      "{tier: gold}}\n",
      service("predictor: {minReplicas: 1, " + kModel + "}"), {kMigNode});
  EXPECT_EQ(run.outcome(), Outcome::kPatched);
  EXPECT_EQ(
      run.at("/spec/predictor/model/resources"),
      R"({"limits":{"nvidia.com/mig-1g.10gb":"1"},"requests":{"nvidia.com/mig-1g.10gb":"1"}})");
  EXPECT_EQ(run.at("/spec/predictor/model/env"), R"([{"name":"A","value":"b"}])");
  EXPECT_EQ(run.at("/spec/predictor/model/name"), "absent");
  EXPECT_EQ(run.at("/spec/predictor/model/volumeMounts/0/mountPath"), "/dev/shm");
  EXPECT_EQ(run.at("/spec/predictor/volumes/0/emptyDir/medium"), "Memory");
  EXPECT_EQ(run.at("/spec/predictor/tolerations/0/key"), "nvidia.com/gpu");
  EXPECT_EQ(run.at("/spec/predictor/runtimeClassName"), "nvidia");
  EXPECT_EQ(run.at("/spec/predictor/labels/tier"), "gold");
  EXPECT_EQ(run.at("/spec/predictor/annotations/berth.dev~1rules"), "t/slice");
  EXPECT_EQ(run.at("/spec/predictor/minReplicas"), "1");
  EXPECT_EQ(run.at("/spec/predictor/spec"), "absent");
  EXPECT_EQ(run.at("/spec/predictor/metadata"), "absent");
}

TEST(BareTemplate, EachComponentIsDecidedForItself) {
  const std::string container =
      "containers: [{name: kserve-container, image: 'a:1', resources: {limits: {nvidia.com/gpu: "
      "'2'}}}, "
      "{name: helper, image: 'b:1'}]";
  const GangWorld run = run_with(
      "- name: gpus\n  match: {intent: inference, gpus: '>=1'}\n  then: {env: {A: b}, tolerate: "
      "x}\n",
      service("predictor: {" + container +
              ", tolerations: [{key: y, operator: Exists}], workerSpec: "
              "{pipelineParallelSize: 2, containers: [{name: worker-container, image: 'a:1', "
              "resources: {limits: {nvidia.com/gpu: '2'}}}]}}, transformer: {containers: [{name: "
              "kserve-container, image: 'c:1'}]}, explainer: {art: {type: SquareAttack, resources: "
              "{limits: {nvidia.com/gpu: '1'}}}}"));
  EXPECT_EQ(run.at("/spec/predictor/containers/0/env"), R"([{"name":"A","value":"b"}])");
  EXPECT_EQ(run.at("/spec/predictor/containers/1/env"), "absent");
  EXPECT_EQ(run.at("/spec/predictor/tolerations/1/key"), "x");
  EXPECT_EQ(run.at("/spec/predictor/workerSpec/containers/0/env/0/name"), "A");
  EXPECT_EQ(run.at("/spec/predictor/workerSpec/tolerations/0/key"), "x");
  EXPECT_EQ(run.at("/spec/predictor/workerSpec/metadata"), "absent");
  EXPECT_EQ(run.at("/spec/predictor/workerSpec/annotations"), "absent");
  EXPECT_EQ(run.at("/spec/transformer/tolerations"), "absent") << "asks for no GPU";
  EXPECT_EQ(run.at("/spec/explainer/art/env/0/name"), "A");
}

TEST(BareTemplate, AModelStandsBesideContainersOfItsOwn) {
  const GangWorld run = run_with(
      "- name: all\n  match: {intent: inference, gpus: '>=0'}\n  then: {containers: all, env: {A: "
      "b}}\n",
      service("predictor: {" + kModel + ", containers: [{name: agent, image: 'b:1'}]}"));
  EXPECT_EQ(run.at("/spec/predictor/model/env/0/name"), "A");
  EXPECT_EQ(run.at("/spec/predictor/containers/0/env/0/name"), "A");
  EXPECT_EQ(run.at("/spec/predictor/containers/1"), "absent");
}

TEST(BareTemplate, AnInferenceServiceThatNoRuleChangesStaysAsItIs) {
  const GangWorld run = run_with("- name: t\n  match: {intent: training}\n  then: {env: {A: b}}\n",
                                 service("predictor: {" + kModel + "}"));
  EXPECT_EQ(run.outcome(), Outcome::kUnchanged);
  for (const std::string spec : {"", "predictor: 7", "predictor: {model: []}", "predictor: {}"}) {
    const GangWorld odd = run_with(
        "- name: t\n  match: {intent: inference, gpus: '>=0'}\n  then: "
        "{env: {A: b}}\n",
        service(spec));
    EXPECT_NE(odd.outcome(), Outcome::kFailedSafe) << spec;
  }
}

TEST(BareTemplate, ADenialOfAPredictorIsOneOfTheService) {
  const GangWorld run = run_with("- name: t\n  match: {intent: inference}\n  then: {deny: no}\n",
                                 service("predictor: {" + kModel + "}"));
  EXPECT_EQ(run.outcome(), Outcome::kDenied);
}

// ---------------------------------------------------------------- TrainJob

std::string train_job(const std::string& trainer) {
  return "{apiVersion: trainer.kubeflow.org/v1alpha1, kind: TrainJob, metadata: {name: train, "
         "namespace: team-nlp, labels: {berth.dev/intent: training}}, spec: {runtimeRef: {name: "
         "torch}, "
         "trainer: {" +
         trainer + "}}}";
}

const std::string kNodes =
    "numNodes: 4, resourcesPerNode: {limits: {nvidia.com/gpu: '8'}, requests: {nvidia.com/gpu: "
    "'8'}}";

TEST(BareTemplate, ATrainJobCarriesItsQueue) {
  const GangWorld run = run_with(
      "- name: q\n  match: {intent: training}\n  then: {gang: {backend: kueue}, queue: "
      "team-nlp, tolerate: x, priorityClass: p, placement: {require: rack}}\n",
      train_job(kNodes), {kLocalQueue, node_in("a", "r1"), node_in("b", "r1")});
  EXPECT_EQ(run.at("/metadata/labels/kueue.x-k8s.io~1queue-name"), "team-nlp");
  EXPECT_NE(run.at("/metadata/annotations/berth.dev~1decision"), "absent");
  // Its runtime has the template: the pods get the rest at their own door.
  EXPECT_EQ(run.at("/spec/trainer"), kube::to_json(run.before()["spec"]["trainer"]));
  EXPECT_EQ(run.at("/spec/runtimePatches"), "absent");
}

TEST(BareTemplate, ATrainJobAsksForSlicesItself) {
  const GangWorld run = run_with(
      "- name: slice\n  match: {intent: training, gpus: 1}\n  then: {gpu: {share: mig, profile: "
      "1g.10gb}}\n",
      train_job(
          "resourcesPerNode: {limits: {nvidia.com/gpu: '1'}, requests: {nvidia.com/gpu: '1'}}"),
      {kMigNode});
  EXPECT_EQ(run.at("/spec/trainer/resourcesPerNode/limits"), R"({"nvidia.com/mig-1g.10gb":"1"})");
  EXPECT_EQ(run.at("/spec/trainer/resourcesPerNode/requests"), R"({"nvidia.com/mig-1g.10gb":"1"})");
}

TEST(BareTemplate, ATrainJobForItsPodsOnlyStaysAsItIs) {
  const GangWorld run = run_with(
      "- name: t\n  match: {intent: training}\n  then: {tolerate: x, runtimeClass: nvidia}\n",
      train_job(kNodes));
  EXPECT_EQ(run.outcome(), Outcome::kUnchanged);
  EXPECT_EQ(run.at("/metadata/annotations"), "absent");
}

// Gang keys of the runtime show on its pods only.
TEST(BareTemplate, GangsOfATrainJobAreSetUpAtItsPods) {
  for (const std::string backend : {"volcano", "coscheduling", "kai", "native"}) {
    const GangWorld run = run_with(
        "- name: t\n  match: {intent: training}\n  then: {gang: {backend: " + backend + "}}\n",
        train_job(kNodes));
    EXPECT_EQ(run.outcome(), Outcome::kUnchanged) << backend;
    EXPECT_EQ(run.warnings(), "") << backend;
  }
  const GangWorld queue = run_with(
      "- name: t\n  match: {intent: training}\n  then: {gang: {backend: volcano}, queue: q}\n",
      train_job(kNodes));
  EXPECT_EQ(queue.at("/metadata/annotations/scheduling.volcano.sh~1queue-name"), "q");
  // A pod with the keys that Trainer writes for the podGroupPolicy of the runtime.
  const std::string pod =
      std::string(
          "{apiVersion: v1, kind: Pod, metadata: {generateName: train-node-0-, namespace: "
          "team-nlp, labels: {berth.dev/intent: training, jobset.sigs.k8s.io/jobset-name: "
          "train, jobset.sigs.k8s.io/jobset-uid: u-3, "
          "trainer.kubeflow.org/trainjob-ancestor-step: trainer, "
          "scheduling.x-k8s.io/pod-group: train}, ownerReferences: [{apiVersion: batch/v1, kind: "
          "Job, name: train-node-0, uid: u-4, controller: true}]}, spec: ") +
      kGpuPod + "}";
  const GangWorld kept = run_with(
      "- name: t\n  match: {intent: training}\n  then: {gang: {backend: volcano, size: 4}}\n", pod);
  EXPECT_EQ(kept.outcome(), Outcome::kUnchanged);
  EXPECT_TRUE(has(kept.kept(), "pod-group stays train, not volcano")) << kept.kept();
}

TEST(BareTemplate, NodesOfATrainJobThatItsRuntimeCountsAreUnknown) {
  const GangWorld run = run_with(
      "- name: t\n  match: {intent: training}\n  when: workload.pods == 4\n  then: {labels: {a: "
      "b}, "
      "queue: team-nlp}\n",
      train_job("resourcesPerNode: {limits: {nvidia.com/gpu: '8'}}"), {kLocalQueue});
  EXPECT_EQ(run.outcome(), Outcome::kUnchanged);
  const GangWorld four = run_with(
      "- name: t\n  match: {intent: training}\n  when: workload.pods == 4 && workload.totalGpus == "
      "32\n  then: {queue: team-nlp}\n",
      train_job(kNodes), {kLocalQueue});
  EXPECT_EQ(four.outcome(), Outcome::kPatched);
}

}  // namespace
}  // namespace berth::webhook
