#include "kube/client.h"

#include <optional>
#include <utility>

namespace berth::kube {
namespace {

using base::Error;
using base::ErrorCode;

constexpr int kOk = 200;
constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;
constexpr int kNotFound = 404;
constexpr int kGone = 410;
constexpr std::size_t kMostErrorBytes = 64 * 1024;

// "Too large resource version": the server knows less than we do (another one of several, or one
// that was set back). It is no time-out, though its code says so.
bool is_version_too_large(Json status) {
  for (const Json& cause : status["details"]["causes"].items()) {
    if (cause["reason"].string_or_empty() == "ResourceVersionTooLarge") return true;
  }
  return status["message"].string_or_empty().find("Too large resource version") !=
         std::string_view::npos;
}

ErrorCode code_of(int http_status, Json status) {
  const std::string_view reason = status["reason"].string_or_empty();
  if (http_status == kGone || reason == "Expired" || reason == "Gone" ||
      is_version_too_large(status)) {
    return ErrorCode::kExpired;
  }
  if (http_status == kNotFound) return ErrorCode::kNotFound;
  if (http_status == kUnauthorized || http_status == kForbidden) return ErrorCode::kInvalid;
  return ErrorCode::kUnavailable;
}

std::optional<EventType> event_type(std::string_view word) {
  if (word == "ADDED") return EventType::kAdded;
  if (word == "MODIFIED") return EventType::kModified;
  if (word == "DELETED") return EventType::kDeleted;
  if (word == "BOOKMARK") return EventType::kBookmark;
  return std::nullopt;
}

// What an event says that is no change of an object.
Error event_error(std::string_view type, Json status) {
  const auto code = static_cast<int>(status["code"].as_int().value_or(0));
  constexpr std::string_view kExpected = "expected ADDED, MODIFIED, DELETED, BOOKMARK or ERROR";
  return {code_of(code, status), "event of type '" + std::string(type) +
                                     "': " + std::string(status["message"].string_or(kExpected))};
}

base::Result<Json> parse(std::string& text, base::Arena& arena) {
  arena.reset();
  const std::size_t size = text.size();
  text.resize(size + kParsePadding);
  return parse_json_in_place({text.data(), size}, arena);
}

// Pieces of a body to lines, wherever they are cut.
class Lines {
 public:
  explicit Lines(std::size_t longest) : longest_(longest) {}

  /// Calls `line` for each full line; false once that says so, or when a line is too long.
  template <typename TakeLine>
  bool add(std::string_view piece, TakeLine take) {
    while (!piece.empty()) {
      const std::size_t end = piece.find('\n');
      line_.append(piece.substr(0, end));
      if (line_.size() > longest_) return false;
      if (end == std::string_view::npos) return true;
      if (!line_.empty() && !take(line_)) return false;
      line_.clear();
      piece.remove_prefix(end + 1);
    }
    return true;
  }

  const std::string& rest() const { return line_; }
  bool is_too_long() const { return line_.size() > longest_; }

