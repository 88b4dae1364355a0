// berth: the one binary. A table of commands; everything else is in the libraries.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <utility>
#include <vector>

#include "base/problem.h"
#include "cli/commands.h"
#include "cli/setup.h"

namespace {

struct Command {
  const char* name;
  const char* help;
  berth::cli::Run (*add)(CLI::App&);
};

constexpr Command kCommands[] = {
    {"serve", "answer admission reviews over HTTPS", berth::cli::add_serve},
    {"explain", "say what berth does to objects or recorded reviews, and which rule line does it",
     berth::cli::add_explain},
    {"check", "find all problems of rule files", berth::cli::add_check},
    {"test", "run rule tests", berth::cli::add_test},
    {"replay", "put recorded reviews through one or two rule sets and show the difference",
     berth::cli::add_replay},
    {"topology", "show the GPU nodes of a cluster file as berth reads them",
     berth::cli::add_topology},
    {"schema", "print a JSON Schema for editors", berth::cli::add_schema},
    {"webhook-config", "print the MutatingWebhookConfiguration that fits the rules",
     berth::cli::add_webhook_config},
    {"version", "print the version", berth::cli::add_version},
};

// The first word, where it is no command.
bool is_unknown_command(int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return false;
  std::vector<std::string_view> names;
  for (const Command& command : kCommands) names.emplace_back(command.name);
  if (std::find(names.begin(), names.end(), argv[1]) != names.end()) return false;
  std::cerr << "berth: unknown command '" << argv[1] << "'";
  const std::string hint = berth::base::suggestion(argv[1], names);
  std::cerr << (hint.empty() ? "" : "; " + hint) << "; berth --help lists the commands\n";
  return true;
}

// A result that did not reach its reader is no result.
int written(int status) {
  const bool lost = !std::cout.flush();
  const int reason = errno;
  if (!lost && std::ferror(stdout) == 0) return status;
  std::cerr << "berth: standard output could not be written to its end: " << std::strerror(reason)
            << '\n';
  return berth::cli::kCouldNotTry;
}

int run(int argc, char** argv) {
  if (is_unknown_command(argc, argv)) return berth::cli::kCouldNotTry;
  CLI::App app(
      "berth: a mutating admission webhook that places GPU workloads by rules and topology");
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  std::vector<std::pair<CLI::App*, berth::cli::Run>> commands;
  for (const Command& command : kCommands) {
    CLI::App* sub = app.add_subcommand(command.name, command.help);
    commands.emplace_back(sub, command.add(*sub));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? berth::cli::kWell : berth::cli::kCouldNotTry;
  }
  for (const auto& [sub, body] : commands) {
    if (sub->parsed()) return written(body());
  }
  return berth::cli::kCouldNotTry;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "berth: internal error: " << error.what() << '\n';
    return berth::cli::kCouldNotTry;
  }
}
