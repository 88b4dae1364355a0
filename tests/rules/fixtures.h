// Objects, clusters and rule sets for tests of rules/, made of texts as short as they can be.
#pragma once

#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/yaml.h"
#include "kube/json.h"
#include "kube/json_yaml.h"
#include "rules/facts.h"
#include "rules/rule.h"
#include "topology/file_source.h"

namespace berth::rules::testing {

/// The first document of a YAML text.
inline kube::Json json_of(std::string_view yaml, base::Arena& arena) {
  base::Problems problems;
  const base::SourceText source("test.yaml", std::string(yaml));
  const auto documents = base::parse_yaml(source, problems);
  EXPECT_FALSE(problems.has_errors()) << yaml;
  return documents.empty() ? kube::Json() : kube::to_json(documents.front(), arena);
}

inline std::string file_text(const std::string& path_in_source) {
  std::ifstream file(std::string(BERTH_SOURCE_DIR) + "/" + path_in_source, std::ios::binary);
  EXPECT_TRUE(file.good()) << path_in_source;
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

using Cluster = std::shared_ptr<const topology::Snapshot>;

inline Cluster cluster_of(const std::vector<std::string>& yamls,
                          const topology::BuildOptions& options = {}) {
  std::vector<base::SourceText> texts;
  for (const std::string& yaml : yamls) texts.emplace_back("cluster.yaml", yaml);
  topology::Loaded loaded = topology::load_cluster(texts, options);
  EXPECT_NE(loaded.snapshot, nullptr);
  for (const auto& problem : loaded.problems.list()) {
    EXPECT_NE(problem.severity, base::Severity::kError) << to_text(problem);
  }
  return loaded.snapshot;
}

inline Cluster nothing_known() {
  return std::make_shared<topology::Snapshot>();
}

/// The lab of the cases, with its levels; more objects may be added to it.
inline Cluster lab(const std::vector<std::string>& more);

/// The lab as it is, read once.
inline const Cluster& lab() {
  static const Cluster kLab = lab({});
  return kLab;
}

inline Cluster lab(const std::vector<std::string>& more) {
  topology::BuildOptions options;
  options.levels = {{"node", {"kubernetes.io/hostname"}},
                    {"nvlink", {"nvidia.com/gpu.clique"}},
                    {"rack", {"lab.example.com/rack"}},
                    {"block", {"lab.example.com/block"}},
                    {"zone", {"topology.kubernetes.io/zone"}}};
  std::vector<std::string> texts = {file_text("tests/data/cases/checks/lab.yaml")};
  texts.insert(texts.end(), more.begin(), more.end());
  return cluster_of(texts, options);
}

inline Subject pod_subject(kube::Json pod) {
  Subject subject;
  subject.object = pod;
  subject.pod = kube::Pod(pod);
  subject.kind = "Pod";
  return subject;
}

/// An owner with its one template at /spec/template.
inline Subject owner_subject(kube::Json owner) {
  Subject subject;
  subject.door = Door::kOwner;
  subject.object = owner;
  subject.pod = kube::Pod(owner["spec"]["template"]);
  subject.pod_pointer = "/spec/template";
  const std::string_view version = owner["apiVersion"].string_or_empty();
  const auto slash = version.find('/');
  subject.group = slash == std::string_view::npos ? std::string_view{} : version.substr(0, slash);
  subject.kind = owner["kind"].string_or_empty();
  return subject;
}

inline Request request_in(std::string_view namespace_name) {
  Request request;
  request.namespace_name = namespace_name;
  return request;
}

/// A template of one constant piece.
inline Template constant(std::string text) {
  Template out;
  out.text = text;
  out.pieces.push_back({std::move(text), -1});
  return out;
}

inline Assignment assign(SlotKind kind, std::string key, ActionValue value) {
  Assignment out;
  out.slot = {kind, std::move(key)};
  out.value = std::move(value);
  return out;
}
inline Assignment label(std::string key, std::string value) {
  return assign(SlotKind::kLabel, std::move(key), Text{constant(std::move(value))});
}
inline Assignment priority(std::string name) {
  return assign(SlotKind::kPriorityClass, "", Text{constant(std::move(name))});
}

/// A rule set built by hand: one file unless told otherwise.
class RuleBook {
 public:
  RuleBook() { file("t"); }

  RuleBook& file(std::string name, bool first = false) {
    RuleFile out;
    out.name = std::move(name);
    out.first = first;
    if (set_->files.size() == 1 && set_->rules.empty()) set_->files.clear();
    set_->files.push_back(std::move(out));
    return *this;
  }

  /// The rule just added may be changed through the reference until the next one.
  Rule& rule(std::string name, std::vector<Assignment> assignments = {}) {
    Rule out;
    out.name = name;
    out.id = set_->files.back().name + "/" + std::move(name);
    out.file = static_cast<int>(set_->files.size()) - 1;
    out.assignments = std::move(assignments);
    set_->rules.push_back(std::move(out));
    return set_->rules.back();
  }

  RuleSet& set() { return *set_; }
  const RuleSet& set() const { return *set_; }

 private:
  std::unique_ptr<RuleSet> set_ = std::make_unique<RuleSet>();
};

}  // namespace berth::rules::testing
