// Once the arena is warm, an evaluation does not touch the heap. Counts what operator new gives in
// this test program.
#include <atomic>
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include "tests/rules/cel/fixture.h"
#include "tests/support/allocation_count.h"

namespace {

std::atomic<std::size_t> allocations{0};

void* counted(std::size_t bytes) {
  ++allocations;
  void* out = std::malloc(bytes == 0 ? 1 : bytes);
  if (out == nullptr) throw std::bad_alloc();
  return out;
}

}  // namespace

void* operator new(std::size_t bytes) {
  return counted(bytes);
}
void* operator new[](std::size_t bytes) {
  return counted(bytes);
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(bytes == 0 ? 1 : bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(bytes == 0 ? 1 : bytes);
}
void operator delete(void* at) noexcept {
  std::free(at);
}
void operator delete[](void* at) noexcept {
  std::free(at);
}
void operator delete(void* at, std::size_t) noexcept {
  std::free(at);
}
void operator delete[](void* at, std::size_t) noexcept {
  std::free(at);
}

std::size_t berth::testing::allocation_count() {
  return allocations;
}

namespace berth::rules::cel {
namespace {

TEST(Allocations, CountsWhatIsAllocated) {
  const auto before = berth::testing::allocation_count();
  const auto text = std::make_unique<std::string>(100, 'x');
  EXPECT_GE(berth::testing::allocation_count(), before + 2) << text->size();
}

TEST(Allocations, AreNoneForAnEvaluationOnceWarm) {
  const char* expressions[] = {
      "workload.gpus >= 8",
      "workload.intent in ['training', 'finetune']",
      "object.metadata.labels['team'] == 'nlp'",
      "object.metadata.labels.?team.orValue('') == 'nlp'",
      "object.metadata.labels['nope'] == 'an error that names its key, which is long'",
      "object.spec.containers.exists(c, c.image.matches('^registry[.]example/.*:v[0-9]'))",
      "object.spec.containers.map(c, c.image.find('[a-z]+:[a-z0-9.]+'))",
      "object.spec.containers.map(c, c.image.findAll('[a-z]+'))",
      "object.spec.containers.map(c, c.name + ':' + string(size(c.image))).join(', ')",
      "'%s has %d GPUs in %.2f and %s'.format([workload.intent, workload.gpus, 1.5, "
      "object.metadata.labels])",
      "object.spec.containers.sortBy(c, c.name).map(c, c.name.upperAscii())",
      "['b', workload.intent, 'a'].sort().distinct().reverse()",
      "{'a': workload.gpus, 'b': 2}.transformMap(k, v, v * 2)",
      "topology.domains('rack').filter(d, d.free >= workload.gpus).map(d, d.name)",
      "workload.gpuMemory > quantity('16Gi') && quantity(any.spec.containers[0].resources.limits"
      ".memory) > workload.gpuMemory",
      "string(timestamp(workload.gpus)) + string(duration(string(workload.gpus) + 'h'))",
      "base64.encode(bytes(workload.intent)) + workload.intent.replace('i', 'II')",
      "sets.intersects(request.userInfo.groups, ['dev', 'ops'])",
      "string(workload.gpuMemory)",
      "topology.free('H100') > 3 || workload.shared",
  };
  testing::Fixture fixture;
  for (const char* text : expressions) {
    const auto compiled = compile(text, fixture.environment);
    ASSERT_NE(compiled.program, nullptr) << testing::Fixture::problems(compiled);
    Value last;
    std::size_t counted = 0;
    for (int round = 0; round < 3; ++round) {
      fixture.arena.reset();
      Budget budget;
      const auto before = berth::testing::allocation_count();
      last = evaluate(*compiled.program, fixture.activation, fixture.arena, budget);
      counted = berth::testing::allocation_count() - before;
    }
    EXPECT_EQ(counted, 0U) << text << " gives " << to_source(last);
  }
}

}  // namespace
}  // namespace berth::rules::cel
