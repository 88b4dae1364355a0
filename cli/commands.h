// The commands of berth. Each adds its options to a CLI11 sub-command and gives back the function
// that runs it.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

namespace berth::cli {

/// Runs a command and gives its exit status.
using Run = std::function<int()>;

Run add_serve(CLI::App& app);
Run add_explain(CLI::App& app);
Run add_check(CLI::App& app);
Run add_test(CLI::App& app);
Run add_replay(CLI::App& app);
Run add_topology(CLI::App& app);
Run add_schema(CLI::App& app);
Run add_webhook_config(CLI::App& app);
Run add_version(CLI::App& app);

}  // namespace berth::cli
