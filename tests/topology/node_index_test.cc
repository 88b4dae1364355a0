#include "topology/node_index.h"

#include <random>

#include <gtest/gtest.h>

#include "base/arena.h"
#include "kube/selector.h"
#include "tests/topology/clusters.h"
#include "topology/snapshot.h"

namespace berth::topology {
namespace {

using kube::Json;

// Names that nodes of the lab have and some that none has.
constexpr std::string_view kKeys[] = {"nvidia.com/gpu.product", "nvidia.com/gpu.count",
                                      "kubernetes.io/hostname", "topology.kubernetes.io/zone",
                                      "lab.example.com/pool",   "nvidia.com/mig.strategy",
                                      "no.such/label"};
constexpr std::string_view kOperators[] = {"In", "NotIn", "Exists", "DoesNotExist",
                                           "Gt", "Lt",    "Near"};

class RandomTerms {
 public:
  RandomTerms(const Snapshot& snapshot, base::Arena& arena, unsigned seed)
      : snapshot_(snapshot), arena_(arena), random_(seed) {}

  Json spec() {
    Json out = kube::make_object(arena_, {});
    if (below(3) == 0) {
      const std::string_view key = one_key();
      const Json selector = kube::make_object(arena_, {{key, value_of(key)}});
      out = kube::with_member(arena_, out, "nodeSelector", selector);
    }
    if (below(4) == 0) return out;
    std::vector<Json> terms;
    for (std::size_t i = below(3); i > 0; --i) terms.push_back(term());
    const Json list = kube::make_array(arena_, std::span<const Json>(terms));
    const Json required = kube::make_object(arena_, {{"nodeSelectorTerms", list}});
    const Json affinity =
        kube::make_object(arena_, {{"requiredDuringSchedulingIgnoredDuringExecution", required}});
    return kube::with_member(arena_, out, "affinity",
                             kube::make_object(arena_, {{"nodeAffinity", affinity}}));
  }

  Json requirement(std::string_view key, std::string_view op) {
    std::vector<Json> values;
    for (std::size_t i = below(3); i > 0; --i) values.push_back(value_of(key));
    if (below(9) == 0) values.push_back(Json::number("3"));
    return kube::make_object(arena_,
                             {{"key", Json::string(key)},
                              {"operator", Json::string(op)},
                              {"values", kube::make_array(arena_, std::span<const Json>(values))}});
  }
  std::string_view one_key() { return kKeys[below(std::size(kKeys))]; }
  std::string_view one_operator() { return kOperators[below(std::size(kOperators))]; }

 private:
  Json term() {
    std::vector<Json> expressions;
    for (std::size_t i = below(3); i > 0; --i) {
      expressions.push_back(requirement(one_key(), one_operator()));
    }
    const Json out = kube::make_object(
        arena_,
        {{"matchExpressions", kube::make_array(arena_, std::span<const Json>(expressions))}});
    if (below(5) > 0) return out;
    const Json field = kube::make_object(
        arena_, {{"key", Json::string(below(4) == 0 ? "metadata.uid" : "metadata.name")},
                 {"operator", Json::string(one_operator())},
                 {"values", kube::make_array(arena_, {Json::string(one_node().name)})}});
    return kube::with_member(arena_, out, "matchFields", kube::make_array(arena_, {field}));
  }

  Json value_of(std::string_view key) {
    const Json value = one_node().labels[key];
    return value.is_string() ? value : Json::string("3");
  }
  const Node& one_node() { return snapshot_.nodes()[below(snapshot_.nodes().size())]; }
  std::size_t below(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_);
  }

  const Snapshot& snapshot_;
  base::Arena& arena_;
  std::mt19937 random_;
};

TEST(NodeIndex, AdmitsWhatEachNodeAloneAdmits) {
  const auto snapshot = lab();
  const NodeIndex& index = snapshot->index();
  base::Arena arena;
  RandomTerms random(*snapshot, arena, 7);
  std::size_t admitted = 0;
  for (int round = 0; round < 3000; ++round) {
    const Json spec = random.spec();
    const NodeSet nodes = index.admitted(spec);
    for (std::size_t i = 0; i < snapshot->nodes().size(); ++i) {
      const Node& node = snapshot->nodes()[i];
      const bool alone = kube::node_affinity_matches(spec, node.labels, node.name);
      ASSERT_EQ(nodes.contains(i), alone) << node.name << " " << kube::to_json(spec);
      admitted += alone ? 1 : 0;
    }
  }
  EXPECT_GT(admitted, 1000u);
}

TEST(NodeIndex, MeetsARequirementWhereEachNodeAloneMeetsIt) {
  const auto snapshot = lab();
  base::Arena arena;
  RandomTerms random(*snapshot, arena, 11);
  for (int round = 0; round < 2000; ++round) {
    const Json requirement = random.requirement(random.one_key(), random.one_operator());
    const NodeSet nodes = snapshot->index().meeting(requirement);
    for (std::size_t i = 0; i < snapshot->nodes().size(); ++i) {
      ASSERT_EQ(nodes.contains(i),
                kube::requirement_matches(requirement, snapshot->nodes()[i].labels))
          << snapshot->nodes()[i].name << " " << kube::to_json(requirement);
    }
  }
}

TEST(NodeIndex, ToleratesWhatEachNodeAloneTolerates) {
  const auto snapshot = lab();
  base::Arena arena;
  const char* lists[] = {R"([])", R"([{"operator":"Exists"}])",
                         R"([{"key":"nvidia.com/gpu","operator":"Exists"}])",
                         R"([{"key":"nvidia.com/gpu","operator":"Exists","effect":"NoSchedule"},
                             {"key":"lab.example.com/pool","value":"gpu"}])"};
  for (const char* text : lists) {
    const Json list = kube::parse_json(text, arena).value();
    const NodeSet one = snapshot->index().tolerated(list, Json());
    EXPECT_EQ(one, snapshot->index().tolerated(Json(), list)) << text;
    for (std::size_t i = 0; i < snapshot->nodes().size(); ++i) {
      EXPECT_EQ(one.contains(i), kube::tolerates_all(list, snapshot->nodes()[i].taints))
          << snapshot->nodes()[i].name << " " << text;
    }
  }
}

TEST(NodeIndex, GroupsEveryNodeByItsCardOnce) {
  const auto snapshot = lab();
  NodeSet seen = snapshot->index().none();
  std::size_t count = 0;
  for (const CardGroup& group : snapshot->index().cards()) {
    seen.insert(group.nodes);
    count += group.nodes.size();
    for (const std::int32_t i : group.nodes) {
      const Node& node = snapshot->nodes()[static_cast<std::size_t>(i)];
      EXPECT_EQ(node.product_label, group.sample->product_label);
      EXPECT_EQ(node.vendor, group.sample->vendor);
    }
  }
  EXPECT_EQ(count, snapshot->nodes().size());
  EXPECT_EQ(seen, snapshot->index().all());
}

TEST(NodeSet, ComplementKeepsToItsSize) {
  for (const std::size_t size : {0u, 1u, 63u, 64u, 65u, 130u}) {
    NodeSet set(size);
    set.complement();
    std::size_t count = 0;
    set.for_each([&](std::size_t i) {
      EXPECT_LT(i, size);
      ++count;
    });
    EXPECT_EQ(count, size);
    set.complement();
    EXPECT_TRUE(set.empty());
  }
}

}  // namespace
}  // namespace berth::topology
