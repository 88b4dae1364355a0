// HTTP transport: the real Transport, on cpp-httplib's client with OpenSSL: TLS 1.2 or newer, the
// server's name checked against the given authorities, client certificates, bearer tokens, gzip.
// Credentials are asked for before each request; other ones mean another connection. One thread
// sends; a stop may be asked for from any.
#pragma once

#include <chrono>
#include <memory>

#include "kube/credentials.h"
#include "kube/transport.h"

namespace berth::kube {

struct HttpTransportOptions {
  std::chrono::milliseconds connect{5'000};  ///< longest time to connect
  std::string user_agent = "berth";
};

/// `source` is called on the thread that sends.
std::unique_ptr<Transport> make_http_transport(CredentialSource source,
                                               const HttpTransportOptions& options = {});

}  // namespace berth::kube
