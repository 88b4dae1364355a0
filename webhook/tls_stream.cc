#include "webhook/tls_stream.h"

#include <algorithm>
#include <climits>

#include <openssl/err.h>

namespace berth::webhook {
namespace {

/// OpenSSL reads the thread's error queue to tell what happened, so it has to be empty before.
void clear_errors() {
  if (ERR_peek_error() != 0) ERR_clear_error();
}

/// The client does not trust what it was shown: most often a wrong CA bundle on its side.
bool refused_our_certificate(unsigned long error) {
  if (ERR_GET_LIB(error) != ERR_LIB_SSL) return false;
  switch (ERR_GET_REASON(error)) {
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
      return true;
    default:
      return false;
  }
}

/// The client went away: a port scan, a bare TCP probe, a reset.
bool abandoned(int code, unsigned long error) {
  return code == SSL_ERROR_ZERO_RETURN || code == SSL_ERROR_SYSCALL ||
         (ERR_GET_LIB(error) == ERR_LIB_SSL &&
          ERR_GET_REASON(error) == SSL_R_UNEXPECTED_EOF_WHILE_READING);
}

}  // namespace

TlsStream::TlsStream(SSL_CTX& context, int socket) : session_(SSL_new(&context)) {
  broken_ = !session_ || SSL_set_fd(session_.get(), socket) != 1;
  if (!broken_) SSL_set_accept_state(session_.get());
}

Stream::Status TlsStream::status_after(int result) {
  const int code = SSL_get_error(session_.get(), result);
  switch (code) {
    case SSL_ERROR_WANT_READ:
      return Status::kWantRead;
    case SSL_ERROR_WANT_WRITE:
      return Status::kWantWrite;
    case SSL_ERROR_ZERO_RETURN:
      return Status::kEnd;
    default:
      break;
  }
  const unsigned long error = ERR_peek_last_error();
  if (refused_our_certificate(error)) {
    failure_ = Rejection::kCertificateRefused;
  } else if (abandoned(code, error)) {
    failure_ = Rejection::kHandshakeAbandoned;
  }
  broken_ = true;
  clear_errors();
  return Status::kBroken;
}

Stream::Status TlsStream::handshake() {
  if (broken_) return Status::kBroken;
  clear_errors();
  const int result = SSL_do_handshake(session_.get());
  if (result == 1) return Status::kOk;
  const Status status = status_after(result);
  if (status != Status::kEnd) return status;
  failure_ = Rejection::kHandshakeAbandoned;
  broken_ = true;
  return Status::kBroken;
}

Stream::Result TlsStream::read(char* into, std::size_t room) {
  if (broken_) return {Status::kBroken, 0};
  clear_errors();
  std::size_t count = 0;
  const int result = SSL_read_ex(session_.get(), into, room, &count);
  if (result == 1) return {Status::kOk, count};
  return {status_after(result), 0};
}

Stream::Result TlsStream::write(std::string_view bytes) {
  if (broken_) return {Status::kBroken, 0};
  clear_errors();
  std::size_t count = 0;
  const int result = SSL_write_ex(session_.get(), bytes.data(), bytes.size(), &count);
  if (result == 1) return {Status::kOk, count};
  return {status_after(result), 0};
}

bool TlsStream::has_buffered() const {
  return !broken_ && SSL_has_pending(session_.get()) == 1;
}

void TlsStream::say_goodbye() {
  if (broken_ || SSL_is_init_finished(session_.get()) != 1) return;
  clear_errors();
  if (SSL_shutdown(session_.get()) < 0) clear_errors();
}

}  // namespace berth::webhook
