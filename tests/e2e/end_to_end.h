// The fixture of every end-to-end test: a real API server, berth registered with it, and before
// berth a webhook that records each review as the API server sent it. The control plane is started
// once and shared; berth and the registrations are each test's own.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/e2e/comparison.h"
#include "tests/e2e/control_plane.h"
#include "tests/e2e/kubectl.h"
#include "tests/e2e/lab.h"
#include "tests/e2e/registration.h"
#include "tests/e2e/side_webhook.h"
#include "tests/e2e/webhook_server.h"

namespace berth::e2e {

/// Fails the test at once where a base::Result holds an error, with its text.
#define E2E_ASSERT_OK(expression)                                   \
  do {                                                              \
    const auto& e2e_result = (expression);                          \
    ASSERT_TRUE(e2e_result.has_value()) << e2e_result.error().text; \
  } while (false)

/// Which control plane a suite works on. Both are without nodes at first.
enum class Plane {
  kBare,         ///< etcd and API server: pods whose owners do not exist stay
  kControllers,  ///< with kube-controller-manager: Deployments and Jobs make their pods
};

class EndToEnd : public ::testing::Test {
 protected:
  /// `program`: one that the suite needs beside etcd, kube-apiserver and kubectl.
  explicit EndToEnd(Plane plane = Plane::kBare, const std::string& program = "kubectl")
      : kind_(plane), programs_({"etcd", "kube-apiserver", "kubectl", program}) {}

  /// Skips the test where no control plane can be started.
  void SetUp() override;
  void TearDown() override;

  ControlPlane& plane() { return *plane_; }
  const Kubectl& kubectl() { return plane_->kubectl(); }
  WebhookServer& berth() { return *berth_; }
  SideWebhook& recorder() { return *recorder_; }

  /// Starts berth with these rules and the lab's cluster file, and registers recorder and berth.
  /// `registration` tells policies and resources; name and port are filled in.
  base::Status start_berth(const std::vector<std::filesystem::path>& rules,
                           Registration registration = {});

  /// Lines behind the lab's configuration. Without others, berth does not wait long when it stops.
  virtual std::string more_configuration() const { return "drainSeconds: 1\n"; }

  /// The same with one rule file of the test's own.
  base::Status start_berth_with(const std::string& rule_text, Registration registration = {});

  /// Takes berth's registration away, so that the API server calls it no more.
  base::Status take_berth_away();

  /// A webhook that is called after berth and edits; berth is then called again.
  base::Status start_later_webhook(SideWebhook::Edit edit);
  SideWebhook& later_webhook() { return *later_; }

  /// The review of the latest CREATE of this kind that the API server sent to the recorder.
  std::string latest_review(const std::string& kind);

  /// All CREATE reviews of this kind in this namespace, oldest first; dry runs left out.
  std::vector<std::string> reviews_of(const std::string& kind, const std::string& space);

  /// The comparable form of what `berth explain --format object` makes of a review.
  base::Result<nlohmann::json> explained(const std::string& review);

 private:
  base::Status register_and_note(const Registration& registration, const CallCount& calls);
  base::Status start_recorder(const std::vector<Resource>& resources);

  Plane kind_;
  std::vector<std::string> programs_;
  ControlPlane* plane_ = nullptr;  // owned by the shared set, which lives as long as the program
  std::unique_ptr<SideWebhook> recorder_;
  std::unique_ptr<SideWebhook> later_;
  std::unique_ptr<WebhookServer> berth_;
  std::vector<std::pair<std::string, CallCount>> registered_;
};

/// The fixture for owners and the pods that controllers make for them.
class EndToEndWithControllers : public EndToEnd {
 protected:
  EndToEndWithControllers() : EndToEnd(Plane::kControllers, "kube-controller-manager") {}
};

/// A pod with one container that asks for `gpus` NVIDIA GPUs; the image is never run.
nlohmann::json gpu_pod(const std::string& space, const std::string& name, int gpus,
                       const nlohmann::json& labels = nlohmann::json::object());

}  // namespace berth::e2e
