// Every cap and deadline of the TLS listener, with its default and the reason for it, and the plan
// for an orderly stop. Plain data; checked once at start.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "webhook/http_head.h"

namespace berth::webhook {

struct ListenerOptions {
  std::string address = "0.0.0.0";  ///< IPv4 or IPv6 address; "::" takes both
  std::uint16_t port = 8443;        ///< 0: any free port
  unsigned loops = 0;               ///< event loops; 0: one a core, at most 16
  int backlog = 4096;               ///< connections that may wait to be accepted

  HttpLimits http = {};

  std::chrono::milliseconds handshake_deadline{10'000};
  std::chrono::milliseconds head_deadline{10'000};     ///< from a request's first byte
  std::chrono::milliseconds request_deadline{15'000};  ///< from a request's first byte to its last
  std::chrono::milliseconds write_deadline{10'000};    ///< for a client to take its reply
  /// Longer than the 90 s that API servers keep an idle connection: a POST on a connection that we
  /// close first is not tried again.
  std::chrono::milliseconds idle_deadline{150'000};
  std::chrono::milliseconds linger_deadline{2'000};  ///< for a client to read the last reply

  /// About 15 KiB each while idle. Beyond it, requests are answered 503 with Retry-After (which API
  /// servers try again) on `shed_connections` more; beyond those, connections are closed at once.
  std::size_t max_connections = 4096;
  std::size_t shed_connections = 256;
  /// High, since all API servers may come through one tunnel or address translation.
  std::size_t max_connections_per_peer = 2048;
  std::size_t max_body_memory =
      std::size_t{256} * 1024 * 1024;  ///< all bodies above 64 KiB together, 256 MiB
};

/// Names the first option that cannot work, its value and what was expected.
base::Status check(const ListenerOptions& options);

/// An orderly stop, counted from its beginning. Requests are answered to the end, with
/// "Connection: close", and new connections are accepted while other machines still send them.
struct DrainPlan {
  std::chrono::milliseconds grace{10'000};     ///< keep accepting at least this long
  std::chrono::milliseconds quiet{2'000};      ///< then until no request came for this long
  std::chrono::milliseconds latest{25'000};    ///< but stop accepting by then
  std::chrono::milliseconds deadline{30'000};  ///< cut what is still open
};

}  // namespace berth::webhook
