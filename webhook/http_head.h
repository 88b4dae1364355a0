// The head of an HTTP/1.1 request: where it ends, whether its syntax is strict, and what it says.
// Strict by design: what two parsers could read in two ways is refused, never guessed. In: bytes as
// they arrive; out: a Head or a Refusal, the same whatever the pieces were. One thread.
//
// Debian builds its http-parser library without the strict mode (blanks in header names, control
// characters in values and a lone line feed pass), so every line is checked here before that
// library reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "webhook/http_message.h"
#include "webhook/http_rejection.h"

namespace berth::webhook {

struct HttpLimits {
  std::size_t max_head_bytes = std::size_t{16} * 1024;        ///< request line and headers, 16 KiB
  std::size_t max_fields = 100;                               ///< header fields
  std::size_t max_body_bytes = std::size_t{8} * 1024 * 1024;  ///< decoded, 8 MiB
  bool operator==(const HttpLimits&) const = default;
};

/// Finds the blank line that ends the head, and checks each line on the way.
class HeadScanner {
 public:
  enum class Outcome { kIncomplete, kComplete, kRefused };

  explicit HeadScanner(const HttpLimits& limits) : limits_(limits) {}

  /// `bytes` is everything since the first byte of the request; earlier bytes are not read again.
  Outcome scan(std::string_view bytes);

  /// True when no byte of a request has been seen since reset().
  bool fresh() const { return searched_ == 0; }

  /// Bytes of the head with its blank line. Requires: scan() said kComplete.
  std::size_t size() const { return line_start_; }

  /// Requires: scan() said kRefused.
  const Refusal& refusal() const { return refusal_; }

  /// Ready for the next request.
  void reset();

 private:
  Outcome refuse(Rejection reason, int status, std::string text);
  Outcome scan_line(std::string_view line);

  const HttpLimits& limits_;
  std::size_t line_start_ = 0;
  std::size_t searched_ = 0;
  std::size_t lines_ = 0;
  Refusal refusal_;
};

enum class BodyKind { kNone, kFixed, kChunked };

/// A part of the head's bytes; stays true when they move.
struct Slice {
  std::uint32_t offset = 0;
  std::uint32_t size = 0;

  std::string_view of(const char* base) const { return {base + offset, size}; }
};

struct FieldSlices {
  Slice name;
  Slice value;
};

struct Head {
  Method method = Method::kOther;
  std::string_view method_text;  ///< static text
  Slice path;
  Slice query;
  std::vector<FieldSlices> fields;  ///< keeps its memory from request to request
  BodyKind body = BodyKind::kNone;
  std::size_t content_length = 0;  ///< for kFixed
  int minor_version = 1;           ///< 1 for HTTP/1.1, 0 for HTTP/1.0
  bool keep_alive = false;
  bool expects_continue = false;
};

/// Reads a complete head into `into`, or says why not. Requires: HeadScanner found it complete.
std::optional<Refusal> parse_head(std::string_view bytes, const HttpLimits& limits, Head& into);

/// Checks one header or trailer line without its line end: a token, a colon, no control character.
std::optional<Refusal> check_field_line(std::string_view line);

}  // namespace berth::webhook
