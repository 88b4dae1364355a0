// Owning handles for OpenSSL objects, and the text of OpenSSL's error queue. For the sources of
// certs/ and webhook/tls_* only. The error queue is per thread, so every call here is safe from
// every thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

namespace berth::certs {

/// Calls one OpenSSL free function; lets unique_ptr stay one pointer wide.
template <auto kFree>
struct OpensslDelete {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};

using BioPtr = std::unique_ptr<BIO, OpensslDelete<BIO_free_all>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, OpensslDelete<EVP_PKEY_free>>;
using CertificatePtr = std::unique_ptr<X509, OpensslDelete<X509_free>>;
using ContextPtr = std::unique_ptr<SSL_CTX, OpensslDelete<SSL_CTX_free>>;
using SessionPtr = std::unique_ptr<SSL, OpensslDelete<SSL_free>>;

/// The reasons in this thread's error queue, oldest first, joined by ", "; empties the queue. Gives
/// "unknown reason" when the queue is empty.
std::string take_openssl_errors();

/// A read-only BIO over `text`, which must outlive it.
BioPtr read_only_bio(std::string_view text);

/// All bytes written to a memory BIO.
std::string text_of(BIO& memory);

}  // namespace berth::certs
