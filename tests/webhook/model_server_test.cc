// What rules see of a model server, and what explain says of it.
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/world.h"
#include "webhook/explain.h"

namespace berth::webhook {
namespace {

constexpr char kRules[] = R"(apiVersion: berth.dev/v1alpha1
kind: RuleSet
metadata: {name: serving}
rules:
- name: told
  when: workload.modelMemory > quantity('0')
  then:
    annotations:
      example.com/model: "${workload.model}"
      example.com/served: "${workload.servedModel}"
      example.com/quantization: "${workload.quantization}"
      example.com/parallel: "${workload.tensorParallel} ${workload.pipelineParallel}"
      example.com/length: "${workload.maxModelLen}"
      example.com/fraction: "${workload.gpuMemoryUtilization}"
      example.com/memory: "${workload.modelMemory}"
- name: wide
  when: workload.tensorParallel > 1
  then: {labels: {wide: "true"}}
)";

constexpr char kServer[] =
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"team-a"},
        "spec":{"containers":[{"name":"proxy","image":"envoy:1"},{"name":"vllm","image":"vllm/vllm-openai:v0.11",
        "args":["--model","meta-llama/Llama-3.1-8B-Instruct","--served-model-name","chat",
        "--tensor-parallel-size","2","--max-model-len","8192","--gpu-memory-utilization","0.85","--quantization","fp8"],
        "resources":{"limits":{"nvidia.com/gpu":"2"}}}]}})";

constexpr char kTraining[] =
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"team-a"},
        "spec":{"containers":[{"name":"main","image":"pytorch/pytorch:2","args":["--model","llama-8b"],
        "resources":{"limits":{"nvidia.com/gpu":"2"}}}]}})";

berth::testing::TestWorld world() {
  return berth::testing::world_from({{"serving.yaml", kRules}}, {});
}

TEST(ModelServerFacts, AreThereForRules) {
  const auto with = world();
  const auto judged = berth::testing::judge(kServer, with.view());
  const kube::Json annotations = judged.answer.object["metadata"]["annotations"];
  const std::map<std::string, std::string> expected = {
      {"model", "meta-llama/Llama-3.1-8B-Instruct"},
      {"served", "chat"},
      {"quantization", "fp8"},
      {"parallel", "2 1"},
      {"length", "8192"},
      {"fraction", "0.85"},
      {"memory", "6042Mi"}};
  for (const auto& [name, value] : expected) {
    EXPECT_EQ(annotations["example.com/" + name].string_or_empty(), value) << name;
  }
  EXPECT_EQ(judged.answer.object["metadata"]["labels"]["wide"].string_or_empty(), "true");
}

TEST(ModelServerFacts, AreEmptyForAllElse) {
  const auto with = world();
  const auto judged = berth::testing::judge(kTraining, with.view());
  EXPECT_TRUE(judged.answer.changes.empty());
}

TEST(ModelServerFacts, GiveWayToTheModelThatIsStated) {
  const auto with = world();
  std::string pod = kServer;
  const std::string name = R"("namespace":"team-a")";
  pod.replace(pod.find(name), name.size(), name + R"(,"labels":{"berth.dev/model":"qwen3-8b"})");
  const auto judged = berth::testing::judge(pod, with.view());
  EXPECT_EQ(judged.answer.object["metadata"]["annotations"]["example.com/model"].string_or_empty(),
            "qwen3-8b");
}

TEST(ModelServerFacts, AreExplained) {
  const auto with = world();
  const auto judged = berth::testing::judge(kServer, with.view());
  const std::string text = explain_text(judged.review, judged.answer, *with.rules, {});
  EXPECT_NE(text.find("2 GPUs, vllm, model meta-llama/Llama-3.1-8B-Instruct"), std::string::npos)
      << text;
  EXPECT_NE(text.find("  model memory: about 6042Mi a GPU: weights "), std::string::npos) << text;
  const std::string json = explain_json(judged.review, judged.answer, with.view(), *judged.arena);
  EXPECT_NE(json.find(R"("model":"meta-llama/Llama-3.1-8B-Instruct","servedModel":"chat",)"
                      R"("modelMemory":"6042Mi","modelMemoryFrom":"weights )"),
            std::string::npos)
      << json;
}

}  // namespace
}  // namespace berth::webhook
