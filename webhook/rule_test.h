// Rule tests: the file format `kind: RuleTest` and its runner. A test is a pod (in shorthand, from
// a file, or whole) and what should come of it; it goes through the same admit() as a live review.
// Every test is also checked for a second pass that changes nothing. Pure apart from the reader
// function that is handed in.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/problem.h"
#include "base/result.h"
#include "base/source_text.h"
#include "kube/json.h"
#include "rules/engine.h"
#include "topology/builder.h"
#include "topology/snapshot.h"
#include "webhook/admit.h"

namespace berth::webhook {

/// One test as written.
struct RuleTest {
  std::string name;
  base::Place place;
  kube::Json written;   ///< all of it, for the record
  kube::Json pod;       ///< shorthand, or null
  kube::Json object;    ///< a whole object, or null
  kube::Json request;   ///< fields of the admission request, or null
  kube::Json used;      ///< node pattern -> GPUs in use, or null
  kube::Json topology;  ///< instead of the file's, or null
  kube::Json expect;    ///< the expectations, or null
  rules::DecideOptions::RolloutDraw rollout = rules::DecideOptions::RolloutDraw::kHash;
  enum class Passes : std::uint8_t {
    kOne,
    kTwo
  } passes = Passes::kOne;  ///< `again: true` judges the second
  enum class Model : std::uint8_t { kFresh, kStale } model = Model::kFresh;
};

struct RuleTestFile {
  std::string path;
  std::vector<std::string> rules;  ///< paths, relative ones already joined with the file's folder
  kube::Json topology;             ///< short form, or null
  kube::Json namespaces;           ///< name -> labels, or null
  kube::Json priority_classes;     ///< name -> value, or null
  std::vector<RuleTest> tests;
};

/// Gives the text of a path, for `podFile` and `topology: FILE`.
using ReadText = std::function<base::Result<base::SourceText>(const std::string& path)>;

/// Reads one test file. Json values live in the arena.
RuleTestFile read_rule_tests(const base::SourceText& text, const ReadText& read, base::Arena& arena,
                             base::Problems& problems);

struct RuleTestResult {
  const RuleTest* test = nullptr;
  std::vector<std::string> failures;  ///< one line each: what was wanted, what came; empty: passed
  std::set<std::string> applied;      ///< rule ids that applied or were audited
  std::string outcome_yaml;           ///< the test with the present outcome as its expectations
};

struct RuleTestSetting {
  const rules::RuleSet& rules;
  topology::BuildOptions build;
  Limits limits;
};

/// Runs one test of a file.
RuleTestResult run_rule_test(const RuleTestFile& file, const RuleTest& test,
                             const RuleTestSetting& setting);

/// The pod that a shorthand stands for, as the API server would send it. Exposed for tests.
kube::Json pod_of_shorthand(kube::Json shorthand, std::string_view label_prefix,
                            base::Arena& arena);

}  // namespace berth::webhook
