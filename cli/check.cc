// berth check: all problems of rule files, in the same words in which serve would refuse them.
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/setup.h"
#include "kube/json.h"
#include "rules/cluster_names.h"
#include "topology/file_source.h"

namespace berth::cli {
namespace {

struct CheckLine {
  CommandLine common;
  std::string format = "text";
  bool strict = false;
  std::vector<std::string> paths;
};

void append_problem(std::string& out, const base::Problem& problem) {
  const auto member = [&out](std::string_view key, std::string_view value) {
    kube::append_json_string(out, key);
    out += ':';
    kube::append_json_string(out, value);
    out += ',';
  };
  out += '{';
  member("severity", to_text(problem.severity));
  member("code", problem.code);
  member("file", problem.place.file);
  member("text", problem.text);
  member("hint", problem.hint);
  member("context", problem.context);
  member("snippet", problem.snippet);
  out += "\"line\":" + std::to_string(problem.place.line) +
         ",\"column\":" + std::to_string(problem.place.column) + '}';
}

void print_json(const base::Problems& problems) {
  std::string out = "[";
  for (const base::Problem& problem : problems.list()) {
    if (out.size() > 1) out += ',';
    append_problem(out, problem);
  }
  std::cout << out << "]\n";
}

std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

void print_text(const base::Problems& problems, const rules::RuleSet* set) {
  std::size_t errors = 0;
  std::size_t warnings = 0;
  for (const base::Problem& problem : problems.list()) {
    std::cout << to_text(problem) << '\n';
    errors += problem.severity == base::Severity::kError ? 1 : 0;
    warnings += problem.severity == base::Severity::kWarning ? 1 : 0;
  }
  if (set != nullptr) {
    std::cout << counted(set->rules.size(), "rule") << " in " << counted(set->files.size(), "file")
              << (warnings > 0 ? ", " + counted(warnings, "warning") : ", no problems") << '\n';
  } else {
    std::cout << counted(errors, "error") << ", " << counted(warnings, "warning") << '\n';
  }
}

// Names of objects, where a picture of the cluster is given.
void check_names(const webhook::Options& options, const std::vector<std::string>& paths,
                 const rules::RuleSet& set, base::Problems& problems) {
  topology::Loaded loaded =
      topology::load_cluster(read_texts(options.cluster, problems), build_options_of(options));
  for (const base::Problem& problem : loaded.problems.list()) {
    if (problem.severity != base::Severity::kNote) problems.add(problem);
  }
  if (loaded.snapshot == nullptr) return;
  base::Problems ignored;  // told when the rules were loaded
  problems.append(rules::unknown_names(set, *loaded.snapshot, read_texts(paths, ignored)));
}

int run_check(const CheckLine& line) {
  base::Problems problems;
  const webhook::Options options = options_from(line.common, problems);
  std::vector<std::string> paths = options.rules;
  paths.insert(paths.end(), line.paths.begin(), line.paths.end());
  if (paths.empty()) {
    std::cerr << "berth check: nothing to check; name rule files or folders\n";
    return kCouldNotTry;
  }
  const auto set = load_rules(options, paths, problems);
  if (set != nullptr && !options.cluster.empty()) check_names(options, paths, *set, problems);
  problems.sort();
  if (line.format == "json") {
    print_json(problems);
  } else {
    print_text(problems, set.get());
  }
  if (problems.has_errors()) return exit_status_of(problems);
  return line.strict && problems.has_warnings() ? kWarningsOnly : kWell;
}

}  // namespace

Run add_check(CLI::App& app) {
  auto line = std::make_shared<CheckLine>();
  add_common_options(app, line->common);
  app.add_option("--format", line->format, "text or json")->check(CLI::IsMember({"text", "json"}));
  app.add_flag("--strict", line->strict, "exit 3 when there are warnings and no errors");
  app.add_option("PATH", line->paths, "rule files or folders of them");
  return [line] { return run_check(*line); };
}

}  // namespace berth::cli
