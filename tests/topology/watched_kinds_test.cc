#include "topology/watched_kinds.h"

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "base/yaml.h"
#include "kube/json_yaml.h"

namespace berth::topology {
namespace {

// Rights are exactly what is watched: one too few and the model stays stale, one too many is a
// right that a stolen token would have.
TEST(WatchedKinds, AreExactlyWhatTheManifestGrants) {
  std::ifstream file(std::string(BERTH_SOURCE_DIR) + "/manifests/base/rbac.yaml");
  std::stringstream content;
  content << file.rdbuf();
  base::Problems problems;
  const base::SourceText text("rbac.yaml", content.str());
  const auto documents = base::parse_yaml(text, problems);
  ASSERT_FALSE(problems.has_errors());
  ASSERT_EQ(documents.size(), 2u);
  base::Arena arena;
  std::set<std::string> granted;
  const kube::Json role = kube::to_json(documents[0], arena);
  for (const kube::Json& rule : role["rules"].items()) {
    EXPECT_EQ(kube::to_json(rule["verbs"]), R"(["list","watch"])");
    for (const kube::Json& group : rule["apiGroups"].items()) {
      for (const kube::Json& resource : rule["resources"].items()) {
        granted.insert(std::string(group.string_or_empty()) + "/" +
                       std::string(resource.string_or_empty()));
      }
    }
  }
  std::set<std::string> watched;
  for (const WatchedKind& kind : watched_kinds()) {
    watched.insert(std::string(kind.group) + "/" + std::string(kind.resource));
  }
  EXPECT_EQ(granted, watched);
}

TEST(WatchedKinds, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const WatchedKind& kind : watched_kinds())
    EXPECT_TRUE(names.insert(source_name(kind)).second);
}

}  // namespace
}  // namespace berth::topology
