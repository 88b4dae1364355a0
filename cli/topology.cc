// berth topology: the GPU nodes of a cluster file as berth reads them.
#include <iostream>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/setup.h"
#include "topology/file_source.h"
#include "topology/render.h"

namespace berth::cli {
namespace {

struct TopologyLine {
  CommandLine common;
  std::string format = "tree";
};

int run_topology(const TopologyLine& line) {
  base::Problems problems;
  const webhook::Options options = options_from(line.common, problems);
  if (options.cluster.empty()) {
    std::cerr << "berth topology: no cluster; give --cluster a file\n";
    return kCouldNotTry;
  }
  const auto texts = read_texts(options.cluster, problems);
  topology::Loaded loaded = topology::load_cluster(texts, build_options_of(options));
  problems.append(std::move(loaded.problems));
  print_problems(problems);
  if (problems.has_errors() || loaded.snapshot == nullptr) return exit_status_of(problems);
  if (line.format == "json") {
    std::cout << topology::render_json(*loaded.snapshot) << '\n';
    return kWell;
  }
  topology::RenderOptions render;
  render.bars = render.colour = colour_wanted();
  std::cout << (line.format == "table" ? topology::render_table(*loaded.snapshot, render)
                                       : topology::render_tree(*loaded.snapshot, render));
  return kWell;
}

}  // namespace

Run add_topology(CLI::App& app) {
  auto line = std::make_shared<TopologyLine>();
  add_common_options(app, line->common);
  app.add_option("--format", line->format, "tree, table or json")
      ->check(CLI::IsMember({"tree", "table", "json"}));
  return [line] { return run_topology(*line); };
}

}  // namespace berth::cli
