#include "fixtures.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules/resolve.h"

namespace berth::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::json_of;

LevelPlacement require(std::string level) {
  LevelPlacement out;
  out.require = std::move(level);
  return out;
}
LevelPlacement prefer(std::vector<std::string> levels) {
  LevelPlacement out;
  out.prefer = std::move(levels);
  return out;
}
LevelPlacement narrowest(std::vector<std::string> levels) {
  LevelPlacement out;
  out.narrowest = std::move(levels);
  return out;
}

class ResolvePlacement : public ::testing::Test {
 protected:
  void resolve_one(SlotKind kind, ActionValue value, const Subject& subject,
                   const topology::Snapshot& cluster) {
    rule_.id = "t/a";
    assignment_ = testing::assign(kind, "", std::move(value));
    decision_ = {};
    decision_.settings.push_back({&assignment_, &rule_, {}, {}, {}});
    subject_ = subject;
    facts_ = observe(subject_, testing::request_in("team-nlp"), cluster, {});
    resolve(subject_, facts_, cluster, arena_, decision_);
  }
  /// The answer for a pod of `gpus`, one of `pods`.
  const LevelAnswer& level(const LevelPlacement& wish, int gpus, int pods,
                           std::string_view more = "") {
    resolve_one(SlotKind::kPlacement, wish, pod(gpus, pods, more), *cluster_);
    return std::get<LevelAnswer>(decision_.settings[0].answer);
  }
  const LevelAnswer& level_of_job(const LevelPlacement& wish, int gpus, int pods) {
    const Subject subject = testing::owner_subject(json_of(
        "{apiVersion: batch/v1, kind: Job, metadata: {name: train}, spec: {parallelism: " +
            std::to_string(pods) + ", completions: " + std::to_string(pods) +
            ", template: {spec: {containers: [{name: main, resources: {limits: {nvidia.com/gpu: " +
            std::to_string(gpus) + "}}}]}}}}",
        arena_));
    resolve_one(SlotKind::kPlacement, wish, subject, *cluster_);
    return std::get<LevelAnswer>(decision_.settings[0].answer);
  }
  const ProductAnswer& products(SlotKind kind, std::vector<std::string> names,
                                std::string_view more = "") {
    resolve_one(kind, Products{std::move(names)}, pod(1, 1, more), *cluster_);
    return std::get<ProductAnswer>(decision_.settings[0].answer);
  }
  Subject pod(int gpus, int pods, std::string_view more) {
    return testing::pod_subject(
        json_of("{metadata: {labels: {berth.dev/gang-size: '" + std::to_string(pods) +
                    "'}}, spec: {containers: [{name: main, resources: {limits: {nvidia.com/gpu: " +
                    std::to_string(gpus) + "}}}]" + std::string(more) + "}}",
                arena_));
  }
  std::vector<std::string> warnings() const {
    std::vector<std::string> out;
    for (const Message& message : decision_.warnings) out.push_back(message.text);
    return out;
  }
  static std::vector<std::string> texts(const std::vector<LabelValues>& list) {
    std::vector<std::string> out;
    for (const LabelValues& one : list) {
      std::string text(one.label);
      for (const std::string_view value : one.values) text += " " + std::string(value);
      if (one.weight > 0) text += " *" + std::to_string(one.weight);
      out.push_back(text);
    }
    return out;
  }

  testing::Cluster cluster_ = testing::lab();
  base::Arena arena_;
  Rule rule_;
  Assignment assignment_;
  Decision decision_;
  Subject subject_;
  Facts facts_;
};

// Lab: r1 has 28 free GPUs of 32, r2 18 of 32, r3 24 of 24 (one node is cordoned); r5 and r6 are
// racks of 18 nodes of 4 GPUs, of which r6 has 9 free.

TEST_F(ResolvePlacement, ARequiredLevelLeavesOnlyDomainsThatCouldEverHoldIt) {
  const LevelAnswer& answer = level(require("rack"), 8, 4);
  EXPECT_TRUE(answer.required);
  EXPECT_TRUE(answer.together);
  EXPECT_EQ(answer.label, "lab.example.com/rack");
  EXPECT_THAT(texts(answer.require), ElementsAre("lab.example.com/rack r1 r2"));
  EXPECT_THAT(answer.prefer, IsEmpty());  // none has room now
  EXPECT_THAT(warnings(), IsEmpty());
}

