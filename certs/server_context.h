// The TLS settings of the server: a checked Bundle becomes an SSL_CTX. TLS 1.2 or newer, HTTP/1.1
// as the only application protocol, no renegotiation, buffers given back while idle. Pure; the
// context may be used from every thread, and nobody changes it after this.
#pragma once

#include <memory>

#include "base/result.h"
#include "certs/bundle.h"

struct ssl_ctx_st;  // OpenSSL's SSL_CTX

namespace berth::certs {

using ServerContext = std::shared_ptr<ssl_ctx_st>;

/// Requires: `bundle` came from read_bundle. Fails only when OpenSSL's own policy (the security
/// level of the machine, for example) refuses the pair.
base::Result<ServerContext> make_server_context(const Bundle& bundle);

}  // namespace berth::certs
