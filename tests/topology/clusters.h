// Clusters for tests: from files under tests/data and from texts in the test itself.
#pragma once

#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "topology/file_source.h"

namespace berth::topology {

inline std::string read_test_data(const std::string& name) {
  std::ifstream file(std::string(BERTH_SOURCE_DIR) + "/tests/data/" + name);
  EXPECT_TRUE(file.good()) << "tests/data/" << name << " cannot be read";
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline Loaded load_text(const std::string& text, const BuildOptions& options = {}) {
  const std::vector<base::SourceText> texts = {{"cluster.yaml", text}};
  return load_cluster(texts, options);
}

/// The levels of tests/data/cases/checks/config.yaml.
inline BuildOptions lab_options() {
  BuildOptions options;
  options.levels = {{"node", {"kubernetes.io/hostname"}},
                    {"nvlink", {"nvidia.com/gpu.clique"}},
                    {"rack", {"lab.example.com/rack"}},
                    {"block", {"lab.example.com/block"}},
                    {"zone", {"topology.kubernetes.io/zone"}}};
  return options;
}

/// All problems as text, one a line.
inline std::string texts_of(const base::Problems& problems) {
  std::string out;
  for (const base::Problem& problem : problems.list()) {
    out += to_text(problem.place) + ": " + std::string(to_text(problem.severity)) + ": " +
           problem.code + ": " + problem.text + (problem.hint.empty() ? "" : "; " + problem.hint) +
           "\n";
  }
  return out;
}

/// A picture that must have loaded without errors.
inline std::shared_ptr<const Snapshot> snapshot_of(const std::string& text,
                                                   const BuildOptions& options = {}) {
  Loaded loaded = load_text(text, options);
  EXPECT_NE(loaded.snapshot, nullptr) << texts_of(loaded.problems);
  return std::move(loaded.snapshot);
}

inline std::shared_ptr<const Snapshot> lab() {
  return snapshot_of(read_test_data("cases/checks/lab.yaml"), lab_options());
}

/// Name of the domain of a node, "-" where it has none.
inline std::string domain_of(const Snapshot& snapshot, std::string_view node,
                             std::string_view level) {
  const Node* found = snapshot.find_node(node);
  const auto index = snapshot.level_index(level);
  if (found == nullptr || !index) return "?";
  const std::int32_t domain = found->domain[*index];
  return domain < 0 ? "-" : snapshot.domains(*index)[static_cast<std::size_t>(domain)].name;
}

}  // namespace berth::topology
