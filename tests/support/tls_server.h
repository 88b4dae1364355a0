// A TlsListener on a free loopback port with a self-made certificate for "localhost", for tests.
// The handler answers with the body it got; "/large" with 16 MiB.
#pragma once

#include <ctime>
#include <memory>
#include <string>

#include "certs/self_signed.h"
#include "certs/store.h"
#include "webhook/tls_listener.h"

namespace berth::tests {

class TlsServer {
 public:
  explicit TlsServer(webhook::ListenerOptions options = {}) {
    use_new_certificate();
    options.address = "127.0.0.1";
    options.port = 0;
    listener_ = std::move(*webhook::TlsListener::start(options, store_, answer));
  }

  std::uint16_t port() const { return listener_->port(); }
  webhook::TlsListener& listener() { return *listener_; }
  const webhook::ListenerStats& stats() const { return listener_->stats(); }
  std::uint64_t rejected(webhook::Rejection reason) const {
    return stats().http.rejected.count(reason);
  }
  const std::string& ca_pem() const { return ca_pem_; }

  void use_new_certificate() {
    const std::int64_t now = std::time(nullptr);
    const auto pair = certs::make_self_signed({.names = {"localhost"}, .now = now});
    ca_pem_ = pair->ca_pem;
    (void)store_.replace(*certs::read_bundle(pair->leaf_pem, pair->key_pem, now));
  }

 private:
  static webhook::Response answer(webhook::Request& request) {
    webhook::Response response;
    response.body = std::move(request.spare);
    if (request.path == "/large") response.body.assign(16U * 1024 * 1024, 'x');
    response.body.append(request.body.data(), request.body.size());
    return response;
  }

  certs::Store store_;
  std::string ca_pem_;
  std::unique_ptr<webhook::TlsListener> listener_;
};

inline std::string post(const std::string& body, const std::string& fields = "") {
  return "POST /mutate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + fields +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace berth::tests