TEST_F(ResolvePlacement, DomainsWithRoomAreRankedTheTightestFirst) {
  const LevelAnswer& answer = level(require("rack"), 8, 2);
  EXPECT_THAT(texts(answer.require), ElementsAre("lab.example.com/rack r1 r2 r3"));
  EXPECT_THAT(texts(answer.prefer),
              ElementsAre("lab.example.com/rack r2 *100", "lab.example.com/rack r1 r3 *90"));
}

// Racks of two nodes of 8: in `a` both are idle, in `b` one is and one has 4 free, in `c` none is
// and both have 3 free, in `d` one is idle and the other full.
testing::Cluster cluster_in_use() {
  struct OneNode {
    const char* name;
    int used;
  };
  std::string items = "apiVersion: v1\nkind: List\nitems:\n";
  for (const OneNode node : {OneNode{"a1", 0},
                             {"a2", 0},
                             {"b1", 0},
                             {"b2", 4},
                             {"c1", 5},
                             {"c2", 5},
                             {"d1", 0},
                             {"d2", 8}}) {
    const std::string name = node.name;
    items += "- {apiVersion: v1, kind: Node, metadata: {name: " + name +
             ", labels: {kubernetes.io/hostname: " + name +
             ", lab.example.com/rack: " + name.substr(0, 1) +
             "}}, status: {allocatable: {pods: '110', nvidia.com/gpu: '8'}, conditions: "
             "[{type: Ready, status: 'True'}]}}\n";
    if (node.used == 0) continue;
    items += "- {apiVersion: v1, kind: Pod, metadata: {name: on-" + name +
             ", namespace: t}, spec: {nodeName: " + name +
             ", containers: [{name: m, resources: {limits: {nvidia.com/gpu: " +
             std::to_string(node.used) + "}}}]}}\n";
  }
  topology::BuildOptions options;
  options.levels = {{"node", {"kubernetes.io/hostname"}}, {"rack", {"lab.example.com/rack"}}};
  return testing::cluster_of({items}, options);
}

TEST_F(ResolvePlacement, SmallPodsAreSteeredBesideOthersAndLargeOnesToWhereLeastIsLeft) {
  cluster_ = cluster_in_use();
  struct Case {
    LevelPlacement wish;
    int gpus;
    int pods;
    std::vector<std::string> prefer;
    const char* why;
  };
  const Case cases[] = {
      {narrowest({"node"}),
       1,
       1,
       {"kubernetes.io/hostname c1 c2 *100", "kubernetes.io/hostname b2 *90",
        "kubernetes.io/hostname a1 a2 b1 d1 *80"},
       "one GPU: nodes in use, those with least free first"},
      {narrowest({"node"}),
       4,
       1,
       {"kubernetes.io/hostname b2 *100", "kubernetes.io/hostname a1 a2 b1 d1 *80"},
       "half a node: the one half free"},
      {narrowest({"node"}),
       8,
       1,
       {"kubernetes.io/hostname a1 a2 b1 d1 *100"},
       "a whole node: idle ones, all alike"},
      {narrowest({"rack"}),
       1,
       4,
       {"lab.example.com/rack c *100", "lab.example.com/rack b *90",
        "lab.example.com/rack a d *80"},
       "four of one GPU"},
      {narrowest({"rack"}),
       8,
       1,
       {"lab.example.com/rack d *100", "lab.example.com/rack a b *90"},
       "a whole node: the rack without room for anything else"},
      {prefer({"rack"}), 8, 2, {"lab.example.com/rack a *100"}, "two whole nodes"},
      {require("rack"),
       3,
       2,
       {"lab.example.com/rack c *100", "lab.example.com/rack a b d *80"},
       "c has exactly that; elsewhere a node is begun"},
  };
  for (const Case& one : cases) {
    EXPECT_THAT(texts(level(one.wish, one.gpus, one.pods).prefer),
                ::testing::ElementsAreArray(one.prefer))
        << one.why;
  }
}

TEST_F(ResolvePlacement, ALevelThatCanNeverHoldItIsSaid) {
  const LevelAnswer& answer = level(require("rack"), 8, 32);
  EXPECT_TRUE(answer.required);
  EXPECT_THAT(answer.require, IsEmpty());
  EXPECT_THAT(warnings(), ElementsAre("no rack can ever hold 32 pods of 8 GPUs (most: 4 pods)"));
  level(require("nvlink"), 8, 2);  // 72 GPUs in each, on nodes of 4
  EXPECT_THAT(warnings(), ElementsAre("no nvlink can ever hold 2 pods of 8 GPUs: no node in it "
                                      "holds a pod of 8 GPUs"));
}

