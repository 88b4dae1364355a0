#include "rules/conflicts.h"

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "rules/action_text.h"

namespace berth::rules {
namespace {

constexpr std::size_t kMostReported = 100;

/// A rule with the pods that it can apply to, one region an entry of its match.
struct Reach {
  const Rule* rule = nullptr;
  std::size_t index = 0;
  std::vector<Region> regions;
  std::vector<Exclusion> except;
};

/// An assignment of a constant.
struct Claim {
  const Reach* reach = nullptr;
  const Assignment* assignment = nullptr;
  std::string value;
};

std::vector<Reach> reaches_of(const RuleSet& set, const std::vector<bool>& sound) {
  std::vector<Reach> out;
  for (std::size_t i = 0; i < set.rules.size(); ++i) {
    const Rule& rule = set.rules[i];
    if (!sound[i] || rule.mode == Mode::kDisabled) continue;
    out.push_back({&rule, i, regions_of(rule, set), exclusions_of(rule)});
  }
  return out;
}

std::map<Slot, std::vector<Claim>> claims_of(const std::vector<Reach>& reaches) {
  std::map<Slot, std::vector<Claim>> out;
  for (const Reach& reach : reaches) {
    for (const Assignment& assignment : reach.rule->assignments) {
      if (auto value = constant_text(assignment, *reach.rule)) {
        out[assignment.slot].push_back({&reach, &assignment, std::move(*value)});
      }
    }
  }
  return out;
}

/// Nothing but the pod could keep these two apart.
bool may_clash(const Claim& a, const Claim& b, const RuleSet& set) {
  const Rule& first = *a.reach->rule;
  const Rule& second = *b.reach->rule;
  if (&first == &second || first.precedence != second.precedence) return false;
  if (a.value == b.value) return false;
  return first.file != second.file || !set.files[static_cast<std::size_t>(first.file)].first;
}

/// A pod that both rules match, or nothing.
std::optional<Example> common_pod(const Reach& a, const Reach& b) {
  for (const Region& one : a.regions) {
    for (const Region& other : b.regions) {
      if (one.is_surely_disjoint(other)) continue;
      std::vector<Exclusion> except = a.except;
      except.insert(except.end(), b.except.begin(), b.except.end());
      if (const auto found = find_outside(one.intersect(other), except)) return found->example();
    }
  }
  return std::nullopt;
}

/// Pairs of rules that have been proved apart, so that no pair is looked at twice for two slots.
class Apart {
 public:
  explicit Apart(std::size_t rules) : proved_(rules * (rules + 1) / 2) {}

  bool is_proved(const Reach& a, const Reach& b) const { return proved_[at(a, b)]; }
  void prove(const Reach& a, const Reach& b) { proved_[at(a, b)] = true; }

 private:
  static std::size_t at(const Reach& a, const Reach& b) {
    return b.index * (b.index + 1) / 2 + a.index;  // a comes before b
  }

  std::vector<bool> proved_;
};

const base::SourceText* source_of(const base::Place& place,
                                  std::span<const base::SourceText> sources) {
  for (const base::SourceText& source : sources) {
    if (source.name() == place.file) return &source;
  }
  return nullptr;
}

std::string rule_and_line(const Rule& rule) {
  return rule.id + " (" + rule.place.file + ':' + std::to_string(rule.place.line) + ')';
}

base::Problem problem_of(const Conflict& conflict, std::span<const base::SourceText> sources) {
  const bool audit = conflict.first->mode == Mode::kAudit || conflict.second->mode == Mode::kAudit;
  base::Problem problem;
  problem.severity = audit ? base::Severity::kWarning : base::Severity::kError;
  problem.code = audit ? "conflict-in-audit" : "conflict";
  problem.place = conflict.second_assignment->place;
  problem.also.push_back(conflict.first_assignment->place);
  problem.text = "rules " + rule_and_line(*conflict.first) + " and " +
                 rule_and_line(*conflict.second) + " can both match a pod and set " +
                 to_text(conflict.first_assignment->slot) + " to different values: \"" +
                 *constant_text(*conflict.first_assignment, *conflict.first) + "\", \"" +
                 *constant_text(*conflict.second_assignment, *conflict.second) + '"' +
                 (audit ? ", once both are enforced" : "") + "; such a pod" +
                 (conflict.example.certain ? "" : ", where the other conditions hold") + ": " +
                 conflict.example.text;
  problem.hint =
      "give one of them a precedence, make their match disjoint, or put both into one file with "
      "strategy: first";
  if (conflict.first->file == conflict.second->file) {
    problem.hint =
        "give one of them a precedence, make their match disjoint, or give the file strategy: "
        "first";
  }
  if (const base::SourceText* source = source_of(problem.place, sources))
    problem.snippet = std::string(source->line(problem.place.line));
  return problem;
}

}  // namespace

std::vector<Conflict> conflicts_of(const RuleSet& set, const std::vector<bool>& sound,
                                   std::size_t limit) {
  std::vector<Conflict> out;
  const std::vector<Reach> reaches = reaches_of(set, sound);
  Apart apart(set.rules.size());
  for (const auto& [slot, claims] : claims_of(reaches)) {
    for (std::size_t j = 1; j < claims.size(); ++j) {
      for (std::size_t i = 0; i < j; ++i) {
        const Reach& first = *claims[i].reach;
        const Reach& second = *claims[j].reach;
        if (!may_clash(claims[i], claims[j], set) || apart.is_proved(first, second)) continue;
        auto example = common_pod(first, second);
        if (!example) {
          apart.prove(first, second);
          continue;
        }
        out.push_back({first.rule, second.rule, claims[i].assignment, claims[j].assignment,
                       std::move(*example)});
        if (out.size() >= limit) return out;
      }
    }
  }
  return out;
}

void report_conflicts(const RuleSet& set, const std::vector<bool>& sound,
                      std::span<const base::SourceText> sources, base::Problems& problems) {
  for (const Conflict& conflict : conflicts_of(set, sound, kMostReported)) {
    problems.add(problem_of(conflict, sources));
  }
}

}  // namespace berth::rules
