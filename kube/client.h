// Client: GET, LIST in pages and WATCH of the Kubernetes API over a Transport. Objects are handed
// on one by one and live only during the call; nothing is kept. Errors name the URL, what came and
// what was expected. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/arena.h"
#include "base/result.h"
#include "kube/json.h"
#include "kube/transport.h"

namespace berth::kube {

/// One page of a collection.
struct PageRequest {
  std::string path;            ///< "/api/v1/nodes"
  std::string continue_token = {};  ///< of the page before; empty: the first
  int limit = 500;
  std::string query = {};  ///< more of the query, encoded ("fieldSelector=...")
};
struct Page {
  std::string resource_version;
  std::string continue_token;  ///< empty: the last page
};

struct WatchRequest {
  std::string path;
  std::string resource_version;
  std::chrono::seconds duration{300};           ///< the server ends it after so long
  std::chrono::milliseconds patience{150'000};  ///< longest silence
  std::string query = {};
};

enum class EventType : std::uint8_t { kAdded, kModified, kDeleted, kBookmark };
struct Event {
  EventType type = EventType::kAdded;
  Json object;  ///< valid during the call only
};

struct ClientLimits {
  std::chrono::milliseconds patience{30'000};  ///< of GET and LIST
  std::size_t page_bytes = 256UL << 20;        ///< of an answer to GET or LIST, uncompressed
  std::size_t event_bytes = 16UL << 20;        ///< of one line of a watch
};

class Client {
 public:
  /// The transport must outlive the client.
  explicit Client(Transport& transport, const ClientLimits& limits = {});

  // Error codes: kNotFound 404; kExpired 410 and "too large resource version", also as an event of
  // a watch: list again; kInvalid where asking again cannot help (401, 403, no JSON); kUnavailable
  // for the rest.

  /// One object. It lives until the next call.
  base::Result<Json> get(std::string_view target, const std::stop_token& stop);

  /// Hands each item of a page to `item`.
  base::Result<Page> list(const PageRequest& request, const std::function<void(Json)>& item,
                          const std::stop_token& stop);

  /// Hands on events until the watch ends. A good end is the server's, or a stop. `opened` is
  /// called once the server has agreed.
  base::Status watch(const WatchRequest& request, const std::function<void()>& opened,
                     const std::function<void(const Event&)>& event, const std::stop_token& stop);

 private:
  base::Result<Json> fetch(const std::string& target, const std::stop_token& stop);
  base::Error failure(std::string_view target, int status, std::string_view body);
  base::Error at(std::string_view target, base::Error error) const;

  Transport& transport_;
  ClientLimits limits_;
  base::Arena arena_;
  std::string body_;
};

/// A text as one component of a query: everything but letters, digits and "-._~" as %XX.
std::string query_escaped(std::string_view text);

}  // namespace berth::kube
