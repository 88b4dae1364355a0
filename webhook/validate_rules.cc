#include "webhook/validate_rules.h"

#include <algorithm>
#include <span>
#include <utility>

namespace berth::webhook {
namespace {

using base::Problem;
using base::Severity;
using base::SourceText;

constexpr std::size_t kMessageBytes = 32 * 1024;

bool is_rule_file(std::string_view key) {
  return !key.starts_with('.') &&
         (key.ends_with(".yaml") || key.ends_with(".yml") || key.ends_with(".json"));
}

// Without the label a file has to say itself what it is.
bool says_rule_set(std::string_view text) {
  return text.find("RuleSet") != std::string_view::npos &&
         text.find("berth.dev/") != std::string_view::npos;
}

bool has_label(kube::Json object, const std::string& prefix) {
  return object["metadata"]["labels"][prefix + "/rules"].string_or_empty() == "true";
}

std::vector<SourceText> rule_files(kube::Json object, bool labelled) {
  std::vector<SourceText> files;
  const kube::Json data = object["data"];
  if (!data.is_object()) return files;
  for (const auto& member : data.members()) {
    const std::string_view text = member.value.string_or_empty();
    if (is_rule_file(member.key) && (labelled || says_rule_set(text)))
      files.emplace_back(std::string(member.key), std::string(text));
  }
  std::sort(files.begin(), files.end(),
            [](const SourceText& a, const SourceText& b) { return a.name() < b.name(); });
  return files;
}

Problem no_text(std::string_view key) {
  Problem problem;
  problem.code = "not-text";
  problem.place.file = std::string(key);
  problem.text = "the file stands under binaryData, so it is not UTF-8; expected text under data";
  return problem;
}

void check_binary(kube::Json object, base::Problems& problems) {
  const kube::Json data = object["binaryData"];
  if (!data.is_object()) return;
  for (const auto& member : data.members()) {
    if (is_rule_file(member.key)) problems.add(no_text(member.key));
  }
}

std::string counted(std::size_t count, std::string_view noun) {
  return std::to_string(count) + ' ' + std::string(noun) + (count == 1 ? "" : "s");
}

// All errors, one under the other, cut at a whole one.
std::string message_of(const base::Problems& problems, const std::string& name) {
  std::size_t errors = 0;
  for (const Problem& problem : problems.list())
    errors += problem.severity == Severity::kError ? 1U : 0U;
  std::string out = counted(errors, "error") + " in the rule files of " + name + ":";
  std::size_t shown = 0;
  for (const Problem& problem : problems.list()) {
    if (problem.severity != Severity::kError) continue;
    const std::string text = to_text(problem);
    if (shown > 0 && out.size() + text.size() > kMessageBytes)
      return out + "\nand " + counted(errors - shown, "more error");
    out += '\n' + text;
    ++shown;
  }
  return out;
}

std::string one_line(Problem problem) {
  problem.snippet.clear();
  return to_text(problem);
}

std::string name_of(const Review& review) {
  const std::string_view name = review.object["metadata"]["name"].string_or_empty();
  return "ConfigMap " + std::string(review.namespace_name) + '/' + std::string(name);
}

RulesVerdict ignored(std::string reason) {
  RulesVerdict verdict;
  verdict.reason = std::move(reason);
  return verdict;
}

bool files_unchanged(const Review& review, const std::string& prefix) {
  return review.operation == "UPDATE" && equal(review.old_object["data"], review.object["data"]) &&
         equal(review.old_object["binaryData"], review.object["binaryData"]) &&
         has_label(review.old_object, prefix) == has_label(review.object, prefix);
}

}  // namespace

std::string_view to_text(RulesOutcome outcome) {
  switch (outcome) {
    case RulesOutcome::kIgnored:
      return "ignored";
    case RulesOutcome::kAccepted:
      return "accepted";
    case RulesOutcome::kRefused:
      return "refused";
  }
  return "ignored";
}

RulesVerdict validate_rules(const Review& review, const rules::LoadOptions& options) {
  if (!review.group.empty() || review.kind != "ConfigMap") return ignored("not a ConfigMap");
  if (review.operation != "CREATE" && review.operation != "UPDATE")
    return ignored("neither created nor updated");
  const bool labelled = has_label(review.object, options.label_prefix);
  const auto files = rule_files(review.object, labelled);
  base::Problems problems;
  if (labelled) check_binary(review.object, problems);
  RulesVerdict verdict;
  if (files.empty() && problems.empty()) {
    if (!labelled) return ignored("no rule files");
    verdict.outcome = RulesOutcome::kAccepted;
    verdict.warnings.push_back("no rule file: no key ends in .yaml, .yml or .json");
    return verdict;
  }
  if (!files.empty()) {
    rules::LoadOptions in_folder = options;
    in_folder.folder = review.object["metadata"]["name"].string_or_empty();
    problems.append(rules::load(files, in_folder).problems);
  }
  problems.sort();
  const bool bad = problems.has_errors();
  const bool kept = bad && files_unchanged(review, options.label_prefix);
  verdict.outcome = bad && !kept ? RulesOutcome::kRefused : RulesOutcome::kAccepted;
  if (verdict.outcome == RulesOutcome::kRefused)
    verdict.message = message_of(problems, name_of(review));
  for (const Problem& problem : problems.list()) {
    if (problem.severity == Severity::kNote) continue;
    ++verdict.problems;
    if (problem.severity == Severity::kWarning || kept)
      verdict.warnings.push_back(one_line(problem));
  }
  return verdict;
}

}  // namespace berth::webhook
