// Setup: options from the command line and the configuration file, and what they name: rule set and
// cluster. Shared by all commands, so that each finds the same problems in the same words.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/problem.h"
#include "rules/rule.h"
#include "topology/snapshot.h"
#include "webhook/options.h"

namespace berth::cli {

/// Exit statuses of every command.
inline constexpr int kWell = 0;
inline constexpr int kWrongInput = 1;
inline constexpr int kCouldNotTry = 2;
inline constexpr int kWarningsOnly = 3;

/// Values as given on the command line; empty means "not given".
struct CommandLine {
  std::string config;
  std::vector<std::string> rules;
  std::vector<std::string> cluster;
  std::string label_prefix;
};

/// Adds --config, --rules, --cluster and --label-prefix to a command.
void add_common_options(CLI::App& command, CommandLine& line);

/// Configuration file first, then the command line over it. Problems carry their place.
webhook::Options options_from(const CommandLine& line, base::Problems& problems);

struct Setup {
  std::shared_ptr<const rules::RuleSet> rules;        ///< null when there is an error
  std::shared_ptr<const topology::Snapshot> cluster;  ///< an empty picture when no file is named
  webhook::Limits limits;
};

/// Loads what the options name. Notes about ignored kinds are left out.
Setup load_setup(const webhook::Options& options, base::Problems& problems);

/// Only the rules.
std::shared_ptr<const rules::RuleSet> load_rules(const webhook::Options& options,
                                                 const std::vector<std::string>& paths,
                                                 base::Problems& problems);

/// Prints problems to standard error, errors first to last by place. Notes are not printed.
void print_problems(const base::Problems& problems);

/// kCouldNotTry where something could not be read or the options make no sense, else kWrongInput.
int exit_status_of(const base::Problems& problems);

/// Standard output is a terminal and NO_COLOR is not set.
bool colour_wanted();

}  // namespace berth::cli
