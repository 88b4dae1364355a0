// berth topology: the GPU nodes of a cluster file as berth reads them.
#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <thread>

#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/live_cluster.h"
#include "cli/setup.h"
#include "topology/file_source.h"
#include "topology/render.h"

namespace berth::cli {
namespace {

struct TopologyLine {
  CommandLine common;
  std::string kubeconfig;
  std::string format = "tree";
};

constexpr std::chrono::seconds kLongestWait{30};

// The cluster of a kubeconfig, once all that capacity rests on has been read.
base::Result<std::shared_ptr<const topology::Snapshot>> read_live(const webhook::Options& options) {
  const auto source = find_cluster(options);
  if (!source) return source.error();
  base::Published<topology::Snapshot> published;
  const auto feed = make_feed(*source, options, published);
  feed->start();
  const auto until = std::chrono::steady_clock::now() + kLongestWait;
  while (!published.get()->fresh()) {
    if (std::chrono::steady_clock::now() > until) return base::invalid(published.get()->stale());
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return published.get();
}

int print(const topology::Snapshot& snapshot, const std::string& format) {
  if (format == "json") {
    std::cout << topology::render_json(snapshot) << '\n';
    return kWell;
  }
  topology::RenderOptions render;
  render.bars = render.colour = colour_wanted();
  std::cout << (format == "table" ? topology::render_table(snapshot, render)
                                  : topology::render_tree(snapshot, render));
  return kWell;
}

int run_topology(const TopologyLine& line) {
  base::Problems problems;
  webhook::Options options = options_from(line.common, problems);
  if (!line.kubeconfig.empty()) options.kubeconfig = line.kubeconfig;
  if (options.cluster.empty() == options.kubeconfig.empty()) {
    std::cerr << "berth topology: give --cluster a file, or --kubeconfig one\n";
    return kCouldNotTry;
  }
  if (!options.kubeconfig.empty()) {
    const auto live = read_live(options);
    if (live) return print(**live, line.format);
    std::cerr << "berth topology: " << live.error().text << '\n';
    return kCouldNotTry;
  }
  const auto texts = read_texts(options.cluster, problems);
  topology::Loaded loaded = topology::load_cluster(texts, build_options_of(options));
  problems.append(std::move(loaded.problems));
  print_problems(problems);
  if (problems.has_errors() || loaded.snapshot == nullptr) return exit_status_of(problems);
  return print(*loaded.snapshot, line.format);
}

}  // namespace

Run add_topology(CLI::App& app) {
  auto line = std::make_shared<TopologyLine>();
  add_common_options(app, line->common);
  app.add_option("--kubeconfig", line->kubeconfig, "read this cluster instead of files");
  app.add_option("--format", line->format, "tree, table or json")
      ->check(CLI::IsMember({"tree", "table", "json"}));
  return [line] { return run_topology(*line); };
}

}  // namespace berth::cli
