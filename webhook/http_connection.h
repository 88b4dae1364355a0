// HttpConnection: one client's requests, answered in order, over any byte stream. It reads only
// what it needs, never waits, and tells its owner what to wait for. In: a Stream that became ready;
// out: replies on the Stream. One connection belongs to one loop thread; no clock in here, the
// owner keeps the deadlines by phase().
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "webhook/http_buffer.h"
#include "webhook/http_chunks.h"
#include "webhook/http_head.h"
#include "webhook/http_message.h"
#include "webhook/http_reply.h"

namespace berth::webhook {

/// Where bytes come from and go to, without waiting: TLS over a socket, or memory in tests.
class Stream {
 public:
  enum class Status {
    kOk,         ///< `bytes` were moved, at least one
    kWantRead,   ///< nothing moved; try again when the other side has sent something
    kWantWrite,  ///< nothing moved; try again when the other side has taken something
    kEnd,        ///< reading: the other side will send no more
    kBroken,     ///< neither direction works any more
  };
  struct Result {
    Status status;
    std::size_t bytes = 0;
  };

  virtual ~Stream() = default;
  virtual Result read(char* into, std::size_t room) = 0;
  virtual Result write(std::string_view bytes) = 0;
  /// True when read() can give bytes that no readiness event will announce.
  virtual bool has_buffered() const = 0;
};

struct HttpCounters {
  std::atomic<std::uint64_t> requests{0};  ///< that reached the handler
  RejectionCounters rejected;
};

/// What all connections of one loop share.
struct HttpContext {
  const HttpLimits& limits;
  const Handler& handler;
  BufferPool& buffers;
  HttpCounters& counters;
  std::string date;        ///< value of the Date field, kept fresh by the loop; empty: none
  std::string spare_body;  ///< memory of an earlier reply body
  Persistence persistence = Persistence::kImplicit;  ///< kClose: every reply is the last one
  std::vector<HeaderField> fields;                   ///< scratch
};

/// kShed: the first request is answered 503 with Retry-After, whatever it is.
enum class Admission { kServe, kShed };

/// What the owner waits for next.
enum class Next {
  kReadable,
  kWritable,
  kAgain,   ///< there is more to do; let others have their turn first
  kLinger,  ///< the last reply is out: say goodbye, and let the client read it before closing
  kClose,   ///< nothing more can be said
};

/// Which deadline is running.
enum class Phase { kIdle, kHead, kBody, kReply };

class HttpConnection {
 public:
  HttpConnection(Stream& stream, HttpContext& context, Admission admission);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  /// Does what can be done now. Requires: it has not said kLinger or kClose before.
  Next pump();

  /// The deadline of phase() has passed: an unfinished request is answered 408, anything else ends.
  Next expire();

  Phase phase() const;

  /// Requests begun so far; a deadline of a request counts from the moment this rose.
  std::uint64_t begun() const { return begun_; }

 private:
  enum class State {
    kHead,
    kBodyInPlace,  ///< an ordinary body: stays in input_, behind its head
    kLargeBody,    ///< collected in body_, which follows what has come
    kChunkedBody,  ///< decoded into body_
    kLastReply,
  };
  enum class Step { kReply, kNeedsBytes };

  Step advance();
  Step read_head();
  Step read_body_in_place();
  Step read_large_body();
  Step read_chunked_body();
  Step answer_in_place(std::size_t size);
  Step answer_collected();
  Step finish(Response response, std::size_t used);
  Step refuse(const Refusal& refusal);
  Step reply(Response response);
  bool reserve_body(std::size_t size);
  Request make_request(std::span<char> body);
  Response call_handler(std::span<char> body);
  std::size_t bytes_wanted() const;
  void release_body();
  void release_request();
  Next fill();
  Next flush();

  Stream& stream_;
  HttpContext& context_;
  HeadScanner scanner_;
  ChunkDecoder chunks_;
  Head head_;
  ByteBuffer input_;  ///< the head of the current request, then what follows it
  ByteBuffer body_;   ///< of a large or chunked request
  ByteBuffer output_;
  std::size_t head_size_ = 0;  ///< in input_, while the body is read
  std::size_t charged_ = 0;    ///< bytes of body_ taken from the budget
  std::size_t written_ = 0;    ///< of output_
  std::uint64_t begun_ = 0;
  State state_ = State::kHead;
  Admission admission_;
};

}  // namespace berth::webhook
