#include "rules/cluster_names.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/report.h"

namespace berth::rules {
namespace {

using topology::Kind;

// The namespaces of a rule, where all of them are written out.
std::vector<std::string> stated_namespaces(const Rule& rule) {
  std::vector<std::string> out;
  for (const Match& match : rule.match) {
    for (const std::string& name : match.namespaces) {
      if (name.find('*') == std::string::npos) out.push_back(name);
    }
  }
  return out;
}

bool has_queue(const topology::Snapshot& cluster, std::string_view where, std::string_view name) {
  const auto queues = cluster.local_queues(where);
  return std::find(queues.begin(), queues.end(), name) != queues.end();
}

// What is missing, or nothing.
std::string missing(const Rule& rule, SlotKind slot, std::string_view name,
                    const topology::Snapshot& cluster) {
  const bool no_priority = slot == SlotKind::kPriorityClass &&
                           cluster.knows(Kind::kPriorityClasses) &&
                           cluster.priority_class(name) == nullptr;
  if (no_priority) return "no PriorityClass " + in_quotes(name);
  const bool no_runtime = slot == SlotKind::kRuntimeClass && cluster.knows(Kind::kRuntimeClasses) &&
                          !cluster.has_runtime_class(name);
  if (no_runtime) return "no RuntimeClass " + in_quotes(name);
  if (slot != SlotKind::kQueue || !cluster.knows(Kind::kLocalQueues)) return {};
  for (const std::string& where : stated_namespaces(rule)) {
    if (!has_queue(cluster, where, name))
      return "no LocalQueue " + in_quotes(name) + " in namespace " + in_quotes(where);
  }
  return {};
}

}  // namespace

base::Problems unknown_names(const RuleSet& set, const topology::Snapshot& cluster,
                             std::span<const base::SourceText> sources) {
  base::Problems out;
  for (const Rule& rule : set.rules) {
    for (const Assignment& assignment : rule.assignments) {
      const auto* text = std::get_if<Text>(&assignment.value);
      if (text == nullptr || !text->value.is_constant() || rule.mode == Mode::kDisabled) continue;
      std::string what = missing(rule, assignment.slot.kind, text->value.text, cluster);
      if (what.empty()) continue;
      base::Problem problem;
      problem.severity = base::Severity::kWarning;
      problem.code = "unknown-object";
      problem.place = assignment.place;
      problem.text = "the cluster has " + std::move(what);
      problem.context = "rule " + rule.id;
      for (const base::SourceText& source : sources) {
        if (source.name() == problem.place.file)
          problem.snippet = std::string(source.line(problem.place.line));
      }
      out.add(std::move(problem));
    }
  }
  return out;
}

}  // namespace berth::rules
