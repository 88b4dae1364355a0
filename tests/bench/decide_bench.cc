// Decisions: facts and rules to a decision, by number of rules, as production does it: one arena,
// reset for each request. Goals: 5 us at 100 rules, 20 us at 1,000.
#include <random>

#include <benchmark/benchmark.h>

#include "kube/json_yaml.h"
#include "rules/engine.h"
#include "rules/index.h"
#include "rules/loader.h"
#include "topology/file_source.h"

namespace berth::rules {
namespace {

constexpr std::string_view kPod =
    R"({"metadata":{"name":"train-0","namespace":"team-7","labels":{"berth.dev/intent":"training",)"
    R"("tier":"gold","team":"nlp"},"ownerReferences":[{"apiVersion":"kubeflow.org/v1","kind":)"
    R"("PyTorchJob","name":"train","uid":"u","controller":true}]},"spec":{"containers":[{"name":)"
    R"("main","image":"registry.example.com/team/pytorch:2.8","resources":{"limits":)"
    R"({"nvidia.com/gpu":"8"},"requests":{"nvidia.com/gpu":"8"}}}]}})";

std::string pick(std::mt19937& random, std::initializer_list<const char*> words) {
  return *(words.begin() + random() % words.size());
}

// Rules of mixed selectivity: most name an intent and a namespace, some kinds, GPUs, conditions.
std::string rule_file(int rules) {
  std::mt19937 random(5);
  std::string out = "apiVersion: berth.dev/v1alpha1\nkind: RuleSet\nmetadata: {name: b}\nrules:\n";
  for (int i = 0; i < rules; ++i) {
    out += "- name: r" + std::to_string(i) +
           "\n  match: {intent: " + pick(random, {"training", "inference", "batch", "interactive"});
    if (random() % 3 != 0) out += ", namespaces: 'team-" + std::to_string(random() % 10) + "'";
    if (random() % 3 == 0) out += ", kinds: [" + pick(random, {"Job", "PyTorchJob"}) + "]";
    if (random() % 3 == 0) out += ", gpus: " + pick(random, {"'>=2'", "1", "8", "'2-4'"});
    if (random() % 5 == 0) out += ", labels: {tier: gold}";
    out += "}\n";
    if (random() % 2 == 0) {
      out += "  when: " +
             pick(random,
                  {"workload.totalGpus >= 32", "workload.gpus >= 8",
                   "workload.framework == 'pytorch'", "object.metadata.labels['team'] == 'nlp'",
                   "workload.pods > 1 && workload.totalGpus >= 16"}) +
             "\n";
    }
    out += "  then: {labels: {l" + std::to_string(i) + ": x}}\n";
  }
  return out;
}

void Decide(benchmark::State& state) {
  const base::SourceText text("bench.yaml", rule_file(static_cast<int>(state.range(0))));
  const LoadResult loaded = load(std::span(&text, 1), {});
  if (loaded.rules == nullptr) return state.SkipWithError("rules do not load");
  const topology::Snapshot cluster;
  base::Arena review;
  const auto pod = kube::parse_json(kPod, review);
  Subject subject;
  subject.object = *pod;
  subject.pod = kube::Pod(*pod);
  subject.kind = "Pod";
  Request request;
  request.namespace_name = "team-7";
  const Facts facts = observe(subject, request, cluster, {});
  base::Arena arena;
  std::size_t applied = 0;
  for (auto _ : state) {
    arena.reset();
    const Decision decision = decide(subject, request, facts, *loaded.rules, cluster, arena);
    applied = decision.applied.size();
    benchmark::DoNotOptimize(applied);
  }
  state.counters["applied"] = static_cast<double>(applied);
}
BENCHMARK(Decide)->RangeMultiplier(10)->Range(1, 10'000)->Unit(benchmark::kMicrosecond);

// Reading, typing, compiling and the cross-check for conflicts. Goal: 300 ms for 1,000 rules.
void Load(benchmark::State& state) {
  const base::SourceText text("bench.yaml", rule_file(static_cast<int>(state.range(0))));
  for (auto _ : state) {
    const LoadResult loaded = load(std::span(&text, 1), {});
    if (loaded.rules == nullptr) return state.SkipWithError("rules do not load");
  }
}
BENCHMARK(Load)->RangeMultiplier(10)->Range(1, 1'000)->Unit(benchmark::kMillisecond);

void Observe(benchmark::State& state) {
  const topology::Snapshot cluster;
  base::Arena arena;
  const auto pod = kube::parse_json(kPod, arena);
  Subject subject;
  subject.object = *pod;
  subject.pod = kube::Pod(*pod);
  subject.kind = "Pod";
  Request request;
  request.namespace_name = "team-7";
  for (auto _ : state) {
    benchmark::DoNotOptimize(observe(subject, request, cluster, {}));
  }
}
BENCHMARK(Observe)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace berth::rules
