// What the API server stores for a pod is what `berth explain` says, for every pod of the cases and
// all example rules; an update or a dry run changes nothing else.
#include <set>

#include "tests/e2e/end_to_end.h"

namespace berth::e2e {
namespace {

using nlohmann::json;

class StoredPod : public EndToEnd {
 protected:
  void SetUp() override {
    EndToEnd::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    E2E_ASSERT_OK(start_berth(example_rules()));
  }

  /// Creates the manifest and gives the object that the API server answered with.
  Answer create(const std::filesystem::path& manifest, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"create", "-f", manifest.string(), "-o", "json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return kubectl()(std::move(arguments));
  }

  void expect_denial_as_explained(const Answer& refused, const std::string& review) {
    const auto answer = berth().explain(review, "json");
    E2E_ASSERT_OK(answer);
    EXPECT_EQ(answer->value("allowed", true), false) << refused.err;
    ASSERT_FALSE((*answer)["denials"].empty());
    for (const json& denial : (*answer)["denials"]) {
      const std::string text = denial.is_string() ? denial : denial["text"];
      EXPECT_NE(refused.err.find(text), std::string::npos) << text << "\nin\n" << refused.err;
    }
  }

  Answer stored(const json& created) {
    return kubectl().get("pod", created["metadata"]["namespace"], created["metadata"]["name"]);
  }
};

json object_in(const std::string& review) {
  return json::parse(review)["request"]["object"];
}

TEST_F(StoredPod, EqualsWhatExplainSaysForEveryPodOfTheCases) {
  ASSERT_EQ(pod_manifests().size(), 28U);
  std::set<std::string> changed;
  std::set<std::string> refused;
  int warned = 0;
  for (const auto& manifest : pod_manifests()) {
    SCOPED_TRACE(manifest.filename());
    const Answer created = create(manifest);
    const std::string review = latest_review("Pod");
    if (!created.ok()) {
      refused.insert(manifest.stem());
      expect_denial_as_explained(created, review);
      continue;
    }
    const Answer got = stored(created.json());
    ASSERT_TRUE(got.ok()) << got.err;
    const auto wanted = explained(review);
    E2E_ASSERT_OK(wanted);
    EXPECT_EQ(difference(comparable(got.json()), *wanted), "");
    const auto answer = berth().explain(review, "json");
    E2E_ASSERT_OK(answer);
    EXPECT_EQ(json(created.warnings), (*answer)["warnings"]);
    warned += created.warnings.empty() ? 0 : 1;
    if (*wanted != comparable(object_in(review))) changed.insert(manifest.stem());
  }
  // The comparison says little about pods that the rules leave alone: most must not be.
  EXPECT_GE(changed.size(), 15U);
  EXPECT_GE(warned, 1);
  EXPECT_EQ(refused, std::set<std::string>{"42-kubeflow-notebook"});
  EXPECT_TRUE(changed.contains("02-pytorchjob-worker"));
  EXPECT_FALSE(changed.contains("25-kserve-transformer-cpu")) << "it asks for no GPU";
  EXPECT_FALSE(changed.contains("46-dcgm-exporter-ds")) << "its namespace is excluded";
}

TEST_F(StoredPod, IsChangedByALabelUpdateInThatLabelOnly) {
  for (const auto& manifest : admitted_pod_manifests()) {
    SCOPED_TRACE(manifest.filename());
    const Answer created = create(manifest);
    ASSERT_TRUE(created.ok()) << created.err;
    json wanted = comparable(created.json());
    wanted["metadata"]["labels"]["example.com/seen"] = "yes";
    const json metadata = created.json()["metadata"];
    const double calls = berth().requests();
    const Answer updated = kubectl()(
        {"label", "pod", metadata["name"], "-n", metadata["namespace"], "example.com/seen=yes"});
    ASSERT_TRUE(updated.ok()) << updated.err;
    EXPECT_GT(berth().requests(), calls) << "berth was not asked about the update";
    EXPECT_EQ(difference(comparable(stored(created.json()).json()), wanted), "");
  }
}

TEST_F(StoredPod, IsTheSameAfterDryRunsAndNothingIsStoredByThem) {
  for (const auto& manifest : admitted_pod_manifests()) {
    SCOPED_TRACE(manifest.filename());
    const Answer tried = create(manifest, {"--dry-run=server"});
    ASSERT_TRUE(tried.ok()) << tried.err;
    EXPECT_FALSE(stored(tried.json()).ok()) << "a dry run stored the pod";
    const Answer created = create(manifest);
    ASSERT_TRUE(created.ok()) << created.err;
    EXPECT_EQ(difference(comparable(tried.json()), comparable(created.json())), "");
    EXPECT_EQ(tried.warnings, created.warnings);
  }
}

TEST_F(StoredPod, IsNotTouchedByAnUpdateInADryRun) {
  const Answer created = create(data_folder() / "cases" / "pods" / "02-pytorchjob-worker.yaml");
  ASSERT_TRUE(created.ok()) << created.err;
  const json before = stored(created.json()).json();
  const Answer updated =
      kubectl()({"label", "pod", before["metadata"]["name"], "-n", before["metadata"]["namespace"],
                 "example.com/seen=yes", "--dry-run=server", "-o", "json"});
  ASSERT_TRUE(updated.ok()) << updated.err;
  EXPECT_EQ(stored(created.json()).json(), before);
  json wanted = comparable(before);
  wanted["metadata"]["labels"]["example.com/seen"] = "yes";
  EXPECT_EQ(difference(comparable(updated.json()), wanted), "");
}

}  // namespace
}  // namespace berth::e2e
