#include "webhook/http_chunks.h"

#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "webhook/http_syntax.h"

namespace berth::webhook {
namespace {

constexpr std::size_t kLongestSizeLine = 256;  // size, extensions and line end
constexpr std::size_t kMostDigits = 16;

}  // namespace

void ChunkDecoder::reset() {
  state_ = State::kSize;
  left_ = 0;
  total_ = 0;
  trailer_bytes_ = 0;
}

ChunkDecoder::Step ChunkDecoder::refuse(Rejection reason, int status, std::string text) {
  refusal_ = {reason, status, std::move(text)};
  return {Outcome::kRefused, 0, {}};
}

ChunkDecoder::Step ChunkDecoder::step(std::string_view raw) {
  switch (state_) {
    case State::kSize:
      return size_line(raw);
    case State::kData:
      return data(raw);
    case State::kDataEnd:
      return data_end(raw);
    case State::kTrailer:
      return trailer_line(raw);
  }
  return {Outcome::kNeedsBytes, 0, {}};
}

bool ChunkDecoder::read_size(std::string_view digits) {
  if (digits.empty() || digits.size() > kMostDigits) return false;
  constexpr int kHexadecimal = 16;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), left_, kHexadecimal);
  return error == std::errc() && end == digits.data() + digits.size();
}

ChunkDecoder::Step ChunkDecoder::size_line(std::string_view raw) {
  const std::size_t end = raw.substr(0, kLongestSizeLine).find('\n');
  if (end == std::string_view::npos) {
    if (raw.size() < kLongestSizeLine) return {Outcome::kNeedsBytes, 0, {}};
    return refuse(Rejection::kBadChunk, 400, "chunk size line is longer than 256 bytes");
  }
  if (end == 0 || raw[end - 1] != '\r') {
    return refuse(Rejection::kBareLineFeed, 400,
                  "chunk size line ends with a line feed alone; expected carriage return and line "
                  "feed");
  }
  const std::string_view line = raw.substr(0, end - 1);
  const std::string_view digits = line.substr(0, line.find(';'));
  if (!read_size(digits) || !all_are(kValueChar, line)) {
    return refuse(Rejection::kBadChunk, 400,
                  "chunk size is " + quoted(line) + "; expected 1 to 16 hexadecimal digits");
  }
  if (left_ > limits_.max_body_bytes - total_) {
    return refuse(Rejection::kBodyTooLarge, 413,
                  "body has more than " + std::to_string(limits_.max_body_bytes) +
                      " bytes; expected at most that");
  }
  total_ += left_;
  state_ = left_ == 0 ? State::kTrailer : State::kData;
  Step next = step(raw.substr(end + 1));
  next.consumed += end + 1;
  return next;
}

ChunkDecoder::Step ChunkDecoder::data(std::string_view raw) {
  const std::string_view part = raw.substr(0, left_);
  if (part.empty()) return {Outcome::kNeedsBytes, 0, {}};
  left_ -= part.size();
  if (left_ == 0) state_ = State::kDataEnd;
  return {Outcome::kData, part.size(), part};
}

ChunkDecoder::Step ChunkDecoder::data_end(std::string_view raw) {
  constexpr std::string_view kLineEnd = "\r\n";
  if (raw.substr(0, 2) != kLineEnd.substr(0, raw.size())) {
    return refuse(Rejection::kBadChunk, 400,
                  "chunk is not followed by a line end; expected as many bytes as its size says");
  }
  if (raw.size() < 2) return {Outcome::kNeedsBytes, 0, {}};
  state_ = State::kSize;
  return {Outcome::kData, 2, {}};
}

ChunkDecoder::Step ChunkDecoder::trailer_line(std::string_view raw) {
  const std::size_t room = limits_.max_head_bytes - trailer_bytes_;
  const std::size_t end = raw.substr(0, room).find('\n');
  if (end == std::string_view::npos) {
    if (raw.size() < room) return {Outcome::kNeedsBytes, 0, {}};
    return refuse(Rejection::kHeadTooLarge, 431,
                  "trailers are longer than " + std::to_string(limits_.max_head_bytes) +
                      " bytes; expected at most that");
  }
  if (end == 0 || raw[end - 1] != '\r') {
    return refuse(Rejection::kBareLineFeed, 400,
                  "trailer ends with a line feed alone; expected carriage return and line feed");
  }
  if (end == 1) return {Outcome::kDone, 2, {}};
  if (auto refused = check_field_line(raw.substr(0, end - 1))) {
    refusal_ = std::move(*refused);
    return {Outcome::kRefused, 0, {}};
  }
  trailer_bytes_ += end + 1;
  return {Outcome::kData, end + 1, {}};
}

}  // namespace berth::webhook