 private:
  std::size_t longest_;
  std::string line_;
};

std::string with_query(const std::string& path, const std::string& query, const std::string& more) {
  return path + "?" + query + (more.empty() ? "" : "&" + more);
}

}  // namespace

Client::Client(Transport& transport, const ClientLimits& limits)
    : transport_(transport), limits_(limits), arena_(1 << 20) {}

Error Client::at(std::string_view target, Error error) const {
  error.text = "GET " + transport_.server() + std::string(target) + ": " + error.text;
  return error;
}

Error Client::failure(std::string_view target, int status, std::string_view body) {
  body_ = body;
  const auto parsed = parse(body_, arena_);
  const Json answer = parsed ? *parsed : Json();
  const std::string_view message = answer["message"].string_or_empty();
  std::string text = "status " + std::to_string(status) + ", expected 200";
  if (!message.empty()) text.append(": ").append(message);
  return at(target, {code_of(status, answer), std::move(text)});
}

base::Result<Json> Client::fetch(const std::string& target, const std::stop_token& stop) {
  int status = 0;
  bool too_long = false;
  body_.clear();
  const HttpReceiver receiver{
      .head =
          [&](int got) {
            status = got;
            return Reading::kGoOn;
          },
      .body =
          [&](std::string_view piece) {
            const std::size_t most = status == kOk ? limits_.page_bytes : kMostErrorBytes;
            too_long = body_.size() + piece.size() > most;
            if (too_long) return Reading::kEnough;
            body_.append(piece);
            return Reading::kGoOn;
          },
  };
  const base::Status done = transport_.get({target, limits_.patience}, receiver, stop);
  if (!done) return at(target, done.error());
  if (stop.stop_requested()) return at(target, {ErrorCode::kUnavailable, "stopped"});
  if (status != kOk) return failure(target, status, std::string(body_));
  if (too_long) {
    return at(target, base::invalid("the answer is longer than " +
                                    std::to_string(limits_.page_bytes) + " bytes"));
  }
  auto parsed = parse(body_, arena_);
  // An answer that is cut reads as no JSON; asking again can help.
  if (!parsed)
    return at(target, {ErrorCode::kUnavailable, "the answer is no JSON: " + parsed.error().text});
  return *parsed;
}

base::Result<Json> Client::get(std::string_view target, const std::stop_token& stop) {
  return fetch(std::string(target), stop);
}

base::Result<Page> Client::list(const PageRequest& request, const std::function<void(Json)>& item,
                                const std::stop_token& stop) {
  std::string query = "limit=" + std::to_string(request.limit);
  if (!request.continue_token.empty())
    query += "&continue=" + query_escaped(request.continue_token);
  const std::string target = with_query(request.path, query, request.query);
  const auto answer = fetch(target, stop);
  if (!answer) return answer.error();
  const Json list = *answer;
  const Json metadata = list["metadata"];
  Page page{std::string(metadata["resourceVersion"].string_or_empty()),
            std::string(metadata["continue"].string_or_empty())};
  const Json* items = list.find("items");
  if (page.resource_version.empty() || items == nullptr || !(items->is_array() || items->is_null()))
    return at(target, {ErrorCode::kUnavailable,
                       "the answer is no list, expected items and "
                       "metadata.resourceVersion"});
  for (const Json& object : items->items()) item(object);
  return page;
}

base::Status Client::watch(const WatchRequest& request, const std::function<void()>& opened,
                           const std::function<void(const Event&)>& event,
                           const std::stop_token& stop) {
  const std::string target =
      with_query(request.path,
                 "watch=1&allowWatchBookmarks=true&resourceVersion=" +
                     query_escaped(request.resource_version) +
                     "&timeoutSeconds=" + std::to_string(request.duration.count()),
                 request.query);
  int status = 0;
  std::string refusal;
  std::optional<Error> error;
  Lines lines(limits_.event_bytes);
  const auto take = [&](std::string& line) {
    const auto parsed = parse(line, arena_);
    if (!parsed) {
      error =
          Error{ErrorCode::kUnavailable, "a line of the watch is no JSON: " + parsed.error().text};
      return false;
    }
    const std::string_view word = (*parsed)["type"].string_or_empty();
    const Json object = (*parsed)["object"];
    if (const auto type = event_type(word); type && object.is_object()) {
      event({*type, object});
      return true;
    }
    error = event_error(word, object);
    return false;
  };
  const HttpReceiver receiver{
      .head =
          [&](int got) {
            status = got;
            if (got == kOk) opened();
            return Reading::kGoOn;
          },
      .body =
          [&](std::string_view piece) {
            if (status != kOk) {
              refusal.append(piece.substr(0, kMostErrorBytes - refusal.size()));
              return refusal.size() < kMostErrorBytes ? Reading::kGoOn : Reading::kEnough;
            }
            return lines.add(piece, take) ? Reading::kGoOn : Reading::kEnough;
          },
  };
  const base::Status done =
      transport_.get({target, request.patience, Packing::kPlain}, receiver, stop);
  if (error) return at(target, *std::move(error));
  if (stop.stop_requested()) return base::Done{};
  if (!done) return at(target, done.error());
  if (status != kOk) return failure(target, status, refusal);
  if (lines.is_too_long()) {
    return at(target,
              {ErrorCode::kUnavailable, "a line of the watch is longer than " +
                                            std::to_string(limits_.event_bytes) + " bytes"});
  }
  return base::Done{};  // what is left of a last line was cut: the event comes again
}

std::string query_escaped(std::string_view text) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~';
    if (plain) {
      out.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out.append({'%', kHex[byte >> 4], kHex[byte & 15]});
  }
  return out;
}

}  // namespace berth::kube
