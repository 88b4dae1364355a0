#include "topology/model_keeper.h"

#include <map>
#include <random>
#include <regex>
#include <string>

#include <gtest/gtest.h>

#include "tests/topology/keeper_rig.h"
#include "topology/builder.h"
#include "topology/capacity.h"
#include "topology/render.h"

namespace berth::topology {
namespace {

// The picture of the same objects, made of files.
std::shared_ptr<const Snapshot> picture_of(const std::map<std::string, std::string>& objects,
                                           std::int64_t generation) {
  BuildOptions options = lab_options();
  options.generation = generation;
  Builder builder(options);
  for (const auto& [key, text] : objects) {
    builder.add(kube::parse_json(text, builder.arena()).value());
  }
  return builder.finish();
}

// What workloads are told of a picture: what it has counted through all changes shows here.
std::string answers_of(const Snapshot& snapshot) {
  base::Arena arena;
  std::string out;
  for (const char* spec :
       {R"({})", R"({"tolerations":[{"key":"nvidia.com/gpu","operator":"Exists"}]})"}) {
    for (int gpus = 0; gpus < 5; ++gpus) {
      Demand demand;
      demand.pod_spec = kube::parse_json(spec, arena).value();
      demand.gpus = gpus;
      demand.pods = 3;
      const Capacity capacity(snapshot, demand);
      out += std::to_string(capacity.free()) + ":";
      for (std::size_t level = 0; level < snapshot.levels().size(); ++level) {
        out += (capacity.fits(level) ? "+" : "-") + std::to_string(capacity.largest_free(level));
      }
      out += " ";
    }
  }
  return out;
}

// Without what pods that are gone have taught: which of the free GPUs are unusable.
std::string json_of_now(const Snapshot& snapshot) {
  static const std::regex kUnusable(R"(,"unusable":[0-9.a-z]+)");
  return std::regex_replace(render_json(snapshot), kUnusable, "");
}

TEST(ModelKeeper, EqualsTheFileOfTheSameObjectsAfterAnyChanges) {
  const std::size_t nodes = source_of("Node");
  const std::size_t pods = source_of("Pod");
  std::mt19937 random(3);
  const auto below = [&random](int n) {
    return static_cast<int>(random() % static_cast<unsigned>(n));
  };
  Rig rig;
  rig.listed(nodes, {});
  rig.listed(pods, {});
  std::map<std::string, std::string> objects;
  for (int round = 0; round < 400; ++round) {
    for (int i = below(4); i >= 0; --i) {
      const bool is_node = below(3) == 0;
      const std::string key = (is_node ? "n" : "p") + std::to_string(below(is_node ? 9 : 30));
      const int number = std::stoi(key.substr(1));
      const std::size_t source = is_node ? nodes : pods;
      if (below(4) == 0) {
        if (objects.contains(key)) rig.removed(source, objects[key]);
        objects.erase(key);
        continue;
      }
      objects[key] = is_node ? node_text(number, 4 + 4 * below(2), "r" + std::to_string(below(3)),
                                         below(5) == 0, below(2) == 0 ? "present" : "")
                             : pod_text(number, below(11) - 1, 1 + below(3), below(6) == 0);
      rig.changed(source, objects[key]);
    }
    if (round % 50 == 49) {  // a delete that no watch told: the next whole list shows it
      std::vector<std::string> left;
      std::erase_if(objects,
                    [&](const auto& item) { return item.first[0] == 'p' && below(2) == 0; });
      for (const auto& [key, text] : objects) {
        if (key[0] == 'p') left.push_back(text);
      }
      rig.listed(pods, left);
    }
    rig.turn("");
    rig.now += std::chrono::seconds(31);  // pods that wait no longer count
    rig.turn("");
    const auto got = rig.out.get();
    // What the file knows depends on there being an object of the kind.
    const auto wanted = picture_of(objects, got->generation());
    ASSERT_EQ(answers_of(*got), answers_of(*wanted)) << "round " << round;
    ASSERT_EQ(got->nodes().size(), wanted->nodes().size()) << "round " << round;
    ASSERT_EQ(json_of_now(*got), json_of_now(*wanted)) << "round " << round;
    EXPECT_EQ(got->index().ready(), wanted->index().ready()) << "round " << round;
    EXPECT_EQ(got->index().tolerated(kube::Json(), kube::Json()),
              wanted->index().tolerated(kube::Json(), kube::Json()))
        << "round " << round;
  }
}

TEST(ModelKeeper, KeepsThePictureWhereNothingChanged) {
  Rig rig;
  EXPECT_TRUE(rig.turn("nodes not read yet"));
  EXPECT_FALSE(rig.out.get()->fresh());
  EXPECT_FALSE(rig.out.get()->knows(Kind::kNodes));
  const auto first = rig.out.get();
  EXPECT_FALSE(rig.turn("nodes not read yet"));
  EXPECT_EQ(rig.out.get(), first);
  rig.listed(source_of("Node"), {node_text(1, 8, "r1", false, "")});
  EXPECT_TRUE(rig.turn(""));
  EXPECT_TRUE(rig.out.get()->fresh());
  EXPECT_TRUE(rig.out.get()->knows(Kind::kNodes));
  EXPECT_EQ(rig.out.get()->generation(), first->generation() + 1);
}

TEST(ModelKeeper, SharesWhatAPodDoesNotTouch) {
  Rig rig;
  rig.listed(source_of("Node"),
             {node_text(1, 8, "r1", false, ""), node_text(2, 8, "r2", false, "")});
  rig.turn("");
  const auto before = rig.out.get();
  rig.changed(source_of("Pod"), pod_text(1, 1, 3, false));
  rig.turn("");
  const auto after = rig.out.get();
  EXPECT_EQ(&after->index(), &before->index());
  EXPECT_EQ(after->find_node("n1")->whole_gpus_free(), 5);
  EXPECT_EQ(before->find_node("n1")->whole_gpus_free(), 8);
}

TEST(ModelKeeper, KeepsTheQuotasOfANamespace) {
  Rig rig;
  const std::size_t quotas = source_of("ResourceQuota");
  const auto quota = [](const std::string& name, const std::string& used) {
    return R"({"metadata":{"name":")" + name + R"(","namespace":"team"},"spec":{"hard":)" +
           R"({"requests.nvidia.com/gpu":"8"}},"status":{"used":{"requests.nvidia.com/gpu":")" +
           used + R"("}}})";
  };
  rig.listed(quotas, {quota("a", "1"), quota("b", "2")});
  rig.turn("");
  ASSERT_EQ(rig.out.get()->quotas("team").size(), 2u);
  EXPECT_TRUE(rig.out.get()->knows(Kind::kResourceQuotas));
  rig.changed(quotas, quota("a", "5"));
  rig.removed(quotas, quota("b", "2"));
  const auto before = rig.out.get();
  rig.turn("");
  ASSERT_EQ(rig.out.get()->quotas("team").size(), 1u);
  const kube::Json used = rig.out.get()->quotas("team")[0]["status"]["used"];
  EXPECT_EQ(used["requests.nvidia.com/gpu"].string_or_empty(), "5");
  const kube::Json hard = rig.out.get()->quotas("team")[0]["spec"]["hard"];
  EXPECT_EQ(hard["requests.nvidia.com/gpu"].string_or_empty(), "8");
  EXPECT_EQ(before->quotas("team").size(), 2u);
  rig.removed(quotas, quota("a", "5"));
  rig.turn("");
  EXPECT_TRUE(rig.out.get()->quotas("team").empty());
}

TEST(ModelKeeper, ForgetsAKindThatTheServerNoLongerHas) {
  Rig rig;
  const std::size_t queues = source_of("LocalQueue", "kueue.x-k8s.io");
  rig.listed(queues, {R"({"metadata":{"name":"main","namespace":"team"}})"});
  rig.turn("");
  EXPECT_TRUE(rig.out.get()->knows(Kind::kLocalQueues));
  EXPECT_EQ(rig.out.get()->local_queues("team").size(), 1u);
  KindSink(queues, rig.options, rig.keeper.queue()).absent();
  rig.turn("");
  EXPECT_FALSE(rig.out.get()->knows(Kind::kLocalQueues));
  EXPECT_TRUE(rig.out.get()->local_queues("team").empty());
}

}  // namespace
}  // namespace berth::topology
