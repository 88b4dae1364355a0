// Transport: where the Kubernetes API enters. A GET whose body arrives in pieces, so that a watch
// can be read while it lasts. kube/http_transport is the real one; tests have one that stalls, cuts
// and splits. One request at a time; one thread.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::kube {

/// Whether the server may compress its answer: what packs a stream may hold it back.
enum class Packing { kGzip, kPlain };

struct HttpGet {
  std::string target;                  ///< path and query, already encoded
  std::chrono::milliseconds patience;  ///< longest silence: an error once nothing came for so long
  Packing packing = Packing::kGzip;
};

/// What a receiver says about the rest of an answer.
enum class Reading { kGoOn, kEnough };

struct HttpReceiver {
  std::function<Reading(int status)> head;             ///< called once, before the body
  std::function<Reading(std::string_view)> body = {};  ///< each piece, uncompressed
};

class Transport {
 public:
  virtual ~Transport() = default;

  /// Returns when the answer has ended, when the receiver has enough, or when `stop` is asked for:
  /// all three are good ends. An error (kUnavailable) says what failed, without the URL. A stop
  /// ends a request that waits for bytes at once.
  virtual base::Status get(const HttpGet& request, const HttpReceiver& receiver,
                           const std::stop_token& stop) = 0;

  /// "https://10.0.0.1:443", for messages.
  virtual std::string server() const = 0;
};

}  // namespace berth::kube
