// Texts of expressions: any bytes. Oracle: no crash; what compiles evaluates within its budget, the
// slow twin without folding and fusing gives the same, and unchecked evaluation ends too.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "rules/cel/builder.h"
#include "tests/rules/cel/fixture.h"

namespace {

using namespace berth::rules::cel;

std::string outcome(testing::Fixture& fixture, const Program& program) {
  return to_source(fixture.value(program));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static testing::Fixture fixture;
  fixture.arena.reset();
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (const auto unchecked = compile_unchecked(text, fixture.environment).program) {
    static_cast<void>(outcome(fixture, *unchecked));
  }
  const auto fast = compile(text, fixture.environment).program;
  const auto slow = compile_with(text, fixture.environment, "dyn",
                                 {Checking::kChecked, Fusing::kPlain, Folding::kPlain})
                        .program;
  if (fast == nullptr || slow == nullptr) return 0;
  const std::string a = outcome(fixture, *fast);
  const std::string b = outcome(fixture, *slow);
  const bool limited = a == "cost limit exceeded" || b == "cost limit exceeded";
  if (a != b && !limited) {
    std::fprintf(stderr, "fast: %s\nslow: %s\n", a.c_str(), b.c_str());
    std::abort();
  }
  Budget budget;
  static_cast<void>(explain_failure(*fast, fixture.activation, fixture.arena, budget));
  return 0;
}
