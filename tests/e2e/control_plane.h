// A Kubernetes control plane without nodes: etcd and kube-apiserver, and on demand
// kube-controller-manager and kube-scheduler, as children of the test program on free loopback
// ports, with keys, data and logs in a temporary folder. No root, no containers, no kubelet.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "tests/e2e/certificates.h"
#include "tests/e2e/kubectl.h"
#include "tests/e2e/process.h"

namespace berth::e2e {

/// The folder with etcd, kube-apiserver and the others: BERTH_KUBE_BIN, else KUBEBUILDER_ASSETS,
/// else what tools/kube-bin has built before. An error where there is none or where it lacks one of
/// `programs`; it says how to get one.
base::Result<std::filesystem::path> find_kube_binaries(const std::vector<std::string>& programs);

class ControlPlane {
 public:
  /// Starts etcd and the API server from `binaries` and returns once the API server is ready.
  static base::Result<std::unique_ptr<ControlPlane>> start(const std::filesystem::path& binaries);

  /// Stops everything by process id, the API server before its etcd.
  ~ControlPlane();
  ControlPlane(const ControlPlane&) = delete;
  ControlPlane& operator=(const ControlPlane&) = delete;

  /// Starts the built-in controllers (Deployment, Job, ...); returns once they act. `which` is as
  /// for --controllers; the service accounts' has to be among them.
  base::Status start_controllers(const std::string& which = "*");

  /// Kills the API server as a crash would, and starts it again on the same port.
  void kill_api_server() { api_server_->stop(std::chrono::seconds(0)); }
  base::Status start_api_server();

  int api_port() const { return api_port_; }

  /// etcd forgets all that was before now. A watch that wants to go on from there is told so once
  /// the API server has started again.
  base::Status compact_etcd() const;

  base::Status start_scheduler();
  void stop_scheduler();

  /// kubectl as an administrator.
  const Kubectl& kubectl() const { return *kubectl_; }
  const Authority& authority() const { return *authority_; }
  const std::filesystem::path& folder() const { return folder_.path(); }
  /// Of the user "berth", who has no right but those that a test binds to it.
  std::filesystem::path berth_kubeconfig() const { return folder() / "berth.kubeconfig"; }
  /// The same by another port, such as that of a relay.
  void write_berth_kubeconfig(int port);
  /// Gives berth another token: in its kubeconfig at once, at the API server when that starts
  /// again.
  void rotate_token_of_berth();
  /// Of the administrator, for a client of the test's own.
  const std::string& administrator_token() const { return administrator_token_; }

 private:
  explicit ControlPlane(std::filesystem::path binaries);
  base::Status make_files();
  base::Status start_etcd();
  base::Result<Process> start_part(const std::string& name, std::vector<std::string> flags) const;
  std::vector<std::string> client_flags(const std::string& user, int port) const;
  void write_kubeconfig(const std::string& user, const std::string& token, int port) const;
  void make_token(const std::string& user, const std::string& groups);

  TemporaryFolder folder_;
  std::filesystem::path binaries_;
  int api_port_ = 0;
  int etcd_port_ = 0;
  int port_of_berth_ = 0;                      // the one that its kubeconfig names
  std::map<std::string, std::string> tokens_;  // by user: a line of tokens.csv
  std::string administrator_token_;
  std::optional<Authority> authority_;
  std::optional<Kubectl> kubectl_;
  std::optional<Process> etcd_;
  std::optional<Process> api_server_;
  std::optional<Process> controllers_;
  std::optional<Process> scheduler_;
};

}  // namespace berth::e2e
