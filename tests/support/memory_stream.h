// A Stream in memory for tests and fuzzers: what the client sends is cut into given pieces, what
// the server sends is kept, and both directions can be made to wait or break.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>

#include "webhook/http_connection.h"

namespace berth::tests {

class MemoryStream : public webhook::Stream {
 public:
  enum class After { kWait, kEnd, kBreak };

  /// Each piece is what one readiness event brings.
  void send(std::string piece) {
    if (!piece.empty()) pieces_.push_back(std::move(piece));
  }
  void after_last(After what) { after_ = what; }
  /// The client takes only so many bytes until the next call.
  void take_at_most(std::size_t bytes) { window_ = bytes; }

  const std::string& received() const { return received_; }
  std::size_t writes() const { return writes_; }
  bool has_pieces() const { return !pieces_.empty(); }
  /// The next piece has "arrived": read() may give it.
  void deliver() { arrived_ = true; }

  Result read(char* into, std::size_t room) override {
    if (pieces_.empty()) {
      if (after_ == After::kWait) return {Status::kWantRead, 0};
      return {after_ == After::kEnd ? Status::kEnd : Status::kBroken, 0};
    }
    if (!arrived_) return {Status::kWantRead, 0};
    std::string& piece = pieces_.front();
    const std::size_t count = std::min(room, piece.size());
    std::memcpy(into, piece.data(), count);
    piece.erase(0, count);
    if (piece.empty()) {
      pieces_.pop_front();
      arrived_ = false;
    }
    return {Status::kOk, count};
  }

  Result write(std::string_view bytes) override {
    const std::size_t count = std::min(bytes.size(), window_);
    if (count == 0) return {Status::kWantWrite, 0};
    window_ -= count;
    received_ += bytes.substr(0, count);
    ++writes_;
    return {Status::kOk, count};
  }

  bool has_buffered() const override { return arrived_ && !pieces_.empty(); }

 private:
  std::deque<std::string> pieces_;
  std::string received_;
  std::size_t window_ = static_cast<std::size_t>(-1);
  std::size_t writes_ = 0;
  After after_ = After::kWait;
  bool arrived_ = false;
};

/// One connection over memory with a handler that answers by echo: "METHOD path?query body".
class HttpBench {
 public:
  explicit HttpBench(webhook::Handler handler = echo, webhook::HttpLimits limits = {},
                     std::size_t body_budget = 64U << 20U,
                     webhook::Admission admission = webhook::Admission::kServe)
      : limits_(limits),
        handler_(std::move(handler)),
        buffers_(body_budget),
        context_{limits_, handler_, buffers_, counters_, "", "", webhook::Persistence::kImplicit,
                 {}},
        connection_(stream_, context_, admission) {}

  static webhook::Response echo(webhook::Request& request) {
    webhook::Response response;
    response.body = std::move(request.spare);
    response.body.append(request.method_text).append(" ").append(request.path);
    response.body.append("?").append(request.query).append(" ");
    response.body.append(request.body.data(), request.body.size());
    return response;
  }

  /// Feeds all pieces until the connection waits for more or ends.
  webhook::Next run() {
    webhook::Next next = webhook::Next::kReadable;
    do {
      stream_.deliver();
      next = connection_.pump();
    } while (next == webhook::Next::kAgain ||
             (next == webhook::Next::kReadable && stream_.has_pieces()));
    return next;
  }

  MemoryStream& stream() { return stream_; }
  webhook::HttpConnection& connection() { return connection_; }
  webhook::HttpContext& context() { return context_; }
  const webhook::HttpCounters& counters() const { return counters_; }
  webhook::BufferPool& buffers() { return buffers_; }

 private:
  webhook::HttpLimits limits_;
  webhook::Handler handler_;
  webhook::BufferPool buffers_;
  webhook::HttpCounters counters_;
  webhook::HttpContext context_;
  MemoryStream stream_;
  webhook::HttpConnection connection_;
};

}  // namespace berth::tests
