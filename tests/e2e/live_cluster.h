// The fixture of tests about the live model: a control plane of the test's own, since it may be
// killed, and berth with the rights of manifests/base/rbac.yaml and no more, which watches it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/e2e/control_plane.h"
#include "tests/e2e/end_to_end.h"
#include "tests/e2e/relay.h"
#include "tests/e2e/webhook_server.h"

namespace berth::e2e {

class LiveCluster : public ::testing::Test {
 protected:
  /// `programs`: what the suite needs beside etcd, kube-apiserver and kubectl.
  explicit LiveCluster(std::vector<std::string> programs = {});

  /// Skips the test where no control plane can be started.
  void SetUp() override;

  /// Fills the cluster; the lab's nodes if not overridden.
  virtual void fill();
  /// The rule file in force.
  virtual std::string rules() const = 0;

  /// Pods and these resources come to berth from now on, and fail without it.
  void register_berth(std::vector<Resource> more = {});
  void unregister_berth();

  const Kubectl& kubectl() { return plane_->kubectl(); }
  /// kubectl with these arguments; the test fails where it does.
  void must(std::vector<std::string> arguments, std::string input = "");
  /// A pod of the namespace sandbox, bound to a node where one is named.
  void make_pod(const std::string& name, const std::string& node, int gpus);

  /// What berth shows of the cluster, without the number of the picture.
  nlohmann::json seen();
  /// What `berth topology` makes of a fresh list of the cluster, without that number.
  nlohmann::json listed();
  /// Both become the same, compared whole.
  void expect_same(const std::string& when);

  std::unique_ptr<ControlPlane> plane_;
  std::unique_ptr<Relay> relay_;  ///< between berth and the API server
  std::unique_ptr<WebhookServer> berth_;

 private:
  void grant_rights();
  void start();

  std::vector<std::string> programs_;
};

}  // namespace berth::e2e
