// berth test: rule tests, with coverage of rules, in text, JSON or JUnit form.
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <re2/re2.h>

#include "base/display.h"
#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/setup.h"
#include "kube/json.h"
#include "webhook/rule_test.h"

namespace berth::cli {
namespace {

struct TestLine {
  CommandLine common;
  std::string format = "text";
  std::string run;
  bool record = false;
  std::vector<std::string> paths;
};

struct Verdict {
  std::string file;
  std::string name;
  std::vector<std::string> failures;
};

struct Tally {
  std::vector<Verdict> verdicts;
  std::size_t skipped = 0;
  std::map<std::string, bool> rules;  // id -> some test applied it
  /// Rules that no test applied; empty where tests were left out.
  std::vector<std::string> uncovered() const {
    std::vector<std::string> out;
    for (const auto& [id, applied] : rules) {
      if (!applied && skipped == 0) out.push_back(id);
    }
    return out;
  }
  std::size_t failed() const {
    return static_cast<std::size_t>(std::count_if(
        verdicts.begin(), verdicts.end(), [](const Verdict& v) { return !v.failures.empty(); }));
  }
};

// XML cannot even escape control characters.
std::string xml(const std::string& raw) {
  const std::string text = base::without_controls(raw);
  std::string out;
  for (char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

void print_junit(const Tally& tally) {
  std::cout << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"berth\" tests=\""
            << tally.verdicts.size() << "\" failures=\"" << tally.failed() << "\">\n";
  for (const Verdict& verdict : tally.verdicts) {
    std::cout << "  <testcase classname=\"" << xml(verdict.file) << "\" name=\""
              << xml(verdict.name) << '"';
    if (verdict.failures.empty()) {
      std::cout << "/>\n";
      continue;
    }
    std::cout << ">\n";
    for (const std::string& failure : verdict.failures) {
      std::cout << "    <failure message=\"" << xml(failure) << "\"/>\n";
    }
    std::cout << "  </testcase>\n";
  }
  std::cout << "</testsuite>\n";
}

void print_json(const Tally& tally) {
  std::string out = R"({"tests":[)";
  for (std::size_t i = 0; i < tally.verdicts.size(); ++i) {
    const Verdict& verdict = tally.verdicts[i];
    out += i > 0 ? ",{\"file\":" : "{\"file\":";
    kube::append_json_string(out, verdict.file);
    out += ",\"name\":";
    kube::append_json_string(out, verdict.name);
    out += verdict.failures.empty() ? ",\"passed\":true,\"failures\":["
                                    : ",\"passed\":false,\"failures\":[";
    for (std::size_t j = 0; j < verdict.failures.size(); ++j) {
      if (j > 0) out += ',';
      kube::append_json_string(out, verdict.failures[j]);
    }
    out += "]}";
  }
  std::cout << out << "],\"passed\":" << tally.verdicts.size() - tally.failed()
            << ",\"failed\":" << tally.failed() << ",\"uncovered\":[";
  std::string separator;
  for (const std::string& id : tally.uncovered()) {
    std::cout << separator << '"' << id << '"';
    separator = ",";
  }
  std::cout << "]}\n";
}

void print_text(const Tally& tally) {
  for (const Verdict& verdict : tally.verdicts) {
    std::cout << (verdict.failures.empty() ? "ok    " : "FAIL  ") << verdict.file << ": "
              << base::without_controls(verdict.name) << '\n';
    for (const std::string& failure : verdict.failures) {
      std::cout << "      " << base::without_controls(failure) << '\n';
    }
  }
  std::string uncovered;
  for (const std::string& id : tally.uncovered()) uncovered += (uncovered.empty() ? "" : ", ") + id;
  if (!uncovered.empty()) std::cout << "rules that no test applied: " << uncovered << '\n';
  std::cout << tally.verdicts.size() - tally.failed() << " passed, " << tally.failed() << " failed";
  if (tally.skipped > 0) std::cout << ", " << tally.skipped << " skipped";
  std::cout << '\n';
}

struct Runner {
  const TestLine& line;
  const webhook::Options& options;
  const re2::RE2& pattern;
  Tally tally;
  base::Problems problems;

  void run_file(const base::SourceText& text) {
    base::Arena arena;
    base::Problems inside;
    const webhook::RuleTestFile file = webhook::read_rule_tests(text, read_text, arena, inside);
    const bool broken = inside.has_errors();
    problems.append(std::move(inside));
    if (broken) return;
    base::Problems rule_problems;
    const auto rules = load_rules(options, file.rules, rule_problems);
    problems.append(std::move(rule_problems));
    if (rules == nullptr) return;
    for (const rules::Rule& rule : rules->rules) {
      if (rule.mode != rules::Mode::kDisabled) tally.rules.try_emplace(rule.id, false);
    }
    for (const webhook::RuleTest& test : file.tests) run_test(file, test, *rules);
  }

  void run_test(const webhook::RuleTestFile& file, const webhook::RuleTest& test,
                const rules::RuleSet& rules) {
    if (!line.run.empty() && !re2::RE2::PartialMatch(test.name, pattern)) {
      ++tally.skipped;
      return;
    }
    const auto result =
        webhook::run_rule_test(file, test, {rules, build_options_of(options), limits_of(options)});
    for (const std::string& id : result.applied) tally.rules[id] = true;
    if (line.record) std::cout << result.outcome_yaml;
    tally.verdicts.push_back({file.path, test.name, result.failures});
  }
};

int run_test_command(const TestLine& line) {
  base::Problems problems;
  const webhook::Options options = options_from(line.common, problems);
  kube::add_owner_kinds(options.owner_kinds);
  const auto texts = read_texts(line.paths, problems);
  const re2::RE2 pattern(line.run, re2::RE2::Quiet);
  if (!pattern.ok()) {
    std::cerr << "berth test: --run '" << line.run
              << "' is no regular expression: " << pattern.error() << '\n';
    return kCouldNotTry;
  }
  Runner runner{line, options, pattern, {}, std::move(problems)};
  for (const base::SourceText& text : texts) runner.run_file(text);
  print_problems(runner.problems);
  if (line.format == "junit") {
    print_junit(runner.tally);
  } else if (line.format == "json") {
    print_json(runner.tally);
  } else if (!line.record) {
    print_text(runner.tally);
  }
  if (runner.problems.has_errors()) return exit_status_of(runner.problems);
  if (runner.tally.verdicts.empty()) {
    std::cerr << "berth test: no tests found\n";
    return kCouldNotTry;
  }
  return line.record || runner.tally.failed() == 0 ? kWell : kWrongInput;
}

}  // namespace

Run add_test(CLI::App& app) {
  auto line = std::make_shared<TestLine>();
  add_common_options(app, line->common);
  app.add_option("--format", line->format, "text, json or junit")
      ->check(CLI::IsMember({"text", "json", "junit"}));
  app.add_option("--run", line->run, "only tests whose name matches this regular expression");
  app.add_flag("--record", line->record, "print the present outcome of each test as expectations");
  app.add_option("PATH", line->paths, "rule test files or folders of them")->required();
  return [line] { return run_test_command(*line); };
}

}  // namespace berth::cli
