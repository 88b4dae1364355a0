// Hostile expressions: refused at load, or stopped by the budget. None may take long or crash.
#include <string>

#include <gtest/gtest.h>

#include "tests/rules/cel/fixture.h"
#include "tests/support/cpu_time.h"

namespace berth::rules::cel {
namespace {

using testing::Fixture;

std::string repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

// `any` is a list of so many ints.
void bind_list(Fixture& fixture, int size) {
  std::string text = "[";
  for (int i = 0; i < size; ++i) text += (i > 0 ? "," : "") + std::to_string(i);
  fixture.activation.bind(fixture.any_slot, *kube::parse_json(text + "]", fixture.data));
}

TEST(Limits, RefuseLoopsThatNestTooDeepAtLoad) {
  Fixture fixture;
  const auto problems = [&](const std::string& text) {
    return Fixture::problems(compile(text, fixture.environment));
  };
  EXPECT_EQ(problems("any.all(a, any.all(b, a != 'x' || b != 'y'))"), "");
  EXPECT_NE(problems("any.all(a, any.all(b, any.all(c, a != b && b != c)))").find("may cost"),
            std::string::npos);
  EXPECT_NE(problems("any.exists(a, any.exists(b, any.map(c, string(c)).join() == a))")
                .find("at most 200000 are allowed"),
            std::string::npos);
  EXPECT_EQ(problems("object.spec.containers.all(c, c.env.all(e, e.name.matches('^NCCL_')))"), "");
}

TEST(Limits, StopLoopsOverLongListsAtRun) {
  Fixture fixture;
  bind_list(fixture, 3000);
  const double start = berth::testing::cpu_milliseconds();
  EXPECT_EQ(fixture.run("any.all(a, any.all(b, a >= 0 && b >= 0))"), "cost limit exceeded");
  EXPECT_EQ(fixture.run("any.map(a, any.map(b, b))"), "cost limit exceeded");
  EXPECT_EQ(fixture.run("any.filter(a, a in any) == any"), "cost limit exceeded");
  EXPECT_EQ(fixture.run("any.distinct()"), "cost limit exceeded");
  EXPECT_EQ(fixture.run("sets.equivalent(any, any)"), "cost limit exceeded");
  const double spent = berth::testing::cpu_milliseconds() - start;
  EXPECT_LT(spent, 1000);
}

TEST(Limits, AnOverrunIsNotAbsorbed) {
  Fixture fixture;
  bind_list(fixture, 3000);
  EXPECT_EQ(fixture.run("any.all(a, any.all(b, a >= 0 && b >= 0)) || true == dyn(true)"), "true");
  EXPECT_EQ(fixture.run("any.all(a, any.all(b, a >= 0 && b >= 0)) || workload.gpus == 8"),
            "cost limit exceeded");
  EXPECT_EQ(fixture.run("[1].exists(x, any.all(a, any.all(b, a >= 0)) || workload.gpus == x)"),
            "cost limit exceeded");
}

TEST(Limits, StopDoubling) {
  Fixture fixture;
  std::string text = "any.kind";
  for (int i = 0; i < 60; ++i) text = "cel.bind(x, " + text + ", x + x)";
  EXPECT_NE(fixture.run(text).find("may cost"), std::string::npos);
  // What the estimate refuses is stopped at run all the same.
  const auto unchecked = compile_unchecked(text, fixture.environment).program;
  EXPECT_EQ(to_source(fixture.value(*unchecked)), "cost limit exceeded");
  text = "[any.kind]";
  for (int i = 0; i < 60; ++i) text = "cel.bind(x, " + text + ", [x, x])";
  // Sixty levels of a list that holds itself twice: small in memory, endless as a text.
  EXPECT_EQ(fixture.run("string(size(" + text + "))"), "\"2\"");
  EXPECT_EQ(fixture.run(text + " == " + text), "cost limit exceeded");
  EXPECT_EQ(fixture.run("'%s'.format([" + text + "])"), "cost limit exceeded");
  EXPECT_EQ(fixture.run("lists.range(any.spec.containers.size() * 1000000000).size()"),
            "cost limit exceeded");
  const auto program = compile(text, fixture.environment).program;
  EXPECT_LE(to_text(fixture.value(*program)).size(), 64U * 1024);
}

TEST(Limits, StopTextsThatGrow) {
  Fixture fixture;
  const std::string longer = ".replace('a', 'aaaaaaaaaa')";
  EXPECT_EQ(fixture.run("dyn(any.kind + 'a')" + repeated(longer, 8) + ".size()"),
            "cost limit exceeded");
}

TEST(Limits, RefuseHugePatterns) {
  const Fixture fixture;
  const auto problems = Fixture::problems(
      compile("workload.intent.matches('((a{100}){100}){100}')", fixture.environment));
  EXPECT_NE(problems.find("invalid regular expression"), std::string::npos) << problems;
}

TEST(Limits, SearchInLinearTime) {
  Fixture fixture;
  const std::string text = repeated("a", 50'000);
  fixture.workload.intent = text;
  EXPECT_EQ(fixture.run("workload.intent.matches('^(a+)+$')"), "true");
  EXPECT_EQ(fixture.run("workload.intent.matches('(a*)*b')"), "false");
}

TEST(Limits, SurviveDeepTrees) {
  Fixture fixture;
  EXPECT_EQ(fixture.run(repeated("!", 240) + "workload.shared"), "false");
  EXPECT_EQ(fixture.run(repeated("(", 240) + "workload.gpus" + repeated(")", 240)), "8");
  EXPECT_EQ(fixture.run("workload.gpus" + repeated("+1", 240)), "248");
  EXPECT_EQ(fixture.run("any" + repeated(".a", 240)), "no such key 'a'");
  EXPECT_EQ(fixture.run(repeated("[", 240) + repeated("]", 240) + ".size()"), "1");
}

}  // namespace
}  // namespace berth::rules::cel
