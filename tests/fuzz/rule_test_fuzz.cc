// A rule test file: YAML, schema, shorthand pods, topology, expectations, run against the example
// rules that it names. Oracle: no crash; a text has tests or an error; the same text gives the same
// problems; a test passes or says why not.
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "rules/loader.h"
#include "webhook/rule_test.h"

namespace {

using namespace berth;

base::SourceText example(const std::string& name) {
  const std::string path = std::string(BERTH_SOURCE_DIR) + "/tests/data/rule-examples/" + name;
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return base::SourceText(name, text.str());
}

const rules::RuleSet& example_rules() {
  static const rules::LoadResult loaded = [] {
    const base::SourceText texts[] = {
        example("01-gpu-baseline.yaml"),  example("02-training-placement.yaml"),
        example("03-inference-mig.yaml"), example("04-team-queues.yaml"),
        example("06-guardrails.yaml"),    example("08-canary-mps.yaml")};
    return rules::load(texts, {});
  }();
  if (loaded.rules == nullptr) std::abort();
  return *loaded.rules;
}

base::Result<base::SourceText> no_file(const std::string& path) {
  return base::invalid("no file " + path);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 32 * 1024) return 0;
  const base::SourceText source("f.yaml", std::string(reinterpret_cast<const char*>(data), size));
  base::Arena arena;
  base::Problems problems;
  const webhook::RuleTestFile file = webhook::read_rule_tests(source, no_file, arena, problems);
  base::Problems again;
  webhook::read_rule_tests(source, no_file, arena, again);
  if (problems.list().size() != again.list().size()) std::abort();
  if (file.tests.empty() && !problems.has_errors()) std::abort();
  if (problems.has_errors()) return 0;
  for (const webhook::RuleTest& test : file.tests) {
    const webhook::RuleTestResult result = webhook::run_rule_test(
        file, test, {example_rules(), {}, {}});
    if (result.test != &test) std::abort();
    for (const std::string& failure : result.failures) {
      if (failure.empty()) std::abort();
    }
  }
  return 0;
}
