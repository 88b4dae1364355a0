#include "kube/model_server.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "kube/command_words.h"
#include "kube/gpu_resource.h"
#include "kube/workload.h"

namespace berth::kube {
namespace {

enum class Field : std::uint8_t {
  kModel,
  kServedModel,
  kTensorParallel,
  kPipelineParallel,
  kDataParallel,
  kMaxModelLen,
  kMemoryFraction,
  kQuantization,
  kDtype,
  kKvCacheDtype,
};
constexpr std::size_t kFields = 10;

using Values = std::array<std::string_view, kFields>;

struct Row {
  std::string_view engine;
  std::string_view name;  // of a flag with '-' for '_', or of a variable
  Field field;
};

// vllm/engine/arg_utils.py and vllm/entrypoints/openai/cli_args.py; kserve python/huggingfaceserver
// for --model-id, --model-dir, --model-name. sglang/srt/server_args.py.
// text-generation-inference/launcher/src/main.rs. tensorrt_llm/commands/serve.py.
constexpr std::array kFlags = {
    Row{"vllm", "--model", Field::kModel},
    Row{"vllm", "--model-id", Field::kModel},
    Row{"vllm", "--model-dir", Field::kModel},
    Row{"vllm", "--served-model-name", Field::kServedModel},
    Row{"vllm", "--model-name", Field::kServedModel},
    Row{"vllm", "--tensor-parallel-size", Field::kTensorParallel},
    Row{"vllm", "-tp", Field::kTensorParallel},
    Row{"vllm", "--pipeline-parallel-size", Field::kPipelineParallel},
    Row{"vllm", "-pp", Field::kPipelineParallel},
    Row{"vllm", "--data-parallel-size", Field::kDataParallel},
    Row{"vllm", "-dp", Field::kDataParallel},
    Row{"vllm", "--max-model-len", Field::kMaxModelLen},
    Row{"vllm", "--gpu-memory-utilization", Field::kMemoryFraction},
    Row{"vllm", "--quantization", Field::kQuantization},
    Row{"vllm", "-q", Field::kQuantization},
    Row{"vllm", "--dtype", Field::kDtype},
    Row{"vllm", "--kv-cache-dtype", Field::kKvCacheDtype},
    Row{"sglang", "--model-path", Field::kModel},
    Row{"sglang", "--model", Field::kModel},
    Row{"sglang", "--served-model-name", Field::kServedModel},
    Row{"sglang", "--tensor-parallel-size", Field::kTensorParallel},
    Row{"sglang", "--tp-size", Field::kTensorParallel},
    Row{"sglang", "--tp", Field::kTensorParallel},
    Row{"sglang", "--pipeline-parallel-size", Field::kPipelineParallel},
    Row{"sglang", "--pp-size", Field::kPipelineParallel},
    Row{"sglang", "--data-parallel-size", Field::kDataParallel},
    Row{"sglang", "--dp-size", Field::kDataParallel},
    Row{"sglang", "--dp", Field::kDataParallel},
    Row{"sglang", "--context-length", Field::kMaxModelLen},
    Row{"sglang", "--mem-fraction-static", Field::kMemoryFraction},
    Row{"sglang", "--quantization", Field::kQuantization},
    Row{"sglang", "--dtype", Field::kDtype},
    Row{"sglang", "--kv-cache-dtype", Field::kKvCacheDtype},
    Row{"tgi", "--model-id", Field::kModel},
    Row{"tgi", "--num-shard", Field::kTensorParallel},
    Row{"tgi", "--max-total-tokens", Field::kMaxModelLen},
    Row{"tgi", "--cuda-memory-fraction", Field::kMemoryFraction},
    Row{"tgi", "--quantize", Field::kQuantization},
    Row{"tgi", "--dtype", Field::kDtype},
    Row{"tgi", "--kv-cache-dtype", Field::kKvCacheDtype},
    Row{"tensorrt-llm", "--tp-size", Field::kTensorParallel},
    Row{"tensorrt-llm", "--pp-size", Field::kPipelineParallel},
    Row{"tensorrt-llm", "--max-seq-len", Field::kMaxModelLen},
    Row{"triton", "--load-model", Field::kServedModel},
};

// TGI reads each flag from the variable of its name, too. NIM is told by variables alone
// (docs.nvidia.com/nim, configuration). kserve pkg/constants for the multi-node sizes.
constexpr std::array kVariables = {
    Row{"vllm", "MODEL_ID", Field::kModel},
    Row{"vllm", "TENSOR_PARALLEL_SIZE", Field::kTensorParallel},
    Row{"vllm", "PIPELINE_PARALLEL_SIZE", Field::kPipelineParallel},
    Row{"tgi", "MODEL_ID", Field::kModel},
    Row{"tgi", "HF_MODEL_ID", Field::kModel},
    Row{"tgi", "NUM_SHARD", Field::kTensorParallel},
    Row{"tgi", "MAX_TOTAL_TOKENS", Field::kMaxModelLen},
    Row{"tgi", "CUDA_MEMORY_FRACTION", Field::kMemoryFraction},
    Row{"tgi", "QUANTIZE", Field::kQuantization},
    Row{"tgi", "DTYPE", Field::kDtype},
    Row{"tgi", "KV_CACHE_DTYPE", Field::kKvCacheDtype},
    Row{"nim", "NIM_MODEL_PATH", Field::kModel},
    Row{"nim", "NIM_MODEL_NAME", Field::kModel},
    Row{"nim", "NIM_SERVED_MODEL_NAME", Field::kServedModel},
    Row{"nim", "NIM_TENSOR_PARALLEL_SIZE", Field::kTensorParallel},
    Row{"nim", "NIM_PIPELINE_PARALLEL_SIZE", Field::kPipelineParallel},
    Row{"nim", "NIM_MAX_MODEL_LEN", Field::kMaxModelLen},
    Row{"ollama", "OLLAMA_CONTEXT_LENGTH", Field::kMaxModelLen},
};

// Programs behind which the model stands without a flag, and the word between them where the
// program has commands.
struct Positional {
  std::string_view engine;
  std::string_view program;
  std::string_view command;
};
constexpr std::array kPositional = {
    Positional{"vllm", "vllm", "serve"},
    Positional{"sglang", "sglang", "serve"},
    Positional{"tensorrt-llm", "trtllm-serve", "serve"},
    Positional{"ollama", "ollama", "run"},
    Positional{"ollama", "ollama", "pull"},
};

std::string_view& at(Values& values, Field field) {
  return values[static_cast<std::size_t>(field)];
}

bool same_flag(std::string_view word, std::string_view flag) {
  return word.size() == flag.size() &&
         std::equal(word.begin(), word.end(), flag.begin(),
                    [](char a, char b) { return a == b || (a == '_' && b == '-'); });
}

// Of no use where it refers to what the pod does not show.
bool is_definite(std::string_view value) {
  return !value.empty() && value.find('$') == std::string_view::npos;
}

class Reading {
 public:
  Reading(std::string_view engine, Json container, base::Arena& arena)
      : engine_(engine), container_(container), words_(command_words(container, arena)) {}

