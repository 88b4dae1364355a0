// AdminServer: the plain HTTP port for operators (probes, metrics, debug pages), on cpp-httplib,
// whose model of a thread a connection fits a few local clients. In: an address and a table of
// routes; GET only. The route functions run on the server's threads, several at once.
#pragma once

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
};

class AdminServer {
 public:
  /// Opens the port and serves. Replies carry `Connection: close`, so that stopping never waits for
  /// an idle client.
  static base::Result<std::unique_ptr<AdminServer>> start(const AdminAddress& address,
                                                          std::vector<AdminRoute> routes);

  /// Stops and waits for the requests that run.
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
