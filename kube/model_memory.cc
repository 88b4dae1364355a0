#include "kube/model_memory.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace berth::kube {
namespace {

constexpr double kGib = 1024.0 * 1024.0 * 1024.0;
constexpr double kMib = 1024.0 * 1024.0;
constexpr std::int64_t kUsualTokens = 8192;

struct Known {
  std::string_view name;  // lower case, part of the model's name
  ModelShape shape;
};

// A name that contains another stands before it. Elements of grouped attention: 2 x heads of keys x
// size of a head; of multi-head latent attention (DeepSeek, Kimi): 576.
constexpr std::array kKnown = {
    Known{"r1-distill-llama-70b", {70.6, 80, 2048, 131072}},
    Known{"r1-distill-llama-8b", {8.03, 32, 2048, 131072}},
    Known{"r1-distill-qwen-32b", {32.8, 64, 2048, 131072}},
    Known{"r1-distill-qwen-14b", {14.8, 48, 2048, 131072}},
    Known{"r1-distill-qwen-7b", {7.62, 28, 1024, 131072}},
    Known{"r1-distill-qwen-1.5b", {1.78, 28, 512, 131072}},
    Known{"deepseek-v2-lite", {15.7, 27, 576, 163840}},
    Known{"deepseek-coder-v2-lite", {15.7, 27, 576, 163840}},
    Known{"deepseek-v3", {671, 61, 576, 163840}},
    Known{"deepseek-r1", {671, 61, 576, 163840}},
    Known{"kimi-k2", {1026, 61, 576, 131072}},
    Known{"llama-4-scout", {109, 48, 2048, 0}},
    Known{"llama-4-maverick", {402, 48, 2048, 0}},
    Known{"llama-3.1-405b", {405.9, 126, 2048, 131072}},
    Known{"llama-3.3-70b", {70.6, 80, 2048, 131072}},
    Known{"llama-3.1-70b", {70.6, 80, 2048, 131072}},
    Known{"llama-3-70b", {70.6, 80, 2048, 8192}},
    Known{"llama-3.1-8b", {8.03, 32, 2048, 131072}},
    Known{"llama-3-8b", {8.03, 32, 2048, 8192}},
    Known{"llama-3.2-3b", {3.21, 28, 2048, 131072}},
    Known{"llama-3.2-1b", {1.24, 16, 1024, 131072}},
    Known{"llama-2-70b", {69.0, 80, 2048, 4096}},
    Known{"llama-2-13b", {13.0, 40, 10240, 4096}},
    Known{"llama-2-7b", {6.74, 32, 8192, 4096}},
    Known{"tinyllama", {1.1, 22, 512, 2048}},
    Known{"mixtral-8x22b", {140.6, 56, 2048, 65536}},
    Known{"mixtral-8x7b", {46.7, 32, 2048, 32768}},
    Known{"mistral-7b", {7.25, 32, 2048, 32768}},
    Known{"zephyr-7b", {7.24, 32, 2048, 32768}},
    Known{"mistral-nemo", {12.2, 40, 2048, 131072}},
    Known{"mistral-small-24b", {23.6, 40, 2048, 32768}},
    Known{"mistral-large", {122.6, 88, 2048, 131072}},
    Known{"qwen2.5-0.5b", {0.49, 24, 256, 32768}},
    Known{"qwen2.5-1.5b", {1.54, 28, 512, 32768}},
    Known{"qwen2.5-3b", {3.09, 36, 512, 32768}},
    Known{"qwen2.5-7b", {7.62, 28, 1024, 32768}},
    Known{"qwen2.5-14b", {14.8, 48, 2048, 32768}},
    Known{"qwen2.5-32b", {32.8, 64, 2048, 32768}},
    Known{"qwen2.5-72b", {72.7, 80, 2048, 32768}},
    Known{"qwen2-57b-a14b", {57.4, 28, 1024, 32768}},
    Known{"qwen2-1.5b", {1.54, 28, 512, 32768}},
    Known{"qwen2-7b", {7.62, 28, 1024, 32768}},
    Known{"qwen2-72b", {72.7, 80, 2048, 32768}},
    Known{"qwen3-0.6b", {0.6, 28, 2048, 40960}},
    Known{"qwen3-1.7b", {1.7, 28, 2048, 40960}},
    Known{"qwen3-4b", {4.02, 36, 2048, 40960}},
    Known{"qwen3-8b", {8.2, 36, 2048, 40960}},
    Known{"qwen3-14b", {14.8, 40, 2048, 40960}},
    Known{"qwen3-32b", {32.8, 64, 2048, 40960}},
    Known{"qwen3-30b-a3b", {30.5, 48, 1024, 40960}},
    Known{"qwen3-235b-a22b", {235, 94, 1024, 40960}},
    Known{"qwen-72b", {72.3, 80, 16384, 32768}},
    Known{"qwen-14b", {14.2, 40, 10240, 8192}},
    Known{"qwen-1_8b", {1.84, 24, 4096, 8192}},
    Known{"qwen-7b", {7.72, 32, 8192, 32768}},
    Known{"gemma-2-27b", {27.2, 46, 4096, 8192}},
    Known{"gemma-2-9b", {9.24, 42, 4096, 8192}},
    Known{"gemma-2-2b", {2.61, 26, 2048, 8192}},
    Known{"phi-4", {14.7, 40, 2560, 16384}},
    Known{"phi-3-mini-4k", {3.82, 32, 6144, 4096}},
    Known{"phi-3-mini-128k", {3.82, 32, 6144, 131072}},
    Known{"falcon-40b", {41.3, 60, 1024, 2048}},
    Known{"falcon-7b", {7.22, 32, 128, 2048}},
    Known{"opt-125m", {0.125, 12, 1536, 2048}},
    Known{"yi-34b", {34.4, 60, 2048, 4096}},
};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

// The first "70b", "1.5b", "8x7b" or "125m" that stands on its own, in billions. "a3b" (parameters
// in use at once) is none.
std::optional<double> count_in(std::string_view name) {
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (name[at] < '0' || name[at] > '9') continue;
    const bool starts = at == 0 || (!is_letter_or_digit(name[at - 1]) && name[at - 1] != '.');
    double number = 0;
    const char* end = name.data() + name.size();
    auto parsed = std::from_chars(name.data() + at, end, number, std::chars_format::fixed);
    double experts = 1;
    if (parsed.ptr != end && *parsed.ptr == 'x') {
      // Experts share what is not theirs, about a sixth.
      experts = number * 5 / 6;
      parsed = std::from_chars(parsed.ptr + 1, end, number, std::chars_format::fixed);
      if (parsed.ec != std::errc()) experts = 0;
    }
    const char unit = parsed.ptr != end ? *parsed.ptr : ' ';
    const bool ends = parsed.ptr + 1 >= end || !is_letter_or_digit(parsed.ptr[1]);
    if (starts && ends && experts > 0 && (unit == 'b' || unit == 'm')) {
      const double billions = number * experts * (unit == 'b' ? 1 : 1e-3);
      if (billions > 0.01 && billions < 5000) return billions;
    }
    at = static_cast<std::size_t>(parsed.ptr - name.data());
  }
  return std::nullopt;
}

