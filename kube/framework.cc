// Which framework runs in a pod. Evidence in falling order of weight: the kind of the owner and
// labels of operators; names of serving engines in commands, then in images; launchers in commands;
// names in images; variables that an operator or launcher sets.
#include <algorithm>
#include <array>

#include "kube/workload.h"

namespace berth::kube {
namespace {

struct Word {
  std::string_view word;
  std::string_view framework;
};

constexpr std::array kOwnerKinds = {
    Word{"PyTorchJob", "pytorch"}, Word{"TFJob", "tensorflow"},       Word{"JAXJob", "jax"},
    Word{"XGBoostJob", "xgboost"}, Word{"PaddleJob", "paddle"},       Word{"MXJob", "mxnet"},
    Word{"MPIJob", "mpi"},         Word{"RayCluster", "ray"},         Word{"RayJob", "ray"},
    Word{"RayService", "ray"},     Word{"SparkApplication", "spark"}, Word{"NIMService", "nim"},
};

// Labels that only pods of one framework have.
constexpr std::array kLabels = {
    Word{"ray.io/cluster", "ray"},
    Word{"spark-role", "spark"},
};

// Programs and Python modules of serving engines, and words of their image names.
constexpr std::array kEngines = {
    Word{"vllm", "vllm"},
    Word{"huggingfaceserver", "vllm"},  // of KServe: vLLM behind another front
    Word{"sglang", "sglang"},
    Word{"text-generation-launcher", "tgi"},
    Word{"text-generation-server", "tgi"},
    Word{"text-generation-inference", "tgi"},
    Word{"tgi", "tgi"},
    Word{"trtllm-serve", "tensorrt-llm"},
    Word{"trtllm-llmapi-launch", "tensorrt-llm"},
    Word{"tensorrt_llm", "tensorrt-llm"},
    Word{"tensorrt-llm", "tensorrt-llm"},
    Word{"tensorrtllm", "tensorrt-llm"},
    Word{"trtllm", "tensorrt-llm"},
    Word{"tritonserver", "triton"},
    Word{"triton", "triton"},
    Word{"ollama", "ollama"},
    Word{"nim", "nim"},
};

// Words of image names of what stands beside or before a framework and bears its name.
constexpr std::array<std::string_view, 14> kBeside = {
    "router",  "routing",  "gateway",   "proxy",      "client", "operator", "controller",
    "manager", "exporter", "benchmark", "benchmarks", "webui",  "ui",       "scheduler"};

// Programs and Python modules that launch training or processing.
constexpr std::array kLaunchers = {
    Word{"deepspeed", "deepspeed"},
    Word{"horovodrun", "horovod"},
    Word{"megatron", "megatron"},
    Word{"nemo", "nemo"},
    Word{"nemo_run", "nemo"},
    Word{"mpirun", "mpi"},
    Word{"mpiexec", "mpi"},
    Word{"torchrun", "pytorch"},
    Word{"torch", "pytorch"},
    Word{"accelerate", "pytorch"},
    Word{"tensorflow_model_server", "tensorflow"},
    Word{"spark-submit", "spark"},
    Word{"spark-class", "spark"},
    Word{"paddle", "paddle"},
    Word{"ray", "ray"},
};

// Words of image names. The narrower name first: an image of DeepSpeed is one of PyTorch as well.
constexpr std::array kImageWords = {
    Word{"deepspeed", "deepspeed"},
    Word{"horovod", "horovod"},
    Word{"megatron", "megatron"},
    Word{"nemo", "nemo"},
    Word{"ray", "ray"},
    Word{"spark", "spark"},
    Word{"mpi", "mpi"},
    Word{"xgboost", "xgboost"},
    Word{"xgb", "xgboost"},
    Word{"paddlepaddle", "paddle"},
    Word{"paddle", "paddle"},
    Word{"mxnet", "mxnet"},
    Word{"jax", "jax"},
    Word{"pytorch", "pytorch"},
    Word{"torch", "pytorch"},
    Word{"tensorflow", "tensorflow"},
};

// Variables that operators and launchers set themselves. Tuning variables are no evidence: rules
// write them.
constexpr std::array kVariables = {
    Word{"TF_CONFIG", "tensorflow"},        Word{"K_MPI_JOB_ROLE", "mpi"},
    Word{"PET_NNODES", "pytorch"},          Word{"PET_NPROC_PER_NODE", "pytorch"},
    Word{"PADDLE_NNODES", "paddle"},        Word{"PADDLE_TRAINERS_NUM", "paddle"},
    Word{"JAX_COORDINATOR_ADDRESS", "jax"}, Word{"RAY_CLUSTER_NAME", "ray"},
    Word{"SPARK_EXECUTOR_ID", "spark"},     Word{"SPARK_APPLICATION_ID", "spark"},
    Word{"OLLAMA_HOST", "ollama"},          Word{"NIM_CACHE_PATH", "nim"},
    Word{"MASTER_ADDR", "pytorch"},
};

constexpr std::string_view kBlanks = " \t\r\n;|&()\"'`";

bool is_separator(char c) {
  return c == '/' || c == '-' || c == '_' || c == '.';
}

std::string_view framework_by(std::span<const Word> table, std::string_view word) {
  const auto row = std::find_if(table.begin(), table.end(),
                                [&](const Word& entry) { return entry.word == word; });
  return row == table.end() ? std::string_view{} : row->framework;
}

// The program or Python module that a word of a command names: "/usr/bin/vllm" and
// "vllm.entrypoints" give "vllm". Paths elsewhere ("/models/ray") give nothing.
std::string_view program_of(std::string_view word) {
  const std::size_t slash = word.rfind('/');
  if (slash != std::string_view::npos) {
    if (!word.substr(0, slash).ends_with("bin")) return {};
    word.remove_prefix(slash + 1);
  }
  return word.substr(0, word.find('.'));
}

// Calls `seen` with each word of command and arguments.
template <typename Seen>
void each_command_word(Json container, Seen seen) {
  for (const Json list : {container["command"], container["args"]}) {
    for (const Json& item : list.items()) {
      std::string_view rest = item.string_or_empty();
      while (!rest.empty()) {
        const std::size_t end = std::min(rest.find_first_of(kBlanks), rest.size());
        if (end > 0) seen(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    }
  }
}

// Path of an image without registry host, tag and digest.
std::string_view image_path(std::string_view image) {
  image = image.substr(0, image.find('@'));
  const std::size_t slash = image.find('/');
  if (slash != std::string_view::npos) {
    const std::string_view host = image.substr(0, slash);
    if (host == "localhost" || host.find_first_of(".:") != std::string_view::npos) {
      image.remove_prefix(slash + 1);
    }
  }
  return image.substr(0, image.find(':'));
}

// `word` stands in the path between separators or ends.
bool has_image_word(std::string_view path, std::string_view word) {
  if (word.size() > path.size()) return false;
  for (std::size_t at = path.find(word); at != std::string_view::npos;
       at = path.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool starts = at == 0 || is_separator(path[at - 1]);
    if (starts && (end == path.size() || is_separator(path[end]))) return true;
  }
  return false;
}

// The first row of the table that any word names. One pass: scripts may be long.
std::string_view framework_by_command(std::span<const Word> table,
                                      std::span<const Json> containers) {
  std::string_view best;
  for (const Json& container : containers) {
    each_command_word(container, [&](std::string_view word) {
      const std::string_view program = program_of(word);
      const auto row = std::find_if(table.begin(), table.end(),
                                    [&](const Word& entry) { return entry.word == program; });
      if (row == table.end()) return;
      best = row->framework;
      table = table.first(static_cast<std::size_t>(row - table.begin()));
    });
  }
  return best;
}

// A router, an operator, a client kit (NVIDIA tags those of Triton "-sdk").
bool stands_beside(std::string_view image, std::string_view path) {
  return image.ends_with("-sdk") ||
         std::any_of(kBeside.begin(), kBeside.end(),
                     [path](std::string_view word) { return has_image_word(path, word); });
}

// The first row of the table that any image names.
std::string_view framework_by_image(std::span<const Word> table, std::span<const Json> containers) {
  std::string_view best;
  for (const Json& container : containers) {
    const std::string_view image = container["image"].string_or_empty();
    const std::string_view path = image_path(image);
    const auto row = std::find_if(table.begin(), table.end(), [&](const Word& entry) {
      return has_image_word(path, entry.word);
    });
    if (row == table.end() || stands_beside(image, path)) continue;
    best = row->framework;
    table = table.first(static_cast<std::size_t>(row - table.begin()));
  }
  return best;
}

std::string_view framework_by_variable(std::span<const Json> containers) {
  for (const Word& entry : kVariables) {
    for (const Json& container : containers) {
      const auto list = container["env"].items();
      const bool found = std::any_of(list.begin(), list.end(), [&](const Json& variable) {
        return variable["name"].string_or_empty() == entry.word;
      });
      if (found) return entry.framework;
    }
  }
  return {};
}

std::string_view framework_by_label(const Pod& pod) {
  for (const Word& entry : kLabels) {
    if (pod.labels().has(entry.word)) return entry.framework;
  }
  return framework_by(kEngines, pod.label("llm-d.ai/engine-type"));
}

}  // namespace

std::string_view framework_of(const Pod& pod, const Owner& owner) {
  std::string_view found = framework_by(kOwnerKinds, owner.kind);
  if (found.empty()) found = framework_by_label(pod);
  const auto containers = pod.spec()["containers"].items();
  if (found.empty()) found = framework_by_command(kEngines, containers);
  if (found.empty()) found = framework_by_image(kEngines, containers);
  if (found.empty()) found = framework_by_command(kLaunchers, containers);
  if (found.empty()) found = framework_by_image(kImageWords, containers);
  if (found.empty()) found = framework_by_variable(containers);
  return found;
}

bool names_framework(Json container, std::string_view framework) {
  const std::span<const Json> one(&container, 1);
  return framework_by_command(kEngines, one) == framework ||
         framework_by_image(kEngines, one) == framework;
}

bool names_framework_program(std::string_view program, std::string_view framework) {
  return framework_by(kEngines, program) == framework;
}

}  // namespace berth::kube
