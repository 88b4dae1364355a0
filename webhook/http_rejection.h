// Why the front end turned a request or a connection away: a closed set, used as a metric label,
// and the counters by reason. Counters may be read from every thread.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace berth::webhook {

enum class Rejection : std::uint8_t {
  // Bytes that are no acceptable HTTP request.
  kBadRequestLine,
  kBadTarget,
  kBadVersion,
  kBadHeader,
  kBareLineFeed,
  kFoldedHeader,
  kHeadTooLarge,
  kTooManyFields,
  kBadHost,
  kAmbiguousLength,
  kBadContentLength,
  kBadTransferEncoding,
  kBadChunk,
  kBadExpectation,
  kContentEncoded,
  kBodyTooLarge,
  // Time.
  kHandshakeTimeout,
  kHeadTimeout,
  kBodyTimeout,
  kWriteTimeout,
  // Load.
  kTotalConnections,
  kPeerConnections,
  kDescriptors,
  kBodyMemory,
  kNoCertificate,
  // The other side.
  kHandshakeFailed,
  kCertificateRefused,
  kHandshakeAbandoned,
  kRequestAbandoned,
  // Ours.
  kHandlerFailed,
};

inline constexpr std::size_t kRejectionCount =
    static_cast<std::size_t>(Rejection::kHandlerFailed) + 1;

/// The metric label: lower case with underscores.
std::string_view to_text(Rejection reason);

/// An answer in place of the handler's.
struct Refusal {
  Rejection reason = Rejection::kBadHeader;
  int status = 400;
  std::string text;  ///< what came and what was expected, one line
};

class RejectionCounters {
 public:
  void add(Rejection reason) {
    counts_[static_cast<std::size_t>(reason)].fetch_add(1, std::memory_order_relaxed);
  }
  std::uint64_t count(Rejection reason) const {
    return counts_[static_cast<std::size_t>(reason)].load(std::memory_order_relaxed);
  }

 private:
  std::array<std::atomic<std::uint64_t>, kRejectionCount> counts_{};
};

}  // namespace berth::webhook
