#include "rules/advice.h"

#include "fixtures.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::json_of;

class Advice : public ::testing::Test {
 protected:
  std::vector<std::string> on(std::string_view pod, const topology::Snapshot& cluster) {
    subject_ = testing::pod_subject(json_of(pod, arena_));
    facts_ = observe(subject_, testing::request_in("team-nlp"), cluster, {"berth.dev", &arena_});
    std::vector<std::string> out;
    for (const Message& message : advise(subject_, facts_, cluster)) {
      EXPECT_EQ(message.rule, nullptr);
      EXPECT_LE(message.text.size(), 120U) << message.text;
      out.push_back(message.text);
    }
    return out;
  }
  static std::string node(std::string_view name, int gpus) {
    return "{apiVersion: v1, kind: Node, metadata: {name: " + std::string(name) +
           ", labels: {kubernetes.io/hostname: " + std::string(name) +
           ", nvidia.com/gpu.product: Tesla-T4}}, status: {allocatable: {nvidia.com/gpu: '" +
           std::to_string(gpus) + "'}, conditions: [{type: Ready, status: 'True'}]}}";
  }
  static std::string rollout(std::string_view strategy) {
    return node("t4-1", 1) +
           "\n---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: serve, namespace: "
           "team-nlp}, spec: {replicas: 1, strategy: {" +
           std::string(strategy) +
           "}}}\n---\n{apiVersion: v1, kind: Pod, metadata: {name: serve-old-x, namespace: "
           "team-nlp, labels: {pod-template-hash: old}, ownerReferences: [{apiVersion: apps/v1, "
           "kind: ReplicaSet, name: serve-old, uid: o, controller: true}]}, spec: {nodeName: t4-1, "
           "containers: [{name: main, resources: {limits: {nvidia.com/gpu: 1}}}]}, status: {phase: "
           "Running}}";
  }

  base::Arena arena_;
  Subject subject_;
  Facts facts_;
};

constexpr std::string_view kReplica =
    "{metadata: {generateName: serve-new-, labels: {pod-template-hash: new}, ownerReferences: "
    "[{apiVersion: apps/v1, kind: ReplicaSet, name: serve-new, uid: n, controller: true}]}, spec: "
    "{containers: [{name: main, resources: {limits: {nvidia.com/gpu: 1}}}]}}";

TEST_F(Advice, MoreGpusThanAnyNodeHasAreSaidWithTheirSum) {
  const auto cluster = testing::cluster_of({node("t4-1", 1)});
  EXPECT_THAT(on("{spec: {containers: [{name: train, resources: {limits: {nvidia.com/gpu: 1}}}, "
                 "{name: tensorboard, resources: {limits: {nvidia.com/gpu: 1}}}]}}",
                 *cluster),
              ElementsAre("asks for 2 GPUs in total (train 1, tensorboard 1); largest matching "
                          "node has 1"));
  EXPECT_THAT(on("{spec: {containers: [{name: main, resources: {limits: {nvidia.com/gpu: 1Ki}}}]}}",
                 *cluster),
              ElementsAre("asks for 1024 GPUs; largest matching node has 1"));
  EXPECT_THAT(on("{spec: {containers: [{name: main, resources: {limits: {nvidia.com/gpu: 1}}}]}}",
                 *cluster),
              IsEmpty());
}

TEST_F(Advice, AProfileThatNobodyOffersIsSaidWithThoseThatAre) {
  const auto said =
      on("{spec: {containers: [{name: main, resources: {limits: {nvidia.com/mig-1g.5gb: 1}}}]}}",
         *testing::lab());
  EXPECT_THAT(said, ElementsAre("no node that the pod may use offers 1g.5gb; offered: 1g.10gb (10 "
                                "free), 2g.20gb (4 free), 3g.40gb (0 free)"));
}

TEST_F(Advice, ARolloutThatWaitsForItselfIsSaid) {
  EXPECT_THAT(on(kReplica, *testing::cluster_of({rollout("type: RollingUpdate")})),
              ElementsAre(HasSubstr("maxSurge")));
  EXPECT_THAT(on(kReplica, *testing::cluster_of({rollout("")})), ::testing::SizeIs(1));
  EXPECT_THAT(on(kReplica, *testing::cluster_of({rollout("type: Recreate")})), IsEmpty());
  EXPECT_THAT(on(kReplica, *testing::cluster_of(
                               {rollout("type: RollingUpdate, rollingUpdate: {maxSurge: 0}")})),
              IsEmpty());
  EXPECT_THAT(on(kReplica, *testing::cluster_of({rollout(""), node("t4-2", 1)})), IsEmpty());
}

TEST_F(Advice, NothingIsSaidWithoutNodesOrWithoutGpus) {
  EXPECT_THAT(on(kReplica, *testing::nothing_known()), IsEmpty());
  EXPECT_THAT(on("{spec: {containers: [{name: main}]}}", *testing::lab()), IsEmpty());
}

// A pod of vLLM with these arguments.
std::string server(std::string_view arguments, int gpus) {
  return "{spec: {containers: [{name: vllm, image: vllm/vllm-openai, args: [--model, a/b-1b, " +
         std::string(arguments) +
         "], resources: {limits: {nvidia.com/gpu: " + std::to_string(gpus) + "}}}]}}";
}

TEST_F(Advice, AnEngineThatIsToldOfOtherGpusThanItHasIsSaid) {
  const auto nothing = testing::cluster_of({});
  const auto cluster = testing::cluster_of({node("t4-1", 4)});
  for (const topology::Snapshot* known : {nothing.get(), cluster.get()}) {
    EXPECT_THAT(on(server("-tp, '4'", 2), *known),
                ElementsAre("vllm is told to use 4 GPUs, the workload has 2: it will not start"));
    EXPECT_THAT(on(server("", 4), *known), ElementsAre("vllm is told to use 1 of 4 GPUs: set the "
                                                       "tensor parallel size"));
    EXPECT_THAT(on(server("-tp, '2', -pp, '2'", 4), *known), IsEmpty());
    EXPECT_THAT(on(server("-dp, '4'", 4), *known), IsEmpty()) << "replicas in one pod";
    EXPECT_THAT(on(server("", 1), *known), IsEmpty());
  }
}

TEST_F(Advice, WeightsThatNoCardHoldsAreSaid) {
  const auto cluster = testing::cluster_of({node("t4-1", 4)});
  const auto pod = [](std::string_view model, int gpus) {
    return "{spec: {containers: [{name: vllm, image: vllm/vllm-openai, args: [--model, " +
           std::string(model) + ", -tp, '" + std::to_string(gpus) +
           "'], resources: {limits: {nvidia.com/gpu: " + std::to_string(gpus) + "}}}]}}";
  };
  EXPECT_THAT(
      on(pod("Qwen/Qwen2.5-32B", 1), *cluster),
      ElementsAre(HasSubstr("the model's weights need about 61 GiB a GPU, the largest has")));
  EXPECT_THAT(on(pod("Qwen/Qwen2.5-14B", 4), *cluster), IsEmpty());
  EXPECT_THAT(on(pod("chat-large", 1), *cluster), IsEmpty());
}

}  // namespace
}  // namespace berth::rules
