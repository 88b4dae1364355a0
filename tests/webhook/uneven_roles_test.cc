// Roles that differ: a launcher or head without GPUs is a member of the group, and no load on the
// topology.
#include "tests/webhook/gang_fixture.h"

namespace berth::webhook {
namespace {

std::string mpi_of(int workers) {
  return std::string(
             "{apiVersion: kubeflow.org/v2beta1, kind: MPIJob, metadata: {name: mpi, namespace: "
             "team-nlp, ") +
         kIntent + "}, spec: {mpiReplicaSpecs: {Launcher: {replicas: 1, template: {metadata: {" +
         kIntent + "}, spec: {containers: [{name: l, image: 'a:1'}]}}}, Worker: {replicas: " +
         std::to_string(workers) + ", template: {metadata: {" + kIntent + "}, spec: " + kGpuPod +
         "}}}}}";
}

const std::string kWorker = "/spec/mpiReplicaSpecs/Worker/template/metadata/annotations/";

TEST(UnevenRoles, ALauncherTakesNoRoomInADomain) {
  const std::vector<std::string> rack = {kLocalQueue, node_in("a", "r1"), node_in("b", "r1")};
  const std::string then = "gang: {backend: kueue}, placement: {require: rack}";
  const GangWorld fits({then, mpi_of(2), rack});
  EXPECT_EQ(fits.at(kWorker + "kueue.x-k8s.io~1podset-required-topology"),
            "topology.kubernetes.io/rack");
  EXPECT_EQ(fits.warnings(), "");
  const GangWorld never({then, mpi_of(3), rack});
  EXPECT_EQ(never.at(kWorker + "kueue.x-k8s.io~1podset-required-topology"), "absent");
  EXPECT_NE(never.warnings().find("can ever hold 3 pods of 8 GPUs"), std::string::npos)
      << never.warnings();
}

TEST(UnevenRoles, ALauncherCountsInTheGroupButNotInParallelism) {
  const std::string then = "gang: {backend: koordinator, parallelism: 'tp=8,pp=2,dp=2'}";
  const GangWorld run({then, mpi_of(4)});
  EXPECT_EQ(run.at(kWorker + "gang.scheduling.koordinator.sh~1total-number"), "5");
  EXPECT_EQ(run.warnings(), "");
  const GangWorld wrong({"gang: {backend: koordinator, parallelism: 'tp=8,pp=5,dp=1'}", mpi_of(4)});
  EXPECT_NE(wrong.warnings().find("is 40 GPUs, the group has 4 pods of 8 = 32"), std::string::npos)
      << wrong.warnings();
}

}  // namespace
}  // namespace berth::webhook
