#include "certs/bundle.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "certs/openssl_handles.h"

namespace berth::certs {
namespace {

using base::Error;
using base::ErrorCode;
using base::invalid;
using base::Result;

/// Never asks on the terminal: an encrypted key is an error here.
int refuse_password(char*, int, int, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

bool at_end_of_pem() {
  const unsigned long code = ERR_peek_last_error();
  const bool end = ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE;
  if (end) ERR_clear_error();
  return end;
}

Result<std::vector<CertificatePtr>> parse_chain(std::string_view pem) {
  ERR_clear_error();
  const BioPtr bio = read_only_bio(pem);
  std::vector<CertificatePtr> chain;
  while (X509* next = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)) {
    chain.emplace_back(next);
  }
  if (!at_end_of_pem()) {
    return invalid("certificate " + std::to_string(chain.size() + 1) +
                   " of the chain cannot be read: " + take_openssl_errors());
  }
  if (chain.empty()) {
    return invalid("no certificate found in " + std::to_string(pem.size()) +
                   " bytes; expected PEM that starts with '-----BEGIN CERTIFICATE-----'");
  }
  return chain;
}

Result<KeyPtr> parse_key(std::string_view pem) {
  ERR_clear_error();
  const BioPtr bio = read_only_bio(pem);
  bool encrypted = false;
  KeyPtr key(PEM_read_bio_PrivateKey(bio.get(), nullptr, refuse_password, &encrypted));
  if (encrypted) {
    ERR_clear_error();
    return invalid("private key is encrypted; expected PEM without a password");
  }
  if (key) return key;
  if (pem.find("PRIVATE KEY-----") == std::string_view::npos) {
    ERR_clear_error();
    return invalid("no private key found in " + std::to_string(pem.size()) +
                   " bytes; expected PEM that starts with '-----BEGIN PRIVATE KEY-----'");
  }
  return invalid("private key cannot be read: " + take_openssl_errors());
}

std::string name_of(const X509& certificate) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  X509_NAME_print_ex(bio.get(), X509_get_subject_name(&certificate), 0, XN_FLAG_RFC2253);
  std::string text = text_of(*bio);
  return text.empty() ? "(no subject)" : text;
}

std::int64_t unix_seconds(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return 0;
  return timegm(&parts);
}

std::string iso_time(std::int64_t seconds) {
  const std::time_t time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  std::array<char, 32> text{};
  gmtime_r(&time, &parts);
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

std::string_view view_of(const ASN1_STRING* string) {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(string)),
          static_cast<std::size_t>(ASN1_STRING_length(string))};
}

void read_names(const X509& leaf, Bundle& bundle) {
  auto* names =
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(&leaf, NID_subject_alt_name, nullptr, nullptr));
  for (int i = 0; i < sk_GENERAL_NAME_num(names); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names, i);
    if (name->type == GEN_DNS) bundle.dns_names.emplace_back(view_of(name->d.dNSName));
    if (name->type != GEN_IPADD) continue;
    const std::string_view raw = view_of(name->d.iPAddress);
    const int family = raw.size() == 4 ? AF_INET : AF_INET6;
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (raw.size() != 4 && raw.size() != 16) continue;
    if (inet_ntop(family, raw.data(), text.data(), text.size()) == nullptr) continue;
    bundle.ip_addresses.emplace_back(text.data());
  }
  GENERAL_NAMES_free(names);
}

base::Status check_key(const std::vector<CertificatePtr>& chain, const EVP_PKEY& key) {
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const bool fits = X509_check_private_key(chain[i].get(), &key) == 1;
    if (fits && i == 0) return base::Done{};
    if (fits) {
      return invalid("private key belongs to certificate " + std::to_string(i + 1) +
                     " of the chain; expected the serving certificate first");
    }
  }
  ERR_clear_error();
  return invalid("private key does not belong to the certificate '" + name_of(*chain[0]) +
                 "'; expected the key of its public key");
}