  Values read() {
    Values values;
    for (const Row& row : kVariables) {
      if (row.engine != engine_ || !at(values, row.field).empty()) continue;
      const std::string_view value = variable_of(container_, row.name);
      if (is_definite(value)) at(values, row.field) = value;
    }
    const std::size_t start = start_of_arguments();
    read_positional(start, values);
    for (std::size_t i = start; i < words_.size() && words_[i] != ";"; ++i) read_flag(i, values);
    return values;
  }

 private:
  // The engine's program or module ("python3 -m vllm.entrypoints...") in the words, or nothing.
  bool is_engine(std::string_view word) const {
    const std::string_view program = base_name(word);
    return names_framework_program(program.substr(0, program.find('.')), engine_);
  }

  // Behind the engine's program; an image with an entry point of its own has arguments only.
  std::size_t start_of_arguments() const {
    const auto program = std::find_if(words_.begin(), words_.end(),
                                      [this](std::string_view word) { return is_engine(word); });
    return program == words_.end() ? 0 : static_cast<std::size_t>(program - words_.begin()) + 1;
  }

  void read_positional(std::size_t start, Values& values) {
    std::size_t i = start;
    const bool bare = start == 0;  // the image's entry point is the program, its command too
    for (const Positional& row : kPositional) {
      if (row.engine != engine_ || (!bare && base_name(words_[start - 1]) != row.program)) continue;
      if (i < words_.size() && words_[i] == row.command) {
        ++i;
      } else if (row.engine == "ollama") {
        continue;  // no model without a command
      }
      if (i < words_.size() && !words_[i].starts_with('-') && words_[i] != ";" &&
          is_definite(words_[i]) && (!bare || container_["command"].items().empty())) {
        at(values, Field::kModel) = words_[i];
      }
      return;
    }
  }

  void read_flag(std::size_t i, Values& values) {
    std::string_view word = words_[i];
    if (!word.starts_with('-')) return;
    const std::size_t sign = word.find('=');
    const std::string_view name = word.substr(0, sign);
    std::string_view value;
    if (sign != std::string_view::npos) {
      value = word.substr(sign + 1);
    } else if (i + 1 < words_.size() && !words_[i + 1].starts_with("--")) {
      value = words_[i + 1];
    }
    if (!is_definite(value)) return;
    for (const Row& row : kFlags) {
      if (row.engine == engine_ && same_flag(name, row.name)) at(values, row.field) = value;
    }
  }

