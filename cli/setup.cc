#include "cli/setup.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include <unistd.h>

#include "cli/inputs.h"
#include "rules/loader.h"
#include "topology/file_source.h"

namespace berth::cli {

void add_common_options(CLI::App& command, CommandLine& line) {
  command.add_option("--config", line.config,
                     "configuration file (YAML); the command line wins over it");
  command.add_option("--rules", line.rules, "rule files or folders of them; may be repeated")
      ->allow_extra_args(false)
      ->take_all();
  command
      .add_option("--cluster", line.cluster,
                  "cluster files, as kubectl get -o yaml prints them; may be repeated")
      ->allow_extra_args(false)
      ->take_all();
  command.add_option("--label-prefix", line.label_prefix, "prefix of the intent keys (berth.dev)")
      ->check(webhook::label_prefix_fault);
}

webhook::Options options_from(const CommandLine& line, base::Problems& problems) {
  webhook::Options options;
  if (!line.config.empty()) {
    const std::vector<std::string> paths{line.config};
    for (const base::SourceText& text : read_texts(paths, problems))
      read_config(text, options, problems);
  }
  if (!line.rules.empty()) options.rules = line.rules;
  if (!line.cluster.empty()) options.cluster = line.cluster;
  if (!line.label_prefix.empty()) options.label_prefix = line.label_prefix;
  return options;
}

std::shared_ptr<const rules::RuleSet> load_rules(const webhook::Options& options,
                                                 const std::vector<std::string>& paths,
                                                 base::Problems& problems) {
  const auto texts = read_texts(paths, problems);
  if (problems.has_errors()) return nullptr;
  rules::LoadResult result = rules::load(texts, load_options_of(options));
  problems.append(std::move(result.problems));
  return result.rules;
}

Setup load_setup(const webhook::Options& options, base::Problems& problems) {
  Setup setup;
  kube::add_owner_kinds(options.owner_kinds);
  setup.limits = limits_of(options);
  setup.rules = load_rules(options, options.rules, problems);
  const auto texts = read_texts(options.cluster, problems);
  topology::Loaded loaded = topology::load_cluster(texts, build_options_of(options));
  problems.append(std::move(loaded.problems));
  setup.cluster = loaded.snapshot;
  return setup;
}

void print_problems(const base::Problems& problems) {
  base::Problems sorted = problems;
  sorted.sort();
  for (const base::Problem& problem : sorted.list()) {
    if (problem.severity != base::Severity::kNote) std::cerr << to_text(problem) << '\n';
  }
}

int exit_status_of(const base::Problems& problems) {
  const bool not_tried = std::any_of(
      problems.list().begin(), problems.list().end(),
      [](const base::Problem& p) { return p.code == "unreadable" || p.code == "options"; });
  return not_tried ? kCouldNotTry : kWrongInput;
}

bool colour_wanted() {
  return isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
}

}  // namespace berth::cli