TEST_F(ResolvePlacement, OnePodIsInOneDomainAnyway) {
  const LevelAnswer& answer = level(require("rack"), 8, 1);
  EXPECT_FALSE(answer.together);
  EXPECT_THAT(answer.require, IsEmpty());
  EXPECT_EQ(answer.prefer.size(), 2U);
}

TEST_F(ResolvePlacement, PreferredLevelsAreRankedInTheirOrder) {
  const LevelAnswer& answer = level(prefer({"rack", "block"}), 8, 4);
  EXPECT_FALSE(answer.required);
  EXPECT_THAT(answer.require, IsEmpty());
  EXPECT_EQ(answer.level, "rack");
  EXPECT_EQ(answer.label, "lab.example.com/rack");
  // No rack has room for four pods of 8; block b1 (r1 and r2) has for five.
  EXPECT_THAT(texts(answer.prefer), ElementsAre("lab.example.com/block b1 *80"));
}

TEST_F(ResolvePlacement, TheNarrowestLevelWithRoomIsRequiredAtTheOwnersDoorOnly) {
  const LevelPlacement wish = narrowest({"nvlink", "rack", "block"});
  const LevelAnswer& at_pod = level(wish, 8, 3);
  EXPECT_EQ(at_pod.level, "rack");
  EXPECT_FALSE(at_pod.required);
  EXPECT_TRUE(at_pod.together);

  const LevelAnswer& at_owner = level_of_job(wish, 8, 3);
  EXPECT_EQ(at_owner.level, "rack");
  EXPECT_TRUE(at_owner.required);
  EXPECT_THAT(texts(at_owner.require), ElementsAre("lab.example.com/rack r1 r2 r3"));
  EXPECT_THAT(texts(at_owner.prefer),
              ElementsAre("lab.example.com/rack r3 *100", "lab.example.com/rack r1 *90"));
}

TEST_F(ResolvePlacement, AGangPrefersOneOfTheDomainsThatAreAlike) {
  cluster_ = cluster_in_use();
  EXPECT_THAT(texts(level_of_job(require("rack"), 3, 2).prefer),
              ElementsAre("lab.example.com/rack c *100", "lab.example.com/rack a b d *80"));
  EXPECT_THAT(texts(level_of_job(narrowest({"rack"}), 4, 2).prefer),
              ElementsAre("lab.example.com/rack d *100", "lab.example.com/rack a *90",
                          "lab.example.com/rack b *80"));
  EXPECT_THAT(
      texts(level_of_job(prefer({"node"}), 1, 3).prefer),
      ElementsAre("kubernetes.io/hostname c1 *100", "kubernetes.io/hostname c2 *95",
                  "kubernetes.io/hostname b2 *90", "kubernetes.io/hostname a1 a2 b1 d1 *80"));
  EXPECT_THAT(texts(level(prefer({"node"}), 1, 3).prefer),
              ElementsAre("kubernetes.io/hostname c1 c2 *100", "kubernetes.io/hostname b2 *90",
                          "kubernetes.io/hostname a1 a2 b1 d1 *80"))
      << "pods that come one by one are not booked for";
}

TEST_F(ResolvePlacement, WithoutRoomAnywhereTheLastLevelIsPreferred) {
  const LevelAnswer& answer = level_of_job(narrowest({"rack", "block"}), 8, 30);
  EXPECT_EQ(answer.level, "block");
  EXPECT_FALSE(answer.required);
  EXPECT_THAT(answer.prefer, IsEmpty());
}

TEST_F(ResolvePlacement, AnOldPictureRanksNothing) {
  topology::BuildOptions old;
  old.fresh = false;
  old.levels = {{"rack", {"lab.example.com/rack"}}};
  cluster_ = testing::cluster_of({testing::file_text("tests/data/cases/checks/lab.yaml")}, old);
  const LevelAnswer& narrow = level_of_job(narrowest({"rack"}), 8, 2);
  EXPECT_FALSE(narrow.required);
  EXPECT_THAT(narrow.prefer, IsEmpty());
  EXPECT_EQ(narrow.label, "lab.example.com/rack");
  EXPECT_THAT(level_of_job(require("rack"), 8, 2).require, IsEmpty());
}

TEST_F(ResolvePlacement, UnknownNodesLeaveOnlyStandardLabels) {
  cluster_ = testing::cluster_of({});
  EXPECT_EQ(level(prefer({"zone"}), 8, 2).label, "topology.kubernetes.io/zone");
  EXPECT_EQ(level(require("node"), 4, 2).label, "kubernetes.io/hostname");
  EXPECT_EQ(level(require("rack"), 8, 2).label, "");
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("nodes are not known")));
}

