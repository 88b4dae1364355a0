// The catalogue of failures: what makes a gang wait for ever, start in part or be refused, and that
// berth does none of it. Row of the catalogue -> tests (in this file where no other is named):
//
//   gang key, but nobody makes the group     NobodyMakesTheGroup; Gang.VolcanoWithoutAMaker...,
//                                            Gang.CoschedulingNeedsAMaker..., Gang.NativeGroups...
//   gang size on the pod, not on the owner   TheSizeStandsOnTheOwner,
//                                            ASizeOfTheAuthorOnTheTemplateIsPointedOut
//   members differ in priority or scheduler  MembersHaveOnePriorityAndOneScheduler;
//                                            Gang.RolesOfDifferentPriority...,
//                                            Gang.ALauncherShares...
//   members differ in shape                  PodsOfAGroupGetTheSame,
//   AWorkloadOfTooManyShapesIsNotQueued size larger than the members NoSizeAboveWhatWillExist;
//   Gang.ASizeBeyondWhatExists...,
//                                            Gang.AnElasticJob..., Gang.MembersThatComeLater...
//   node selector against a flavor           ANodeSelectorOnAKeyOfAFlavorIsAffinity
//   MIG name on the pod only                 WhatWasCountedBeforeKeepsItsName
//   class changed, spec.priority left        ClassNumberAndPolicyAgree; Scheduling.* in
//   tests/mutate exclusive topology and all-or-nothing    ExclusiveTopologyAndAGangAreNotMixed keys
//   of two gang systems                 KeysOfTwoSystemsAreNotMixed; Gang.AGangOfTheAuthorStays
//   gate without a remover                   NoAnswerHasAGate
//   topology request without the object      NoLevelWithoutItsObject;
//   Gang.VolcanoWithoutHyperNodes...,
//                                            Gang.KueueWithoutAFlavorOfTheLevel...
#include "tests/webhook/gang_fixture.h"

