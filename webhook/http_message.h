// Request and Response: what the HTTP front end hands to a handler and takes back. A Request's
// views and its body live until the handler returns; the handler runs on the connection's loop
// thread and must not keep any of them.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::webhook {

/// Zero bytes that follow every request body, so that parsers may read past its end by this much.
inline constexpr std::size_t kBodyPadding = 64;

inline constexpr std::string_view kJsonType = "application/json";
inline constexpr std::string_view kPlainType = "text/plain; charset=utf-8";

enum class Method { kGet, kHead, kPost, kOther };

struct HeaderField {
  std::string_view name;   ///< as sent
  std::string_view value;  ///< without the blanks around it; never decoded
};

struct Request {
  Method method = Method::kOther;
  std::string_view method_text;
  std::string_view path;   ///< starts with '/', not percent-decoded
  std::string_view query;  ///< without the '?', not decoded
  std::span<const HeaderField> fields;
  std::span<char> body;  ///< writable (parse in place); kBodyPadding zero bytes follow
  std::string spare;     ///< empty, with capacity from earlier replies: move it into Response::body

  /// The value of the first field of that name (compared without case); empty when absent.
  std::string_view header(std::string_view name) const;
};

struct Response {
  int status = 200;
  std::string_view content_type = kJsonType;  ///< static text
  std::string body;
  std::vector<std::pair<std::string_view, std::string>> headers;  ///< extra; names are static text
};

/// Answers one request. An exception that leaves it becomes a 500 and closes the connection.
using Handler = std::function<Response(Request&)>;

/// A plain-text answer; a newline is added to the text.
Response text_response(int status, std::string text);

/// True when both are the same apart from the case of ASCII letters.
bool equal_without_case(std::string_view a, std::string_view b);

}  // namespace berth::webhook
