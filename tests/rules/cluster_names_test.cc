#include "rules/cluster_names.h"

#include "fixtures.h"
#include <gtest/gtest.h>

#include "rules/loader.h"

namespace berth::rules {
namespace {

constexpr char kPriority[] =
    "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: hi}\nvalue: 10\n";
constexpr char kRuntime[] =
    "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: nvidia}\nhandler: nvidia\n";
constexpr char kQueue[] =
    "apiVersion: kueue.x-k8s.io/v1beta1\nkind: LocalQueue\n"
    "metadata: {name: q, namespace: team-a}\nspec: {clusterQueue: c}\n";

std::string told(const std::string& rule, const std::vector<std::string>& cluster) {
  const base::SourceText source(
      "t.yaml",
      "apiVersion: berth.dev/v1alpha1\nkind: RuleSet\nrules:\n- {name: a, " + rule + "}\n");
  const LoadResult result = load(std::span(&source, 1), {});
  if (result.rules == nullptr) return to_text(result.problems.list().front());
  std::string out;
  const base::Problems problems =
      unknown_names(*result.rules, *testing::cluster_of(cluster), std::span(&source, 1));
  for (const base::Problem& problem : problems.list()) {
    EXPECT_EQ(problem.severity, base::Severity::kWarning);
    out += std::to_string(problem.place.line) + ": " + problem.text + "\n";
  }
  return out;
}

TEST(ClusterNames, WarnOfObjectsThatTheClusterDoesNotHave) {
  struct Row {
    const char* rule;
    const char* told;
    const char* why;
  };
  const Row rows[] = {
      {"then: {priorityClass: hi, runtimeClass: nvidia}", "", "both exist"},
      {"then: {priorityClass: low}", "4: the cluster has no PriorityClass 'low'\n", "a class"},
      {"then: {runtimeClass: kata}", "4: the cluster has no RuntimeClass 'kata'\n", "another"},
      {"then: {priorityClass: 'x-${workload.intent}'}", "", "computed"},
      {"mode: disabled, then: {priorityClass: low}", "", "disabled"},
      {"match: {namespaces: team-a}, then: {queue: q}", "", "the namespace has it"},
      {"match: {namespaces: [team-a, team-b]}, then: {queue: q}",
       "4: the cluster has no LocalQueue 'q' in namespace 'team-b'\n", "one has it not"},
      {"match: {namespaces: 'team-*'}, then: {queue: q}", "", "namespaces not written out"},
  };
  for (const Row& row : rows)
    EXPECT_EQ(told(row.rule, {kPriority, kRuntime, kQueue}), row.told) << row.why;
}

TEST(ClusterNames, SayNothingOfKindsThatArePartOfNoPicture) {
  EXPECT_EQ(told("match: {namespaces: team-b}, then: {priorityClass: low, runtimeClass: kata, "
                 "queue: q}",
                 {"apiVersion: v1\nkind: Namespace\nmetadata: {name: team-b}\n"}),
            "");
}

}  // namespace
}  // namespace berth::rules
