#include "certs/server_context.h"

#include <string>
#include <string_view>

#include <openssl/err.h>
#include <openssl/pem.h>

#include "certs/openssl_handles.h"

namespace berth::certs {
namespace {

/// Chooses http/1.1 from the client's list; a list without it ends the handshake (alert 120).
int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* chosen_size,
                    const unsigned char* offered, unsigned int offered_size, void*) {
  constexpr std::string_view kHttp = "http/1.1";
  for (unsigned int i = 0; i < offered_size; i += 1U + offered[i]) {
    const std::string_view name(reinterpret_cast<const char*>(offered) + i + 1, offered[i]);
    if (name != kHttp) continue;
    *chosen = offered + i + 1;
    *chosen_size = offered[i];
    return SSL_TLSEXT_ERR_OK;
  }
  return SSL_TLSEXT_ERR_ALERT_FATAL;
}

void apply_settings(SSL_CTX& context) {
  SSL_CTX_set_min_proto_version(&context, TLS1_2_VERSION);
  SSL_CTX_set_options(
      &context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_mode(&context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                 SSL_MODE_RELEASE_BUFFERS);
  // As Go's own TLS does where both sides have AES in hardware: as safe here, and cheaper than the
  // 256 bits that OpenSSL would put first.
  SSL_CTX_set_options(&context, SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_ciphersuites(
      &context, "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256");
  SSL_CTX_set_session_cache_mode(&context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_read_ahead(&context, 1);
  SSL_CTX_set_alpn_select_cb(&context, choose_protocol, nullptr);
}

bool use_pair(SSL_CTX& context, const Bundle& bundle) {
  const BioPtr chain_in = read_only_bio(bundle.chain_pem);
  const BioPtr key_in = read_only_bio(bundle.key_pem);
  const CertificatePtr leaf(PEM_read_bio_X509(chain_in.get(), nullptr, nullptr, nullptr));
  const KeyPtr key(PEM_read_bio_PrivateKey(key_in.get(), nullptr, nullptr, nullptr));
  if (!leaf || !key || SSL_CTX_use_certificate(&context, leaf.get()) != 1 ||
      SSL_CTX_use_PrivateKey(&context, key.get()) != 1) {
    return false;
  }
  while (X509* issuer = PEM_read_bio_X509(chain_in.get(), nullptr, nullptr, nullptr)) {
    if (SSL_CTX_add0_chain_cert(&context, issuer) != 1) {
      X509_free(issuer);
      return false;
    }
  }
  ERR_clear_error();  // the end of the PEM text is an error in OpenSSL's eyes
  return SSL_CTX_check_private_key(&context) == 1;
}

}  // namespace

base::Result<ServerContext> make_server_context(const Bundle& bundle) {
  ERR_clear_error();
  ContextPtr context(SSL_CTX_new(TLS_server_method()));
  if (!context) {
    return base::Error{base::ErrorCode::kInternal,
                       "making a TLS context: " + take_openssl_errors()};
  }
  apply_settings(*context);
  if (!use_pair(*context, bundle)) {
    return base::invalid("certificate '" + bundle.subject +
                         "' cannot be served: " + take_openssl_errors());
  }
  return ServerContext(context.release(), SSL_CTX_free);
}

}  // namespace berth::certs
