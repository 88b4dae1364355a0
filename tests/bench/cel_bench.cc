// Expressions: what conditions cost per evaluation, and what compiling them costs. The goals are in
// the table of the rule language's design: median condition 100 ns, parse and check 50 us.
#include <benchmark/benchmark.h>

#include "tests/rules/cel/fixture.h"

namespace berth::rules::cel {
namespace {

using testing::Fixture;

// In the order of the table of goals, with their nanoseconds.
constexpr const char* kConditions[] = {
    "workload.gpus >= 8",                                 // 15
    "workload.intent == 'training'",                      // 15
    "workload.intent in ['training', 'finetune']",        // 30
    "object.metadata.labels['team'] == 'nlp'",            // 80
    "object.metadata.labels.?team.orValue('') == 'nlp'",  // 100
    "has(object.metadata.labels) && 'team' in object.metadata.labels && "
    "object.metadata.labels['team'] == 'nlp'",  // 200
    "object.spec.containers.exists(c, has(c.resources.limits) && "
    "'nvidia.com/gpu' in c.resources.limits)",  // 250
    "object.spec.containers.exists(c, "
    "c.image.matches('^registry[.]example/.*:v[0-9]'))",  // 300
    "object.spec.containers.exists(c, c.?env.orValue([]).exists(e, e.name == "
    "'WORLD_SIZE'))",  // 500
    "workload.gpuMemory > quantity('16Gi')",
    "workload.pods > 1 && workload.totalGpus >= 16",
    "topology.fits('rack')",
};

void Evaluate(benchmark::State& state) {
  Fixture fixture;
  const char* text = kConditions[state.range(0)];
  const auto compiled = compile(text, fixture.environment, "bool");
  if (compiled.program == nullptr) return state.SkipWithError("does not compile");
  for (auto _ : state) {
    Budget budget;
    fixture.arena.reset();
    benchmark::DoNotOptimize(
        evaluate(*compiled.program, fixture.activation, fixture.arena, budget));
  }
  state.SetLabel(text);
}
BENCHMARK(Evaluate)->DenseRange(0, static_cast<int>(std::size(kConditions)) - 1);

void Compile(benchmark::State& state) {
  const Fixture fixture;
  const char* text = kConditions[state.range(0)];
  for (auto _ : state) benchmark::DoNotOptimize(compile(text, fixture.environment, "bool"));
  state.SetLabel(text);
}
BENCHMARK(Compile)->DenseRange(0, static_cast<int>(std::size(kConditions)) - 1);

}  // namespace
}  // namespace berth::rules::cel
