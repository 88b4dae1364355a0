// ChunkDecoder: the chunked transfer coding of HTTP/1.1, strictly. In: raw bytes as they arrive;
// out: the decoded body, the same whatever the pieces were, or a Refusal. Chunk extensions and
// trailers are checked and dropped. One thread.
#pragma once

#include <cstddef>
#include <string_view>

#include "webhook/http_head.h"

namespace berth::webhook {

class ChunkDecoder {
 public:
  enum class Outcome {
    kNeedsBytes,  ///< everything usable was consumed
    kData,        ///< `data` is the next part of the body; call again with the rest
    kDone,        ///< the body and its trailers are complete
    kRefused,
  };
  struct Step {
    Outcome outcome;
    std::size_t consumed;   ///< raw bytes that need not be shown again
    std::string_view data;  ///< within `raw`
  };

  explicit ChunkDecoder(const HttpLimits& limits) : limits_(limits) {}

  /// Reads on in `raw`, the raw bytes not yet consumed.
  Step step(std::string_view raw);

  /// Requires: step() said kRefused.
  const Refusal& refusal() const { return refusal_; }

  /// Ready for the next body.
  void reset();

 private:
  enum class State { kSize, kData, kDataEnd, kTrailer };

  Step refuse(Rejection reason, int status, std::string text);
  Step size_line(std::string_view raw);
  Step data(std::string_view raw);
  Step data_end(std::string_view raw);
  Step trailer_line(std::string_view raw);
  bool read_size(std::string_view digits);

  const HttpLimits& limits_;
  State state_ = State::kSize;
  std::size_t left_ = 0;   ///< of the current chunk
  std::size_t total_ = 0;  ///< announced by all chunks so far
  std::size_t trailer_bytes_ = 0;
  Refusal refusal_;
};

}  // namespace berth::webhook
