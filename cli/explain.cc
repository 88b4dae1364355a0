// berth explain: objects or recorded reviews through the same function as the server, answered in
// words.
#include "webhook/explain.h"

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/setup.h"
#include "kube/json_yaml.h"
#include "mutate/editor.h"

namespace berth::cli {
namespace {

struct ExplainLine {
  CommandLine common;
  std::string format = "text";
  bool all_rules = false;
  std::vector<std::string> inputs;
};

// Prints one answer. `many`: JSON objects go one a line, YAML documents get separators.
void print_answer(const ExplainLine& line, const InputObject& input, const webhook::Review& review,
                  const webhook::Answer& answer, const webhook::World& world, base::Arena& arena) {
  if (line.format == "json") {
    std::cout << explain_json(review, answer, world, arena) << '\n';
  } else if (line.format == "patch") {
    std::cout << kube::to_json(mutate::to_patch(answer.changes, arena)) << '\n';
  } else if (line.format == "object") {
    if (input.is_json) {
      std::cout << kube::to_json(answer.object) << '\n';
    } else {
      std::cout << "---\n" << kube::to_yaml(answer.object);
    }
  } else {
    webhook::ExplainOptions options;
    if (line.all_rules) options.rules = webhook::ExplainOptions::Rules::kAll;
    if (colour_wanted()) options.colour = webhook::ExplainOptions::Colour::kAlways;
    std::cout << explain_text(review, answer, world.rules, options);
  }
}

base::Result<webhook::Review> review_from(const InputObject& input, base::Arena& arena) {
  if (webhook::is_review(input.json)) return webhook::read_review(input.json);
  const std::string_view kind = input.json["kind"].string_or_empty();
  if (kind == "RuleSet")
    return base::invalid("is a rule file, expected an object; rule files go behind --rules");
  if (!input.json.is_object() || kind.empty()) {
    return base::invalid("is no Kubernetes object: expected a map with 'kind'");
  }
  return webhook::review_of(input.json, arena);
}

// Explains every object of one text; gives the worst exit status.
int explain_text_of(const ExplainLine& line, const base::SourceText& text,
                    const webhook::World& world) {
  base::Arena arena;
  base::Problems problems;
  const std::vector<InputObject> inputs = read_objects(text, arena, problems);
  if (inputs.empty() && problems.empty()) {
    std::cerr << text.name() << ": error: holds no object\n";
    return kCouldNotTry;
  }
  int status = problems.has_errors() ? kWrongInput : kWell;
  print_problems(problems);
  for (const InputObject& input : inputs) {
    const auto review = review_from(input, arena);
    if (!review) {
      std::cerr << to_text(input.place) << ": error: " << review.error().text << '\n';
      status = kWrongInput;
      continue;
    }
    const webhook::Answer answer = webhook::admit(*review, world, arena);
    print_answer(line, input, *review, answer, world, arena);
    if (!answer.allowed()) status = kWrongInput;
  }
  return status;
}

int run_explain(const ExplainLine& line) {
  base::Problems problems;
  const webhook::Options options = options_from(line.common, problems);
  if (options.rules.empty()) {
    std::cerr << "berth explain: no rules; give --rules a file or a folder\n";
    return kCouldNotTry;
  }
  Setup setup = load_setup(options, problems);
  print_problems(problems);
  if (problems.has_errors()) return exit_status_of(problems);
  setup.limits.decide.reasons = rules::DecideOptions::Reasons::kAll;
  const webhook::World world{*setup.rules, *setup.cluster, setup.limits};
  base::Problems unreadable;
  const std::vector<base::SourceText> texts = read_texts(line.inputs, unreadable);
  print_problems(unreadable);
  int status = unreadable.has_errors() ? kCouldNotTry : kWell;
  for (const base::SourceText& text : texts)
    status = std::max(status, explain_text_of(line, text, world));
  return status;
}

}  // namespace

Run add_explain(CLI::App& app) {
  auto line = std::make_shared<ExplainLine>();
  add_common_options(app, line->common);
  app.add_option("--format", line->format,
                 "text, json (one object a line), patch (JSON Patch) or object")
      ->check(CLI::IsMember({"text", "json", "patch", "object"}));
  app.add_flag("--all-rules", line->all_rules,
               "say of each other rule which condition failed first");
  app.add_option("OBJECT", line->inputs,
                 "files with objects or AdmissionReviews; '-' reads standard input")
      ->required();
  return [line] { return run_explain(*line); };
}

}  // namespace berth::cli
