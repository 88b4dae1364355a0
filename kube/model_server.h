// Model server: what a serving engine says about its model in its own flags and variables. Which
// flags: the tables of model_server.cc name their sources (vllm-project/vllm, sgl-project/sglang,
// huggingface/text-generation-inference, NVIDIA NIM, NVIDIA/TensorRT-LLM, ollama/ollama, kserve).
// Pure; views point into the pod, the arena or static text.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/arena.h"
#include "kube/pod.h"

namespace berth::kube {

/// What is not stated is empty or 0. Flags win over variables, the last flag over earlier ones, as
/// in the engines. A value that refers to what the pod does not show (`$MODEL` from a Secret)
/// counts as not stated.
struct ModelServer {
  std::string_view container;     ///< its name: the one that asks for GPUs and names the engine
  std::string_view model;         ///< name at a hub, path or URI: "meta-llama/Llama-3.1-8B"
  std::string_view served_model;  ///< name that clients use
  std::int64_t tensor_parallel = 0;
  std::int64_t pipeline_parallel = 0;
  std::int64_t data_parallel = 0;
  std::int64_t max_model_len = 0;   ///< tokens of one sequence
  double gpu_memory_fraction = 0;   ///< of each GPU that the engine may take, above 0 up to 1
  std::string_view quantization;    ///< the engine's word: "awq", "fp8"
  std::string_view dtype;           ///< of the weights: "bfloat16", "auto"
  std::string_view kv_cache_dtype;  ///< "fp8", "auto"
};

/// Reads the server of a pod in which `framework` (kube::framework_of) runs. All empty where that
/// is no serving engine or the pod has no container.
ModelServer model_server_of(const Pod& pod, std::string_view framework, base::Arena& arena);

/// True for the frameworks that serve models: vllm, sglang, tgi, triton, tensorrt-llm, ollama, nim.
bool serves_models(std::string_view framework);

}  // namespace berth::kube
