// Answers about the topology against their definitions, on random clusters.
#include <map>
#include <random>

#include "fixtures.h"
#include <gtest/gtest.h>

#include "rules/resolve.h"
#include "topology/builder.h"

namespace berth::rules {
namespace {

using testing::json_of;
using Random = std::mt19937;

int below(Random& random, int limit) {
  return static_cast<int>(random() % static_cast<unsigned>(limit));
}

std::string node_text(const std::string& name, const std::string& labels,
                      const std::string& resources) {
  return "{apiVersion: v1, kind: Node, metadata: {name: " + name +
         ", labels: {kubernetes.io/hostname: " + name + labels + "}}, status: {allocatable: {" +
         resources + "}, conditions: [{type: Ready, status: 'True'}]}}";
}

testing::Cluster built(const std::vector<std::string>& objects) {
  topology::BuildOptions options;
  options.levels = {{"node", {"kubernetes.io/hostname"}}, {"rack", {"rack"}}};
  topology::Builder builder(options);
  for (const std::string& object : objects) builder.add(json_of(object, builder.arena()));
  return builder.finish();
}

struct Answered {
  base::Arena arena;
  Rule rule;
  Assignment assignment;
  Decision decision;
  Subject subject;
  Facts facts;

  void answer(Assignment wish, const std::string& pod, const topology::Snapshot& cluster) {
    assignment = std::move(wish);
    rule.id = "t/a";
    std::string_view text;
    if (const auto* share = std::get_if<GpuShare>(&assignment.value)) text = share->memory.text;
    decision.settings.push_back({&assignment, &rule, text, {}, {}});
    subject = testing::pod_subject(json_of(pod, arena));
    facts = observe(subject, testing::request_in("team"), cluster, {});
    resolve(subject, facts, cluster, arena, decision);
  }
};

std::string pod_text(int gpus, int pods) {
  return "{metadata: {labels: {berth.dev/gang-size: '" + std::to_string(pods) +
         "'}}, spec: {containers: [{name: main, resources: {limits: {nvidia.com/gpu: " +
         std::to_string(gpus) + "}}}]}}";
}

TEST(ResolveProperty, ASliceIsTheSmallestThatHoldsTheMemory) {
  const std::vector<std::string> profiles = {"1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb", "7g.80gb"};
  Random random(41);
  int chosen = 0;
  for (int round = 0; round < 300; ++round) {
    std::map<std::string, std::vector<std::int64_t>> sizes;  // by profile, one per node
    std::vector<std::string> nodes;
    for (int i = 0, n = 1 + below(random, 5); i < n; ++i) {
      std::string labels = ", nvidia.com/gpu.product: P" + std::to_string(i);
      std::string resources;
      for (const std::string& profile : profiles) {
        if (below(random, 2) == 0) continue;
        const std::int64_t mib = 8000 + 1000 * below(random, 40);
        sizes[profile].push_back(mib);
        labels += ", nvidia.com/mig-" + profile + ".memory: '" + std::to_string(mib) + "'";
        resources += (resources.empty() ? "" : ", ") + ("nvidia.com/mig-" + profile) + ": '2'";
      }
      nodes.push_back(node_text("n" + std::to_string(i), labels, resources));
    }
    const std::int64_t need = 8000 + 1000 * below(random, 45);
    std::int64_t smallest = INT64_MAX;
    for (const auto& [profile, list] : sizes) {
      for (const std::int64_t mib : list) {
        if (mib >= need) smallest = std::min(smallest, mib);
      }
    }
    GpuShare wish;
    wish.share = Share::kMig;
    wish.memory = testing::constant(std::to_string(need) + "Mi");
    Answered it;
    it.answer(testing::assign(SlotKind::kGpu, "", wish), pod_text(1, 1), *built(nodes));
    const auto& answer = std::get<GpuAnswer>(it.decision.settings[0].answer);
    ASSERT_EQ(answer.keep, smallest == INT64_MAX) << round;
    if (answer.keep) continue;
    ++chosen;
    const auto& offered = sizes[answer.profile];
    EXPECT_NE(std::find(offered.begin(), offered.end(), smallest), offered.end()) << round;
    const bool some_too_small =
        std::any_of(offered.begin(), offered.end(), [&](std::int64_t mib) { return mib < need; });
    EXPECT_EQ(answer.require.empty(), !some_too_small) << round;
  }
  EXPECT_GT(chosen, 100);
}

TEST(ResolveProperty, ARequiredLevelExcludesExactlyWhatCanNeverHoldIt) {
  Random random(43);
  for (int round = 0; round < 300; ++round) {
    std::map<std::string, std::vector<int>> racks;
    std::vector<std::string> objects;
    for (int i = 0, n = 2 + below(random, 12); i < n; ++i) {
      const std::string rack = "r" + std::to_string(below(random, 4));
      const int gpus = 1 + below(random, 8);
      racks[rack].push_back(gpus);
      objects.push_back(node_text("n" + std::to_string(i), ", rack: " + rack,
                                  "nvidia.com/gpu: '" + std::to_string(gpus) + "'"));
      if (below(random, 3) == 0) {  // in use now, which must not matter
        objects.push_back("{apiVersion: v1, kind: Pod, metadata: {name: p" + std::to_string(i) +
                          ", namespace: x}, spec: {nodeName: n" + std::to_string(i) +
                          ", containers: [{name: c, resources: {limits: {nvidia.com/gpu: 1}}}]}, "
                          "status: {phase: Running}}");
      }
    }
    const int gpus = 1 + below(random, 8);
    const int pods = 2 + below(random, 5);
    std::vector<std::string_view> holders;
    for (const auto& [rack, nodes] : racks) {
      int room = 0;
      for (const int node : nodes) room += node / gpus;
      if (room >= pods) holders.push_back(rack);
    }
    LevelPlacement wish;
    wish.require = "rack";
    Answered it;
    const auto cluster = built(objects);
    it.answer(testing::assign(SlotKind::kPlacement, "", wish), pod_text(gpus, pods), *cluster);
    const auto& answer = std::get<LevelAnswer>(it.decision.settings[0].answer);
    EXPECT_TRUE(answer.required);
    if (holders.empty() || holders.size() == racks.size()) {
      EXPECT_TRUE(answer.require.empty()) << round;
    } else {
      ASSERT_EQ(answer.require.size(), 1U) << round;
      EXPECT_EQ(answer.require[0].values, holders) << round;
    }
    EXPECT_EQ(it.decision.warnings.empty(), !holders.empty()) << round;
    // What has room now is among what could ever have.
    for (const LabelValues& preferred : answer.prefer) {
      for (const std::string_view rack : preferred.values) {
        EXPECT_NE(std::find(holders.begin(), holders.end(), rack), holders.end()) << round;
      }
    }
  }
}

}  // namespace
}  // namespace berth::rules
