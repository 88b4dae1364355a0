#include "webhook/http_connection.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

namespace berth::webhook {
namespace {

constexpr std::size_t kReadSize = std::size_t{16} * 1024;  // one TLS record
constexpr std::size_t kOrdinaryBody =
    std::size_t{64} * 1024;  // read in place, not counted in the budget
constexpr std::size_t kLargestSpare = std::size_t{1024} * 1024;  // 1 MiB
constexpr int kTurnsAtOnce = 64;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

const Refusal& overloaded() {
  static const Refusal refusal{Rejection::kTotalConnections, 503,
                               "server has too many connections; try again in a second"};
  return refusal;
}

const Refusal& out_of_memory() {
  static const Refusal refusal{Rejection::kBodyMemory, 503,
                               "server holds too many large bodies; try again in a second"};
  return refusal;
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

/// Of the next read: within a body of known length, never a byte of the next request.
std::size_t HttpConnection::bytes_wanted() const {
  switch (state_) {
    case State::kBodyInPlace:
      return std::min(head_size_ + head_.content_length - input_.size(), kReadSize);
    case State::kLargeBody:  // and never more than was reserved
      return std::min({head_.content_length - body_.size(), kReadSize,
                       body_.capacity() - kBodyPadding - body_.size()});
    case State::kHead:
    case State::kChunkedBody:
    case State::kLastReply:
      break;
  }
  return kReadSize;
}

/// kAgain: there are new bytes.
Next HttpConnection::fill() {
  const bool large = state_ == State::kLargeBody;
  if (!large && input_.capacity() == 0) input_ = context_.buffers.take();
  ByteBuffer& into = large ? body_ : input_;
  const std::size_t wanted = bytes_wanted();
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
    case State::kBodyInPlace:
      return read_body_in_place();
    case State::kLargeBody:
      return read_large_body();
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
  switch (head_.body) {
    case BodyKind::kNone:
      return answer_in_place(0);
    case BodyKind::kChunked:
      state_ = State::kChunkedBody;
      break;
    case BodyKind::kFixed:
      state_ = head_.content_length <= kOrdinaryBody ? State::kBodyInPlace : State::kLargeBody;
      break;
  }
  if (!head_.expects_continue) return advance();
  output_ = context_.buffers.take();
  output_.append(kContinue);
  return Step::kReply;
}

HttpConnection::Step HttpConnection::read_body_in_place() {
  const std::size_t here = input_.size() - head_size_;
  return here < head_.content_length ? Step::kNeedsBytes : answer_in_place(head_.content_length);
}

HttpConnection::Step HttpConnection::read_large_body() {
  // Memory follows what has come, not what was announced.
  const std::size_t likely = std::max(kOrdinaryBody, 2 * body_.size());
  if (!reserve_body(std::min(head_.content_length, likely))) return refuse(out_of_memory());
  const std::size_t here =
      std::min(head_.content_length - body_.size(), input_.size() - head_size_);
  body_.append(input_.view().substr(head_size_, here));
  input_.erase(head_size_, here);
  return body_.size() == head_.content_length ? answer_collected() : Step::kNeedsBytes;
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
  return answer_collected();
}

/// Room for a body of `size` bytes and its padding; false when the budget does not allow it.
bool HttpConnection::reserve_body(std::size_t size) {
  if (size + kBodyPadding <= body_.capacity()) return true;
  if (size > kOrdinaryBody) {
    const std::size_t more = size - charged_;
    if (!context_.buffers.charge(more)) return false;
    charged_ += more;
  }
  if (body_.capacity() == 0) body_ = context_.buffers.take();
  body_.room(size + kBodyPadding - body_.size());
  return true;
}

Request HttpConnection::make_request(std::span<char> body) {
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
  request.body = body;
  request.spare = std::move(context_.spare_body);
  request.spare.clear();
  return request;
}

Response HttpConnection::call_handler(std::span<char> body) {
  Request request = make_request(body);
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

/// Answers a request whose body of `size` bytes stands behind its head. What follows the body may
/// be the next request: it gives way to the padding while the handler runs.
HttpConnection::Step HttpConnection::answer_in_place(std::size_t size) {
  const std::size_t end = head_size_ + size;
  const std::size_t behind = std::min(input_.size() - end, kBodyPadding);
  std::array<char, kBodyPadding> saved{};
  input_.room(kBodyPadding);
  char* padding = input_.data() + end;
  std::memcpy(saved.data(), padding, behind);
  std::memset(padding, 0, kBodyPadding);
  Response response = call_handler({input_.data() + head_size_, size});
  std::memcpy(padding, saved.data(), behind);
  return finish(std::move(response), end);
}

HttpConnection::Step HttpConnection::answer_collected() {
  std::memset(body_.room(kBodyPadding), 0, kBodyPadding);
  Response response = call_handler({body_.data(), body_.size()});
  return finish(std::move(response), head_size_);
}

/// Replies, and forgets the request with its first `used` bytes of input_.
HttpConnection::Step HttpConnection::finish(Response response, std::size_t used) {
  if (context_.persistence == Persistence::kClose) head_.keep_alive = false;
  const Step step = reply(std::move(response));
  if (state_ == State::kLastReply) {
    release_request();
    return step;
  }
  input_.erase(0, used);
  if (input_.empty()) context_.buffers.give(std::move(input_));
  release_body();
  scanner_.reset();
  chunks_.reset();
  state_ = State::kHead;
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
