#include "kube/model_memory.h"

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace berth::kube {
namespace {

ModelServer served(std::string_view model, std::int64_t tokens,
                   std::string_view quantization = {}) {
  ModelServer server;
  server.model = model;
  server.max_model_len = tokens;
  server.quantization = quantization;
  return server;
}

struct Measured {
  const char* model;
  const char* quantization;
  const char* engine;
  std::int64_t tokens;
  double gib;
};

// Peak memory of all GPUs together as published. Qwen2 (tokens generated from an input of 1):
// QwenLM/Qwen2.5 docs/source/benchmark/speed_benchmark.rst; Qwen: QwenLM/Qwen README, generating
// 2048 tokens; both by transformers, which need as little as ollama. vLLM: the line "model weights
// take ..." of its start, weights and peak of the activations, with a cache of one token
// (vllm-project/vllm #13109 and logs in public repositories).
constexpr Measured kMeasured[] = {
    {"Qwen/Qwen2-1.5B-Instruct", "", "ollama", 2048, 3.44},
    {"Qwen/Qwen2-1.5B-Instruct", "gptq-int8", "ollama", 2048, 2.31},
    {"Qwen/Qwen2-1.5B-Instruct", "gptq-int4", "ollama", 2048, 1.67},
    {"Qwen/Qwen2-1.5B-Instruct", "awq", "ollama", 2048, 1.64},
    {"Qwen/Qwen2-7B-Instruct", "", "ollama", 2048, 14.92},
    {"Qwen/Qwen2-7B-Instruct", "gptq-int8", "ollama", 2048, 8.97},
    {"Qwen/Qwen2-7B-Instruct", "gptq-int4", "ollama", 2048, 6.06},
    {"Qwen/Qwen2-7B-Instruct", "awq", "ollama", 2048, 5.93},
    {"Qwen/Qwen2-57B-A14B-Instruct", "", "ollama", 2048, 110.29},
    {"Qwen/Qwen2-57B-A14B-Instruct", "gptq-int4", "ollama", 2048, 30.38},
    {"Qwen/Qwen2-72B-Instruct", "", "ollama", 2048, 134.74},
    {"Qwen/Qwen2-72B-Instruct", "gptq-int8", "ollama", 2048, 71.00},
    {"Qwen/Qwen2-72B-Instruct", "gptq-int4", "ollama", 2048, 41.80},
    {"Qwen/Qwen2-72B-Instruct", "awq", "ollama", 2048, 41.31},
    {"Qwen/Qwen-1_8B-Chat", "", "ollama", 2048, 4.23},
    {"Qwen/Qwen-1_8B-Chat", "int8", "ollama", 2048, 3.48},
    {"Qwen/Qwen-1_8B-Chat", "int4", "ollama", 2048, 2.91},
    {"Qwen/Qwen-7B-Chat", "", "ollama", 2048, 16.99},
    {"Qwen/Qwen-7B-Chat", "int8", "ollama", 2048, 11.20},
    {"Qwen/Qwen-7B-Chat", "int4", "ollama", 2048, 8.21},
    {"Qwen/Qwen-14B-Chat", "", "ollama", 2048, 30.15},
    {"Qwen/Qwen-14B-Chat", "int8", "ollama", 2048, 18.81},
    {"Qwen/Qwen-14B-Chat", "int4", "ollama", 2048, 13.01},
    {"Qwen/Qwen-72B-Chat", "", "ollama", 2048, 144.69},
    {"Qwen/Qwen-72B-Chat", "int8", "ollama", 2048, 81.27},
    {"Qwen/Qwen-72B-Chat", "int4", "ollama", 2048, 48.86},
    {"meta-llama/Llama-3.1-8B-Instruct", "", "vllm", 1, 16.30},
    {"TechxGenus/DeepSeek-Coder-V2-Lite-Instruct-AWQ", "", "vllm", 1, 11.55},
    {"lingshu-medical-mllm/Lingshu-32B", "", "vllm", 1, 69.42},
    {"Qwen/Qwen2.5-1.5B-Instruct", "", "vllm", 1, 4.92},
};

TEST(ModelMemory, IsNearWhatWasMeasured) {
  int near = 0;
  int all = 0;
  for (const Measured& row : kMeasured) {
    ModelServer server = served(row.model, row.tokens, row.quantization);
    // 16 bits, which ollama has by name alone.
    const std::string full = std::string(row.model) + "-fp16";
    if (server.quantization.empty() && std::string_view(row.engine) == "ollama")
      server.model = full;
    const auto memory = memory_of_model(server, row.engine);
    ASSERT_TRUE(memory.has_value()) << row.model;
    const double gib = static_cast<double>(memory->total_mib()) / 1024;
    ++all;
    near += std::abs(gib - row.gib) <= 0.15 * row.gib ? 1 : 0;
    EXPECT_GT(memory->total_mib(), memory->weights_mib);
    EXPECT_NEAR(gib, row.gib, 0.21 * row.gib) << row.model << ' ' << row.quantization;
  }
  std::printf("model memory: %d of %d within 15 %%\n", near, all);
  EXPECT_GE(near * 25, all * 20);
}

// Sizes of the weights alone, by model cards: bytes of the safetensors files in GiB.
TEST(ModelMemory, IsNeverBelowTheWeights) {
  struct Row {
    const char* model;
    double gib;
  };
  for (const Row& row :
       {Row{"meta-llama/Llama-3.1-8B-Instruct", 14.96},
        Row{"meta-llama/Llama-3.1-70B-Instruct", 131.4},
        Row{"meta-llama/Llama-3.1-405B-Instruct", 755.0},
        Row{"mistralai/Mixtral-8x7B-Instruct-v0.1", 86.9}, Row{"Qwen/Qwen3-30B-A3B", 56.8},
        Row{"hugging-quants/Meta-Llama-3.1-8B-Instruct-AWQ-INT4", 5.3},
        Row{"deepseek-ai/DeepSeek-R1-Distill-Llama-70B", 131.4},
        Row{"someone/unheard-of-13b", 24.2}}) {
    const auto memory = memory_of_model(served(row.model, 1), "vllm");
    ASSERT_TRUE(memory.has_value()) << row.model;
    EXPECT_GE(static_cast<double>(memory->total_mib()) / 1024, row.gib) << row.model;
  }
}

// The Llama 3.1 announcement at huggingface.co: cache of one sequence, GiB.
TEST(ModelMemory, CountsTheCacheOfOneSequence) {
  struct Row {
    const char* model;
    std::int64_t tokens;
    double gib;
  };
  for (const Row& row : {Row{"Llama-3.1-8B", 1024, 0.125}, Row{"Llama-3.1-8B", 16000, 1.95},
                         Row{"Llama-3.1-8B", 128000, 15.62}, Row{"Llama-3.1-70B", 16000, 4.88},
                         Row{"Llama-3.1-70B", 128000, 39.06}}) {
    const auto memory = memory_of_model(served(row.model, row.tokens), "vllm");
    EXPECT_NEAR(static_cast<double>(memory->cache_mib) / 1024, row.gib, 0.01) << row.model;
  }
  ModelServer half = served("Llama-3.1-8B", 128000);
  half.kv_cache_dtype = "fp8_e4m3";
  half.tensor_parallel = 2;
  EXPECT_EQ(memory_of_model(half, "vllm")->cache_mib, 4000);
}

TEST(ModelMemory, TakesTheModelsOwnLengthWhereTheEngineDoes) {
  EXPECT_EQ(memory_of_model(served("Llama-3.1-8B", 0), "vllm")->cache_mib, 16 * 1024);
  EXPECT_EQ(memory_of_model(served("Llama-3.1-8B", 0), "sglang")->cache_mib, 1024);
  EXPECT_EQ(memory_of_model(served("meta-llama/Llama-2-7b", 0), "tgi")->cache_mib, 2048);
}

TEST(ModelMemory, SaysHowItWasCounted) {
  ModelServer server = served("meta-llama/Llama-3.3-70B-Instruct", 8192);
  server.tensor_parallel = 4;
  EXPECT_EQ(memory_of_model(server, "vllm")->formula(),
            "weights 32.9 GiB (70.6 billion parameters of 16 bits, GPUs: 4), cache 0.6 GiB (8192 "
            "tokens), engine 1.7 GiB");
}

TEST(ModelShape, ReadsNames) {
  struct Row {
    const char* name;
    double billions;  // 0: nothing
  };
  for (const Row& row : {
           Row{"meta-llama/Llama-3.1-8B-Instruct", 8.03},
           Row{"llama3.2:3b", 3.21},
           Row{"llama3.1:70b-instruct-q4_K_M", 70.6},
           Row{"/models/Meta-Llama-3-70B-Instruct", 70.6},
           Row{"hf://mistralai/Mistral-7B-Instruct-v0.3", 7.25},
           Row{"deepseek-ai/DeepSeek-R1", 671},
           Row{"deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B", 1.78},
           Row{"Qwen/Qwen3-235B-A22B-FP8", 235},
           Row{"Qwen/Qwen2.5-72B-Instruct-AWQ", 72.7},
           Row{"acme/chat-13b", 13},
           Row{"acme/chat-1.3b-v2", 1.3},
           Row{"acme/moe-8x3b", 20},
           Row{"acme/small-350m", 0.35},
           Row{"acme/moe-a3b-30b", 30},
           Row{"chat-large", 0},
           Row{"", 0},
           Row{"model-v2.7", 0},
           Row{"b", 0},
           Row{"99999999b", 0},
           Row{"x7b8", 0},
           Row{"1.2.3b", 0},
       }) {
    const auto shape = shape_of_model(row.name);
    EXPECT_NEAR(shape ? shape->parameters : 0, row.billions, 1e-9) << row.name;
  }
}

}  // namespace
}  // namespace berth::kube
