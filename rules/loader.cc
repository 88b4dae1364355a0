#include "rules/loader.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/sha256.h"
#include "base/yaml.h"
#include "rules/conflicts.h"
#include "rules/expressions.h"
#include "rules/forms.h"
#include "rules/index.h"
#include "rules/lints.h"
#include "rules/reading.h"
#include "rules/report.h"
#include "rules/schema_check.h"

namespace berth::rules {
namespace {

using base::SourceText;
using base::YamlNode;

constexpr std::size_t kMaxFileBytes = 4U << 20;
constexpr int kDefaultPrecedence = 100;
constexpr int kMostPrecedence = 1000;

/// One load: all files into one set.
class Load {
 public:
  explicit Load(const LoadOptions& options)
      : options_(options), set_(std::make_shared<RuleSet>()), expressions_(*set_, options.levels) {}

  void add(const SourceText& source);
  LoadResult finish(std::span<const SourceText> sources);

 private:
  struct File {
    const Fields& fields;
    const Fields* defaults;  // nullptr: none
    Report& report;
    int index = 0;
    int precedence = kDefaultPrecedence;
  };

  void add_document(const SourceText& source, const YamlNode& document);
  void add_rules(const File& file, const CheckResult& checked);
  Rule read_rule(const YamlNode& node, const File& file);
  void read_settings(const Fields& fields, const File& file, Rule& rule);
  int read_precedence(const Fields& fields, const File& file, int fallback);
  std::optional<PrecedenceBand> find_band(const YamlNode& document, Report& report) const;
  std::size_t word(const Fields& fields, const File& file, std::string_view key) const;
  void check_set_name(const YamlNode& document, const std::string& name, Report& report);
  void check_rule_name(const YamlNode& node, const Rule& rule, Report& report);

