#include "webhook/http_reply.h"

#include <array>
#include <charconv>
#include <cstddef>

#include "webhook/http_syntax.h"

namespace berth::webhook {
namespace {

constexpr std::size_t kMostHeadBytes = 512;  // of the fields written here, extra headers apart

void append_number(std::size_t number, ByteBuffer& out) {
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append({digits.data(), static_cast<std::size_t>(end - digits.data())});
}

}  // namespace

std::string_view reason_phrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 204:
      return "No Content";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "";
  }
}

void append_reply(const Response& response, const ReplyFrame& frame, ByteBuffer& out) {
  out.room(kMostHeadBytes + response.body.size());
  out.append("HTTP/1.1 ");
  append_number(static_cast<std::size_t>(response.status), out);
  out.append(" ");
  out.append(reason_phrase(response.status));
  out.append("\r\nContent-Type: ");
  out.append(response.content_type);
  out.append("\r\nContent-Length: ");
  append_number(response.body.size(), out);
  if (!frame.date.empty()) {
    out.append("\r\nDate: ");
    out.append(frame.date);
  }
  switch (frame.persistence) {
    case Persistence::kImplicit:
      break;
    case Persistence::kAnnounced:
      out.append("\r\nConnection: keep-alive");
      break;
    case Persistence::kClose:
      out.append("\r\nConnection: close");
      break;
  }
  for (const auto& [name, value] : response.headers) {
    if (!all_are(kValueChar, value)) continue;
    out.append("\r\n");
    out.append(name);
    out.append(": ");
    out.append(value);
  }
  out.append("\r\n\r\n");
  if (frame.body == BodyPart::kSent) out.append(response.body);
}

}  // namespace berth::webhook
