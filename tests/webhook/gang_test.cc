// Gangs: what is written for each backend, and every row of the catalogue of failures.
#include "tests/webhook/gang_fixture.h"

namespace berth::webhook {
namespace {

using topology::GangOperator;
using topology::GangSystem;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

topology::StatedServices with_companion() {
  topology::StatedServices out;
  out.companion = true;
  return out;
}

const std::string kTemplate = "/spec/template/metadata/annotations/";
const std::string kOwner = "/metadata/annotations/";
const std::string kWorkerScheduler =
    "/spec/pytorchReplicaSpecs/Worker/template/spec/schedulerName";

// ---------------------------------------------------------------- Kueue

TEST(Gang, KueueTakesTheOnlyQueueAndTheLevel) {
  const GangWorld run({"gang: {backend: kueue}, placement: {require: rack}", job_of(2),
                       {kLocalQueue, node_in("a", "r1"), node_in("b", "r1")}});
  EXPECT_EQ(run.at("/metadata/labels/kueue.x-k8s.io~1queue-name"), "team-nlp");
  EXPECT_EQ(run.at(kTemplate + "kueue.x-k8s.io~1podset-required-topology"),
            "topology.kubernetes.io/rack");
  EXPECT_EQ(run.at("/spec/template/spec/affinity"), "absent") << "Kueue holds the level";
  EXPECT_EQ(run.at("/spec/suspend"), "absent") << "Kueue's own webhook suspends";
  EXPECT_EQ(run.at("/spec/template/spec/schedulerName"), "default-scheduler");
}

TEST(Gang, KueueWithoutALocalQueueWritesNothing) {
  const GangWorld run({"gang: {backend: kueue}", job_of(2),
                       {"{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: "
                        "other, namespace: elsewhere}}"}});
  EXPECT_EQ(run.outcome(), Outcome::kUnchanged);
  EXPECT_TRUE(has(run.warnings(), "namespace team-nlp has no LocalQueue")) << run.warnings();
}

TEST(Gang, KueueWithAStoppedQueueWritesNothing) {
  const GangWorld run({"gang: {backend: kueue}, queue: team-nlp", job_of(2),
                       {"{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: "
                        "team-nlp, namespace: team-nlp}, spec: {clusterQueue: gpus, stopPolicy: "
                        "Hold}}"}});
  EXPECT_EQ(run.at("/metadata/labels/kueue.x-k8s.io~1queue-name"), "absent");
  EXPECT_TRUE(has(run.warnings(), "it is stopped")) << run.warnings();
}

TEST(Gang, KueueWithoutAFlavorOfTheLevelFallsBackToAffinity) {
  const GangWorld run({"gang: {backend: kueue}, placement: {require: rack}", job_of(2),
                       {kLocalQueue, node_in("a", "r1"), node_in("b", "r1"),
                        "{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: "
                        "{name: gpus}, spec: {nodeLabels: {a: b}}}"}});
  EXPECT_EQ(run.at(kTemplate + "kueue.x-k8s.io~1podset-required-topology"), "absent");
  EXPECT_NE(run.at("/spec/template/spec/affinity/podAffinity"), "absent");
  EXPECT_TRUE(has(run.warnings(), "no flavor with a Topology of level rack")) << run.warnings();
}

TEST(Gang, KueuePlacesAMasterWithItsWorkers) {
  const GangWorld run({"gang: {backend: kueue}, placement: {require: rack}", pytorch_of(3),
                       {kLocalQueue, node_in("a", "r1"), node_in("b", "r1"), node_in("c", "r1"),
                        node_in("d", "r1")}});
  for (const std::string role : {"Master", "Worker"}) {
    const std::string base = "/spec/pytorchReplicaSpecs/" + role + "/template/metadata/annotations/";
    EXPECT_EQ(run.at(base + "kueue.x-k8s.io~1podset-group-name"), "gang");
    EXPECT_NE(run.at(base + "berth.dev~1decision"), "absent");
  }
}

TEST(Gang, KueueGroupsPodsWithoutAnOwnerByTheNameTheySay) {
  const std::string pod =
      std::string("{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: team-nlp, ") +
      "labels: {berth.dev/intent: training, berth.dev/gang: ring, berth.dev/gang-size: '4'}}, "
      "spec: " +
      kGpuPod + "}";
  const GangWorld run({"gang: {backend: kueue}, queue: team-nlp", pod, {kLocalQueue}});
  EXPECT_EQ(run.at("/metadata/labels/kueue.x-k8s.io~1pod-group-name"), "berth-ring");
  EXPECT_EQ(run.at(kOwner + "kueue.x-k8s.io~1pod-group-total-count"), "4");
}

TEST(Gang, BarePodsAreNeverGroupedByALikeName) {
  const std::string pod =
      std::string("{apiVersion: v1, kind: Pod, metadata: {generateName: a-, namespace: team-nlp, "
                  "labels: {berth.dev/intent: training, berth.dev/gang-size: '4'}}, spec: ") +
      kGpuPod + "}";
  const GangWorld run({"gang: {backend: kueue}, queue: team-nlp", pod, {kLocalQueue}});
  EXPECT_EQ(run.at("/metadata/labels/kueue.x-k8s.io~1pod-group-name"), "absent");
  EXPECT_TRUE(has(run.warnings(), "say berth.dev/gang")) << run.warnings();
}

TEST(Gang, KueueReadsTheQueueOfACronJobOnItsJobs) {
  const std::string cron =
      std::string("{apiVersion: batch/v1, kind: CronJob, metadata: {name: nightly, namespace: "
                  "team-nlp, ") +
      kIntent + "}, spec: {jobTemplate: {spec: {parallelism: 2, template: {metadata: {" + kIntent +
      "}, spec: " + kGpuPod + "}}}}}";
  const GangWorld run({"queue: team-nlp", cron, {kLocalQueue}});
  EXPECT_EQ(run.at("/spec/jobTemplate/metadata/labels/kueue.x-k8s.io~1queue-name"), "team-nlp");
}

// ---------------------------------------------------------------- Volcano

TEST(Gang, VolcanoReadsTheSizeOnTheOwner) {
  const GangWorld run({"gang: {backend: volcano}, queue: q", job_of(4)});
  EXPECT_EQ(run.at(kOwner + "scheduling.volcano.sh~1group-min-member"), "4");
  EXPECT_EQ(run.at(kTemplate + "scheduling.volcano.sh~1group-min-member"), "absent");
  EXPECT_EQ(run.at("/spec/template/spec/schedulerName"), "volcano");
  EXPECT_EQ(run.at(kTemplate + "scheduling.volcano.sh~1queue-name"), "q");
  EXPECT_EQ(run.at(kTemplate + "scheduling.k8s.io~1group-name"), "absent");
}

TEST(Gang, VolcanoWithoutAMakerOfThePodGroupWritesNothing) {
  const GangWorld run({"gang: {backend: volcano}", pytorch_of(3)});
  EXPECT_EQ(run.at(kWorkerScheduler), "default-scheduler");
  EXPECT_TRUE(has(run.warnings(), "nobody makes the PodGroup of PyTorchJob train"))
      << run.warnings();
}

TEST(Gang, VolcanoThroughTheTrainingOperator) {
  topology::StatedServices stated;
  stated.operators[GangOperator::kTraining] = GangSystem::kVolcano;
  const GangWorld run({"gang: {backend: auto}, queue: q", pytorch_of(3), {}, stated});
  EXPECT_EQ(run.at("/spec/runPolicy/schedulingPolicy/minAvailable"), "4");
  EXPECT_EQ(run.at("/spec/runPolicy/schedulingPolicy/queue"), "q");
  EXPECT_EQ(run.at("/spec/pytorchReplicaSpecs/Worker/template/spec/schedulerName"), "volcano");
}

TEST(Gang, VolcanoWithoutHyperNodesGetsNoTopologyRequest) {
  const GangRun run{"gang: {backend: volcano}, placement: {require: rack}", job_of(2),
                    {node_in("a", "r1"), node_in("b", "r1")}};
  EXPECT_EQ(GangWorld(run).at(kTemplate + "volcano.sh~1network-topology-mode"), "absent");
  GangRun with = run;
  with.cluster.push_back(
      "{apiVersion: topology.volcano.sh/v1alpha1, kind: HyperNode, metadata: {name: r1}, spec: "
      "{tier: 2, members: [{type: Node, selector: {labelMatch: {matchLabels: "
      "{topology.kubernetes.io/rack: r1}}}}]}}");
  const GangWorld held(with);
  EXPECT_EQ(held.at(kTemplate + "volcano.sh~1network-topology-mode"), "hard");
  EXPECT_EQ(held.at(kTemplate + "volcano.sh~1network-topology-highest-tier"), "2");
}

TEST(Gang, VolcanoWithAClosedQueueWritesNothing) {
  const GangWorld run({"gang: {backend: volcano}, queue: old", job_of(2),
                       {"{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: "
                        "old}, status: {state: Closed}}"}});
  EXPECT_EQ(run.outcome(), Outcome::kUnchanged);
  EXPECT_TRUE(has(run.warnings(), "closed")) << run.warnings();
}

TEST(Gang, AVolcanoJobHasFieldsOfItsOwn) {
  const std::string job =
      std::string("{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: train, "
                  "namespace: team-nlp, ") +
      kIntent + "}, spec: {minAvailable: 3, tasks: [{name: worker, replicas: 4, template: {spec: " +
      kGpuPod + "}}]}}";
  const GangWorld run({"gang: {backend: volcano}, queue: q", job});
  EXPECT_EQ(run.at("/spec/minAvailable"), "3") << "the author's";
  EXPECT_EQ(run.at("/spec/queue"), "q");
  EXPECT_EQ(run.at("/spec/schedulerName"), "volcano");
}

// A second pass, which the fixture makes, keeps them too.
TEST(Gang, QueueAndSchedulerOfAVolcanoJobStay) {
  const auto job = [](const std::string& fields) {
    return std::string("{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: train, "
                       "namespace: team-nlp, ") +
           kIntent + "}, spec: {" + fields +
           ", tasks: [{name: worker, replicas: 4, template: {spec: " + kGpuPod + "}}]}}";
  };
  const GangWorld queue({"gang: {backend: volcano}, queue: q", job("queue: default")});
  EXPECT_EQ(queue.at("/spec/queue"), "default");
  EXPECT_EQ(queue.at("/spec/schedulerName"), "volcano");
  EXPECT_TRUE(has(queue.kept(), "/spec/queue stays default, not q")) << queue.kept();

  const GangWorld scheduler({"gang: {backend: volcano}", job("schedulerName: my-scheduler")});
  EXPECT_EQ(scheduler.at("/spec/schedulerName"), "my-scheduler");
  EXPECT_EQ(scheduler.at("/spec/minAvailable"), "absent");
  EXPECT_EQ(scheduler.at("/spec/tasks/0/template/spec/schedulerName"), "default-scheduler");
  EXPECT_TRUE(has(scheduler.kept(), "stays my-scheduler, not volcano")) << scheduler.kept();
}

// ---------------------------------------------------------------- the others

TEST(Gang, CoschedulingNeedsAMakerOfThePodGroup) {
  EXPECT_EQ(GangWorld({"gang: {backend: coscheduling}", job_of(4)}).outcome(),
            Outcome::kUnchanged);
  const GangWorld run({"gang: {backend: coscheduling}", job_of(4), {}, with_companion()});
  EXPECT_EQ(run.at("/spec/template/spec/schedulerName"), "scheduler-plugins-scheduler");
  const GangWorld pod({"gang: {backend: coscheduling, size: 4}", pod_of_job(), {}, with_companion()});
  EXPECT_EQ(pod.at("/metadata/labels/scheduling.x-k8s.io~1pod-group"), "berth-u-1");
}

TEST(Gang, KaiReadsTheSizeOfAJobAndKnowsTheOthers) {
  const std::string queue =
      "{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: leaf}, spec: {parentQueue: "
      "root}}";
  const GangRun run{"gang: {backend: kai}, queue: leaf", job_of(4), {queue}};
  const GangWorld job(run);
  EXPECT_EQ(job.at(kOwner + "kai.scheduler~1batch-min-member"), "4");
  EXPECT_EQ(job.at("/metadata/labels/kai.scheduler~1queue"), "leaf");
  EXPECT_EQ(job.at("/spec/template/spec/schedulerName"), "kai-scheduler");
  GangRun parent = run;
  parent.then = "gang: {backend: kai}, queue: root";
  EXPECT_TRUE(has(GangWorld(parent).warnings(), "only leaves take pods"));
  EXPECT_EQ(GangWorld({"gang: {backend: kai}", pytorch_of(3)})
                .at("/spec/pytorchReplicaSpecs/Worker/template/spec/schedulerName"),
            "kai-scheduler");
}

TEST(Gang, YunikornStatesTheTemplateAsItWasRewritten) {
  const GangWorld run({"gang: {backend: yunikorn, mode: soft, timeout: 5m}, tolerate: x", job_of(4)});
  EXPECT_EQ(run.at(kTemplate + "yunikorn.apache.org~1task-groups"),
            "[{\"name\":\"pods\",\"minMember\":4,\"minResource\":{\"cpu\":\"8\",\"memory\":\"64Gi\","
            "\"nvidia.com/gpu\":\"8\"},\"tolerations\":[{\"key\":\"x\",\"operator\":\"Exists\"}]}]");
  EXPECT_EQ(run.at(kTemplate + "yunikorn.apache.org~1schedulingPolicyParameters"),
            "placeholderTimeoutInSeconds=300 gangSchedulingStyle=Soft");
}

TEST(Gang, KoordinatorStandsInAnnotationsAlone) {
  const GangWorld run({"gang: {backend: koordinator, minMember: 3, timeout: 90s}", job_of(4)});
  EXPECT_EQ(run.at(kTemplate + "gang.scheduling.koordinator.sh~1min-available"), "3");
  EXPECT_EQ(run.at(kTemplate + "gang.scheduling.koordinator.sh~1total-number"), "4");
  EXPECT_EQ(run.at(kTemplate + "gang.scheduling.koordinator.sh~1waiting-time"), "90s");
  EXPECT_EQ(run.at("/spec/template/metadata/labels/scheduling.x-k8s.io~1pod-group"), "absent");
}

TEST(Gang, NativeGroupsOfAJobNeedTheGate) {
  const std::string apis =
      "{apiVersion: v1, kind: APIGroupList, groups: [{name: scheduling.k8s.io, versions: "
      "[{version: v1beta1}]}]}";
  EXPECT_EQ(GangWorld({"gang: {backend: native}", job_of(4), {apis}}).outcome(),
            Outcome::kUnchanged);
  topology::StatedServices stated;
  stated.feature_gates.insert("WorkloadWithJob");
  const GangWorld run({"gang: {backend: native}", job_of(4), {apis}, stated});
  EXPECT_EQ(run.at("/spec/scheduling/schedulingPolicy/gang/minCount"), "4");
}

// ---------------------------------------------------------------- which backend

TEST(Gang, ABackendThatIsNotThereIsSaidAndNotWritten) {
  const std::string crd =
      "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: x}, "
      "spec: {group: scheduling.volcano.sh, versions: [{name: v1beta1, served: true}]}}";
  const GangWorld run({"gang: {backend: kai}", job_of(4), {crd}});
  EXPECT_EQ(run.outcome(), Outcome::kUnchanged);
  EXPECT_TRUE(has(run.warnings(), "kai is not installed")) << run.warnings();
  EXPECT_EQ(GangWorld({"gang: {backend: auto}", job_of(4), {crd}})
                .at("/spec/template/spec/schedulerName"),
            "volcano");
}

// ---------------------------------------------------------------- what the author has is kept

TEST(Gang, AGangOfTheAuthorStays) {
  const std::string annotations = ", annotations: {kai.scheduler/batch-min-member: '2'}";
  const GangWorld run({"gang: {backend: volcano}", job_of(4, annotations)});
  EXPECT_EQ(run.outcome(), Outcome::kUnchanged);
  EXPECT_TRUE(has(run.kept(), "batch-min-member stays 2, not volcano")) << run.kept();
}

TEST(Gang, ASchedulerOfTheAuthorStays) {
  std::string job = job_of(4);
  job.replace(job.find("default-scheduler"), 17, "my-scheduler");
  const GangWorld run({"gang: {backend: volcano}", job});
  EXPECT_EQ(run.outcome(), Outcome::kUnchanged);
  EXPECT_TRUE(has(run.kept(), "stays my-scheduler, not volcano")) << run.kept();
}

// ---------------------------------------------------------------- checks across fields

TEST(Gang, ASizeBeyondWhatExistsIsMadeSmaller) {
  const GangWorld run({"gang: {backend: volcano, size: 9}", job_of(4)});
  EXPECT_EQ(run.at(kOwner + "scheduling.volcano.sh~1group-min-member"), "4");
  EXPECT_TRUE(has(run.warnings(), "gang size 9, but the Job makes 4 pods")) << run.warnings();
}

TEST(Gang, ParallelismThatDoesNotAgreeIsSaid) {
  const GangWorld run({"gang: {backend: volcano, parallelism: 'tp=8,pp=4,dp=16'}", job_of(4)});
  EXPECT_TRUE(has(run.warnings(), "is 512 GPUs, the group has 4 pods of 8 = 32")) << run.warnings();
}

TEST(Gang, RolesOfDifferentPriorityAreNoCoschedulingGroup) {
  std::string job = pytorch_of(3);
  job.replace(job.find("schedulerName: default-scheduler"), 32,
              "schedulerName: default-scheduler, priorityClassName: high");
  const GangWorld run({"gang: {backend: coscheduling}", job, {}, with_companion()});
  EXPECT_EQ(run.at(kWorkerScheduler), "default-scheduler");
  EXPECT_TRUE(has(run.warnings(), "roles differ in priority class")) << run.warnings();
}

TEST(Gang, AnElasticJobStartsWithItsLeast) {
  topology::StatedServices stated;
  stated.operators[GangOperator::kTraining] = GangSystem::kVolcano;
  const GangWorld run({"gang: {backend: volcano}",
                       pytorch_of(7, "elasticPolicy: {minReplicas: 2, maxReplicas: 7}, "), {}, stated});
  EXPECT_EQ(run.at("/spec/runPolicy/schedulingPolicy/minAvailable"), "3") << "and the master";
}

TEST(Gang, MembersThatComeLaterAreNoGroup) {
  const std::string set =
      std::string("{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: s, "
                  "namespace: team-nlp, ") +
      kIntent + "}, spec: {startupPolicy: {startupPolicyOrder: InOrder}, replicatedJobs: [{name: "
                "w, replicas: 2, template: {spec: {parallelism: 2, template: {spec: " +
      kGpuPod + "}}}}]}}";
  const GangWorld run({"gang: {backend: coscheduling}", set, {}, with_companion()});
  EXPECT_EQ(run.at("/spec/replicatedJobs/0/template/spec/template/spec/schedulerName"),
            "default-scheduler");
  EXPECT_TRUE(has(run.warnings(), "startupPolicyOrder: InOrder")) << run.warnings();
}

// ---------------------------------------------------------------- decided once

std::string record_of(const GangWorld& owner, const std::string& at) {
  std::string text = owner.at(at + "berth.dev~1decision");
  return "berth.dev/decision: '" + text + "'";
}

TEST(Gang, APodOfADecidedOwnerIsCompletedOnly) {
  const GangWorld owner({"gang: {backend: coscheduling}", job_of(4), {}, with_companion()});
  ASSERT_NE(owner.at(kOwner + "berth.dev~1decision"), "absent");
  EXPECT_EQ(owner.at(kOwner + "berth.dev~1decision"), owner.at(kTemplate + "berth.dev~1decision"));
  // The rules have changed since, and the configuration, too.
  const GangWorld pod({"priorityClass: other, gang: {backend: volcano}",
                       pod_of_job(record_of(owner, kTemplate))});
  EXPECT_EQ(pod.at("/metadata/labels/scheduling.x-k8s.io~1pod-group"), "berth-u-1");
  EXPECT_EQ(pod.at("/spec/priorityClassName"), "absent");
}

TEST(Gang, APodThatDiffersFromTheRecordFollowsIt) {
  const GangWorld owner({"gang: {backend: coscheduling}", job_of(4), {}, with_companion()});
  std::string text = pod_of_job(record_of(owner, kTemplate));
  text.replace(text.find("training}"), 8, "training, scheduling.x-k8s.io/pod-group: other");
  const GangWorld pod({"gang: {backend: coscheduling}", text, {}, with_companion()});
  EXPECT_EQ(pod.at("/metadata/labels/scheduling.x-k8s.io~1pod-group"), "berth-u-1");
}

TEST(Gang, AForgedRecordCountsForNothing) {
  const std::string forged = "berth.dev/decision: '{\"v\":1,\"rules\":\"x\"}'";
  const GangRun run{"priorityClass: p", pod_of_job(forged), {}, {}, "alice"};
  const GangWorld by_user(run);
  EXPECT_EQ(by_user.at("/spec/priorityClassName"), "p");
  EXPECT_EQ(by_user.at(kOwner + "berth.dev~1decision"), "absent");
  GangRun own_account = run;
  own_account.user = "system:serviceaccount:team-nlp:default";
  EXPECT_EQ(GangWorld(own_account).at("/spec/priorityClassName"), "p");
  GangRun controller = run;
  controller.user = "system:serviceaccount:kube-system:job-controller";
  EXPECT_EQ(GangWorld(controller).at("/spec/priorityClassName"), "absent");
  // The owner is known and carries no such record.
  controller.cluster = {job_of(4)};
  EXPECT_EQ(GangWorld(controller).at("/spec/priorityClassName"), "p");
}

TEST(Gang, ALauncherSharesWhatTheMembersMustShare) {
  std::string job = pytorch_of(3);
  const std::string gpus = ", nvidia.com/gpu: '8'";
  for (int i = 0; i < 2; ++i) job.erase(job.find(gpus), gpus.size());  // of the master
  const GangWorld run({"gang: {backend: kai}, queue: leaf, tolerate: x, priorityClass: p", job});
  const std::string master = "/spec/pytorchReplicaSpecs/Master/template/spec/";
  EXPECT_EQ(run.at(master + "schedulerName"), "kai-scheduler");
  EXPECT_EQ(run.at(master + "priorityClassName"), "p");
  EXPECT_EQ(run.at(master + "tolerations"), "absent");
}

}  // namespace
}  // namespace berth::webhook