bool contains_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [text](std::string_view word) {
    return text.find(word) != std::string_view::npos;
  });
}

// Bits of a weight: what the engine is told, else what the name says. Ollama's models have 4 bits
// where their tag says nothing else.
int weight_bits(const ModelServer& server, std::string_view framework) {
  const std::string said = lower(server.quantization.empty() ? server.model : server.quantization);
  if (contains_any(said, {"int8", "fp8", "w8a8", "8bit", "8-bit", "q8_0", "eetq"})) return 8;
  if (contains_any(said, {"awq", "gptq", "int4", "fp4", "nf4", "w4a16", "4bit", "4-bit", "q4_",
                          "marlin", "gpt-oss"})) {
    return 4;
  }
  if (said.find("bitsandbytes") != std::string::npos) return framework == "tgi" ? 8 : 4;
  if (server.dtype == "float32" || server.dtype == "float") return 32;
  return framework == "ollama" && said.find("fp16") == std::string::npos ? 4 : 16;
}

// Bytes of all weights. Below 16 bits the embeddings keep theirs, and scales come on top.
double weight_bytes(double billions, int bits) {
  if (bits >= 16) return billions * 1e9 * bits / 8;
  const double embeddings = std::min(0.35 * billions, 0.4 * std::pow(billions, 0.45));
  const double each = bits == 8 ? 1.03 : 0.53;
  return (each * (billions - embeddings) + 2 * embeddings) * 1e9;
}

