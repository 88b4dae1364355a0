// What the conditions of a rule leave of its region.
#include <string_view>
#include <utility>
#include <vector>

#include "rules/forms.h"
#include "rules/region.h"
#include "rules/region_tests.h"

namespace berth::rules {

namespace {

/// The variable that a path names, as seen from a rule; nullptr where it names none.
const Variable* variable_of(std::string_view path, const Rule& rule, const RuleSet& set) {
  constexpr std::string_view kPrefix = "variables.";
  if (!path.starts_with(kPrefix)) return nullptr;
  path.remove_prefix(kPrefix.size());
  path = path.substr(0, path.find_first_of(".["));
  const std::string& file = set.files[static_cast<std::size_t>(rule.file)].name;
  for (const Variable& variable : set.variables) {
    const bool seen = variable.scope == rule.id || variable.scope == file;
    if (variable.name == path && seen) return &variable;
  }
  return nullptr;
}

/// "variables.large" or "!variables.large" as a test; nothing for any other text.
std::optional<cel::FactTest> variable_test(std::string_view text) {
  constexpr std::string_view kPrefix = "variables.";
  const bool negated = text.starts_with('!');
  if (negated) text.remove_prefix(1);
  if (!text.starts_with(kPrefix)) return std::nullopt;
  if (!variable_name_fault(text.substr(kPrefix.size())).empty()) return std::nullopt;
  return cel::FactTest{std::string(text), cel::Comparison::kEqual, cel::Value::boolean(!negated)};
}

/// "['team']" or ".team" of a path behind a map; empty where it is no such step.
std::string map_key(std::string_view rest) {
  if (rest.starts_with("['") && rest.ends_with("']")) {
    rest.remove_prefix(2);
    rest.remove_suffix(2);
    return std::string(rest);
  }
  if (rest.starts_with('.') && rest.find_first_of(".[", 1) == std::string_view::npos) {
    return std::string(rest.substr(1));
  }
  return {};
}

bool excludes(const cel::FactTest& test) {
  return test.comparison == cel::Comparison::kNotEqual ||
         test.comparison == cel::Comparison::kNotIn;
}

}  // namespace

void Region::narrow(const Rule& rule, const RuleSet& set) {
  for (const Expression& condition : rule.when) {
    if (condition.program < 0) continue;
    narrow_by_program(*set.programs[static_cast<std::size_t>(condition.program)], rule, set, 0);
  }
  seal();
}

void Region::narrow_by_program(const cel::Program& program, const Rule& rule, const RuleSet& set,
                               int depth) {
  if (program.is_constant()) {
    if (!program.constant().is_true()) gpus_ = CountSet::range(1, 0);
    return;
  }
  for (const cel::Conjunct& conjunct : program.conjuncts()) {
    const auto test = conjunct.test ? conjunct.test : variable_test(conjunct.text);
    if (test) {
      narrow_by_test(*test, rule, set, depth);
    } else {
      certain_ = false;
    }
  }
}

void Region::narrow_by_test(const cel::FactTest& test, const Rule& rule, const RuleSet& set,
                            int depth) {
  constexpr int kDeepest = 8;
  if (take_word(test) || take_label(test) || take_count(test)) return;
  std::string path = test.path;
  if (const Variable* variable = variable_of(path, rule, set)) {
    const bool whole = path == "variables." + variable->name;
    const bool wanted =
        whole && test.comparison == cel::Comparison::kEqual && test.constant.is_true();
    if (wanted && depth < kDeepest) {
      const auto index = static_cast<std::size_t>(variable->value.program);
      narrow_by_program(*set.programs[index], rule, set, depth + 1);
    } else {
      certain_ = false;
    }
    path = variable->scope + '#' + path;  // elsewhere the name may mean something else
  } else {
    certain_ = false;
  }
  tests_.push_back({std::move(path), test.comparison, test.constant});
}

bool Region::take_word(const cel::FactTest& test) {
  static constexpr std::pair<std::string_view, Word> kPaths[] = {
      {"workload.intent", Word::kIntent},       {"workload.kind", Word::kKind},
      {"workload.framework", Word::kFramework}, {"workload.vendor", Word::kVendor},
      {"request.operation", Word::kOperation},
  };
  const auto values = wanted_texts(test);
  if (!values) return false;
  if (test.path == "workload.namespace" || test.path == "request.namespace") {
    if (excludes(test)) {
      namespaces_.none.insert(namespaces_.none.end(), values->begin(), values->end());
    } else {
      namespaces_.groups.push_back(*values);
    }
    return true;
  }
  for (const auto& [path, which] : kPaths) {
    if (path != test.path) continue;
    const TextSet wanted = TextSet::only(*values);
    word(which) = word(which).intersect(excludes(test) ? wanted.complement() : wanted);
    return true;
  }
  return false;
}

bool Region::take_label(const cel::FactTest& test) {
  constexpr std::string_view kLabels = "workload.labels";
  constexpr std::string_view kNamespaceLabels = "namespaceObject.metadata.labels";
  const bool of_pod = test.path.starts_with(kLabels);
  if (!of_pod && !test.path.starts_with(kNamespaceLabels)) return false;
  const std::string key =
      map_key(std::string_view(test.path).substr((of_pod ? kLabels : kNamespaceLabels).size()));
  const auto values = wanted_texts(test);
  if (key.empty() || !values) return false;
  TextSet wanted = TextSet::only(*values);
  if (excludes(test)) {
    wanted = wanted.complement().intersect(TextSet::all_but({std::string(kAbsent)}));
  }
  TextSet& set = of_pod ? labels_[key] : namespace_labels_[key];
  set = set.intersect(wanted);
  return true;
}

bool Region::take_count(const cel::FactTest& test) {
  CountSet* set = test.path == "workload.gpus"        ? &gpus_
                  : test.path == "workload.pods"      ? &pods_
                  : test.path == "workload.totalGpus" ? &total_
                                                      : nullptr;
  if (set == nullptr) return false;
  const auto wanted = wanted_counts(test);
  if (!wanted) return false;
  *set = set->intersect(*wanted);
  return true;
}

bool Region::tests_can_hold() const {
  for (std::size_t i = 0; i < tests_.size(); ++i) {
    std::vector<PathTest> together;
    for (const Test& test : tests_) {
      if (test.path == tests_[i].path) together.push_back({test.comparison, test.constant});
    }
    if (!can_hold_together(together)) return false;
  }
  return true;
}

}  // namespace berth::rules
