// The live model against a real API server: what berth shows of the cluster equals what `berth
// topology` makes of a fresh list, after objects came, changed and went and after the API server
// was killed; decisions follow what is free, and no pod is refused meanwhile.
#include <gmock/gmock.h>

#include "tests/e2e/live_cluster.h"

namespace berth::e2e {
namespace {

using ::testing::HasSubstr;

constexpr auto kSettle = std::chrono::seconds(60);

constexpr char kRule[] = R"(apiVersion: berth.dev/v1alpha1
kind: RuleSet
metadata: {name: live}
rules:
- name: always
  match: {gpus: ">=1"}
  then:
    tolerate: [nvidia.com/gpu]
- name: where-it-fits
  match: {gpus: ">=1"}
  when: topology.free('L40S') >= 4
  then:
    labels: {example.com/fits: "yes"}
)";

class LiveModel : public LiveCluster {
 protected:
  std::string rules() const override { return kRule; }
};

TEST_F(LiveModel, EqualsAFreshListThroughChangesAndACrashOfTheApiServer) {
  expect_same("at first");
  EXPECT_EQ(berth_->metric("berth_cluster_fresh"), 1);

  make_pod("one", "h100-r1-1", 3);
  make_pod("two", "h100-r1-2", 8);
  must({"label", "node", "h100-r1-3", "lab.example.com/rack=r9", "--overwrite"});
  must({"cordon", "h100-r2-1"});
  must({"taint", "node", "h100-r2-2", "example.com/kept=yes:NoSchedule"});
  must({"delete", "node", "h100-r3-1"});
  expect_same("after changes");

  must({"delete", "pod", "one", "-n", "sandbox", "--force", "--grace-period=0"});
  plane_->kill_api_server();
  EXPECT_TRUE(
      wait_until(kSettle, [&] { return berth_->metric("berth_cluster_failures_total") > 0; }));
  EXPECT_THAT(berth_->admin("/readyz?verbose"), HasSubstr("[+]cluster ok"));
  E2E_ASSERT_OK(plane_->start_api_server());
  must({"uncordon", "h100-r2-1"});
  make_pod("three", "h100-r2-1", 2);
  must({"delete", "pod", "two", "-n", "sandbox", "--force", "--grace-period=0"});
  expect_same("after a crash of the API server");
}

TEST_F(LiveModel, DecidesOnWhatIsFreeNow) {
  register_berth();
  const auto fits = [this](const std::string& name) {
    const Answer made = kubectl().create(gpu_pod("sandbox", name, 1));
    EXPECT_TRUE(made.ok()) << made.err;
    // Nothing binds it: as long as it is there it counts on a node that could take it.
    must({"delete", "pod", name, "-n", "sandbox", "--force", "--grace-period=0"});
    return made.json()["metadata"]["labels"].contains("example.com/fits");
  };
  EXPECT_TRUE(fits("before")) << berth_->admin("/debug/topology").substr(0, 2000);
  make_pod("filler", "l40s-1", 4);
  make_pod("filler-2", "l40s-2", 4);
  expect_same("with the nodes full");
  EXPECT_FALSE(fits("after"));
  must({"delete", "pod", "filler", "-n", "sandbox", "--force", "--grace-period=0"});
  expect_same("with a node empty again");
  EXPECT_TRUE(fits("again"));

  // The model is as it was while the API server is away, and pods are admitted once it is back.
  plane_->kill_api_server();
  E2E_ASSERT_OK(plane_->start_api_server());
  EXPECT_TRUE(fits("back"));
  unregister_berth();
}

}  // namespace
}  // namespace berth::e2e