base::Status check_order(const std::vector<CertificatePtr>& chain) {
  for (std::size_t i = 1; i < chain.size(); ++i) {
    if (X509_check_issued(chain[i].get(), chain[i - 1].get()) == X509_V_OK) continue;
    return invalid("certificate " + std::to_string(i + 1) + " of the chain, '" +
                   name_of(*chain[i]) + "', did not issue the one before it, '" +
                   name_of(*chain[i - 1]) + "'; expected each certificate after its issuer's");
  }
  return base::Done{};
}

base::Status check_use(X509& leaf, const Bundle& bundle) {
  if (bundle.dns_names.empty() && bundle.ip_addresses.empty()) {
    return invalid("certificate '" + bundle.subject +
                   "' has no subject alternative name; expected the DNS name of the Service, since "
                   "clients ignore the common name");
  }
  const std::uint32_t usage = X509_get_extended_key_usage(&leaf);
  if ((usage & (XKU_SSL_SERVER | XKU_ANYEKU)) == 0) {
    return invalid("certificate '" + bundle.subject +
                   "' may not serve TLS; expected the extended key usage serverAuth");
  }
  int digest = NID_undef;
  X509_get_signature_info(&leaf, &digest, nullptr, nullptr, nullptr);
  if (digest == NID_md5 || digest == NID_sha1) {
    return invalid("certificate '" + bundle.subject + "' is signed with " + OBJ_nid2sn(digest) +
                   "; expected SHA-256 or stronger, since clients refuse it");
  }
  return base::Done{};
}

base::Status check_time(const Bundle& bundle, std::int64_t now) {
  if (now >= bundle.not_after) {
    return Error{ErrorCode::kExpired, "certificate '" + bundle.subject + "' or its chain expired " +
                                          iso_time(bundle.not_after) + "; it is now " +
                                          iso_time(now)};
  }
  if (now < bundle.not_before) {
    return Error{ErrorCode::kExpired, "certificate '" + bundle.subject + "' is not valid before " +
                                          iso_time(bundle.not_before) + "; it is now " +
                                          iso_time(now)};
  }
  return base::Done{};
}

}  // namespace

std::string content_hash(std::string_view chain_pem, std::string_view key_pem) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  const std::uint64_t boundary = chain_pem.size();
  const std::unique_ptr<EVP_MD_CTX, OpensslDelete<EVP_MD_CTX_free>> hash(EVP_MD_CTX_new());
  EVP_DigestInit_ex(hash.get(), EVP_sha256(), nullptr);
  EVP_DigestUpdate(hash.get(), &boundary, sizeof boundary);
  EVP_DigestUpdate(hash.get(), chain_pem.data(), chain_pem.size());
  EVP_DigestUpdate(hash.get(), key_pem.data(), key_pem.size());
  EVP_DigestFinal_ex(hash.get(), digest.data(), &size);
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text = "sha256:";
  for (unsigned int i = 0; i < size; ++i) {
    text += kHex[digest[i] >> 4U];
    text += kHex[digest[i] & 15U];
  }
  return text;
}

Result<Bundle> read_bundle(std::string_view chain_pem, std::string_view key_pem, std::int64_t now) {
  const auto chain = parse_chain(chain_pem);
  if (!chain) return chain.error();
  const auto key = parse_key(key_pem);
  if (!key) return key.error();
  X509& leaf = *chain->front();

  Bundle bundle;
  bundle.chain_pem = chain_pem;
  bundle.key_pem = key_pem;
  bundle.content_hash = content_hash(chain_pem, key_pem);
  bundle.subject = name_of(leaf);
  bundle.chain_length = chain->size();
  bundle.not_before = unix_seconds(X509_get0_notBefore(&leaf));
  bundle.not_after = unix_seconds(X509_get0_notAfter(&leaf));
  for (const CertificatePtr& certificate : *chain) {
    bundle.not_after =
        std::min(bundle.not_after, unix_seconds(X509_get0_notAfter(certificate.get())));
  }
  read_names(leaf, bundle);

  if (auto fits = check_key(*chain, **key); !fits) return fits.error();
  if (auto order = check_order(*chain); !order) return order.error();
  if (auto use = check_use(leaf, bundle); !use) return use.error();
  if (auto time = check_time(bundle, now); !time) return time.error();
  return bundle;
}

}  // namespace berth::certs
