// AdminServer: the plain HTTP port for operators (probes, metrics, debug pages), on cpp-httplib,
// whose model of a thread a connection fits a few local clients. In: an address and a table of
// routes; GET and HEAD only. The route functions run on the server's threads, several at once.
//
// The library reads a request over a stream of ours, which bounds the whole connection in time and
// bytes: its own limits are per call and would let a slow client hold a thread, or a stop, for
// long.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace berth::webhook {

struct AdminResponse {
  int status = 200;
  std::string content_type;
  std::string body;
};

struct AdminRoute {
  std::string path;  ///< compared exactly
  std::function<AdminResponse(std::string_view query)> answer;
};

struct AdminAddress {
  std::string host;        ///< IPv4 or IPv6 address
  std::uint16_t port = 0;  ///< 0: any free port
  /// For a whole connection, from its first byte to the last of the reply.
  std::chrono::milliseconds connection_deadline{5'000};
};

class AdminServer {
 public:
  /// Opens the port and serves. One request a connection; replies carry `Connection: close` and are
  /// never compressed. Unknown paths get 404, other methods 405, an exception of a route 500
  /// without its text. If accepting fails for good, the port is opened again.
  static base::Result<std::unique_ptr<AdminServer>> start(const AdminAddress& address,
                                                          std::vector<AdminRoute> routes);

  /// Ends waiting connections at once and waits for the route functions that run.
  ~AdminServer();
  AdminServer(const AdminServer&) = delete;
  AdminServer& operator=(const AdminServer&) = delete;

  /// The port in use.
  std::uint16_t port() const;

 private:
  struct State;
  explicit AdminServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace berth::webhook
