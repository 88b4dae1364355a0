// How full a cluster gets when each pod goes to the best node: a seeded stream of pods, without a
// scheduler.
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/arena.h"
#include "topology/packing.h"
#include "topology/pod_mix.h"
#include "topology/snapshot.h"

namespace berth::topology {
namespace {

class Stream {
 public:
  // Nodes of 8 GPUs; `shared` of them offer ten shares of each, every third of the others is an
  // L40S.
  Stream(int whole, int shared) {
    const auto offers = kube::parse_json(R"({"nvidia.com/gpu.shared":"80"})", arena_).value();
    std::vector<std::shared_ptr<const Node>> list;
    for (int i = 0; i < whole + shared; ++i) {
      auto node = std::make_shared<Node>();
      node->name = "n" + std::to_string(i);
      node->vendor = "nvidia";
      node->product_label = node->product = i < whole && i % 3 == 0 ? "L40S" : "H100";
      node->cpu_milli = 96'000;
      node->ram_mib = 1 << 20;
      if (i < whole) {
        node->whole_gpus = 8;
      } else {
        node->sharing = Sharing::kTimeSlicing;
        node->shares = 80;
        node->replicas = 10;
        node->allocatable = offers;
      }
      list.push_back(std::move(node));
    }
    empty_ = NodeList(std::move(list));
    nodes_ = empty_;
    index_ = NodeIndex(empty_);
    ledger_.count(index_, nodes_);
  }

  // Places the pod on the best node; false: on none.
  bool place(const PodShape& pod) {
    mix_.saw(pod);
    if (auto usual = mix_.take()) ledger_.learn(index_, std::move(*usual));
    NodeSet among = index_.ready();
    if (!pod.products.empty()) among &= index_.of_product(pod.products.front());
    const auto best = ledger_.packing()->best(among, nodes_, pod, 1);
    if (best.empty()) return false;
    const std::size_t i = best.front().node;
    auto node = std::make_shared<Node>(nodes_[i]);
    node->whole_gpus_used += pod.gpus;
    node->shares_used += pod.shares;
    node->cpu_milli_used += pod.cpu_milli;
    ledger_.replace(i, *node);
    nodes_.replace(i, std::move(node));
    return true;
  }

 private:
  base::Arena arena_;
  NodeList empty_;  // which the index points into
  NodeList nodes_;
  NodeIndex index_;
  PackLedger ledger_;
  PodMix mix_;
};

struct Result {
  double asked = 0;
  double allocated = 0;
  int of_eight_waiting = 0;
};

// Pods by `next` until they have asked for `until` GPUs.
template <typename Next>
Result run(Stream& stream, double until, Next next) {
  Result out;
  while (out.asked < until) {
    const PodShape pod = next();
    const double gpus = static_cast<double>(pod.gpus) + static_cast<double>(pod.shares) / 10;
    out.asked += gpus;
    if (stream.place(pod)) {
      out.allocated += gpus;
    } else if (pod.gpus == 8) {
      ++out.of_eight_waiting;
    }
  }
  return out;
}

class Draw {
 public:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  // Sizes as in the public trace, with the CPU that they ask for; every seventh has no GPU.
  PodShape pod() {
    const int kind = below(100);
    const std::int64_t gpus = kind < 14 ? 0 : kind < 84 ? 1 : kind < 89 ? 2 : kind < 94 ? 4 : 8;
    return {gpus, gpus == 0 ? 4'000 : gpus * 1'000 * (4 + below(8)), 4'096, {}, 0, {}};
  }

 private:
  std::mt19937 random_{11};
};

TEST(PackingQuality, WholeNodesStayWholeUntilTheyAreNeeded) {
  Stream stream(60, 0);
  Draw draw;
  const Result most = run(stream, 0.9 * 480, [&] { return draw.pod(); });
  EXPECT_EQ(most.of_eight_waiting, 0);
  EXPECT_EQ(most.allocated, most.asked);
  const Result rest = run(stream, 0.1 * 480, [&] { return draw.pod(); });
  EXPECT_GE(most.allocated + rest.allocated, 0.97 * 480);
}

TEST(PackingQuality, SharesAreFilledUpBesideWholeGpus) {
  Stream stream(40, 20);
  Draw draw;
  const Result most = run(stream, 0.9 * 480, [&] {
    if (draw.below(10) < 6)
      return PodShape{0, 4'000, 4'096, {}, 1 + draw.below(10), "nvidia.com/gpu.shared"};
    return draw.pod();
  });
  EXPECT_EQ(most.of_eight_waiting, 0);
  EXPECT_GE(most.allocated, 0.995 * most.asked);
}

TEST(PackingQuality, PodsThatMustHaveAProductFindIt) {
  Stream stream(60, 0);
  Draw draw;
  int refused = 0;
  run(stream, 0.85 * 480, [&] {
    PodShape pod = draw.pod();
    if (pod.gpus == 1 && draw.below(3) == 0) pod.products = {"L40S"};
    return pod;
  });
  for (int i = 0; i < 5; ++i) refused += stream.place({1, 4'000, 4'096, {"L40S"}, 0, {}}) ? 0 : 1;
  EXPECT_EQ(refused, 0);
}

}  // namespace
}  // namespace berth::topology