TEST_F(ResolvePlacement, SmallPodsOnOneNodeAreToldOfNvlink) {
  level_of_job(require("node"), 1, 8);
  EXPECT_THAT(warnings(),
              ElementsAre(HasSubstr("may not use NVLink between them; one pod with 8")));
}

TEST_F(ResolvePlacement, SpreadNamesTheLabelOfItsLevel) {
  resolve_one(SlotKind::kSpread, Spread{"zone"}, pod(1, 1, ""), *cluster_);
  EXPECT_EQ(std::get<LevelAnswer>(decision_.settings[0].answer).label,
            "topology.kubernetes.io/zone");
}

// ------------------------------------------------------------------ products

TEST_F(ResolvePlacement, ProductsAreTheLabelValuesOfThisCluster) {
  EXPECT_THAT(texts(products(SlotKind::kProducts, {"H100"}).choices),
              ElementsAre("nvidia.com/gpu.product NVIDIA-H100-80GB-HBM3"));
  // Whole A100 of both sizes; nodes cut into slices say A100, too, and are left out.
  EXPECT_THAT(texts(products(SlotKind::kProducts, {"A100"}).choices),
              ElementsAre("nvidia.com/gpu.product NVIDIA-A100-SXM4-40GB NVIDIA-A100-SXM4-80GB"));
  EXPECT_THAT(texts(products(SlotKind::kProducts, {"A100-80GB", "l40s"}).choices),
              ElementsAre("nvidia.com/gpu.product NVIDIA-A100-SXM4-80GB NVIDIA-L40S"));
  EXPECT_THAT(warnings(), IsEmpty());
}

TEST_F(ResolvePlacement, PreferredProductsAreRankedAsWritten) {
  EXPECT_THAT(texts(products(SlotKind::kPreferProducts, {"L40S", "B200", "H100"}).choices),
              ElementsAre("nvidia.com/gpu.product NVIDIA-L40S *100",
                          "nvidia.com/gpu.product NVIDIA-H100-80GB-HBM3 *60"));
}

TEST_F(ResolvePlacement, AProductThatNoNodeHasIsSaid) {
  EXPECT_THAT(texts(products(SlotKind::kProducts, {"B200"}).choices),
              ElementsAre("nvidia.com/gpu.product NVIDIA-B200"));
  EXPECT_THAT(warnings(), ElementsAre("no node is a B200; required by its usual label"));
}

TEST_F(ResolvePlacement, AProductThatTheAuthorsTermsLeaveNoNodeOfIsNotRequired) {
  const std::string_view small =
      ", affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
      "{nodeSelectorTerms: [{matchExpressions: [{key: nvidia.com/gpu.memory, operator: Lt, values: "
      "['50000']}]}]}}}";
  EXPECT_THAT(products(SlotKind::kProducts, {"H100"}, small).choices, IsEmpty());
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("no node is a H100 and meets the pod's own")));
  rule_.existing = Existing::kDeny;
  products(SlotKind::kProducts, {"H100"}, small);
  EXPECT_EQ(decision_.denials.size(), 1U);
  rule_.existing = Existing::kKeep;
  // A term that says so outright is found where affinities are merged.
  EXPECT_THAT(products(SlotKind::kProducts, {"H100"},
                       ", nodeSelector: {nvidia.com/gpu.product: NVIDIA-L40S}")
                  .choices,
              ::testing::SizeIs(1));
}

TEST_F(ResolvePlacement, LevelsCountOnlyNodesOfTheRequiredProducts) {
  rule_.id = "t/a";
  const Assignment of_products =
      testing::assign(SlotKind::kProducts, "", Products{{"L40S", "H100"}});
  assignment_ = testing::assign(SlotKind::kPlacement, "", prefer({"zone"}));
  decision_.settings.push_back({&of_products, &rule_, {}, {}, {}});
  decision_.settings.push_back({&assignment_, &rule_, {}, {}, {}});
  subject_ = pod(4, 2, "");
  facts_ = observe(subject_, testing::request_in("team-nlp"), *cluster_, {});
  resolve(subject_, facts_, *cluster_, arena_, decision_);
  // z2: 24 free on r3 and 5 on two L40S nodes; z1: 28 + 18 on r1 and r2, without A100 and GB200.
  // In z1 both pods have room beside others, in z2 one of them begins a node of 8.
  EXPECT_THAT(
      texts(std::get<LevelAnswer>(decision_.settings[1].answer).prefer),
      ElementsAre("topology.kubernetes.io/zone z1 *100", "topology.kubernetes.io/zone z2 *80"));
}

}  // namespace
}  // namespace berth::rules
