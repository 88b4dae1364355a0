// One program, evaluated from several threads at once, each with an activation and arena of its
// own.
#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/rules/cel/fixture.h"

namespace berth::rules::cel {
namespace {

TEST(ProgramThreads, ShareOneProgram) {
  const testing::Fixture environment;
  const auto compiled = compile(
      "object.spec.containers.map(c, c.image.find('[a-z]+:[a-z0-9.]+')).join(' ') + "
      "string(workload.totalGpus) + (workload.intent.matches('^tr') ? 'y' : 'n')",
      environment.environment);
  ASSERT_NE(compiled.program, nullptr);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      testing::Fixture fixture;
      for (int round = 0; round < 500; ++round) {
        fixture.arena.reset();
        const Value value = fixture.value(*compiled.program);
        if (to_text(value) != "train:v1.2 log:latest32y") ++wrong;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace berth::rules::cel
