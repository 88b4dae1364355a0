// A second admission webhook beside berth, inside the test program: it keeps every review that the
// API server sends, byte for byte, and may answer with a JSON Patch. Called before berth it records
// what berth gets; called after, it is the other injector that makes the API server call berth
// again. Its own threads serve; reviews() may be called from any thread.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "tests/e2e/certificates.h"

namespace httplib {
class SSLServer;
}

namespace berth::e2e {

class SideWebhook {
 public:
  /// From the object under review to the operations of a JSON Patch; an empty list for none.
  using Edit = std::function<nlohmann::json(const nlohmann::json& object)>;

  /// Listens on a free loopback port.
  static base::Result<std::unique_ptr<SideWebhook>> start(const KeyPair& pair, Edit edit);

  ~SideWebhook();
  SideWebhook(const SideWebhook&) = delete;
  SideWebhook& operator=(const SideWebhook&) = delete;

  int port() const { return port_; }

  /// The bodies so far, in order of arrival.
  std::vector<std::string> bodies() const;

  /// The number of reviews so far.
  std::size_t count() const;

 private:
  SideWebhook(const KeyPair& pair, Edit edit);
  std::string answer(const std::string& body);

  Edit edit_;
  std::unique_ptr<httplib::SSLServer> server_;
  int port_ = 0;
  std::thread thread_;
  mutable std::mutex mutex_;
  std::vector<std::string> bodies_;
};

/// An edit that changes nothing.
nlohmann::json no_edit(const nlohmann::json& object);

}  // namespace berth::e2e
