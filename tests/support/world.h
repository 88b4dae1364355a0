// A world for tests of the whole decision: rules, cluster and limits from files or texts, and the
// properties that every answer must have whatever it says.
#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "kube/pointer.h"
#include "mutate/editor.h"
#include "rules/loader.h"
#include "topology/file_source.h"
#include "webhook/admit.h"
#include "webhook/reply.h"

namespace berth::testing {

inline std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

inline std::filesystem::path source_dir() {
  return BERTH_SOURCE_DIR;
}
inline std::filesystem::path data_dir() {
  return source_dir() / "tests" / "data";
}

struct TestWorld {
  std::shared_ptr<const rules::RuleSet> rules;
  std::shared_ptr<const topology::Snapshot> cluster;
  webhook::Limits limits;

  webhook::World view() const { return {*rules, *cluster, limits}; }
};

inline std::string all_problems(const base::Problems& problems) {
  std::string out;
  for (const base::Problem& problem : problems.list()) out += to_text(problem) + "\n";
  return out;
}

/// Fails the test when something does not load.
inline TestWorld world_from(const std::vector<base::SourceText>& rules,
                            const std::vector<base::SourceText>& cluster) {
  TestWorld world;
  rules::LoadResult loaded = rules::load(rules, {});
  EXPECT_NE(loaded.rules, nullptr) << all_problems(loaded.problems);
  world.rules = loaded.rules;
  topology::Loaded picture = topology::load_cluster(cluster, {});
  EXPECT_NE(picture.snapshot, nullptr) << all_problems(picture.problems);
  world.cluster = picture.snapshot;
  return world;
}

inline std::vector<base::SourceText> texts_in(const std::filesystem::path& folder,
                                              const std::string& extension) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == extension) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<base::SourceText> out;
  for (const auto& path : paths) out.emplace_back(path.filename().string(), file_text(path));
  return out;
}

/// A review text through admit, with everything it points to kept alive.
struct Judged {
  std::unique_ptr<base::Arena> arena = std::make_unique<base::Arena>();
  webhook::Review review;
  webhook::Answer answer;
  std::string reply;
};

inline Judged judge(const std::string& text, const webhook::World& world) {
  Judged out;
  const auto document = kube::parse_json(text, *out.arena);
  EXPECT_TRUE(document) << (document ? "" : document.error().text);
  const auto review = webhook::is_review(*document) ? webhook::read_review(*document)
                                                    : webhook::review_of(*document, *out.arena);
  EXPECT_TRUE(review) << (review ? "" : review.error().text);
  out.review = *review;
  out.answer = webhook::admit(out.review, world, *out.arena);
  append_reply(out.reply, out.review, out.answer, world.rules, *out.arena);
  return out;
}

/// The review again, with the object after the changes, as a second call by the API server would
/// have it.
inline std::string second_review(const std::string& text, const Judged& first) {
  auto review = nlohmann::json::parse(text);
  const auto after = nlohmann::json::parse(kube::to_json(first.answer.object));
  if (review.contains("request")) {
    review["request"]["object"] = after;
    return review.dump();
  }
  return after.dump();
}

/// Every leaf of `before` outside of the changed paths is still in `after`: nothing unknown got
/// lost.
inline void expect_nothing_lost(const nlohmann::json& before, const nlohmann::json& after,
                                const std::vector<std::string>& changed, const std::string& path) {
  for (const std::string& change : changed) {
    if (path == change) return;
  }
  if (before.is_object()) {
    ASSERT_TRUE(after.is_object()) << path;
    for (const auto& [key, value] : before.items()) {
      std::string below = path;
      kube::append_segment(below, key);
      const bool removed = std::find(changed.begin(), changed.end(), below) != changed.end();
      if (removed) continue;
      ASSERT_TRUE(after.contains(key)) << below << " got lost";
      expect_nothing_lost(value, after[key], changed, below);
    }
  } else if (before.is_array()) {
    ASSERT_TRUE(after.is_array() && after.size() >= before.size()) << path;
    for (std::size_t i = 0; i < before.size(); ++i) {
      expect_nothing_lost(before[i], after[i], changed, path + "/" + std::to_string(i));
    }
  } else {
    EXPECT_EQ(before, after) << path;
  }
}

/// Second pass empty, unknown fields kept, same bytes twice, patch applied by another
/// implementation; the reply keeps the rules of admission.k8s.io.
inline void expect_properties(const std::string& text, const webhook::World& world) {
  const Judged first = judge(text, world);
  const Judged again = judge(text, world);
  EXPECT_EQ(first.reply, again.reply) << "same input, other bytes";
  EXPECT_NE(first.answer.outcome, webhook::Outcome::kFailedSafe) << first.answer.reason;

  const auto reply = nlohmann::json::parse(first.reply);
  const auto& response = reply.at("response");
  EXPECT_EQ(response.at("uid"), std::string(first.review.uid));
  EXPECT_EQ(reply.at("apiVersion"), std::string(first.review.api_version));
  EXPECT_EQ(response.contains("patch"), response.contains("patchType"));
  EXPECT_EQ(response.contains("patch"), first.answer.outcome == webhook::Outcome::kPatched);
  if (first.answer.outcome != webhook::Outcome::kPatched) return;

  const auto before = nlohmann::json::parse(kube::to_json(first.review.object));
  const auto after = nlohmann::json::parse(kube::to_json(first.answer.object));
  const auto patch =
      nlohmann::json::parse(kube::to_json(mutate::to_patch(first.answer.changes, *first.arena)));
  EXPECT_EQ(before.patch(patch), after);
  std::vector<std::string> changed;
  for (const mutate::Change& change : first.answer.changes) changed.emplace_back(change.path);
  expect_nothing_lost(before, after, changed, "");

  const Judged second = judge(second_review(text, first), world);
  EXPECT_TRUE(second.answer.changes.empty())
      << "the second pass changes " << second.answer.changes.front().path << " again";
}

}  // namespace berth::testing
