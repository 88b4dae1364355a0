// Store: the certificate in force. Each accepted bundle is a new generation with its own TLS
// context; connections that are open keep the generation they began with. A bad replacement leaves
// the old one in force and is counted. Readers: every thread. Writers (replace, reload): one thread
// at a time, the certificate worker or start-up.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "base/published.h"
#include "base/result.h"
#include "certs/bundle.h"
#include "certs/server_context.h"

namespace berth::certs {

/// One generation: what is served, and how.
struct Served {
  Bundle bundle;
  ServerContext context;
  std::uint64_t generation = 0;  ///< 1 for the first
};

/// Why the last attempt to replace the bundle did not succeed.
struct Refusal {
  std::string text;
};

struct StoreStats {
  std::atomic<std::uint64_t> reloads{0};     ///< bundles put in force, the first one included
  std::atomic<std::uint64_t> failures{0};    ///< distinct refused contents or unreadable files
  std::atomic<std::int64_t> not_after{0};    ///< of the bundle in force, seconds since 1970
  std::atomic<std::uint64_t> generation{0};  ///< of the bundle in force
};

struct PairFiles {
  std::string chain;  ///< path of the PEM certificate chain, leaf first
  std::string key;    ///< path of the PEM private key
};

enum class Reload { kUnchanged, kReplaced };

class Store {
 public:
  /// The generation in force; null before the first success.
  std::shared_ptr<const Served> current() const { return current_.get(); }

  /// Puts a checked bundle in force for all connections from now on.
  base::Status replace(Bundle bundle);

  /// Reads both files and puts the pair in force if its content is not what is served already.
  /// A pair that cannot be read or checked at the time `now` (seconds since 1970) leaves the old
  /// generation in force; the same refusal again and again is counted once.
  base::Result<Reload> reload_from_files(const PairFiles& files, std::int64_t now);

  /// The reason of the last refusal; null while the last attempt was good.
  std::shared_ptr<const Refusal> refusal() const { return refusal_.get(); }

  const StoreStats& stats() const { return stats_; }

 private:
  base::Error refuse(base::Error error, std::string hash);

  base::Published<Served> current_;
  base::Published<Refusal> refusal_;
  StoreStats stats_;
  std::string refused_hash_;  ///< writer only
};

}  // namespace berth::certs
