// berth: the one binary. A table of commands; everything else is in the libraries.
#include <csignal>
#include <exception>
#include <iostream>
#include <utility>
#include <vector>

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

int run(int argc, char** argv) {
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
    if (sub->parsed()) return body();
  }
  return berth::cli::kCouldNotTry;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "berth: internal error: " << error.what() << '\n';
    return berth::cli::kCouldNotTry;
  }
}
