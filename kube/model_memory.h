// Model memory: how much GPU memory a served model needs, estimated from what the pod says. Pure.
//
// A GPU holds its part of the weights, the cache of one sequence of full length, and what the
// engine itself needs:
//   weights  parameters x bytes; with 8 or 4 bits the embeddings stay at 16
//   cache    tokens x layers x (key and value elements) x bytes; both divided by the GPUs that
//   share
//            one copy of the model
//   engine   1 GiB and 2 % of the weights, 0.3 GiB and 2 % for ollama
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kube/model_server.h"
#include "kube/quantity.h"

namespace berth::kube {

/// What is known of a model from its name. Sources: config.json of each model at huggingface.co.
struct ModelShape {
  double parameters = 0;            ///< in billions, of all experts
  int layers = 0;                   ///< 0: only the count of parameters is known
  int cache_elements = 0;           ///< a token and layer: keys and values together
  std::int64_t context_tokens = 0;  ///< longest sequence that the model itself allows; 0: unknown
};

/// From the table of known models, else from a count in the name ("70b", "8x7b", "125m"; of several
/// the first). Upper and lower case do not matter. Nothing where the name tells no size.
std::optional<ModelShape> shape_of_model(std::string_view name);

/// MiB a GPU.
struct ModelMemory {
  std::int64_t weights_mib = 0;
  std::int64_t cache_mib = 0;
  std::int64_t engine_mib = 0;
  double parameters = 0;    ///< what the weights were counted from: in billions,
  int bits = 16;            ///< of each,
  std::int64_t gpus = 1;    ///< over so many GPUs
  std::int64_t tokens = 0;  ///< of the cache

  std::int64_t total_mib() const { return weights_mib + cache_mib + engine_mib; }
  /// The total in bytes.
  Quantity total() const;
  /// "weights 14.2 GiB (7.62 billion parameters of 16 bits), cache 1.8 GiB (32768 tokens), engine
  /// 1.3 GiB"
  std::string formula() const;
};

/// Nothing where no name of the server tells the model's size. Without a length the model's own
/// counts for vLLM, which refuses to start with room for less, else 8192 tokens at most.
std::optional<ModelMemory> memory_of_model(const ModelServer& server, std::string_view framework);

}  // namespace berth::kube