// Of a model whose layers are not known: grouped attention as models of 1 to 70 billion have it.
double cache_elements(const ModelShape& shape) {
  if (shape.layers > 0) return static_cast<double>(shape.layers) * shape.cache_elements;
  return 22'500 * std::pow(shape.parameters, 0.48);
}

std::int64_t tokens_of(const ModelServer& server, const ModelShape& shape,
                       std::string_view framework) {
  if (server.max_model_len > 0) return server.max_model_len;
  if (shape.context_tokens == 0) return kUsualTokens;
  return framework == "vllm" ? shape.context_tokens : std::min(shape.context_tokens, kUsualTokens);
}

std::int64_t mib(double bytes) {
  return static_cast<std::int64_t>(std::ceil(bytes / kMib));
}

}  // namespace

Quantity ModelMemory::total() const {
  return Quantity::of(total_mib()) * (1024 * 1024);
}

std::string ModelMemory::formula() const {
  std::array<char, 200> text{};
  const auto gib = [](std::int64_t amount) { return static_cast<double>(amount) / 1024; };
  const std::string parts = gpus > 1 ? ", GPUs: " + std::to_string(gpus) : std::string();
  const int size = std::snprintf(
      text.data(), text.size(),
      "weights %.1f GiB (%.3g billion parameters of %d bits%s), cache %.1f GiB (%lld tokens), "
      "engine %.1f GiB",
      gib(weights_mib), parameters, bits, parts.c_str(), gib(cache_mib),
      static_cast<long long>(tokens), gib(engine_mib));
  return {text.data(), static_cast<std::size_t>(std::max(size, 0))};
}

std::optional<ModelShape> shape_of_model(std::string_view name) {
  std::string text = lower(name);
  std::replace(text.begin(), text.end(), ':', '-');  // ollama's tags
  for (const std::string_view typed : {"llama3", "llama2", "llama4", "gemma2", "phi3", "phi4"}) {
    const std::size_t at = text.find(typed);
    if (at != std::string::npos) text.insert(at + typed.size() - 1, 1, '-');
  }
  const auto known = std::find_if(kKnown.begin(), kKnown.end(), [&](const Known& row) {
    const std::size_t at = text.find(row.name);
    if (at == std::string::npos) return false;
    const std::size_t end = at + row.name.size();
    return end == text.size() || !is_letter_or_digit(text[end]);
  });
  if (known != kKnown.end()) return known->shape;
  const auto billions = count_in(text);
  if (!billions) return std::nullopt;
  ModelShape shape;
  shape.parameters = *billions;
  return shape;
}

std::optional<ModelMemory> memory_of_model(const ModelServer& server, std::string_view framework) {
  std::optional<ModelShape> shape = shape_of_model(server.model);
  if (!shape) shape = shape_of_model(server.served_model);
  if (!shape) return std::nullopt;
  const int bits = weight_bits(server, framework);
  const std::int64_t tokens = tokens_of(server, *shape, framework);
  const std::int64_t gpus = std::max<std::int64_t>(1, server.tensor_parallel) *
                            std::max<std::int64_t>(1, server.pipeline_parallel);
  const double weights = weight_bytes(shape->parameters, bits) / static_cast<double>(gpus);
  const double element = server.kv_cache_dtype.find("fp8") != std::string_view::npos ? 1 : 2;
  const double cache =
      static_cast<double>(tokens) * cache_elements(*shape) * element / static_cast<double>(gpus);
  const double base = framework == "ollama" ? 0.3 * kGib : kGib;
  return ModelMemory{mib(weights), mib(cache), mib(base + 0.02 * weights), shape->parameters, bits,
                     gpus,         tokens};
}

}  // namespace berth::kube