  std::string_view engine_;
  Json container_;
  std::vector<std::string_view> words_;
};

// ------------------------------------------------------------------ values

// GPUs or replicas; more than any cluster has count as not stated.
std::int64_t count(std::string_view text) {
  constexpr std::int64_t kMost = 1'000'000;
  std::int64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
  return whole && value > 0 && value <= kMost ? value : 0;
}

// Tokens, with the units that vLLM reads: "32k" is 32,000, "32K" is 32,768.
std::int64_t tokens(std::string_view text) {
  double number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || !(number > 0) || number > 1e12) return 0;
  const std::string_view unit = text.substr(static_cast<std::size_t>(parsed.ptr - text.data()));
  const double factor = unit.empty()  ? 1
                        : unit == "k" ? 1e3
                        : unit == "K" ? 1024
                        : unit == "m" ? 1e6
                        : unit == "M" ? 1024.0 * 1024
                                      : 0;
  return static_cast<std::int64_t>(number * factor);
}

double fraction(std::string_view text) {
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
  return whole && value > 0 && value <= 1 ? value : 0;
}

// A word of an engine; "none" and "null" say that there is nothing.
std::string_view choice(std::string_view text) {
  return text == "None" || text == "none" || text == "null" ? std::string_view{} : text;
}

// ------------------------------------------------------------------ which container

bool wants_gpus(Json container) {
  return container["resources"]["claims"].size() > 0 || asks_for_gpus(container);
}

// The one that asks for GPUs, among several the one that names the engine: proxies and agents stand
// before and behind it.
Json engine_container(const Pod& pod, std::string_view engine) {
  const auto containers = pod.spec()["containers"].items();
  if (containers.size() == 1) return containers.front();
  Json best;
  int most = -1;
  for (const Json& container : containers) {
    const int points =
        (wants_gpus(container) ? 2 : 0) + (names_framework(container, engine) ? 1 : 0);
    if (points <= most) continue;
    most = points;
    best = container;
  }
  return best;
}

// "meta/llama-3.1-8b-instruct" of "nvcr.io/nim/meta/llama-3.1-8b-instruct:1.8": a NIM has its model
// in the image.
std::string_view model_of_nim_image(std::string_view image) {
  constexpr std::string_view kFolder = "nim/";
  image = image.substr(0, image.find('@'));
  const std::size_t folder = image.rfind(kFolder);
  if (folder == std::string_view::npos || (folder > 0 && image[folder - 1] != '/')) return {};
  image.remove_prefix(folder + kFolder.size());
  return image.substr(0, image.find(':'));
}

std::string_view served_by_labels(const Pod& pod) {
  for (const char* key : {"llm-d.ai/model", "serving.kserve.io/inferenceservice"}) {
    if (const std::string_view name = pod.label(key); !name.empty()) return name;
  }
  return {};
}

}  // namespace

bool serves_models(std::string_view framework) {
  constexpr std::array<std::string_view, 7> kEngines = {"vllm",         "sglang", "tgi", "triton",
                                                        "tensorrt-llm", "ollama", "nim"};
  return std::find(kEngines.begin(), kEngines.end(), framework) != kEngines.end();
}

ModelServer model_server_of(const Pod& pod, std::string_view framework, base::Arena& arena) {
  ModelServer server;
  if (!serves_models(framework)) return server;
  const Json container = engine_container(pod, framework);
  if (container.is_null()) return server;
  Values values = Reading(framework, container, arena).read();
  server.container = container["name"].string_or_empty();
  server.model = at(values, Field::kModel);
  if (server.model.empty() && framework == "nim")
    server.model = model_of_nim_image(container["image"].string_or_empty());
  server.served_model = at(values, Field::kServedModel);
  if (server.served_model.empty()) server.served_model = served_by_labels(pod);
  server.tensor_parallel = count(at(values, Field::kTensorParallel));
  server.pipeline_parallel = count(at(values, Field::kPipelineParallel));
  server.data_parallel = count(at(values, Field::kDataParallel));
  server.max_model_len = tokens(at(values, Field::kMaxModelLen));
  server.gpu_memory_fraction = fraction(at(values, Field::kMemoryFraction));
  server.quantization = choice(at(values, Field::kQuantization));
  server.dtype = choice(at(values, Field::kDtype));
  server.kv_cache_dtype = choice(at(values, Field::kKvCacheDtype));
  return server;
}

}  // namespace berth::kube