namespace berth::webhook {
namespace {

using topology::GangOperator;
using topology::GangSystem;

const std::string kTemplate = "/spec/template/metadata/annotations/";
const std::string kOwner = "/metadata/annotations/";

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

topology::StatedServices with_companion() {
  topology::StatedServices out;
  out.companion = true;
  return out;
}

std::string pod(const std::string& metadata, const std::string& spec = kGpuPod) {
  return "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: team-nlp, " + metadata +
         "}, spec: " + spec + "}";
}

/// A pod of a PyTorchJob as its operator makes it.
std::string pytorch_pod(const std::string& annotations = {}) {
  return pod(
      "labels: {berth.dev/intent: training, training.kubeflow.org/job-name: train, "
      "training.kubeflow.org/operator-name: pytorchjob-controller, "
      "training.kubeflow.org/replica-type: worker}, annotations: {" +
      annotations +
      "}, ownerReferences: [{apiVersion: kubeflow.org/v1, kind: PyTorchJob, name: train, uid: u-2, "
      "controller: true}]");
}

// ---------------------------------------------------------------- companion never made

TEST(FailureCatalogue, NobodyMakesTheGroup) {
  for (const std::string backend : {"volcano", "coscheduling", "native"}) {
    const GangWorld run({"gang: {backend: " + backend + ", size: 4}", pytorch_pod()});
    EXPECT_EQ(run.outcome(), Outcome::kUnchanged) << backend;
    EXPECT_TRUE(has(run.warnings(), "nobody makes the PodGroup")) << run.warnings();
  }
  // KAI's grouper makes one group a pod here.
  const GangWorld kai({"gang: {backend: kai, size: 4}", pod_of_job()});
  EXPECT_EQ(kai.outcome(), Outcome::kUnchanged);
  EXPECT_TRUE(has(kai.warnings(), "nobody makes the PodGroup of Job train for KAI"))
      << kai.warnings();
  const GangWorld bare(
      {"gang: {backend: kai}", pod("labels: {berth.dev/intent: training, berth.dev/gang: ring, "
                                   "berth.dev/gang-size: '4'}")});
  EXPECT_EQ(bare.outcome(), Outcome::kUnchanged);
}

TEST(FailureCatalogue, TheCompanionIsNamedWhereItMakesTheGroup) {
  const GangWorld run({"gang: {backend: kai, size: 4}", pod_of_job(), {}, with_companion()});
  EXPECT_EQ(run.at(kOwner + "pod-group-name"), "berth-u-1");
  EXPECT_EQ(run.at(kOwner + "kai.scheduler~1skip-podgrouper"), "true");
  const GangWorld volcano(
      {"gang: {backend: volcano, size: 4}", pytorch_pod(), {}, with_companion()});
  EXPECT_EQ(volcano.at(kOwner + "scheduling.k8s.io~1group-name"), "berth-u-2");
  EXPECT_EQ(volcano.at("/spec/schedulerName"), "volcano");
}

// The grouper knows these owners, whichever door their pods come through.
TEST(FailureCatalogue, KaiGroupsThePodsOfOwnersThatItKnows) {
  const GangWorld run({"gang: {backend: kai}, queue: leaf", pytorch_pod()});
  EXPECT_EQ(run.at("/spec/schedulerName"), "kai-scheduler");
  EXPECT_EQ(run.at("/metadata/labels/kai.scheduler~1queue"), "leaf");
  EXPECT_EQ(run.at(kOwner + "pod-group-name"), "absent");
}

// ---------------------------------------------------------------- size on the owner

TEST(FailureCatalogue, TheSizeStandsOnTheOwner) {
  const GangWorld volcano({"gang: {backend: volcano}", job_of(4)});
  EXPECT_EQ(volcano.at(kOwner + "scheduling.volcano.sh~1group-min-member"), "4");
  EXPECT_EQ(volcano.at(kTemplate + "scheduling.volcano.sh~1group-min-member"), "absent");
  const GangWorld kai({"gang: {backend: kai}", job_of(4)});
  EXPECT_EQ(kai.at(kOwner + "kai.scheduler~1batch-min-member"), "4");
  EXPECT_EQ(kai.at(kTemplate + "kai.scheduler~1batch-min-member"), "absent");
  // Only the pod is here: its own annotation would be a gang of one.
  const GangWorld late({"gang: {backend: volcano, size: 4}", pod_of_job()});
  EXPECT_EQ(late.outcome(), Outcome::kUnchanged);
  EXPECT_NE(late.warnings(), "");
}

TEST(FailureCatalogue, ASizeOfTheAuthorOnTheTemplateIsPointedOut) {
  std::string job = job_of(4);
  const std::string labels = "{metadata: {labels: {berth.dev/intent: training}";
  const std::size_t at = job.find("template: " + labels) + std::string("template: ").size();
  for (const std::string key :
       {"scheduling.volcano.sh/group-min-member", "kai.scheduler/batch-min-member"}) {
    std::string wrong = job;
    wrong.insert(at + labels.size(), ", annotations: {" + key + ": '4'}");
    const GangWorld run({"warn: seen", wrong});
    EXPECT_TRUE(has(run.warnings(), key + " is read on the Job, not on its pods"))
        << run.warnings();
    const GangWorld right({"warn: seen", job_of(4, ", annotations: {" + key + ": '4'}")});
    EXPECT_FALSE(has(right.warnings(), "is read on the Job")) << right.warnings();
  }
}

// ---------------------------------------------------------------- priority and scheduler

constexpr const char* kTwoPriorities =
    "apiVersion: berth.dev/v1alpha1\nkind: RuleSet\nmetadata: {name: t}\nrules:\n"
    "- name: gang\n  match: {intent: training, gpus: '>=0'}\n  then: {gang: {backend: "
    "coscheduling}}\n"
    "- name: master\n  match: {intent: training, gpus: 0}\n  then: {priorityClass: high}\n"
    "- name: worker\n  match: {intent: training, gpus: '>=1'}\n  then: {priorityClass: low}\n";

std::string with_plain_master() {
  std::string job = pytorch_of(3);
  const std::string gpus = ", nvidia.com/gpu: '8'";
  for (int i = 0; i < 2; ++i) job.erase(job.find(gpus), gpus.size());
  return job;
}

TEST(FailureCatalogue, MembersHaveOnePriorityAndOneScheduler) {
  GangRun run{"", with_plain_master(), {}, with_companion()};
  run.rules = kTwoPriorities;
  const GangWorld differ(run);
  EXPECT_TRUE(has(differ.warnings(), "roles differ in priority class ('high', 'low')"))
      << differ.warnings();
  const std::string worker = "/spec/pytorchReplicaSpecs/Worker/template/spec/";
  EXPECT_EQ(differ.at(worker + "schedulerName"), "default-scheduler");

  // A scheduler that a rule gives one role only.
  std::string rules = kTwoPriorities;
  rules = rules.substr(0, rules.find("- name: master")) +
          "- name: master\n  match: {intent: training, gpus: 0}\n  then: {scheduler: other}\n";
  run.rules = rules;
  const GangWorld scheduler(run);
  EXPECT_TRUE(has(scheduler.warnings(), "needs scheduler scheduler-plugins-scheduler"))
      << scheduler.warnings();
  EXPECT_EQ(scheduler.at(worker + "schedulerName"), "default-scheduler");

  // What all of them lack, all of them get.
  const GangWorld same({"gang: {backend: coscheduling}, priorityClass: p",
                        with_plain_master(),
                        {},
                        with_companion()});
  for (const std::string role : {"Master", "Worker"}) {
    const std::string spec = "/spec/pytorchReplicaSpecs/" + role + "/template/spec/";
    EXPECT_EQ(same.at(spec + "priorityClassName"), "p");
    EXPECT_EQ(same.at(spec + "schedulerName"), "scheduler-plugins-scheduler");
  }
}

// ---------------------------------------------------------------- shape

TEST(FailureCatalogue, PodsOfAGroupGetTheSame) {
  const auto member = [](const std::string& name) {
    return "{apiVersion: v1, kind: Pod, metadata: {name: " + name +
           ", namespace: team-nlp, labels: {berth.dev/intent: training, berth.dev/gang: ring, "
           "berth.dev/gang-size: '4'}}, spec: " +
           kGpuPod + "}";
  };
  const std::string then =
      "gang: {backend: kueue}, queue: team-nlp, placement: {prefer: rack, pack: true}, tolerate: x";
  const std::vector<std::string> cluster = {kLocalQueue, node_in("a", "r1"), node_in("b", "r2")};
  const GangWorld first({then, member("a"), cluster});
  std::vector<std::string> later = cluster;
  later.push_back(node_in("c", "r3"));
  const GangWorld second({then, member("b"), later});
  EXPECT_EQ(kube::to_json(first.object()["spec"]), kube::to_json(second.object()["spec"]));
  EXPECT_EQ(first.at("/spec/affinity/nodeAffinity"), "absent") << "no node of its own";
  EXPECT_NE(first.at("/metadata/labels/kueue.x-k8s.io~1pod-group-name"), "absent");
}

TEST(FailureCatalogue, AWorkloadOfTooManyShapesIsNotQueued) {
  const auto set_of = [](int jobs) {
    std::string out = std::string(
                          "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: "
                          "{name: s, namespace: team-nlp, ") +
                      kIntent + "}, spec: {replicatedJobs: [";
    for (int i = 0; i < jobs; ++i) {
      out += "{name: w" + std::to_string(i) + ", template: {spec: {template: {metadata: {" +
             kIntent + "}, spec: " + kGpuPod + "}}}}, ";
    }
    return out + "]}}";
  };
  const GangWorld most({"gang: {backend: kueue}", set_of(18), {kLocalQueue}});
  EXPECT_EQ(most.at("/metadata/labels/kueue.x-k8s.io~1queue-name"), "team-nlp");
  const GangWorld more({"gang: {backend: kueue}", set_of(19), {kLocalQueue}});
  EXPECT_EQ(more.outcome(), Outcome::kUnchanged);
  EXPECT_TRUE(has(more.warnings(), "Kueue takes 18 pod templates a workload, JobSet s has 19"))
      << more.warnings();
}

// ---------------------------------------------------------------- size

TEST(FailureCatalogue, NoSizeAboveWhatWillExist) {
  const std::string job = job_of(8);
  std::string few = job;
  few.replace(few.find("completions: 8"), 14, "completions: 3");
  const GangWorld completions({"gang: {backend: volcano}", few});
  EXPECT_EQ(completions.at(kOwner + "scheduling.volcano.sh~1group-min-member"), "3");
  // The pod tells how many there are, and a rule says more.
  const GangWorld late({"gang: {backend: koordinator, size: 9}", pod_of_job(), {job_of(4)}});
  EXPECT_EQ(late.at(kOwner + "gang.scheduling.koordinator.sh~1min-available"), "4");
  EXPECT_TRUE(has(late.warnings(), "gang size 9, but the Job makes 4 pods")) << late.warnings();
  // The submitter of a RayJob comes once head and workers run.
  const std::string role = std::string("template: {metadata: {}, spec: ") + kGpuPod + "}";
  const std::string ray =
      std::string(
          "{apiVersion: ray.io/v1, kind: RayJob, metadata: {name: r, namespace: team-nlp, ") +
      kIntent + "}, spec: {rayClusterSpec: {headGroupSpec: {" + role +
      "}, workerGroupSpecs: [{groupName: w, replicas: 2, numOfHosts: 2, " + role +
      "}]}, submitterPodTemplate: {metadata: {}, spec: {containers: [{name: c, image: 'a:1'}]}}}}";
  const GangWorld submitter({"gang: {backend: koordinator}", ray});
  const std::string head = "/spec/rayClusterSpec/headGroupSpec/template/metadata/annotations/";
  EXPECT_EQ(submitter.at(head + "gang.scheduling.koordinator.sh~1total-number"), "5");
  EXPECT_EQ(submitter.at("/spec/submitterPodTemplate/spec/schedulerName"), "absent");
}

TEST(FailureCatalogue, ExecutorsOfSparkComeAfterTheirDriver) {
  const std::string role =
      std::string("template: {metadata: {") + kIntent + "}, spec: " + kGpuPod + "}";
  const std::string spark =
      std::string(
          "{apiVersion: sparkoperator.k8s.io/v1beta2, kind: SparkApplication, metadata: "
          "{name: s, namespace: team-nlp, ") +
      kIntent + "}, spec: {driver: {" + role + "}, executor: {instances: 4, " + role + "}}}";
  const GangWorld run({"gang: {backend: koordinator}", spark});
  EXPECT_EQ(run.outcome(), Outcome::kUnchanged);
  EXPECT_TRUE(has(run.warnings(), "the driver makes its executors")) << run.warnings();
}

// ---------------------------------------------------------------- flavors

TEST(FailureCatalogue, ANodeSelectorOnAKeyOfAFlavorIsAffinity) {
  const std::string flavor =
      "{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: gpus}, spec: "
      "{nodeLabels: {pool: gold}}}";
  const std::string then = "placement: {nodeSelector: {pool: gold, disk: fast}}";
  const GangWorld run({then, job_of(2), {flavor}});
  EXPECT_EQ(run.at("/spec/template/spec/nodeSelector"), R"({"disk":"fast"})");
  EXPECT_EQ(run.at("/spec/template/spec/affinity/nodeAffinity/"
                   "requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms"),
            R"([{"matchExpressions":[{"key":"pool","operator":"In","values":["gold"]}]}])");
  const GangWorld without({then, job_of(2)});
  EXPECT_EQ(without.at("/spec/template/spec/nodeSelector"), R"({"disk":"fast","pool":"gold"})");
}

// ---------------------------------------------------------------- MIG

constexpr const char* kMigNode =
    "{apiVersion: v1, kind: Node, metadata: {name: m, labels: {kubernetes.io/hostname: m, "
    "nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB, nvidia.com/mig.strategy: mixed}}, status: "
    "{conditions: [{type: Ready, status: 'True'}], allocatable: {nvidia.com/mig-1g.10gb: '8', cpu: "
    "'64', memory: 512Gi, pods: '110'}}}";
constexpr const char* kOneGpu =
    "{containers: [{name: main, image: 'app:1', resources: {limits: {nvidia.com/gpu: '1'}, "
    "requests: "
    "{nvidia.com/gpu: '1'}}}]}";
const std::string kSlice = "/spec/containers/0/resources/limits/nvidia.com~1mig-1g.10gb";

TEST(FailureCatalogue, WhatWasCountedBeforeKeepsItsName) {
  const std::string then = "gpu: {share: mig, profile: 1g.10gb}";
  const std::string intent = "labels: {berth.dev/intent: training}";
  const std::string of_job =
      intent +
      ", ownerReferences: [{apiVersion: batch/v1, kind: Job, name: train, uid: "
      "u-1, controller: true}]";
  EXPECT_EQ(GangWorld({then, pod(intent, kOneGpu), {kMigNode}}).at(kSlice), "1");
  EXPECT_EQ(GangWorld({then, pod(of_job, kOneGpu), {kMigNode, job_of(1)}}).at(kSlice), "1");

  std::string queued = job_of(1);
  queued.replace(queued.find("training}"), 8, "training, kueue.x-k8s.io/queue-name: team-nlp");
  const GangWorld kueue({then, pod(of_job, kOneGpu), {kMigNode, queued}});
  EXPECT_EQ(kueue.at(kSlice), "absent");
  EXPECT_TRUE(has(kueue.warnings(), "Kueue's quota has counted whole GPUs: the Job must ask"))
      << kueue.warnings();
  const GangWorld yunikorn(
      {then,
       pod(intent + ", annotations: {yunikorn.apache.org/task-groups: '[{\"name\":\"a\","
                    "\"minMember\":2}]'}",
           kOneGpu),
       {kMigNode}});
  EXPECT_EQ(yunikorn.at(kSlice), "absent");
  const GangWorld volcano(
      {then,
       pod(intent + ", annotations: {scheduling.k8s.io/group-name: g}", kOneGpu),
       {kMigNode}});
  EXPECT_EQ(volcano.at(kSlice), "absent");
  // On the owner, before anybody counts.
  std::string owner = job_of(1);
  owner.replace(owner.find(kGpuPod), std::string(kGpuPod).size(), kOneGpu);
  EXPECT_EQ(GangWorld({then, owner, {kMigNode}}).at("/spec/template" + kSlice), "1");
}

// ---------------------------------------------------------------- priority

TEST(FailureCatalogue, ClassNumberAndPolicyAgree) {
  const std::string spec =
      "{priority: 0, preemptionPolicy: PreemptLowerPriority, containers: [{name: main, image: "
      "'a:1', "
      "resources: {limits: {nvidia.com/gpu: '1'}}}]}";
  const std::string intent = "labels: {berth.dev/intent: training}";
  const GangWorld unknown({"priorityClass: p", pod(intent, spec)});
  EXPECT_EQ(unknown.at("/spec/priority"), "absent");
  EXPECT_EQ(unknown.at("/spec/preemptionPolicy"), "absent");
  const std::string priority_class =
      "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: p}, value: 7, "
      "preemptionPolicy: Never}";
  const GangWorld known({"priorityClass: p", pod(intent, spec), {priority_class}});
  EXPECT_EQ(known.at("/spec/priority"), "7");
  EXPECT_EQ(known.at("/spec/preemptionPolicy"), "Never");
}

// ---------------------------------------------------------------- exclusive topology

TEST(FailureCatalogue, ExclusiveTopologyAndAGangAreNotMixed) {
  const std::string job = std::string(
                              "{name: w, replicas: 2, template: {metadata: {$}, spec: "
                              "{parallelism: 2, template: {metadata: {") +
                          kIntent + "}, spec: " + kGpuPod + "}}}}";
  const std::string key = "annotations: {alpha.jobset.sigs.k8s.io/exclusive-topology: rack}";
  const auto set_of = [&](const std::string& on_set, const std::string& on_job) {
    std::string replicated = job;
    replicated.replace(replicated.find('$'), 1, on_job);
    return std::string(
               "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: s, "
               "namespace: team-nlp, ") +
           kIntent + on_set + "}, spec: {replicatedJobs: [" + replicated + "]}}";
  };
  for (const std::string backend :
       {"volcano", "coscheduling", "kai", "yunikorn", "native", "koordinator"}) {
    const std::string then = "gang: {backend: " + backend + "}";
    const GangWorld whole({then, set_of(", " + key, ""), {}, with_companion()});
    EXPECT_EQ(whole.outcome(), Outcome::kUnchanged) << backend;
    EXPECT_NE(whole.warnings(), "") << backend;
    const GangWorld one({then, set_of("", key), {}, with_companion()});
    EXPECT_EQ(one.outcome(), Outcome::kUnchanged) << backend << " on a replicated job";
    EXPECT_NE(one.warnings(), "") << backend;
    const GangWorld lws(
        {then,
         std::string("{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: "
                     "{name: l, namespace: team-nlp, ") +
             kIntent +
             ", annotations: {leaderworkerset.sigs.k8s.io/exclusive-topology: rack}}, spec: "
             "{leaderWorkerTemplate: {size: 2, workerTemplate: {metadata: {" +
             kIntent + "}, spec: " + kGpuPod + "}}}}",
         {},
         with_companion()});
    EXPECT_EQ(lws.outcome(), Outcome::kUnchanged) << backend << " of a LeaderWorkerSet";
  }
}

// ---------------------------------------------------------------- two systems

TEST(FailureCatalogue, KeysOfTwoSystemsAreNotMixed) {
  struct Row {
    std::string backend;
    std::string metadata;
  };
  const std::vector<Row> rows = {
      {"koordinator", "labels: {berth.dev/intent: training, scheduling.x-k8s.io/pod-group: g}"},
      {"coscheduling",
       "labels: {berth.dev/intent: training}, annotations: {scheduling.k8s.io/group-name: g}"},
      {"volcano", "labels: {berth.dev/intent: training}, annotations: {pod-group-name: g}"},
      {"kai",
       "labels: {berth.dev/intent: training}, annotations: {gang.scheduling.koordinator.sh/name: "
       "g}"},
      {"native", "labels: {berth.dev/intent: training, kueue.x-k8s.io/pod-group-name: g}"},
      {"kueue",
       "labels: {berth.dev/intent: training}, annotations: {yunikorn.apache.org/task-groups: "
       "'[]'}"},
  };
  for (const Row& row : rows) {
    const GangWorld run({"gang: {backend: " + row.backend + ", size: 4}",
                         pod(row.metadata + ", ownerReferences: [{apiVersion: batch/v1, kind: Job, "
                                            "name: train, uid: u-1, controller: true}]"),
                         {kLocalQueue},
                         with_companion()});
    EXPECT_EQ(run.outcome(), Outcome::kUnchanged) << row.backend;
    EXPECT_NE(run.kept(), "") << row.backend;
  }
  const GangWorld author(
      {"warn: seen", pod("labels: {berth.dev/intent: training, scheduling.x-k8s.io/pod-group: g}, "
                         "annotations: {gang.scheduling.koordinator.sh/name: g}")});
  EXPECT_TRUE(has(author.warnings(), "gang keys of scheduler-plugins and Koordinator on one pod"))
      << author.warnings();
  const GangWorld count({"warn: seen", pod("labels: {berth.dev/intent: training, "
                                           "kueue.x-k8s.io/pod-group-name: g}")});
  EXPECT_TRUE(has(count.warnings(), "Kueue refuses the pod")) << count.warnings();
  // Another scheduler for the same pods is no second gang.
  const GangWorld clash(
      {"gang: {backend: coscheduling}, scheduler: volcano", job_of(4), {}, with_companion()});
  EXPECT_TRUE(has(clash.warnings(),
                  "needs scheduler scheduler-plugins-scheduler, rule t/gang sets "
                  "volcano"))
      << clash.warnings();
  EXPECT_EQ(clash.at("/spec/template/metadata/labels/scheduling.x-k8s.io~1pod-group"), "absent");
}

// ---------------------------------------------------------------- gates

TEST(FailureCatalogue, NoAnswerHasAGate) {
  for (const std::string backend :
       {"kueue", "volcano", "coscheduling", "kai", "yunikorn", "native", "koordinator"}) {
    const GangRun run{"gang: {backend: " + backend + ", size: 4}, queue: team-nlp",
                      job_of(4),
                      {kLocalQueue},
                      with_companion()};
    GangRun late = run;
    late.object = pod_of_job();
    for (const GangRun& one : {run, late}) {
      const std::string text = kube::to_json(GangWorld(one).object());
      EXPECT_FALSE(has(text, "schedulingGates")) << backend;
      EXPECT_FALSE(has(text, "admission-gated-by")) << backend;
      EXPECT_FALSE(has(text, "queue-allocation-gate")) << backend;
    }
  }
}

// ---------------------------------------------------------------- topology

TEST(FailureCatalogue, NoLevelWithoutItsObject) {
  struct Row {
    std::string backend;
    std::string path;
    std::string object;
    std::string value;
  };
  const std::vector<Row> rows = {
      {"kai", kOwner + "kai.scheduler~1topology",
       "{apiVersion: kai.scheduler/v1alpha1, kind: Topology, metadata: {name: fabric}, spec: "
       "{levels: "
       "[{nodeLabel: topology.kubernetes.io/rack}]}}",
       "fabric"},
      {"koordinator", kTemplate + "gang.scheduling.koordinator.sh~1network-topology-spec",
       "{apiVersion: scheduling.koordinator.sh/v1alpha1, kind: ClusterNetworkTopology, metadata: "
       "{name: default}, spec: {networkTopologySpec: [{topologyLayer: Rack, labelKey: "
       "[topology.kubernetes.io/rack]}]}}",
       R"({"gatherStrategy":[{"layer":"Rack","strategy":"MustGather"}]})"},
  };
  for (const Row& row : rows) {
    const GangRun run{"gang: {backend: " + row.backend + "}, placement: {require: rack}",
                      job_of(2),
                      {node_in("a", "r1"), node_in("b", "r1")}};
    const GangWorld without(run);
    EXPECT_EQ(without.at(row.path), "absent") << row.backend;
    EXPECT_NE(without.at("/spec/template/spec/affinity/podAffinity"), "absent")
        << row.backend << ": affinity draws them together instead";
    GangRun with = run;
    with.cluster.push_back(row.object);
    const GangWorld held(with);
    EXPECT_EQ(held.at(row.path), row.value) << row.backend;
    EXPECT_EQ(held.at("/spec/template/spec/affinity/podAffinity"), "absent") << row.backend;
  }
}

}  // namespace
}  // namespace berth::webhook
