// Folding and fusing give what the plain nodes give: value, error and its place, for random
// expressions of a fixed seed.
#include <string>

#include <gtest/gtest.h>

#include "rules/cel/builder.h"
#include "tests/rules/cel/fixture.h"
#include "tests/rules/cel/random_expression.h"

namespace berth::rules::cel {
namespace {

using testing::Fixture;

std::string outcome(Fixture& fixture, const std::string& text, const BuildOptions& options) {
  const auto compiled = compile_with(text, fixture.environment, "dyn", options);
  if (compiled.program == nullptr) return Fixture::problems(compiled);
  const Value value = fixture.value(*compiled.program);
  std::string out = to_source(value);
  if (value.is_error()) out = "error at " + std::to_string(value.error_offset()) + ": " + out;
  fixture.arena.reset();
  return out;
}

struct Counts {
  int values = 0;
  int errors = 0;
  int problems = 0;
};

void compare_twins(const BuildOptions& options) {
  constexpr BuildOptions kSlow{Checking::kChecked, Fusing::kPlain, Folding::kPlain};
  Fixture fixture;
  testing::RandomExpression random(20261202);
  Counts counts;
  for (int i = 0; i < 4000; ++i) {
    const std::string text = i % 4 == 0 ? random.text(4) : random.boolean(4);
    if (text.size() > kMaxTextBytes) continue;
    const std::string slow = outcome(fixture, text, kSlow);
    if (slow.find("may cost") != std::string::npos) continue;  // what folds costs nothing
    const std::string fast = outcome(fixture, text, options);
    if (fast.find("\" is no int") != std::string::npos) continue;  // refused when it is folded
    ASSERT_EQ(fast, slow) << text;
    if (slow.find(": error: ") != std::string::npos) {
      ++counts.problems;
    } else {
      ++(slow.starts_with("error at ") ? counts.errors : counts.values);
    }
  }
  // Both outcomes must be well represented, and nearly all expressions be well typed.
  EXPECT_GT(counts.values, 1500);
  EXPECT_GT(counts.errors, 500);
  EXPECT_LT(counts.problems, 400);
}

TEST(Twins, FoldingChangesNothing) {
  compare_twins({Checking::kChecked, Fusing::kPlain, Folding::kFolded});
}

TEST(Twins, FusingChangesNothing) {
  compare_twins({Checking::kChecked, Fusing::kFused, Folding::kPlain});
}

TEST(Twins, BothChangeNothing) {
  compare_twins({Checking::kChecked, Fusing::kFused, Folding::kFolded});
}

// What the table of pod fields says changes no result, whatever it warns about.
TEST(Twins, ThePodTableChangesNoResult) {
  Fixture typed;
  Environment untyped;
  untyped.add(WordType{"level", {"node", "rack", "block"}});
  untyped.add(testing::kDomainType);
  untyped.add(testing::kWorkloadType);
  untyped.add(testing::kTopologyType);
  untyped.add(testing::kRequestShapes);
  untyped.declare("workload", "Workload");
  untyped.declare("topology", "Topology");
  untyped.declare("object", "dyn");
  untyped.declare("request", "Request");
  untyped.declare("any", "dyn");
  untyped.set_literals(Literals::kMixed);
  typed.environment.set_literals(Literals::kMixed);
  testing::RandomExpression random(715);
  int compared = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::string text = i % 2 == 0 ? random.text(3) : random.boolean(3);
    const auto with = compile(text, typed.environment).program;
    const auto without = compile(text, untyped).program;
    if (with == nullptr || without == nullptr) continue;
    ASSERT_EQ(to_source(typed.value(*with)), to_source(typed.value(*without))) << text;
    ++compared;
  }
  EXPECT_GT(compared, 1500);
}

}  // namespace
}  // namespace berth::rules::cel
