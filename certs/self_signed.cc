#include "certs/self_signed.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <optional>
#include <string_view>

#include <arpa/inet.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include "certs/openssl_handles.h"

namespace berth::certs {
namespace {

using base::Error;
using base::ErrorCode;
using base::invalid;
using base::Result;

Error internal(std::string_view what) {
  return {ErrorCode::kInternal, std::string(what) + ": " + take_openssl_errors()};
}

bool is_ip_address(const std::string& name) {
  std::array<unsigned char, 16> raw{};
  return inet_pton(AF_INET, name.c_str(), raw.data()) == 1 ||
         inet_pton(AF_INET6, name.c_str(), raw.data()) == 1;
}

bool is_dns_label(std::string_view label) {
  const auto inner = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  return !label.empty() && label.size() <= 63 && label.front() != '-' && label.back() != '-' &&
         std::all_of(label.begin(), label.end(), inner);
}

bool is_dns_name(std::string_view name) {
  if (name.empty() || name.size() > 253) return false;
  if (name.starts_with("*.")) name.remove_prefix(2);
  while (true) {
    const std::size_t dot = name.find('.');
    if (!is_dns_label(name.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    name.remove_prefix(dot + 1);
  }
}

/// The subjectAltName value in OpenSSL's configuration syntax; the checks leave no character in it
/// that the syntax gives a meaning.
Result<std::string> alternative_names(const std::vector<std::string>& names) {
  if (names.empty()) return invalid("no name to put into the certificate; expected at least one");
  std::string value;
  for (const std::string& name : names) {
    const bool ip = is_ip_address(name);
    if (!ip && !is_dns_name(name)) {
      return invalid("'" + name +
                     "' cannot be put into a certificate; expected a DNS name in lower case or an "
                     "IP address");
    }
    if (!value.empty()) value += ',';
    value += (ip ? "IP:" : "DNS:") + name;
  }
  return value;
}

bool add_extension(X509& certificate, X509& issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, &issuer, &certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
  const bool added = extension != nullptr && X509_add_ext(&certificate, extension, -1) == 1;
  X509_EXTENSION_free(extension);
  return added;
}

bool set_random_serial(X509& certificate) {
  std::array<unsigned char, 16> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) return false;
  bytes[0] = static_cast<unsigned char>((bytes[0] & 0x3FU) | 0x40U);  // positive, full length
  BIGNUM* number = BN_bin2bn(bytes.data(), static_cast<int>(bytes.size()), nullptr);
  const bool set = BN_to_ASN1_INTEGER(number, X509_get_serialNumber(&certificate)) != nullptr;
  BN_free(number);
  return set;
}

bool set_time(ASN1_TIME* field, std::int64_t seconds) {
  return ASN1_TIME_set(field, static_cast<std::time_t>(seconds)) != nullptr;
}

struct Validity {
  std::int64_t from = 0;
  std::int64_t until = 0;
};

/// Everything but the extensions and the signature.
CertificatePtr blank_certificate(EVP_PKEY& key, std::string_view common_name,
                                 const Validity& validity) {
  CertificatePtr certificate(X509_new());
  X509_NAME* subject = X509_get_subject_name(certificate.get());
  const auto* name = reinterpret_cast<const unsigned char*>(common_name.data());
  const bool made = X509_set_version(certificate.get(), X509_VERSION_3) == 1 &&
                    set_random_serial(*certificate) &&
                    set_time(X509_getm_notBefore(certificate.get()), validity.from) &&
                    set_time(X509_getm_notAfter(certificate.get()), validity.until) &&
                    X509_NAME_add_entry_by_NID(subject, NID_commonName, MBSTRING_UTF8, name,
                                               static_cast<int>(common_name.size()), -1, 0) == 1 &&
                    X509_set_pubkey(certificate.get(), &key) == 1;
  return made ? std::move(certificate) : nullptr;
}

Result<CertifiedKey> to_pem(X509& certificate, EVP_PKEY& key) {
  const BioPtr certificate_out(BIO_new(BIO_s_mem()));
  const BioPtr key_out(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_X509(certificate_out.get(), &certificate) != 1 ||
      PEM_write_bio_PKCS8PrivateKey(key_out.get(), &key, nullptr, nullptr, 0, nullptr, nullptr) !=
          1) {
    return internal("writing a new certificate");
  }
  return CertifiedKey{text_of(*certificate_out), text_of(*key_out)};
}

std::int64_t unix_seconds(const ASN1_TIME* time) {
  std::tm parts{};
  return ASN1_TIME_to_tm(time, &parts) == 1 ? timegm(&parts) : 0;
}

}  // namespace

Result<CertifiedKey> make_authority(const std::string& common_name, std::int64_t now,
                                    std::int64_t valid_for) {
  ERR_clear_error();
  const KeyPtr key(EVP_EC_gen("P-256"));
  if (!key) return internal("making a key");
  const CertificatePtr ca =
      blank_certificate(*key, common_name, {now - kBackdateSeconds, now + valid_for});
  if (!ca || X509_set_issuer_name(ca.get(), X509_get_subject_name(ca.get())) != 1 ||
      !add_extension(*ca, *ca, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") ||
      !add_extension(*ca, *ca, NID_key_usage, "critical,keyCertSign,cRLSign,digitalSignature") ||
      !add_extension(*ca, *ca, NID_subject_key_identifier, "hash") ||
      !add_extension(*ca, *ca, NID_authority_key_identifier, "keyid:always") ||
      X509_sign(ca.get(), key.get(), EVP_sha256()) == 0) {
    return internal("making the authority '" + common_name + "'");
  }
  return to_pem(*ca, *key);
}

Result<CertifiedKey> issue_leaf(const CertifiedKey& authority, const LeafRequest& request) {
  ERR_clear_error();
  const auto names = alternative_names(request.names);
  if (!names) return names.error();
  const BioPtr ca_in = read_only_bio(authority.certificate_pem);
  const BioPtr ca_key_in = read_only_bio(authority.key_pem);
  const CertificatePtr ca(PEM_read_bio_X509(ca_in.get(), nullptr, nullptr, nullptr));
  const KeyPtr ca_key(PEM_read_bio_PrivateKey(ca_key_in.get(), nullptr, nullptr, nullptr));
  if (!ca || !ca_key || X509_check_private_key(ca.get(), ca_key.get()) != 1) {
    return invalid("authority cannot be used: " + take_openssl_errors());
  }
  const std::int64_t ca_end = unix_seconds(X509_get0_notAfter(ca.get()));
  if (ca_end <= request.now) {
    return Error{ErrorCode::kExpired, "authority has expired; expected one that is valid now"};
  }
  const KeyPtr key(EVP_EC_gen("P-256"));
  if (!key) return internal("making a key");
  const std::string common_name = request.names.front().substr(0, 64);
  const CertificatePtr leaf = blank_certificate(
      *key, common_name,
      {request.now - kBackdateSeconds, std::min(request.now + request.valid_for, ca_end)});
  if (!leaf || X509_set_issuer_name(leaf.get(), X509_get_subject_name(ca.get())) != 1 ||
      !add_extension(*leaf, *ca, NID_basic_constraints, "critical,CA:FALSE") ||
      !add_extension(*leaf, *ca, NID_key_usage, "critical,digitalSignature") ||
      !add_extension(*leaf, *ca, NID_ext_key_usage, "serverAuth") ||
      !add_extension(*leaf, *ca, NID_subject_key_identifier, "hash") ||
      !add_extension(*leaf, *ca, NID_authority_key_identifier, "keyid:always") ||
      !add_extension(*leaf, *ca, NID_subject_alt_name, *names) ||
      X509_sign(leaf.get(), ca_key.get(), EVP_sha256()) == 0) {
    return internal("making a certificate for '" + request.names.front() + "'");
  }
  return to_pem(*leaf, *key);
}

Result<SelfSigned> make_self_signed(const LeafRequest& request) {
  const auto authority = make_authority("berth self-signed", request.now, request.valid_for);
  if (!authority) return authority.error();
  const auto leaf = issue_leaf(*authority, request);
  if (!leaf) return leaf.error();
  return SelfSigned{authority->certificate_pem, leaf->certificate_pem, leaf->key_pem};
}

}  // namespace berth::certs
