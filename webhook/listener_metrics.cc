#include "webhook/listener_metrics.h"

#include <string>

namespace berth::webhook {

std::vector<Metrics::Gauge> listener_counters(const ListenerStats& stats) {
  std::vector<Metrics::Gauge> out;
  const auto add = [&out](const char* name, const char* help,
                          const std::atomic<std::uint64_t>& value) {
    out.push_back({name, help, "", "", [&value] { return static_cast<double>(value.load()); }});
  };
  add("berth_http_connections_accepted_total", "Connections taken on the TLS port", stats.accepted);
  add("berth_http_handshakes_total", "TLS handshakes completed", stats.handshakes);
  add("berth_http_requests_total", "HTTP requests that reached a handler", stats.http.requests);
  add("berth_http_accept_errors_total", "Passing failures of accept", stats.accept_errors);
  add("berth_http_cut_total", "Requests unfinished when the drain gave up", stats.cut);
  for (std::size_t i = 0; i < kRejectionCount; ++i) {
    const auto reason = static_cast<Rejection>(i);
    out.push_back(
        {"berth_http_rejected_total", "Requests and connections turned away on the TLS port",
         "reason", std::string(to_text(reason)),
         [&stats, reason] { return static_cast<double>(stats.http.rejected.count(reason)); }});
  }
  return out;
}

}  // namespace berth::webhook
