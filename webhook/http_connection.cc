#include "webhook/http_connection.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

namespace berth::webhook {
namespace {

constexpr std::size_t kReadSize = 16U * 1024;        // one TLS record
constexpr std::size_t kUnchargedBody = 64U * 1024;   // ordinary reviews never touch the budget
constexpr std::size_t kLargestSpare = 1024U * 1024;  // 1 MiB
constexpr int kTurnsAtOnce = 64;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

const Refusal& overloaded() {
  static const Refusal kRefusal{Rejection::kTotalConnections, 503,
                                "server has too many connections; try again in a second"};
  return kRefusal;
}

const Refusal& out_of_memory() {
  static const Refusal kRefusal{Rejection::kBodyMemory, 503,
                                "server holds too many large bodies; try again in a second"};
  return kRefusal;
}

}  // namespace

HttpConnection::HttpConnection(Stream& stream, HttpContext& context, Admission admission)
    : stream_(stream),
      context_(context),
      scanner_(context.limits),
      chunks_(context.limits),
      admission_(admission) {}

HttpConnection::~HttpConnection() {
  release_request();
  context_.buffers.give(std::move(output_));
}

Phase HttpConnection::phase() const {
  if (!output_.empty() || state_ == State::kLastReply) return Phase::kReply;
  if (state_ != State::kHead) return Phase::kBody;
  return input_.empty() ? Phase::kIdle : Phase::kHead;
}

Next HttpConnection::pump() {
  bool may_read = true;
  for (int turn = 0; turn < kTurnsAtOnce; ++turn) {
    if (!output_.empty()) {
      const Next next = flush();
      if (next != Next::kAgain) return next;
      if (state_ == State::kLastReply) return Next::kLinger;
    }
    if (advance() == Step::kReply) continue;
    if (!may_read && !stream_.has_buffered()) return Next::kReadable;
    const Next next = fill();
    if (next != Next::kAgain) return next;
    may_read = false;
  }
  return Next::kAgain;
}

/// kAgain: all of it is written.
Next HttpConnection::flush() {
  while (written_ < output_.size()) {
    const Stream::Result result = stream_.write(output_.view().substr(written_));
    switch (result.status) {
      case Stream::Status::kOk:
        written_ += result.bytes;
        break;
      case Stream::Status::kWantRead:
        return Next::kReadable;
      case Stream::Status::kWantWrite:
        return Next::kWritable;
      case Stream::Status::kEnd:
      case Stream::Status::kBroken:
        return Next::kClose;
    }
  }
  written_ = 0;
  output_.clear();
  context_.buffers.give(std::move(output_));
  return Next::kAgain;
}

/// kAgain: there are new bytes.
Next HttpConnection::fill() {
  const bool fixed = state_ == State::kFixedBody;
  if (!fixed && input_.capacity() == 0) input_ = context_.buffers.take();
  ByteBuffer& into = fixed ? body_ : input_;
  std::size_t wanted = kReadSize;
  if (fixed) {  // never more than was reserved, never a byte of the next request
    wanted = std::min({head_.content_length - body_.size(), kReadSize,
                       body_.capacity() - kBodyPadding - body_.size()});
  }
  const Phase before = phase();
  char* place = into.room(wanted);
  const Stream::Result result = stream_.read(place, wanted);
  if (result.status == Stream::Status::kOk) {
    into.commit(result.bytes);
    return Next::kAgain;
  }
  if (before == Phase::kIdle) context_.buffers.give(std::move(input_));
  switch (result.status) {
    case Stream::Status::kWantWrite:
      return Next::kWritable;
    case Stream::Status::kOk:
    case Stream::Status::kWantRead:
      return Next::kReadable;
    case Stream::Status::kEnd:
    case Stream::Status::kBroken:
      break;
  }
  if (before != Phase::kIdle) context_.counters.rejected.add(Rejection::kRequestAbandoned);
  return Next::kClose;
}

HttpConnection::Step HttpConnection::advance() {
  switch (state_) {
    case State::kHead:
      return input_.empty() ? Step::kNeedsBytes : read_head();
    case State::kFixedBody:
      return read_fixed_body();
    case State::kChunkedBody:
      return read_chunked_body();
    case State::kLastReply:
      break;
  }
  return Step::kNeedsBytes;
}

HttpConnection::Step HttpConnection::read_head() {
  if (scanner_.fresh()) ++begun_;
  switch (scanner_.scan(input_.view())) {
    case HeadScanner::Outcome::kIncomplete:
      return Step::kNeedsBytes;
    case HeadScanner::Outcome::kRefused:
      return refuse(scanner_.refusal());
    case HeadScanner::Outcome::kComplete:
      break;
  }
  head_size_ = scanner_.size();
  const std::string_view head = input_.view().substr(0, head_size_);
  if (auto refused = parse_head(head, context_.limits, head_)) return refuse(*refused);
  if (admission_ == Admission::kShed) return refuse(overloaded());
  if (head_.body == BodyKind::kNone) return answer();
  body_ = context_.buffers.take();
  state_ = head_.body == BodyKind::kFixed ? State::kFixedBody : State::kChunkedBody;
  if (!head_.expects_continue) return advance();
  output_ = context_.buffers.take();
  output_.append(kContinue);
  return Step::kReply;
}

HttpConnection::Step HttpConnection::read_fixed_body() {
  // Memory follows what has come, not what was announced.
  const std::size_t likely = std::max(kUnchargedBody, 2 * body_.size());
  if (!reserve_body(std::min(head_.content_length, likely))) return refuse(out_of_memory());
  const std::size_t here =
      std::min(head_.content_length - body_.size(), input_.size() - head_size_);
  body_.append(input_.view().substr(head_size_, here));
  input_.erase(head_size_, here);
  return body_.size() == head_.content_length ? answer() : Step::kNeedsBytes;
}

HttpConnection::Step HttpConnection::read_chunked_body() {
  std::size_t used = head_size_;
  ChunkDecoder::Step step{};
  do {
    step = chunks_.step(input_.view().substr(used));
    used += step.consumed;
    const std::size_t size = body_.size() + step.data.size();
    const std::size_t likely =
        std::max(size, std::min(2 * body_.size(), context_.limits.max_body_bytes));
    if (size + kBodyPadding > body_.capacity() && !reserve_body(likely)) {
      return refuse(out_of_memory());
    }
    body_.append(step.data);
  } while (step.outcome == ChunkDecoder::Outcome::kData);
  input_.erase(head_size_, used - head_size_);
  switch (step.outcome) {
    case ChunkDecoder::Outcome::kData:
    case ChunkDecoder::Outcome::kNeedsBytes:
      return Step::kNeedsBytes;
    case ChunkDecoder::Outcome::kRefused:
      return refuse(chunks_.refusal());
    case ChunkDecoder::Outcome::kDone:
      break;
  }
  return answer();
}

/// Room for a body of `size` bytes and its padding; false when the budget does not allow it.
bool HttpConnection::reserve_body(std::size_t size) {
  if (size + kBodyPadding <= body_.capacity()) return true;
  if (size > kUnchargedBody) {
    const std::size_t more = size - charged_;
    if (!context_.buffers.charge(more)) return false;
    charged_ += more;
  }
  body_.room(size + kBodyPadding - body_.size());
  return true;
}

Request HttpConnection::make_request() {
  const char* base = input_.data();
  context_.fields.clear();
  for (const FieldSlices& field : head_.fields) {
    context_.fields.push_back({field.name.of(base), field.value.of(base)});
  }
  Request request;
  request.method = head_.method;
  request.method_text = head_.method_text;
  request.path = head_.path.of(base);
  request.query = head_.query.of(base);
  request.fields = context_.fields;
  std::memset(body_.room(kBodyPadding), 0, kBodyPadding);
  request.body = {body_.data(), body_.size()};
  request.spare = std::move(context_.spare_body);
  request.spare.clear();
  return request;
}

Response HttpConnection::call_handler() {
  Request request = make_request();
  context_.counters.requests.fetch_add(1, std::memory_order_relaxed);
  try {
    Response response = context_.handler(request);
    if (context_.spare_body.capacity() < request.spare.capacity()) {
      context_.spare_body = std::move(request.spare);  // the handler had no use for it
    }
    return response;
  } catch (...) {
    context_.counters.rejected.add(Rejection::kHandlerFailed);
    head_.keep_alive = false;
    return text_response(500, "request could not be answered; this is a defect of the server");
  }
}

HttpConnection::Step HttpConnection::answer() {
  Response response = call_handler();
  if (context_.persistence == Persistence::kClose) head_.keep_alive = false;
  const Step step = reply(std::move(response));
  finish_request();
  return step;
}

HttpConnection::Step HttpConnection::reply(Response response) {
  ReplyFrame frame;
  frame.date = context_.date;
  if (!head_.keep_alive) {
    frame.persistence = Persistence::kClose;
    state_ = State::kLastReply;
  } else if (head_.minor_version == 0) {
    frame.persistence = Persistence::kAnnounced;
  }
  if (head_.method == Method::kHead) frame.body = BodyPart::kLeftOut;
  if (output_.capacity() == 0) output_ = context_.buffers.take();
  append_reply(response, frame, output_);
  if (response.body.capacity() <= kLargestSpare &&
      response.body.capacity() > context_.spare_body.capacity()) {
    context_.spare_body = std::move(response.body);
  }
  return Step::kReply;
}

void HttpConnection::finish_request() {
  input_.erase(0, head_size_);
  head_size_ = 0;
  if (state_ == State::kLastReply) return release_request();
  if (input_.empty()) context_.buffers.give(std::move(input_));
  release_body();
  scanner_.reset();
  chunks_.reset();
  state_ = State::kHead;
}

void HttpConnection::release_body() {
  context_.buffers.refund(std::exchange(charged_, 0));
  context_.buffers.give(std::move(body_));
}

/// Nothing more will be read: a client that is slow to go keeps no memory.
void HttpConnection::release_request() {
  context_.buffers.give(std::move(input_));
  release_body();
}

HttpConnection::Step HttpConnection::refuse(const Refusal& refusal) {
  context_.counters.rejected.add(refusal.reason);
  Response response = text_response(refusal.status, refusal.text);
  if (refusal.status == 503) response.headers.emplace_back("Retry-After", "1");
  head_.keep_alive = false;
  head_.method = Method::kOther;
  const Step step = reply(std::move(response));
  release_request();
  return step;
}

Next HttpConnection::expire() {
  const Phase late = phase();
  switch (late) {
    case Phase::kIdle:
      return Next::kLinger;
    case Phase::kReply:
      context_.counters.rejected.add(Rejection::kWriteTimeout);
      return Next::kClose;
    case Phase::kHead:
    case Phase::kBody:
      break;
  }
  const Rejection reason = late == Phase::kHead ? Rejection::kHeadTimeout : Rejection::kBodyTimeout;
  refuse({reason, 408, "request did not arrive in time; expected it within the server's deadline"});
  return pump();
}

}  // namespace berth::webhook
