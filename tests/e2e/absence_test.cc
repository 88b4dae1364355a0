// berth that is stopped, killed or stuck loses no pod where the failure policy is Ignore; where it
// is Fail the API server refuses, which shows that the tests talk to a server that does call berth.
#include <csignal>

#include <gmock/gmock.h>

#include "tests/e2e/end_to_end.h"

namespace berth::e2e {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr char kMarkingRule[] = R"(apiVersion: berth.dev/v1alpha1
kind: RuleSet
metadata: {name: mark}
rules:
- name: mark
  match: {gpus: ">=1"}
  then:
    labels: {example.com/marked: "yes"}
    env: {MARKED: "1"}
)";

constexpr char kMark[] = "example.com/marked";

class Absence : public EndToEnd {
 protected:
  void start(const std::string& failure_policy, int timeout_seconds = 10) {
    Registration registration;
    registration.failure_policy = failure_policy;
    registration.timeout_seconds = timeout_seconds;
    E2E_ASSERT_OK(start_berth_with(kMarkingRule, registration));
    expect_marked("before");
  }

  void expect_marked(const std::string& name) {
    const Answer created = kubectl().create(gpu_pod("sandbox", name, 1));
    ASSERT_TRUE(created.ok()) << created.err;
    EXPECT_TRUE(created.json()["metadata"].contains("labels")) << "berth did not answer";
  }

  /// The pod is there, and just as it was before berth would have been called.
  void expect_untouched(const std::string& name) {
    const Answer created = kubectl().create(gpu_pod("sandbox", name, 1));
    ASSERT_TRUE(created.ok()) << created.err;
    const json seen = json::parse(latest_review("Pod"))["request"]["object"];
    const Answer stored = kubectl().get("pod", "sandbox", name);
    ASSERT_TRUE(stored.ok()) << stored.err;
    EXPECT_EQ(difference(comparable(stored.json()), comparable(seen)), "");
  }
};

TEST_F(Absence, StoppedWithIgnoreLosesNoPod) {
  ASSERT_NO_FATAL_FAILURE(start("Ignore"));
  EXPECT_EQ(berth().stop(), 0) << berth().log_tail();
  expect_untouched("after-stop");
}

TEST_F(Absence, KilledWithIgnoreLosesNoPod) {
  ASSERT_NO_FATAL_FAILURE(start("Ignore"));
  berth().send(SIGKILL);
  ASSERT_TRUE(berth().wait_for_end(std::chrono::seconds(10)));
  expect_untouched("after-kill");
}

TEST_F(Absence, StuckWithIgnoreLosesNoPod) {
  ASSERT_NO_FATAL_FAILURE(start("Ignore", 1));
  berth().send(SIGSTOP);
  expect_untouched("while-stuck");
  berth().send(SIGCONT);
  EXPECT_TRUE(wait_until(std::chrono::seconds(30), [this] {
    static int number = 0;
    const Answer created =
        kubectl().create(gpu_pod("sandbox", "again-" + std::to_string(++number), 1));
    return created.ok() && created.json()["metadata"].contains("labels");
  })) << "berth does not answer again";
}

TEST_F(Absence, StoppedWithFailRefusesPods) {
  ASSERT_NO_FATAL_FAILURE(start("Fail"));
  EXPECT_EQ(berth().stop(), 0) << berth().log_tail();
  const Answer refused = kubectl().create(gpu_pod("sandbox", "refused", 1));
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, HasSubstr("failed calling webhook"));
}

/// With the waiting times that berth has in a cluster.
class OrderlyStop : public Absence {
 protected:
  std::string more_configuration() const override { return ""; }
};

TEST_F(OrderlyStop, InTheMiddleOfManyPodsLosesNone) {
  ASSERT_NO_FATAL_FAILURE(start("Ignore"));
  constexpr int kPods = 80;
  json items = json::array();
  for (int i = 0; i < kPods; ++i) {
    items.push_back(gpu_pod("sandbox", "many-" + std::to_string(i), 1));
  }
  const json list = {{"apiVersion", "v1"}, {"kind", "List"}, {"items", items}};
  const std::size_t before = recorder().count();
  std::thread stopper([this, before] {
    wait_until(std::chrono::seconds(60), [&] { return recorder().count() >= before + 20; });
    berth().send(SIGTERM);
  });
  const Answer created = kubectl()({"create", "-f", "-"}, list.dump());
  stopper.join();
  EXPECT_TRUE(created.ok()) << created.err;

  int marked = 0;
  const json pods = kubectl()({"get", "pods", "-n", "sandbox", "-o", "json"}).json()["items"];
  int found = 0;
  for (const json& pod : pods) {
    if (!pod["metadata"]["name"].get<std::string>().starts_with("many-")) continue;
    ++found;
    // Wholly berth's answer or wholly the author's pod, nothing between.
    const bool label = pod["metadata"].value("labels", json::object()).contains(kMark);
    const bool env = pod["spec"]["containers"][0].contains("env");
    EXPECT_EQ(label, env) << pod["metadata"]["name"];
    marked += label ? 1 : 0;
  }
  EXPECT_EQ(found, kPods);
  EXPECT_GE(marked, 15) << "berth must have answered for those before the stop";
}

}  // namespace
}  // namespace berth::e2e
