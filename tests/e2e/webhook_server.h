// berth as a child process: `berth serve` on loopback ports with rule files, a cluster file and a
// certificate of the tests, and `berth explain` with the same rules and cluster beside it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "tests/e2e/certificates.h"
#include "tests/e2e/process.h"

namespace berth::e2e {

struct BerthInput {
  std::vector<std::filesystem::path> rules;  ///< files; copied into one folder of the server's own
  std::filesystem::path cluster;             ///< may be empty
  std::filesystem::path kubeconfig = {};     ///< of a cluster to watch, instead of `cluster`
  std::filesystem::path config;              ///< may be empty
};

class WebhookServer {
 public:
  /// Starts `berth serve` with its log and rules in `folder`; returns once it says it is ready.
  static base::Result<std::unique_ptr<WebhookServer>> start(const BerthInput& input,
                                                            const KeyPair& pair,
                                                            const std::filesystem::path& folder);

  int port() const { return port_; }

  /// All requests so far, from the metric berth_admission_requests_total; -1 where it is absent.
  double requests() const;

  /// The value of a metric without labels, or of the sum over its labels; -1 where it is absent.
  double metric(const std::string& name) const;

  /// What the admin port answers at a path; empty where it does not.
  std::string admin(const std::string& path) const;

  /// What `berth explain` makes of one AdmissionReview: `format` is json, object or patch.
  base::Result<nlohmann::json> explain(const std::string& review, const std::string& format) const;

  /// Memory that it holds, in MiB; 0 where the system does not say.
  double resident_mib() const;

  bool is_running() { return process_->is_running(); }

  /// Asks it to end; gives the exit status.
  int stop() { return process_->stop(); }
  void send(int signal) const { process_->send(signal); }
  bool wait_for_end(std::chrono::milliseconds limit) { return process_->wait(limit); }
  std::string log_tail() const { return tail_of(log_); }

 private:
  WebhookServer() = default;
  std::vector<std::string> world_flags() const;
  bool is_ready() const;

  std::filesystem::path rules_;
  std::filesystem::path cluster_;
  std::filesystem::path config_;
  std::filesystem::path log_;
  int port_ = 0;
  int admin_port_ = 0;
  std::optional<Process> process_;
};

}  // namespace berth::e2e
