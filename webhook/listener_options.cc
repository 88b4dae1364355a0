#include "webhook/listener_options.h"

#include <array>
#include <string_view>

namespace berth::webhook {
namespace {

struct NamedDeadline {
  std::string_view name;
  std::chrono::milliseconds value;
};

struct NamedCount {
  std::string_view name;
  std::size_t value;
};

}  // namespace

base::Status check(const ListenerOptions& options) {
  const std::array<NamedDeadline, 6> deadlines = {{
      {"handshake deadline", options.handshake_deadline},
      {"head deadline", options.head_deadline},
      {"request deadline", options.request_deadline},
      {"write deadline", options.write_deadline},
      {"idle deadline", options.idle_deadline},
      {"linger deadline", options.linger_deadline},
  }};
  for (const NamedDeadline& deadline : deadlines) {
    if (deadline.value.count() > 0) continue;
    return base::invalid(std::string(deadline.name) + " is " +
                         std::to_string(deadline.value.count()) + " ms; expected more than 0");
  }
  const std::array<NamedCount, 6> counts = {{
      {"limit of connections", options.max_connections},
      {"limit of connections per peer", options.max_connections_per_peer},
      {"limit of body memory", options.max_body_memory},
      {"limit of header bytes", options.http.max_head_bytes},
      {"limit of header fields", options.http.max_fields},
      {"limit of body bytes", options.http.max_body_bytes},
  }};
  for (const NamedCount& count : counts) {
    if (count.value > 0) continue;
    return base::invalid(std::string(count.name) + " is 0; expected at least 1");
  }
  if (options.backlog <= 0) {
    return base::invalid("backlog is " + std::to_string(options.backlog) + "; expected at least 1");
  }
  return base::Done{};
}

}  // namespace berth::webhook
