#include "rules/rollout.h"

#include <cstdint>

namespace berth::rules {
namespace {

// FNV-1a over the parts, each closed by a zero byte, so that ("ab", "c") is not ("a", "bc").
std::uint64_t add(std::uint64_t hash, std::string_view part) {
  constexpr std::uint64_t kPrime = 0x100000001b3;
  for (const char c : part) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  return hash * kPrime;
}

// FNV's high bits are weak on short texts; this spreads them (the finaliser of SplitMix64).
std::uint64_t spread(std::uint64_t hash) {
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
  return hash ^ (hash >> 31);
}

}  // namespace

double rollout_draw(const Rule& rule, const Facts& facts) {
  constexpr std::uint64_t kOffset = 0xcbf29ce484222325;
  std::uint64_t hash = add(kOffset, rule.id);
  hash = add(hash, facts.namespace_name);
  if (rule.rollout.by == Rollout::By::kWorkload) {
    hash = add(hash, facts.kind);
    hash = add(hash, facts.name);
  }
  constexpr double kTwoTo53 = 9007199254740992.0;
  return static_cast<double>(spread(hash) >> 11) / kTwoTo53 * 100.0;
}

bool reaches(const Rule& rule, const Facts& facts) {
  return rollout_draw(rule, facts) < rule.rollout.percent;
}

}  // namespace berth::rules
