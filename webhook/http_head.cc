#include "webhook/http_head.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include <http_parser.h>

#include "webhook/http_syntax.h"

namespace berth::webhook {
namespace {

Refusal refusal(Rejection reason, std::string text) {
  return {reason, 400, std::move(text)};
}

/// "METHOD target HTTP/x.y", single blanks; what the method and version are is checked later.
std::optional<Refusal> check_request_line(std::string_view line) {
  constexpr const char* kExpected = "; expected 'METHOD /path HTTP/1.1'";
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last || first == 0 ||
      !all_are(kTokenChar, line.substr(0, first)) || !line.substr(last + 1).starts_with("HTTP/")) {
    return refusal(Rejection::kBadRequestLine, "request line is " + quoted(line) + kExpected);
  }
  const std::string_view target = line.substr(first + 1, last - first - 1);
  if (!target.starts_with('/') || !all_are(kTargetChar, target)) {
    return refusal(Rejection::kBadTarget,
                   "request target is " + quoted(target) +
                       "; expected a path that starts with '/', in visible ASCII without '#'");
  }
  return std::nullopt;
}

/// What the parser's callbacks fill.
struct Collector {
  const char* base;
  Head* head;
  Slice target;
  bool complete = false;

  Slice slice(const char* at, std::size_t size) const {
    return {static_cast<std::uint32_t>(at - base), static_cast<std::uint32_t>(size)};
  }
};

Collector& collector(http_parser* parser) {
  return *static_cast<Collector*>(parser->data);
}

int on_url(http_parser* parser, const char* at, std::size_t size) {
  collector(parser).target = collector(parser).slice(at, size);
  return 0;
}

int on_header_field(http_parser* parser, const char* at, std::size_t size) {
  collector(parser).head->fields.push_back({collector(parser).slice(at, size), {}});
  return 0;
}

int on_header_value(http_parser* parser, const char* at, std::size_t size) {
  while (size > 0 && (at[size - 1] == ' ' || at[size - 1] == '\t')) --size;
  collector(parser).head->fields.back().value = collector(parser).slice(at, size);
  return 0;
}

int on_headers_complete(http_parser* parser) {
  collector(parser).complete = true;
  return 1;  // the body is not the parser's business
}

http_parser_settings make_settings() {
  http_parser_settings settings;
  http_parser_settings_init(&settings);
  settings.on_url = on_url;
  settings.on_header_field = on_header_field;
  settings.on_header_value = on_header_value;
  settings.on_headers_complete = on_headers_complete;
  return settings;
}

Method method_of(unsigned method) {
  if (method == HTTP_POST) return Method::kPost;
  if (method == HTTP_GET) return Method::kGet;
  if (method == HTTP_HEAD) return Method::kHead;
  return Method::kOther;
}

Refusal from_parser(http_errno code) {
  const std::string text = http_errno_description(code);
  if (code == HPE_UNEXPECTED_CONTENT_LENGTH) {
    return refusal(Rejection::kAmbiguousLength,
                   "request has more than one statement of its length; expected one "
                   "'Content-Length' or one 'Transfer-Encoding', not both");
  }
  if (code == HPE_INVALID_CONTENT_LENGTH) {
    return refusal(Rejection::kBadContentLength,
                   "'Content-Length' is not a number; expected decimal digits only");
  }
  if (code == HPE_INVALID_METHOD) {
    return refusal(Rejection::kBadRequestLine, "method is not known; expected POST or GET");
  }
  if (code == HPE_INVALID_VERSION || code == HPE_INVALID_CONSTANT) {
    return {Rejection::kBadVersion, 505, "HTTP version cannot be read; expected HTTP/1.1"};
  }
  return refusal(Rejection::kBadHeader, "request head cannot be read: " + text);
}

/// The fields that decide how the request is framed and whom it is for.
struct Framing {
  unsigned hosts = 0;
  unsigned lengths = 0;
  unsigned transfers = 0;
  std::optional<Refusal> refused;
};

void note_length(std::string_view value, Framing& framing) {
  ++framing.lengths;
  if (value.empty() || value.find_first_not_of("0123456789") != std::string_view::npos) {
    framing.refused = refusal(Rejection::kBadContentLength, "'Content-Length' is " + quoted(value) +
                                                                "; expected decimal digits only");
  }
}

void note_transfer(std::string_view value, const Head& head, Framing& framing) {
  ++framing.transfers;
  if (equal_without_case(value, "chunked") && head.minor_version == 1) return;
  framing.refused =
      Refusal{Rejection::kBadTransferEncoding, 501,
              "'Transfer-Encoding' is " + quoted(value) + "; expected 'chunked' with HTTP/1.1"};
}

void note_expectation(std::string_view value, Head& head, Framing& framing) {
  if (equal_without_case(value, "100-continue")) {
    head.expects_continue = head.minor_version == 1;
    return;
  }
  framing.refused = Refusal{Rejection::kBadExpectation, 417,
                            "'Expect' is " + quoted(value) + "; expected '100-continue'"};
}

void note_field(std::string_view name, std::string_view value, Head& head, Framing& framing) {
  // Lengths first: most fields are told apart without comparing letters.
  switch (name.size()) {
    case 4:
      if (equal_without_case(name, "Host")) ++framing.hosts;
      return;
    case 6:
      if (equal_without_case(name, "Expect")) note_expectation(value, head, framing);
      return;
    case 14:
      if (equal_without_case(name, "Content-Length")) note_length(value, framing);
      return;
    case 16:
      if (equal_without_case(name, "Content-Encoding") && !equal_without_case(value, "identity")) {
        framing.refused =
            Refusal{Rejection::kContentEncoded, 415,
                    "'Content-Encoding' is " + quoted(value) + "; expected a plain body"};
      }
      return;
    case 17:
      if (equal_without_case(name, "Transfer-Encoding")) note_transfer(value, head, framing);
      return;
    default:
      return;
  }
}

std::optional<Refusal> check_counts(const Framing& framing, const Head& head) {
  if (framing.lengths + framing.transfers > 1) return from_parser(HPE_UNEXPECTED_CONTENT_LENGTH);
  if (framing.hosts > 1 || (framing.hosts == 0 && head.minor_version == 1)) {
    return refusal(Rejection::kBadHost, "request has " + std::to_string(framing.hosts) +
                                            " 'Host' fields; expected exactly one");
  }
  return std::nullopt;
}

std::optional<Refusal> read_framing(const char* base, const http_parser& parser,
                                    const HttpLimits& limits, Head& head) {
  Framing framing;
  for (const FieldSlices& field : head.fields) {
    note_field(field.name.of(base), field.value.of(base), head, framing);
    if (framing.refused) return std::move(framing.refused);
  }
  if (auto refused = check_counts(framing, head)) return refused;
  if (framing.transfers == 1) {
    head.body = BodyKind::kChunked;
  } else if (framing.lengths == 1 && parser.content_length != 0) {
    head.body = BodyKind::kFixed;
    if (parser.content_length > limits.max_body_bytes) {
      return Refusal{Rejection::kBodyTooLarge, 413,
                     "body has " + std::to_string(parser.content_length) +
                         " bytes; expected at most " + std::to_string(limits.max_body_bytes)};
    }
    head.content_length = static_cast<std::size_t>(parser.content_length);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> check_field_line(std::string_view line) {
  if (line.front() == ' ' || line.front() == '\t') {
    return refusal(Rejection::kFoldedHeader,
                   "header line starts with a blank; expected no folded header lines");
  }
  std::size_t colon = 0;
  while (colon < line.size() && is(kTokenChar, line[colon])) ++colon;
  if (colon == 0 || colon == line.size() || line[colon] != ':') {
    return refusal(Rejection::kBadHeader, "header line is " + quoted(line) +
                                              "; expected 'Name: value' without blanks "
                                              "before the colon");
  }
  if (!all_are(kValueChar, line.substr(colon + 1))) {
    return refusal(Rejection::kBadHeader, "header '" + std::string(line.substr(0, colon)) +
                                              "' has a control character in its value");
  }
  return std::nullopt;
}

HeadScanner::Outcome HeadScanner::refuse(Rejection reason, int status, std::string text) {
  refusal_ = {reason, status, std::move(text)};
  return Outcome::kRefused;
}

void HeadScanner::reset() {
  line_start_ = 0;
  searched_ = 0;
  lines_ = 0;
}

HeadScanner::Outcome HeadScanner::scan_line(std::string_view line) {
  if (lines_++ == 0) {
    auto refused = check_request_line(line);
    if (refused) refusal_ = std::move(*refused);
    return refused ? Outcome::kRefused : Outcome::kIncomplete;
  }
  if (line.empty()) return Outcome::kComplete;
  if (lines_ > limits_.max_fields + 1) {
    return refuse(Rejection::kTooManyFields, 431,
                  "request has more than " + std::to_string(limits_.max_fields) +
                      " header fields; expected at most that");
  }
  auto refused = check_field_line(line);
  if (refused) refusal_ = std::move(*refused);
  return refused ? Outcome::kRefused : Outcome::kIncomplete;
}

HeadScanner::Outcome HeadScanner::scan(std::string_view bytes) {
  const std::string_view capped = bytes.substr(0, limits_.max_head_bytes);
  while (true) {
    const void* found = capped.size() == searched_ ? nullptr
                                                   : std::memchr(capped.data() + searched_, '\n',
                                                                 capped.size() - searched_);
    if (found == nullptr) break;
    const auto end = static_cast<std::size_t>(static_cast<const char*>(found) - capped.data());
    if (end == line_start_ || capped[end - 1] != '\r') {
      return refuse(Rejection::kBareLineFeed, 400,
                    "line ends with a line feed alone; expected carriage return and line feed");
    }
    const std::string_view line = capped.substr(line_start_, end - 1 - line_start_);
    line_start_ = searched_ = end + 1;
    const Outcome outcome = scan_line(line);
    if (outcome != Outcome::kIncomplete) return outcome;
  }
  searched_ = capped.size();
  if (bytes.size() < limits_.max_head_bytes) return Outcome::kIncomplete;
  return refuse(Rejection::kHeadTooLarge, 431,
                "request line and headers are longer than " +
                    std::to_string(limits_.max_head_bytes) + " bytes; expected at most that");
}

std::optional<Refusal> parse_head(std::string_view bytes, const HttpLimits& limits, Head& into) {
  static const http_parser_settings settings = make_settings();
  into.fields.clear();
  into.body = BodyKind::kNone;
  into.content_length = 0;
  into.expects_continue = false;

  Collector collected{bytes.data(), &into, {}, false};
  http_parser parser;
  http_parser_init(&parser, HTTP_REQUEST);
  parser.data = &collected;
  http_parser_execute(&parser, &settings, bytes.data(), bytes.size());
  const http_errno code = HTTP_PARSER_ERRNO(&parser);
  if (code != HPE_OK || !collected.complete) return from_parser(code);
  if (parser.http_major != 1 || parser.http_minor > 1) {
    return Refusal{Rejection::kBadVersion, 505,
                   "HTTP version is " + std::to_string(parser.http_major) + "." +
                       std::to_string(parser.http_minor) + "; expected 1.1"};
  }
  into.minor_version = parser.http_minor;
  into.method = method_of(parser.method);
  into.method_text = http_method_str(static_cast<http_method>(parser.method));
  into.keep_alive = http_should_keep_alive(&parser) != 0;

  const std::string_view target = collected.target.of(bytes.data());
  const auto mark = static_cast<std::uint32_t>(std::min(target.find('?'), target.size()));
  into.path = {collected.target.offset, mark};
  into.query = {};
  if (mark < target.size()) {
    into.query = {collected.target.offset + mark + 1, collected.target.size - mark - 1};
  }
  return read_framing(bytes.data(), parser, limits, into);
}

}  // namespace berth::webhook
