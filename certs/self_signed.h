// Makes a certificate authority and serving certificates signed by it: ECDSA P-256, SHA-256,
// random 128-bit serials, key identifiers set, valid from one hour before `now` (clocks differ).
// In: names and times; out: PEM texts. Uses the system's randomness, no files and no clock; safe
// from every thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace berth::certs {

inline constexpr std::int64_t kBackdateSeconds = 3600;
inline constexpr std::int64_t kDaySeconds = 86400;

/// A certificate and its private key, both PEM. The key is secret: never print it.
struct CertifiedKey {
  std::string certificate_pem;
  std::string key_pem;
};

/// What a serving certificate is to say.
struct LeafRequest {
  std::vector<std::string> names;  ///< DNS names (a leading "*." is allowed) or IP addresses
  std::int64_t now = 0;            ///< seconds since 1970
  std::int64_t valid_for = 30 * kDaySeconds;  ///< seconds from now
};

/// A new authority that may sign serving certificates only (path length 0), valid for `valid_for`
/// seconds from `now`. Requires: valid_for > 0.
base::Result<CertifiedKey> make_authority(const std::string& common_name, std::int64_t now,
                                          std::int64_t valid_for);

/// A serving certificate for all names, signed by `authority`. It never outlives the authority.
/// Names that are no DNS name or IP address, no name at all, and an unusable authority are errors.
base::Result<CertifiedKey> issue_leaf(const CertifiedKey& authority, const LeafRequest& request);

/// Authority and leaf in one step, for a first try: what a client must trust, and what to serve.
struct SelfSigned {
  std::string ca_pem;
  std::string leaf_pem;
  std::string key_pem;
};
base::Result<SelfSigned> make_self_signed(const LeafRequest& request);

}  // namespace berth::certs
