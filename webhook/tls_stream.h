// TlsStream: the server's side of TLS over a non-blocking socket, as a Stream. In: an SSL_CTX and a
// socket that outlives it; out: plain bytes. Belongs to one loop thread.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "certs/openssl_handles.h"
#include "webhook/http_connection.h"
#include "webhook/http_rejection.h"

namespace berth::webhook {

class TlsStream : public Stream {
 public:
  TlsStream(SSL_CTX& context, int socket);

  /// Goes on with the handshake. kOk: done. kBroken: failed, see failure(); else what to wait for.
  Status handshake();

  /// Why the handshake failed.
  Rejection failure() const { return failure_; }

  Result read(char* into, std::size_t room) override;
  Result write(std::string_view bytes) override;
  bool has_buffered() const override;

  /// Tells the client that nothing more will come, as far as that goes without waiting.
  void say_goodbye();

 private:
  Status status_after(int result);

  certs::SessionPtr session_;
  Rejection failure_ = Rejection::kHandshakeFailed;
  bool broken_ = false;
};

}  // namespace berth::webhook
