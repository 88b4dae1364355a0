// Programs: evaluation for a request, computed variables, budgets, what the proof of conflicts and
// explanations see.
#include "rules/cel/program.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

#include "tests/rules/cel/fixture.h"

namespace berth::rules::cel {
namespace {

using testing::Fixture;

std::shared_ptr<const Program> compiled(const Fixture& fixture, std::string_view text) {
  auto out = compile(text, fixture.environment);
  EXPECT_NE(out.program, nullptr) << text << "\n" << Fixture::problems(out);
  return out.program;
}

struct Row {
  const char* text;
  const char* wanted;
};

TEST(Program, EvaluatesOverFactsAndThePod) {
  const Row rows[] = {
      {"workload.totalGpus", "32"},
      {"workload.gpuMemory > quantity('16Gi')", "true"},
      {"workload.labels.team", "\"nlp\""},
      {"topology.fits('block') && !topology.fits('rack')", "true"},
      {"topology.free() + 1", "25"},
      {"topology.free('H100')", "the picture of the cluster is out of date"},
      {"topology.domains('rack').map(d, d.name + ':' + string(d.free))", "[\"rack-2:16\"]"},
      {"object.metadata.labels['nope']", "no such key 'nope'"},
      {"object.spec.nodeName", "no such key 'nodeName'"},
      {"dyn(null).name", "null has no fields"},
      {"has(object.spec.nodeName)", "false"},
      {"has(object.spec.affinity.nodeAffinity)", "no such key 'affinity'"},
      {"has(any.metadata.name.nope)", "false"},
      {"has(object.spec.?affinity.nodeAffinity)", "false"},
      {"object.spec.containers[0].resources.limits['nvidia.com/gpu'] == '8'", "true"},
      {"object.spec.containers[0].resources.limits.cpu", "16"},
      {"object.spec.containers.filter(c, has(c.resources.limits)).map(c, c.name)", "[\"main\"]"},
      {"object.spec.containers[7]", "index out of bounds"},
      {"request.operation + request.userInfo.groups[0]", "\"CREATEdev\""},
      {"any.spec.containers[0].args.join(' ')", "\"--epochs 3\""},
      {"any.metadata.labels.exists(k, any.metadata.labels[k] == 'gold')", "true"},
      {"any.metadata.labels.transformList(k, v, k + '=' + v)",
       "[\"team=nlp\", \"tier=gold\", \"app=bert\"]"},
      {"size(object.metadata.annotations)", "0"},
  };
  Fixture fixture;
  for (const auto& row : rows) EXPECT_EQ(fixture.run(row.text), row.wanted) << row.text;
}

TEST(Program, SaysWhatIsNotBound) {
  Fixture fixture;
  const Activation nothing;
  Budget budget;
  const auto value = [&](std::string_view text) {
    return to_source(evaluate(*compiled(fixture, text), nothing, fixture.arena, budget));
  };
  EXPECT_EQ(value("any"), "not bound 'any'");
  EXPECT_EQ(value("object.metadata.name"), "not bound 'object'");
  EXPECT_EQ(value("workload.gpus"), "not bound");
  EXPECT_EQ(value("workload.gpus > 1 || true"), "true");
}

TEST(Program, ComputesVariablesOnceAndOnlyWhenUsed) {
  static int calls;
  calls = 0;
  static const StructType kCounter{
      "Counter",
      {{"next", "int", [](const void*, base::Arena&) { return Value::integer(++calls); }}},
      {}};
  Fixture fixture;
  fixture.environment.add(kCounter);
  fixture.activation.bind(fixture.environment.declare("counter", "Counter"), kCounter, nullptr);
  fixture.environment.declare_computed("first", compiled(fixture, "counter.next"), 0);
  fixture.environment.declare_computed("second", compiled(fixture, "variables.first + 10"), 1);
  fixture.environment.declare_computed("unused", compiled(fixture, "counter.next"), 2);
  std::array<Memo, 3> memo;
  fixture.activation.memo = memo;
  EXPECT_EQ(fixture.run("variables.second + variables.second + variables.first"), "23");
  EXPECT_EQ(fixture.run("variables.first"), "1");
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(memo[2].state, Memo::State::kUnset);
  // A new request starts with new memory.
  memo = {};
  EXPECT_EQ(fixture.run("variables.first"), "2");
}

TEST(Program, FailsWhereAVariableNeedsItself) {
  Fixture fixture;
  // Loaders refuse such circles; evaluation survives them all the same.
  fixture.environment.declare_computed("a", compiled(fixture, "workload.gpus"), 0);
  Environment other = fixture.environment;
  Environment looped;
  Fixture second;
  second.environment.declare_computed("x", compiled(fixture, "variables.a"), 0);
  std::array<Memo, 1> memo;
  second.activation.memo = memo;
  EXPECT_EQ(second.run("variables.x"), "the variable needs itself");
}

TEST(Program, FoldsConstantVariablesIntoPatterns) {
  Fixture fixture;
  fixture.environment.declare_computed("tag", compiled(fixture, "':v' + '[0-9]'"), 0);
  EXPECT_TRUE(compiled(fixture, "variables.tag")->is_constant());
  EXPECT_EQ(fixture.run("object.spec.containers.exists(c, c.image.matches(variables.tag))"),
            "true");
}

TEST(Program, TellsWhatItUses) {
  Fixture fixture;
  fixture.environment.declare_computed("free", compiled(fixture, "topology.free()"), 0);
  const auto program = compiled(fixture, "variables.free > workload.gpus");
  EXPECT_EQ(
      std::vector<std::string>(program->computed_used().begin(), program->computed_used().end()),
      std::vector<std::string>{"free"});
  EXPECT_EQ(
      std::vector<std::string>(program->variables_used().begin(), program->variables_used().end()),
      (std::vector<std::string>{"topology", "workload"}));
  EXPECT_FALSE(program->is_constant());
  EXPECT_TRUE(compiled(fixture, "[1, 2].map(x, x * 2) == [2, 4]")->constant().is_true());
}

TEST(Program, GivesTheSimplePartsOfACondition) {
  Fixture fixture;
  fixture.environment.declare_computed("limit", compiled(fixture, "2 * 16"), 0);
  const auto tests = [&](std::string_view text) {
    std::string out;
    const auto program = compiled(fixture, text);
    for (const auto& conjunct : program->conjuncts()) {
      if (!out.empty()) out += "; ";
      out += !conjunct.test
                 ? "-"
                 : conjunct.test->path + " " + std::string(to_text(conjunct.test->comparison)) +
                       " " + to_source(conjunct.test->constant);
    }
    return out;
  };
  EXPECT_EQ(tests("workload.totalGpus >= 32"), "workload.totalGpus >= 32");
  EXPECT_EQ(tests("32 <= workload.totalGpus"), "workload.totalGpus >= 32");
  EXPECT_EQ(tests("workload.gpus < variables.limit"), "workload.gpus < 32");
  EXPECT_EQ(tests("workload.shared && !topology.fresh"),
            "workload.shared == true; topology.fresh == false");
  EXPECT_EQ(tests("!(workload.intent == 'x')"), "workload.intent != \"x\"");
  EXPECT_EQ(tests("workload.intent in ['a', 'b'] && (workload.pods > 1 && workload.gpus != 4)"),
            "workload.intent in [\"a\", \"b\"]; workload.pods > 1; workload.gpus != 4");
  EXPECT_EQ(tests("object.metadata.labels['team'] == 'nlp' && object.spec.priority > 0"),
            "object.metadata.labels['team'] == \"nlp\"; object.spec.priority > 0");
  EXPECT_EQ(tests("workload.gpus > workload.pods && topology.fits('rack') || workload.shared"),
            "-");
  EXPECT_EQ(tests("workload.gpus + 1 > 2 && 'x' in workload.labels && workload.gpus > 1"),
            "-; -; workload.gpus > 1");
}

TEST(Program, ExplainsTheFirstPartThatIsNotTrue) {
  const Row rows[] = {
      {"workload.totalGpus >= 32", ""},
      {"workload.totalGpus >= 64", "workload.totalGpus >= 64: is 32"},
      {"workload.gpus > 1 && 64 <= workload.totalGpus", "64 <= workload.totalGpus: is 32"},
      {"workload.pods > workload.gpus",
       "workload.pods > workload.gpus: workload.pods is 4, workload.gpus is 8"},
      {"workload.intent in ['inference']", "workload.intent in ['inference']: is \"training\""},
      {"workload.gpuMemory > quantity('80Gi')",
       "workload.gpuMemory > quantity('80Gi'): is quantity('18Gi')"},
      {"topology.fits('rack')", "topology.fits('rack'): is false"},
      {"!topology.fresh", "!topology.fresh: topology.fresh is true"},
      {"(workload.gpus > 16 || workload.pods > 16) && true",
       "(workload.gpus > 16 || workload.pods > 16): workload.gpus is 8, workload.pods is 4"},
      {"object.metadata.labels['nope'] == 'x'",
       "object.metadata.labels['nope'] == 'x': no such key 'nope'"},
      {"object.metadata.labels['nope'] == 'x' && workload.gpus > 9", "workload.gpus > 9: is 8"},
      {"topology.free('H100') > 3",
       "topology.free('H100') > 3: the picture of the cluster is out of date"},
      {"object.spec.containers.all(c, c.image.matches('@sha256:'))",
       "object.spec.containers.all(c, c.image.matches('@sha256:')): is false"},
      {"false", "false: is false"},
  };
  Fixture fixture;
  for (const auto& row : rows) {
    Budget budget;
    EXPECT_EQ(
        explain_failure(*compiled(fixture, row.text), fixture.activation, fixture.arena, budget),
        row.wanted)
        << row.text;
  }
}

TEST(Program, TakesItsCostFromTheBudgetOfTheRequest) {
  Fixture fixture;
  const auto program = compiled(fixture, "object.spec.containers.exists(c, c.name == 'x')");
  Budget budget;
  static_cast<void>(evaluate(*program, fixture.activation, fixture.arena, budget));
  const auto spent = kUnitsPerRequest - budget.units_left;
  EXPECT_GT(spent, 0);
  EXPECT_LT(spent, 50);
  budget.units_left = 3;
  EXPECT_EQ(to_source(evaluate(*program, fixture.activation, fixture.arena, budget)),
            "cost limit exceeded");
}

}  // namespace
}  // namespace berth::rules::cel
