// berth replay: recorded reviews through one or two rule sets; the difference, before the change is
// made.
#include "webhook/replay.h"

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <unistd.h>

#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/setup.h"

namespace berth::cli {
namespace {

struct ReplayLine {
  CommandLine common;
  std::vector<std::string> against;
  std::string format = "text";
  std::vector<std::string> inputs;
};

// A recording may hold one review, a List of them, YAML documents, or one JSON document a line:
// then each line is a text.
std::vector<base::SourceText> split_lines(const base::SourceText& text) {
  base::Arena arena;
  const std::string_view all = text.text();
  const std::string_view first = all.substr(0, all.find('\n'));
  if (kube::parse_json(all, arena) || !kube::parse_json(first, arena)) return {text};
  std::vector<base::SourceText> out;
  std::size_t at = 0;
  for (int line = 1; at < text.text().size(); ++line) {
    const std::size_t end = std::min(text.text().find('\n', at), text.text().size());
    if (end > at)
      out.emplace_back(text.name() + ":" + std::to_string(line), text.text().substr(at, end - at));
    at = end + 1;
  }
  return out;
}

void replay_text(const base::SourceText& text, const webhook::World& world,
                 const webhook::World* against, webhook::Replay& replay) {
  for (const base::SourceText& recording : split_lines(text)) {
    base::Arena arena;
    base::Problems problems;
    const std::vector<InputObject> objects = read_objects(recording, arena, problems);
    print_problems(problems);
    if (problems.has_errors()) replay.skip();
    for (const InputObject& object : objects) {
      const auto review = webhook::read_review(object.json);
      if (!review) {
        std::cerr << to_text(object.place) << ": error: is no review: " << review.error().text
                  << '\n';
        replay.skip();
      } else if (against == nullptr) {
        replay.add(*review, world);
      } else {
        replay.compare(*review, recording.name(), *against, world);
      }
    }
  }
}

int run_replay(const ReplayLine& line) {
  base::Problems problems;
  const webhook::Options options = options_from(line.common, problems);
  if (options.rules.empty()) {
    std::cerr << "berth replay: no rules; give --rules a file or a folder\n";
    return kCouldNotTry;
  }
  const Setup setup = load_setup(options, problems);
  const auto old_rules =
      line.against.empty() ? nullptr : load_rules(options, line.against, problems);
  const auto texts = read_texts(line.inputs, problems);
  print_problems(problems);
  if (problems.has_errors()) return exit_status_of(problems);
  const webhook::World world{*setup.rules, *setup.cluster, setup.limits};
  std::unique_ptr<webhook::World> against;
  if (old_rules != nullptr)
    against.reset(new webhook::World{*old_rules, *setup.cluster, setup.limits});
  const bool progress = isatty(STDERR_FILENO) != 0;
  webhook::Replay replay;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (progress && i % 100 == 0) std::cerr << "\r" << i << " of " << texts.size() << " files";
    replay_text(texts[i], world, against.get(), replay);
  }
  if (progress) std::cerr << "\r\x1b[K";
  std::cout << (line.format == "json" ? replay.json() : replay.text());
  if (replay.reviews() == 0) {
    std::cerr << "berth replay: no review found\n";
    return kCouldNotTry;
  }
  return replay.unreadable() > 0 ? kWrongInput : kWell;
}

}  // namespace

Run add_replay(CLI::App& app) {
  auto line = std::make_shared<ReplayLine>();
  add_common_options(app, line->common);
  app.add_option("--against", line->against, "the rule set to compare with: files or folders")
      ->allow_extra_args(false)
      ->take_all();
  app.add_option("--format", line->format, "text or json")->check(CLI::IsMember({"text", "json"}));
  app.add_option("REVIEWS", line->inputs,
                 "recorded AdmissionReviews: files or folders; in JSON, one a line, or YAML")
      ->required();
  return [line] { return run_replay(*line); };
}

}  // namespace berth::cli
