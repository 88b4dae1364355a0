// A ConfigMap with rule files is judged at `kubectl apply`, by the configuration of manifests/base.
#include <gmock/gmock.h>

#include "tests/e2e/end_to_end.h"

namespace berth::e2e {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kGoodRules[] = R"(apiVersion: berth.dev/v1alpha1
kind: RuleSet
rules:
- name: reach-gpu-nodes
  match: {vendors: nvidia}
  then: {tolerate: [nvidia.com/gpu]}
)";

constexpr char kMisspeltRules[] = R"(apiVersion: berth.dev/v1alpha1
kind: RuleSet
rules:
- name: reach-gpu-nodes
  match: {vendors: nvidia}
  when: workload.totalGpu >= 8
  then: {tolerat: [nvidia.com/gpu]}
)";

constexpr char kUnusedVariable[] = R"(apiVersion: berth.dev/v1alpha1
kind: RuleSet
variables: {big: workload.gpus > 4}
rules:
- name: reach-gpu-nodes
  then: {tolerate: [nvidia.com/gpu]}
)";

json config_map(const std::string& space, const std::string& rules) {
  return {
      {"apiVersion", "v1"},
      {"kind", "ConfigMap"},
      {"metadata",
       {{"name", "berth-rules"}, {"namespace", space}, {"labels", {{"berth.dev/rules", "true"}}}}},
      {"data", {{"gpu.yaml", rules}}}};
}

class RuleFiles : public EndToEnd {
 protected:
  void SetUp() override {
    EndToEnd::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    E2E_ASSERT_OK(start_berth_with(kGoodRules));
    kubectl()({"create", "namespace", "berth"});  // there already, from the second test on
    register_validation();
  }

  void TearDown() override {
    if (berth_is_registered_) {
      kubectl()({"delete", "validatingwebhookconfiguration", "berth-rules"});
      for (const char* space : {"berth", "default"})
        kubectl()({"delete", "configmap", "berth-rules", "-n", space, "--ignore-not-found"});
    }
    EndToEnd::TearDown();
  }

  Answer apply(const json& object, std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.begin(), {"apply", "-f", "-"});
    return kubectl()(std::move(arguments), object.dump());
  }

 private:
  // The manifest as it is shipped; only where berth is found is the test's own.
  void register_validation() {
    const auto manifest =
        std::filesystem::path(BERTH_SOURCE_DIR) / "manifests/base/validate-rules.yaml";
    const Answer shown =
        kubectl()({"create", "--dry-run=client", "-o", "json", "-f", manifest.string()});
    ASSERT_TRUE(shown.ok()) << shown.err;
    json configuration = shown.json();
    json& client = configuration["webhooks"][0]["clientConfig"];
    client["caBundle"] = plane().authority().bundle();
    client["service"]["namespace"] = "webhooks";
    client["service"]["port"] = berth().port();
    const Answer created = kubectl().create(configuration);
    ASSERT_TRUE(created.ok()) << created.err;
    berth_is_registered_ = true;
    ASSERT_TRUE(wait_until(std::chrono::seconds(30), [&] {
      kubectl().create(config_map("berth", kGoodRules), {"--dry-run=server"});
      return berth().metric("berth_rule_validations_total") > 0;
    })) << "the API server never asked about a ConfigMap";
  }

  bool berth_is_registered_ = false;
};

TEST_F(RuleFiles, ABadFileIsRefusedWithItsPlaces) {
  const Answer refused = apply(config_map("berth", kMisspeltRules));
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, HasSubstr("admission webhook \"rules.berth.dev\" denied the request"));
  EXPECT_THAT(refused.err, HasSubstr("2 errors in the rule files of ConfigMap berth/berth-rules"));
  EXPECT_THAT(refused.err, HasSubstr("gpu.yaml:6:18: error: workload has no field 'totalGpu'; "
                                     "did you mean 'totalGpus'?"));
  EXPECT_THAT(refused.err, HasSubstr("gpu.yaml:7:10: error: unknown key 'tolerat'; "
                                     "did you mean 'tolerate'?"));
  EXPECT_FALSE(kubectl().get("configmap", "berth", "berth-rules").ok()) << "it was stored";
}

TEST_F(RuleFiles, AGoodFileIsStoredAndABadChangeOfItIsNot) {
  const Answer stored = apply(config_map("berth", kGoodRules));
  ASSERT_TRUE(stored.ok()) << stored.err;
  EXPECT_THAT(stored.warnings, IsEmpty());
  EXPECT_EQ(apply(config_map("berth", kMisspeltRules)).status, 1);
  const json kept = kubectl().get("configmap", "berth", "berth-rules").json();
  EXPECT_EQ(kept["data"]["gpu.yaml"], kGoodRules);
}

TEST_F(RuleFiles, WarningsReachKubectl) {
  const Answer stored = apply(config_map("berth", kUnusedVariable));
  ASSERT_TRUE(stored.ok()) << stored.err;
  EXPECT_THAT(stored.warnings, ElementsAre(HasSubstr("gpu.yaml:3:13: warning: variable 'big'")));
}

TEST_F(RuleFiles, OtherNamespacesAndOtherConfigMapsAreNotAskedAbout) {
  EXPECT_TRUE(apply(config_map("default", kMisspeltRules)).ok());
  json unlabelled = config_map("berth", kMisspeltRules);
  unlabelled["metadata"].erase("labels");
  EXPECT_TRUE(apply(unlabelled).ok());
}

TEST_F(RuleFiles, ARepairDoesNotWaitForBerth) {
  E2E_ASSERT_OK(take_berth_away());
  ASSERT_EQ(berth().stop(), 0);
  const Answer stored = apply(config_map("berth", kGoodRules));
  EXPECT_TRUE(stored.ok()) << stored.err;
}

}  // namespace
}  // namespace berth::e2e
