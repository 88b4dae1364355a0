// Golden cases: tests/cases/NAME/{review.json, rules.yaml, cluster.yaml, want.txt}. want.txt is
// what `explain` prints. BERTH_UPDATE_GOLDEN=1 rewrites it; look at the difference before you
// commit it.
#include <cstdlib>

#include <gtest/gtest.h>

#include "tests/support/world.h"
#include "webhook/explain.h"

namespace berth::webhook {
namespace {

namespace fs = std::filesystem;
using berth::testing::file_text;

std::vector<fs::path> case_folders() {
  std::vector<fs::path> out;
  for (const auto& entry :
       fs::directory_iterator(berth::testing::source_dir() / "tests" / "cases")) {
    if (fs::exists(entry.path() / "review.json")) out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

berth::testing::TestWorld world_of(const fs::path& folder) {
  std::vector<base::SourceText> cluster;
  if (fs::exists(folder / "cluster.yaml"))
    cluster.emplace_back("cluster.yaml", file_text(folder / "cluster.yaml"));
  return berth::testing::world_from({{"rules.yaml", file_text(folder / "rules.yaml")}}, cluster);
}

TEST(Golden, CasesSayWhatTheyAlwaysSaid) {
  ASSERT_FALSE(case_folders().empty());
  for (const fs::path& folder : case_folders()) {
    SCOPED_TRACE(folder.filename().string());
    const auto world = world_of(folder);
    ASSERT_NE(world.rules, nullptr);
    const auto judged = berth::testing::judge(file_text(folder / "review.json"), world.view());
    const std::string got = explain_text(judged.review, judged.answer, *world.rules, {});
    if (std::getenv("BERTH_UPDATE_GOLDEN") != nullptr) std::ofstream(folder / "want.txt") << got;
    EXPECT_EQ(got, file_text(folder / "want.txt"));
  }
}

TEST(Golden, CasesHaveTheProperties) {
  for (const fs::path& folder : case_folders()) {
    SCOPED_TRACE(folder.filename().string());
    const auto world = world_of(folder);
    ASSERT_NE(world.rules, nullptr);
    berth::testing::expect_properties(file_text(folder / "review.json"), world.view());
  }
}

// Every review that a real API server sent, with all example rules in force on the lab cluster.
TEST(Golden, RealReviewsHaveTheProperties) {
  const auto data = berth::testing::data_dir();
  const auto world =
      berth::testing::world_from(berth::testing::texts_in(data / "rule-examples", ".yaml"),
                                 {{"lab.yaml", file_text(data / "cases" / "checks" / "lab.yaml")}});
  ASSERT_NE(world.rules, nullptr);
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(data / "cases" / "reviews")) {
    if (entry.path().extension() != ".json") continue;
    SCOPED_TRACE(entry.path().filename().string());
    berth::testing::expect_properties(file_text(entry.path()), world.view());
    ++count;
  }
  EXPECT_EQ(count, 119U);
}

}  // namespace
}  // namespace berth::webhook