  const LoadOptions& options_;
  std::shared_ptr<RuleSet> set_;
  Expressions expressions_;
  base::Problems problems_;
  std::vector<bool> sound_;  // by rule: read without an error
  std::map<std::string, base::Place> set_names_;
  std::map<std::string, base::Place> rule_ids_;
  base::Sha256 generation_;
};

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

void Load::add(const SourceText& source) {
  const std::string_view name = base_name(source.name());
  for (const std::string_view part : {name, std::string_view(source.text())}) {
    generation_.add(std::to_string(part.size()) + ':');
    generation_.add(part);
  }
  Report report(source, problems_);
  if (source.text().size() > kMaxFileBytes) {
    report.error(0, "too-large", "the file has more than 4 MiB");
    return;
  }
  base::Problems syntax;
  const auto documents = base::parse_yaml(source, syntax);
  const bool broken = std::any_of(syntax.list().begin(), syntax.list().end(),
                                  [](const base::Problem& p) { return p.code != "duplicate-key"; });
  problems_.append(std::move(syntax));
  if (broken) return;
  bool any = false;
  for (const YamlNode& document : documents) {
    if (document.is_null()) continue;
    any = true;
    add_document(source, document);
  }
  if (!any) report.error(0, "empty", "the file has no rule set");
}

void Load::add_document(const SourceText& source, const YamlNode& document) {
  Report report(source, problems_);
  if (!document.is_mapping()) {
    report.error(document.offset, "wrong-type", "expected a rule set, a mapping of keys");
    return;
  }
  const ObjectType& type = schema(SchemaKind::kRuleSet).front();
  const Fields fields(document, type);
  if (fields.text("kind") == "RuleTest") {
    base::Problem note =
        problem_at(source, document.offset, "not-rules", "a rule test is no rule set; left out");
    note.severity = base::Severity::kNote;
    problems_.add(std::move(note));
    return;
  }
  const YamlNode* metadata = fields.find("metadata");
  RuleFile file;
  file.path = source.name();
  file.name = set_name_of(source.name());
  if (metadata != nullptr && metadata->is_mapping()) {
    const Fields about(*metadata, object_type(SchemaKind::kRuleSet, "metadata"));
    file.name = about.text("name", file.name);
    file.owner = about.text("owner");
  }
  file.first = fields.text("strategy") == "first";
  file.band = find_band(document, report);
  check_set_name(document, file.name, report);
  set_->files.push_back(file);

  const CheckResult checked =
      check(document, type, {SchemaKind::kRuleSet, options_.levels, file.name + '/'}, report);
  const YamlNode* defaults = fields.find("defaults");
  const Fields default_fields(defaults != nullptr ? *defaults : document,
                              object_type(SchemaKind::kRuleSet, "defaults"));
  const YamlNode* variables = fields.find("variables");
  expressions_.begin_file(file.name, variables, report);
  File reading{fields, defaults != nullptr ? &default_fields : nullptr, report,
               static_cast<int>(set_->files.size()) - 1};
  if (file.band)
    reading.precedence = std::clamp(reading.precedence, file.band->from, file.band->to);
  reading.precedence = read_precedence(fields, reading, reading.precedence);
  add_rules(reading, checked);
  expressions_.end_file(report);
}

void Load::check_set_name(const YamlNode& document, const std::string& name, Report& report) {
  const base::Place place = report.source().place_at(document.offset);
  const auto [first, inserted] = set_names_.emplace(name, place);
  if (inserted) return;
  report.error(
      document.offset, "duplicate-name",
      "rule set " + in_quotes(name) + " has the name of another, " + to_text(first->second),
      "give one of them another metadata.name");
}

void Load::check_rule_name(const YamlNode& node, const Rule& rule, Report& report) {
  const YamlNode* name = node.find("name");
  if (name == nullptr) return;
  const auto [first, inserted] = rule_ids_.emplace(rule.id, report.source().place_at(name->offset));
  if (inserted || first->second.file != report.source().name()) return;
  report.error(name->offset, "duplicate-name",
               "rule " + in_quotes(rule.name) + " has the name of another, line " +
                   std::to_string(first->second.line));
}

void Load::add_rules(const File& file, const CheckResult& checked) {
  const YamlNode* rules = file.fields.find("rules");
  if (rules == nullptr) return;
  expressions_.take_failure();  // of the file's variables: each rule that uses them has its own
  for (const YamlNode& node : rules->items) {
    if (!node.is_mapping()) continue;
    const std::size_t errors = file.report.errors();
    set_->rules.push_back(read_rule(node, file));
    const bool failed = expressions_.take_failure() || file.report.errors() > errors;
    sound_.push_back(checked.outside == 0 && !checked.faulty.contains(&node) && !failed);
  }
}

/// The word of a key: the rule's own, or that of the file's defaults.
std::size_t Load::word(const Fields& fields, const File& file, std::string_view key) const {
  if (fields.find(key) != nullptr || file.defaults == nullptr) return fields.word(key);
  return file.defaults->word(key);
}

void read_rollout(const YamlNode& node, Rollout& rollout) {
  if (node.is_scalar()) {
    if (const auto percent = parse_percent(node.text)) rollout.percent = *percent;
    return;
  }
  if (!node.is_mapping()) return;
  const Fields fields(node, object_type(SchemaKind::kRuleSet, "rollout"));
  if (const auto percent = parse_percent(fields.text("percent") + '%')) rollout.percent = *percent;
  rollout.by = static_cast<Rollout::By>(fields.word("by"));
}

void Load::read_settings(const Fields& fields, const File& file, Rule& rule) {
  rule.mode = static_cast<Mode>(word(fields, file, "mode"));
  rule.existing = static_cast<Existing>(word(fields, file, "existing"));
  rule.on_error = static_cast<OnError>(word(fields, file, "onError"));
  const YamlNode* rollout = fields.find("rollout");
  if (rollout == nullptr && file.defaults != nullptr) rollout = file.defaults->find("rollout");
  if (rollout != nullptr) read_rollout(*rollout, rule.rollout);
  rule.precedence = read_precedence(fields, file, file.precedence);
}

/// The precedence that a file or a rule states; a problem where the file's band does not hold it.
int Load::read_precedence(const Fields& fields, const File& file, int fallback) {
  const auto& band = set_->files[static_cast<std::size_t>(file.index)].band;
  const YamlNode* stated = fields.find("precedence");
  if (stated == nullptr) return fallback;
  const auto number = parse_count(stated->text);
  if (!number || *number > kMostPrecedence) return fallback;  // the schema check has told
  const int precedence = static_cast<int>(*number);
  if (band && !band->holds(precedence)) {
    file.report.error(stated->offset, "precedence-band",
                      "precedence is " + stated->text + "; expected " + to_text(*band),
                      "only files of another directory may have it");
  }
  return precedence;
}

std::optional<PrecedenceBand> Load::find_band(const YamlNode& document, Report& report) const {
  if (options_.bands.empty()) return std::nullopt;
  std::string path = report.source().name();
  if (path.find('/') == std::string::npos && !options_.folder.empty())
    path = options_.folder + '/' + path;
  if (const PrecedenceBand* band = band_of(path, options_.bands)) return *band;
  report.warning(
      document.offset, "no-band",
      "the file is in no directory of precedenceBands: its rules may have any precedence",
      "move it, or give its directory a band");
  return std::nullopt;
}

Rule Load::read_rule(const YamlNode& node, const File& file) {
  const Fields fields(node, object_type(SchemaKind::kRuleSet, "rule"));
  Rule rule;
  rule.name = fields.text("name");
  rule.file = file.index;
  rule.id = set_->files[static_cast<std::size_t>(file.index)].name + '/' + rule.name;
  rule.place = file.report.source().place_at(node.offset);
  file.report.set_parent("rule " + rule.id);
  check_rule_name(node, rule, file.report);

  Reading reading{*set_, file.report, expressions_, options_.levels, options_.label_prefix};
  const auto fallback = [&](std::string_view key) {
    return file.defaults != nullptr ? file.defaults->find(key) : nullptr;
  };
  rule.match = read_matches(fallback("match"), fields.find("match"), reading);
  const YamlNode* except = fields.find("except");
  rule.except = read_matches(nullptr, except != nullptr ? except : fallback("except"), reading);
  read_settings(fields, file, rule);

  expressions_.begin_rule(rule.id, fields.find("variables"), file.report);
  file.report.set_key("when");
  if (const YamlNode* when = fields.find("when")) {
    if (when->is_scalar()) rule.when.push_back(expressions_.expression(*when, "bool", file.report));
    for (const YamlNode& item : when->items) {
      if (item.is_scalar()) rule.when.push_back(expressions_.expression(item, "bool", file.report));
    }
  }
  file.report.set_key({});
  if (const YamlNode* then = fields.find("then"); then != nullptr && then->is_mapping()) {
    read_actions(*then, rule, reading);
  }
  expressions_.end_rule(file.report);
  file.report.set_parent({});
  return rule;
}

LoadResult Load::finish(std::span<const SourceText> sources) {
  report_conflicts(*set_, sound_, sources, problems_);
  report_lints(*set_, sound_, sources, problems_);
  set_->generation = "sha256:" + generation_.hex();
  index_rules(*set_);
  LoadResult result;
  if (!problems_.has_errors()) result.rules = set_;
  result.problems = std::move(problems_);
  result.problems.sort();
  return result;
}

}  // namespace

LoadResult load(std::span<const SourceText> texts, const LoadOptions& options) {
  Load load(options);
  for (const SourceText& text : texts) load.add(text);
  return load.finish(texts);
}

}  // namespace berth::rules
