// Self-signed certificates with one thing odd about each, for tests of certificate checks.
#pragma once

#include <cstdint>
#include <string>

#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "certs/openssl_handles.h"

namespace berth::tests {

struct OddCertificate {
  std::string alternative_names = "DNS:berth.berth-system.svc";  ///< empty: no such extension
  std::string extended_key_usage = "serverAuth";                 ///< empty: no such extension
  const EVP_MD* digest = EVP_sha256();
  std::int64_t from = 0;
  std::int64_t until = 2'000'000'000;
  std::string password = "";  ///< not empty: the key is written encrypted
};

struct PemPair {
  std::string certificate;
  std::string key;
};

inline void add_text_extension(X509* certificate, int nid, const std::string& value) {
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, nid, value.c_str());
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

inline PemPair make_odd_certificate(const OddCertificate& want) {
  const certs::KeyPtr key(EVP_EC_gen("P-256"));
  const certs::CertificatePtr certificate(X509_new());
  X509* x = certificate.get();
  X509_set_version(x, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(x), 7);
  ASN1_TIME_set(X509_getm_notBefore(x), want.from);
  ASN1_TIME_set(X509_getm_notAfter(x), want.until);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(x), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>("odd"), -1, -1, 0);
  X509_set_issuer_name(x, X509_get_subject_name(x));
  X509_set_pubkey(x, key.get());
  if (!want.alternative_names.empty()) {
    add_text_extension(x, NID_subject_alt_name, want.alternative_names);
  }
  if (!want.extended_key_usage.empty()) {
    add_text_extension(x, NID_ext_key_usage, want.extended_key_usage);
  }
  X509_sign(x, key.get(), want.digest);
  const certs::BioPtr certificate_out(BIO_new(BIO_s_mem()));
  const certs::BioPtr key_out(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(certificate_out.get(), x);
  const EVP_CIPHER* cipher = want.password.empty() ? nullptr : EVP_aes_128_cbc();
  PEM_write_bio_PKCS8PrivateKey(key_out.get(), key.get(), cipher, want.password.data(),
                                static_cast<int>(want.password.size()), nullptr, nullptr);
  return {certs::text_of(*certificate_out), certs::text_of(*key_out)};
}

}  // namespace berth::tests
