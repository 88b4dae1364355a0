#include "rules/merge.h"

#include <algorithm>

namespace berth::rules {
namespace {

// One assignment that wants its slot.
struct Claim {
  const Assignment* assignment = nullptr;
  const Rule* rule = nullptr;
  const Rendered* rendered = nullptr;
};

bool wins_over(const Claim& a, const Claim& b) {
  if (a.assignment->slot != b.assignment->slot) return a.assignment->slot < b.assignment->slot;
  if (a.rule->precedence != b.rule->precedence) return a.rule->precedence > b.rule->precedence;
  return a.rule->id < b.rule->id;
}

// The same effect, ${...} filled in.
struct SameValue {
  const Claim& a;
  const Claim& b;

  bool texts() const { return a.rendered->text == b.rendered->text; }
  bool operator()(const LevelPlacement& x, const LevelPlacement& y) const { return x == y; }
  bool operator()(const Spread& x, const Spread& y) const { return x == y; }
  bool operator()(const Pack& x, const Pack& y) const { return x == y; }
  bool operator()(const Products& x, const Products& y) const { return x == y; }
  bool operator()(const Toleration& x, const Toleration& y) const { return x == y; }
  bool operator()(const GpuShare& x, const GpuShare& y) const {
    return x.share == y.share && x.profile == y.profile && x.or_else == y.or_else && texts();
  }
  bool operator()(const Gang& x, const Gang& y) const {
    return x.backend == y.backend && x.timeout == y.timeout && x.min_member == y.min_member &&
           x.mode == y.mode && x.level == y.level && x.parallelism == y.parallelism && texts();
  }
  bool operator()(const Text&, const Text&) const { return texts(); }
  bool operator()(const Volume& x, const Volume& y) const { return kube::equal(x.json, y.json); }
  bool operator()(const Scalar& x, const Scalar& y) const {
    return x.pointer == y.pointer && kube::equal(a.rendered->json, b.rendered->json);
  }
  template <typename X, typename Y>
  bool operator()(const X&, const Y&) const {
    return false;
  }
};

bool same_value(const Claim& a, const Claim& b) {
  // Which containers get it is part of an env, shm or volume.
  const ContainerChoice& one = a.rule->containers;
  const ContainerChoice& other = b.rule->containers;
  const SlotKind kind = a.assignment->slot.kind;
  const bool by_container =
      kind == SlotKind::kEnv || kind == SlotKind::kShm || kind == SlotKind::kVolume;
  if (by_container && (one.kind != other.kind || one.names != other.names)) return false;
  return std::visit(SameValue{a, b}, a.assignment->value, b.assignment->value);
}

void warn_of_tie(const Claim& winner, const Claim& loser, Decision& decision) {
  decision.warnings.push_back({loser.rule, "rules " + winner.rule->id + " and " + loser.rule->id +
                                               " both set " + to_text(winner.assignment->slot) +
                                               "; the former wins by its name"});
}

}  // namespace

void merge(std::span<const Holding> holdings, Decision& decision, base::Arena& arena) {
  std::size_t count = 0;
  for (const Holding& holding : holdings) count += holding.rule->assignments.size();
  const auto claims = arena.make_array<Claim>(count);
  std::size_t next = 0;
  for (const Holding& holding : holdings) {
    for (std::size_t i = 0; i < holding.rule->assignments.size(); ++i) {
      claims[next++] = {&holding.rule->assignments[i], holding.rule, &holding.rendered[i]};
    }
  }
  std::sort(claims.begin(), claims.end(), wins_over);
  decision.settings.reserve(count);
  const Claim* winner = nullptr;
  for (const Claim& claim : claims) {
    if (winner == nullptr || winner->assignment->slot != claim.assignment->slot) {
      winner = &claim;
      decision.settings.push_back(
          {claim.assignment, claim.rule, claim.rendered->text, claim.rendered->json, {}});
      continue;
    }
    if (same_value(*winner, claim)) continue;
    decision.overruled.push_back({claim.rule, winner->rule, claim.assignment});
    if (winner->rule->precedence == claim.rule->precedence) {
      warn_of_tie(*winner, claim, decision);
    }
  }
}

}  // namespace berth::rules
