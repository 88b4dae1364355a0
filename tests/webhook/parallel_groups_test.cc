// Parallelism: tensor groups inside an NVLink domain, pipelines in a wider one, in the words of
// each backend that has such.
#include "tests/webhook/gang_fixture.h"

namespace berth::webhook {
namespace {

const std::string kTemplate = "/spec/template/metadata/annotations/";

/// Two NVLink domains of two nodes in each of two racks.
std::vector<std::string> nodes() {
  std::vector<std::string> out;
  for (int i = 0; i < 8; ++i) {
    const std::string name = "n" + std::to_string(i);
    const std::string rack = i < 4 ? "r1" : "r2";
    std::string node = node_in(name, rack);
    const std::string label = "topology.kubernetes.io/rack: ";
    node.replace(node.find(label), 0, "nvidia.com/gpu.clique: c" + std::to_string(i / 2) + ", ");
    out.push_back(node);
  }
  return out;
}

const std::string kThen = "parallelism: 'tp=16,pp=2,dp=2'";  // pods of 8 GPUs: 2, 4, 8 pods

std::vector<std::string> with_nodes(std::vector<std::string> more) {
  for (std::string& node : nodes()) more.push_back(std::move(node));
  return more;
}

TEST(ParallelGroups, KueueSlices) {
  const std::string slice = kTemplate + "kueue.x-k8s.io~1podset-slice-required-topology";
  const GangWorld run(
      {"gang: {backend: kueue, " + kThen + "}", job_of(8), with_nodes({kLocalQueue})});
  EXPECT_EQ(run.at(slice), "nvidia.com/gpu.clique");
  EXPECT_EQ(run.at(kTemplate + "kueue.x-k8s.io~1podset-slice-size"), "2");
  EXPECT_EQ(run.at(kTemplate + "kueue.x-k8s.io~1podset-unconstrained-topology"), "true");
  const GangWorld uneven(
      {"gang: {backend: kueue, " + kThen + "}", job_of(7), with_nodes({kLocalQueue})});
  EXPECT_EQ(uneven.at(slice), "absent");
  EXPECT_NE(uneven.warnings(), "");
  const std::string flavor =
      "{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: gpus}, spec: "
      "{nodeLabels: {a: b}}}";
  const GangWorld without(
      {"gang: {backend: kueue, " + kThen + "}", job_of(8), with_nodes({kLocalQueue, flavor})});
  EXPECT_EQ(without.at(slice), "absent") << "no Topology has the level";
}

TEST(ParallelGroups, AllLayersOfSlicesWhereKueueHasThem) {
  topology::StatedServices stated;
  stated.feature_gates.insert("TASMultiLayerTopology");
  const GangWorld run(
      {"gang: {backend: kueue, " + kThen + "}", job_of(8), with_nodes({kLocalQueue}), stated});
  EXPECT_EQ(run.at(kTemplate + "kueue.x-k8s.io~1podset-slice-required-topology-constraints"),
            R"([{"topology":"topology.kubernetes.io/rack","size":4},)"
            R"({"topology":"nvidia.com/gpu.clique","size":2}])");
}

TEST(ParallelGroups, SegmentsOfKai) {
  const std::string topology =
      "{apiVersion: kai.scheduler/v1alpha1, kind: Topology, metadata: {name: fabric}, spec: "
      "{levels: "
      "[{nodeLabel: topology.kubernetes.io/rack}, {nodeLabel: nvidia.com/gpu.clique}]}}";
  std::vector<std::string> cluster = with_nodes({topology});
  const GangWorld run(
      {"gang: {backend: kai, parallelism: 'tp=16,pp=1,dp=2', topology: {require: "
       "rack}}",
       pytorch_of(3), cluster});
  const std::string worker = "/spec/pytorchReplicaSpecs/Worker/template/metadata/annotations/";
  EXPECT_EQ(run.at(worker + "kai.scheduler~1segment-size"), "2");
  EXPECT_EQ(run.at(worker + "kai.scheduler~1segment-topology-required-placement"),
            "nvidia.com/gpu.clique");
}

TEST(ParallelGroups, PartitionsOfAVolcanoJob) {
  const std::string job =
      std::string(
          "{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: train, "
          "namespace: team-nlp, ") +
      kIntent + "}, spec: {tasks: [{name: worker, replicas: 8, template: {metadata: {" + kIntent +
      "}, spec: " + kGpuPod + "}}]}}";
  const std::string tier =
      "{apiVersion: topology.volcano.sh/v1alpha1, kind: HyperNode, metadata: {name: c0}, spec: "
      "{tier: "
      "1, members: [{type: Node, selector: {labelMatch: {matchLabels: {nvidia.com/gpu.clique: "
      "c0}}}}]}}";
  const std::string then = "gang: {backend: volcano, " + kThen + "}";
  const GangWorld run({then, job, with_nodes({tier})});
  EXPECT_EQ(run.at("/spec/tasks/0/partitionPolicy"),
            R"({"totalPartitions":4,"partitionSize":2,)"
            R"("networkTopology":{"mode":"hard","highestTierAllowed":1}})");
  const GangWorld without({then, job, nodes()});
  EXPECT_EQ(without.at("/spec/tasks/0/partitionPolicy"), "absent") << "no HyperNode of the level";
  std::string own = job;
  own.replace(own.find("replicas: 8"), 0,
              "partitionPolicy: {totalPartitions: 2, partitionSize: 4}, ");
  EXPECT_EQ(
      GangWorld({then, own, with_nodes({tier})}).at("/spec/tasks/0/partitionPolicy/partitionSize"),
      "4")
      << "the author's";
}

TEST(ParallelGroups, LayersOfKoordinator) {
  const std::string topology =
      "{apiVersion: scheduling.koordinator.sh/v1alpha1, kind: ClusterNetworkTopology, metadata: "
      "{name: default}, spec: {networkTopologySpec: [{topologyLayer: Rack, labelKey: "
      "[topology.kubernetes.io/rack]}, {topologyLayer: Clique, labelKey: "
      "[nvidia.com/gpu.clique]}]}}";
  const GangWorld run(
      {"gang: {backend: koordinator, " + kThen + "}", job_of(8), with_nodes({topology})});
  EXPECT_EQ(run.at(kTemplate + "gang.scheduling.koordinator.sh~1network-topology-spec"),
            R"({"gatherStrategy":[{"layer":"Rack","strategy":"MustGather","podCountMultiple":4},)"
            R"({"layer":"Clique","strategy":"MustGather","podCountMultiple":2}]})");
}

}  // namespace
}  // namespace berth::webhook
