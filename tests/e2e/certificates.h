// Keys and certificates for the end-to-end tests, made by the openssl command: one authority a
// folder, and server certificates that it signs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace berth::e2e {

struct KeyPair {
  std::filesystem::path certificate;
  std::filesystem::path key;
};

class Authority {
 public:
  /// Makes a new authority as ca.crt and ca.key in `folder`, which must exist.
  static base::Result<Authority> make(const std::filesystem::path& folder);

  /// A server certificate for these names ("DNS:..." or "IP:..."), as NAME.crt and NAME.key.
  base::Result<KeyPair> issue(const std::string& name, const std::vector<std::string>& hosts) const;

  const std::filesystem::path& certificate() const { return pair_.certificate; }

  /// The certificate as the `caBundle` of a webhook configuration: base64 of the PEM text.
  std::string bundle() const;

 private:
  explicit Authority(KeyPair pair) : pair_(std::move(pair)) {}
  KeyPair pair_;
};

/// A key pair for signing service account tokens, as NAME.key and NAME.pub.
base::Result<KeyPair> make_signing_keys(const std::filesystem::path& folder,
                                        const std::string& name);

/// How JSON carries bytes: certificates, patches.
std::string base64(const std::string& bytes);

}  // namespace berth::e2e
