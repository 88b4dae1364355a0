#include "certs/bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "certs/self_signed.h"
#include "tests/support/odd_certificates.h"

namespace berth::certs {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::int64_t kNow = 1'700'000'000;

SelfSigned good_pair() {
  return *make_self_signed({.names = {"berth.berth-system.svc", "127.0.0.1", "::1"}, .now = kNow});
}

TEST(Bundle, ReadsNamesTimesAndChain) {
  const SelfSigned pair = good_pair();
  const auto bundle = read_bundle(pair.leaf_pem + pair.ca_pem, pair.key_pem, kNow);
  ASSERT_TRUE(bundle.has_value()) << bundle.error().text;
  EXPECT_THAT(bundle->dns_names, ElementsAre("berth.berth-system.svc"));
  EXPECT_THAT(bundle->ip_addresses, ElementsAre("127.0.0.1", "::1"));
  EXPECT_EQ(bundle->not_before, kNow - kBackdateSeconds);
  EXPECT_EQ(bundle->not_after, kNow + 30 * kDaySeconds);
  EXPECT_EQ(bundle->chain_length, 2U);
  EXPECT_EQ(bundle->subject, "CN=berth.berth-system.svc");
  EXPECT_EQ(bundle->content_hash.size(), std::string("sha256:").size() + 64);
}

TEST(Bundle, HashTellsEveryChangeOfEitherText) {
  EXPECT_EQ(content_hash("a", "b"), content_hash("a", "b"));
  EXPECT_NE(content_hash("ab", ""), content_hash("a", "b"));
  EXPECT_NE(content_hash("a", "b"), content_hash("b", "a"));
}

TEST(Bundle, AcceptsTextAroundThePemBlocks) {
  const SelfSigned pair = good_pair();
  const auto bundle = read_bundle("subject=...\n" + pair.leaf_pem + "\n\n", pair.key_pem, kNow);
  EXPECT_TRUE(bundle.has_value()) << bundle.error().text;
}

struct BadPair {
  const char* name;
  tests::PemPair pair;
  base::ErrorCode code;
  const char* text;
};

std::vector<BadPair> bad_pairs() {
  using base::ErrorCode;
  const SelfSigned good = good_pair();
  const SelfSigned other = good_pair();
  const std::string cut = good.leaf_pem.substr(0, good.leaf_pem.size() / 2);
  const auto odd = [](tests::OddCertificate want) { return tests::make_odd_certificate(want); };
  return {
      {"empty files, as while a volume is being set up",
       {"", ""},
       ErrorCode::kInvalid,
       "no certificate found in 0 bytes"},
      {"something else than PEM",
       {"hello", good.key_pem},
       ErrorCode::kInvalid,
       "no certificate found in 5 bytes; expected PEM"},
      {"certificate cut in the middle",
       {cut, good.key_pem},
       ErrorCode::kInvalid,
       "certificate 1 of the chain cannot be read"},
      {"second certificate cut",
       {good.leaf_pem + cut, good.key_pem},
       ErrorCode::kInvalid,
       "certificate 2 of the chain cannot be read"},
      {"key missing", {good.leaf_pem, good.leaf_pem}, ErrorCode::kInvalid, "no private key found"},
      {"key cut",
       {good.leaf_pem, good.key_pem.substr(0, 90)},
       ErrorCode::kInvalid,
       "private key cannot be read"},
      {"key of another generation",
       {good.leaf_pem, other.key_pem},
       ErrorCode::kInvalid,
       "private key does not belong to the certificate 'CN=berth.berth-system.svc'"},
      {"authority before the leaf",
       {good.ca_pem + good.leaf_pem, good.key_pem},
       ErrorCode::kInvalid,
       "private key belongs to certificate 2 of the chain"},
      {"issuer of somebody else",
       {good.leaf_pem + other.leaf_pem, good.key_pem},
       ErrorCode::kInvalid,
       "did not issue the one before it"},
      {"password on the key", odd({.password = "secret"}), ErrorCode::kInvalid,
       "private key is encrypted; expected PEM without a password"},
      {"common name only", odd({.alternative_names = ""}), ErrorCode::kInvalid,
       "has no subject alternative name"},
      {"names, but none of a host", odd({.alternative_names = "email:a@b.example"}),
       ErrorCode::kInvalid, "has no subject alternative name"},
      {"certificate for clients", odd({.extended_key_usage = "clientAuth"}), ErrorCode::kInvalid,
       "expected the extended key usage serverAuth"},
      {"SHA-1, which Go refuses", odd({.digest = EVP_sha1()}), ErrorCode::kInvalid,
       "is signed with SHA1; expected SHA-256 or stronger"},
      {"expired", odd({.until = kNow}), ErrorCode::kExpired,
       "expired 2023-11-14T22:13:20Z; it is now 2023-11-14T22:13:20Z"},
      {"not valid yet", odd({.from = kNow + 1}), ErrorCode::kExpired,
       "is not valid before 2023-11-14T22:13:21Z; it is now 2023-11-14T22:13:20Z"},
  };
}

TEST(Bundle, RefusesWhatCannotServeAndSaysWhy) {
  for (const BadPair& bad : bad_pairs()) {
    SCOPED_TRACE(bad.name);
    const auto bundle = read_bundle(bad.pair.certificate, bad.pair.key, kNow);
    ASSERT_FALSE(bundle.has_value());
    EXPECT_EQ(bundle.error().code, bad.code);
    EXPECT_THAT(bundle.error().text, HasSubstr(bad.text));
  }
}

TEST(Bundle, AcceptsACertificateWithoutExtendedKeyUsage) {
  const auto pair = tests::make_odd_certificate({.extended_key_usage = ""});
  EXPECT_TRUE(read_bundle(pair.certificate, pair.key, kNow).has_value());
}

}  // namespace
}  // namespace berth::certs
