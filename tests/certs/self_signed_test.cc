#include "certs/self_signed.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "certs/bundle.h"
#include "certs/openssl_handles.h"

namespace berth::certs {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kNow = 1'700'000'000;

CertificatePtr parse(const std::string& pem) {
  const BioPtr bio = read_only_bio(pem);
  return CertificatePtr(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
}

std::string serial_of(const std::string& pem) {
  const CertificatePtr certificate = parse(pem);
  const ASN1_INTEGER* serial = X509_get0_serialNumber(certificate.get());
  return {reinterpret_cast<const char*>(serial->data), static_cast<std::size_t>(serial->length)};
}

/// What a client does: chain up to the authority, for a server, at a time, with a host name.
int verify_as_client(const SelfSigned& pair, const char* host, std::int64_t at) {
  const CertificatePtr ca = parse(pair.ca_pem);
  const CertificatePtr leaf = parse(pair.leaf_pem);
  const std::unique_ptr<X509_STORE, OpensslDelete<X509_STORE_free>> store(X509_STORE_new());
  X509_STORE_add_cert(store.get(), ca.get());
  const std::unique_ptr<X509_STORE_CTX, OpensslDelete<X509_STORE_CTX_free>> context(
      X509_STORE_CTX_new());
  X509_STORE_CTX_init(context.get(), store.get(), leaf.get(), nullptr);
  X509_VERIFY_PARAM* parameters = X509_STORE_CTX_get0_param(context.get());
  X509_VERIFY_PARAM_set_time(parameters, at);
  X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_SSL_SERVER);
  X509_VERIFY_PARAM_set_flags(parameters, X509_V_FLAG_X509_STRICT);
  X509_VERIFY_PARAM_set_hostflags(parameters, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  X509_VERIFY_PARAM_set1_host(parameters, host, 0);
  X509_verify_cert(context.get());
  return X509_STORE_CTX_get_error(context.get());
}

TEST(SelfSigned, VerifiesStrictlyForItsNamesAndItsTime) {
  const auto pair = make_self_signed({.names = {"berth.ns.svc", "berth.ns"}, .now = kNow});
  ASSERT_TRUE(pair.has_value()) << pair.error().text;
  EXPECT_EQ(verify_as_client(*pair, "berth.ns.svc", kNow), X509_V_OK);
  EXPECT_EQ(verify_as_client(*pair, "berth.ns", kNow), X509_V_OK);
  EXPECT_EQ(verify_as_client(*pair, "berth.ns.svc", kNow - kBackdateSeconds), X509_V_OK)
      << "a client whose clock is an hour behind";
  EXPECT_EQ(verify_as_client(*pair, "other.ns.svc", kNow), X509_V_ERR_HOSTNAME_MISMATCH);
  EXPECT_EQ(verify_as_client(*pair, "berth.ns.svc", kNow + 31 * kDaySeconds),
            X509_V_ERR_CERT_HAS_EXPIRED);
}

TEST(SelfSigned, HasKeyIdentifiersAndAnEllipticKey) {
  const auto pair = make_self_signed({.names = {"a"}, .now = kNow});
  for (const std::string& pem : {pair->ca_pem, pair->leaf_pem}) {
    const CertificatePtr certificate = parse(pem);
    EXPECT_NE(X509_get0_subject_key_id(certificate.get()), nullptr);
    EXPECT_NE(X509_get0_authority_key_id(certificate.get()), nullptr);
    EXPECT_EQ(EVP_PKEY_get_bits(X509_get0_pubkey(certificate.get())), 256);
    EXPECT_EQ(X509_get_signature_nid(certificate.get()), NID_ecdsa_with_SHA256);
  }
}

TEST(SelfSigned, NeverRepeatsASerial) {
  std::set<std::string> serials;
  for (int i = 0; i < 20; ++i) {
    const auto pair = make_self_signed({.names = {"a"}, .now = kNow});
    serials.insert(serial_of(pair->ca_pem));
    serials.insert(serial_of(pair->leaf_pem));
  }
  EXPECT_EQ(serials.size(), 40U);
  EXPECT_EQ(serials.begin()->size(), 16U);
}

TEST(SelfSigned, LeafNeverOutlivesItsAuthority) {
  const auto authority = make_authority("ca", kNow, kDaySeconds);
  const auto leaf = issue_leaf(*authority, {.names = {"a"}, .now = kNow});
  const auto bundle = read_bundle(leaf->certificate_pem, leaf->key_pem, kNow);
  EXPECT_EQ(bundle->not_after, kNow + kDaySeconds);
}

TEST(SelfSigned, RefusesAnExpiredOrBrokenAuthority) {
  const auto authority = make_authority("ca", kNow, kDaySeconds);
  const auto late = issue_leaf(*authority, {.names = {"a"}, .now = kNow + kDaySeconds});
  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().code, base::ErrorCode::kExpired);
  const auto broken = issue_leaf({"junk", "junk"}, {.names = {"a"}, .now = kNow});
  ASSERT_FALSE(broken.has_value());
  EXPECT_THAT(broken.error().text, HasSubstr("authority cannot be used"));
}

TEST(SelfSigned, RefusesNamesThatNoCertificateCanHold) {
  const std::string long_label(64, 'a');
  const std::vector<std::pair<std::string, const char*>> bad = {
      {"", "empty"},
      {"Upper.case", "clients compare in lower case"},
      {"a,DNS:evil.example", "would smuggle in a second name"},
      {"a b", "blank"},
      {"-a", "label starts with a dash"},
      {"a..b", "empty label"},
      {"*", "a star alone"},
      {"a.*.b", "a star in the middle"},
      {long_label, "label of 64 characters"},
      {"300.1.1.1.", "neither address nor name"},
  };
  for (const auto& [name, why] : bad) {
    const auto pair = make_self_signed({.names = {name}, .now = kNow});
    ASSERT_FALSE(pair.has_value()) << why;
    EXPECT_THAT(pair.error().text, HasSubstr("'" + name + "' cannot be put into a certificate"));
  }
  EXPECT_FALSE(make_self_signed({.names = {}, .now = kNow}).has_value());
}

TEST(SelfSigned, AcceptsWildcardsAddressesAndLongNames) {
  const std::string label(60, 'a');
  const std::string name = label + "." + label + ".svc";
  const auto pair =
      make_self_signed({.names = {name, "*.ns.svc", "10.0.0.1", "fd00::1"}, .now = kNow});
  ASSERT_TRUE(pair.has_value()) << pair.error().text;
  EXPECT_EQ(verify_as_client(*pair, "x.ns.svc", kNow), X509_V_OK);
  EXPECT_EQ(verify_as_client(*pair, name.c_str(), kNow), X509_V_OK);
}

}  // namespace
}  // namespace berth::certs
