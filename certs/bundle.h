// Bundle: a serving certificate with its chain and private key, checked so that a TLS server that
// uses it will work with API servers. In: PEM texts and the time; out: a Bundle or one error that
// says which part is wrong. Pure (no files, no clock); safe from every thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace berth::certs {

struct Bundle {
  std::string chain_pem;  ///< leaf first, then its issuers, as it came
  std::string key_pem;    ///< secret: never print
  std::string content_hash;
  std::string subject;           ///< of the leaf, one line, for logs
  std::int64_t not_before = 0;   ///< of the leaf, seconds since 1970
  std::int64_t not_after = 0;    ///< earliest of the chain, seconds since 1970
  std::size_t chain_length = 0;  ///< certificates in chain_pem
  std::vector<std::string> dns_names;
  std::vector<std::string> ip_addresses;

  bool operator==(const Bundle&) const = default;
};

/// Checks a pair at the time `now` (seconds since 1970): both texts parse, the key belongs to the
/// first certificate, each further certificate issued the one before, the leaf names at least one
/// host (clients ignore the common name), may serve TLS, is not signed with MD5 or SHA-1, and is
/// valid now. The error code is kExpired for a pair outside its time, else kInvalid.
base::Result<Bundle> read_bundle(std::string_view chain_pem, std::string_view key_pem,
                                 std::int64_t now);

/// "sha256:" and 64 hexadecimal digits over both texts; equal if and only if the texts are.
std::string content_hash(std::string_view chain_pem, std::string_view key_pem);

}  // namespace berth::certs
