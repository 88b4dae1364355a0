#include "topology/capacity.h"

#include <algorithm>
#include <map>
#include <random>

#include "tests/topology/clusters.h"

namespace berth::topology {
namespace {

// A demand with the texts that it points into.
class Wish {
 public:
  Wish(std::int64_t gpus, std::int64_t pods, const std::string& spec = "{}",
       const std::string& extra = "[]") {
    demand.gpus = gpus;
    demand.pods = pods;
    demand.pod_spec = parse(spec);
    demand.extra_tolerations = parse(extra);
  }

  Demand demand;

 private:
  kube::Json parse(const std::string& text) {
    const auto json = kube::parse_json(text, arena_);
    EXPECT_TRUE(json.has_value()) << text;
    return json ? *json : kube::Json();
  }
  base::Arena arena_;
};

const char kTolerant[] = R"({"tolerations":[{"key":"nvidia.com/gpu","operator":"Exists"}]})";
const char kTolerantAmd[] = R"({"tolerations":[{"key":"amd.com/gpu","operator":"Exists"}]})";

std::string gpu_node(const std::string& name, int gpus, const std::string& labels = "",
                     const std::string& spec = "{}", int pods = 110) {
  return "- {apiVersion: v1, kind: Node, metadata: {name: " + name +
         ", labels: {kubernetes.io/hostname: " + name + (labels.empty() ? "" : ", " + labels) +
         "}}, spec: " + spec + ", status: {allocatable: {pods: '" + std::to_string(pods) +
         "', nvidia.com/gpu: '" + std::to_string(gpus) +
         "'}, conditions: [{type: Ready, status: 'True'}]}}\n";
}

std::shared_ptr<const Snapshot> cluster(const std::string& items) {
  return snapshot_of("apiVersion: v1\nkind: List\nitems:\n" + items, lab_options());
}

constexpr std::size_t kNode = 0;
constexpr std::size_t kNvlink = 1;
constexpr std::size_t kRack = 2;
constexpr std::size_t kBlock = 3;
constexpr std::size_t kZone = 4;

std::string pod_with(const std::string& node, int gpus) {
  return "- {apiVersion: v1, kind: Pod, metadata: {name: on-" + node +
         ", namespace: t}, spec: {nodeName: " + node +
         ", containers: [{name: m, resources: {limits: {nvidia.com/gpu: " + std::to_string(gpus) +
         "}}}]}}\n";
}

// ---------------------------------------------------------------- the cases about room

TEST(Capacity, LeavesOutNodesThatCannotTakeThePod) {
  const std::string rack =
      "lab.example.com/rack: r3, nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3";
  const std::string agent =
      "- {apiVersion: v1, kind: Pod, metadata: {name: agent, namespace: t}, spec: {nodeName: n4, "
      "containers: [{name: m}]}, status: {phase: Running}}\n";
  const auto some = cluster(
      gpu_node("n1", 8, rack) + gpu_node("n2", 8, rack, "{unschedulable: true}") +
      gpu_node("n3", 8, rack, "{taints: [{key: lab.example.com/repair, effect: NoSchedule}]}") +
      gpu_node("n4", 8, rack, "{}", 1) + agent);
  EXPECT_FALSE(Capacity(*some, Wish(8, 4).demand).fits(kRack));
  EXPECT_FALSE(Capacity(*some, Wish(8, 2).demand).fits(kRack));
  EXPECT_TRUE(Capacity(*some, Wish(8, 1).demand).fits(kRack)) << "one usable node is left";
  EXPECT_EQ(Capacity(*some, Wish(8, 1).demand).free(), 8);

  const auto all = cluster(gpu_node("n1", 8, rack) + gpu_node("n2", 8, rack) +
                           gpu_node("n3", 8, rack) + gpu_node("n4", 8, rack));
  EXPECT_TRUE(Capacity(*all, Wish(8, 4).demand).fits(kRack));

  const auto full = cluster(gpu_node("n1", 8, rack) + gpu_node("n2", 8, rack) +
                            gpu_node("n3", 8, rack) + gpu_node("n4", 8, rack, "{}", 1) + agent);
  const Capacity at_limit(*full, Wish(8, 4).demand);
  EXPECT_FALSE(at_limit.fits(kRack)) << "a node at its pod limit has GPUs that no pod can use";
  const auto rooms = at_limit.domains(kRack);
  ASSERT_EQ(rooms.size(), 1U);
  EXPECT_FALSE(rooms[0].fits_now);
  EXPECT_TRUE(rooms[0].fits_ever);
}

TEST(Capacity, CountsNodeByNodeAndNotInSum) {
  std::string scattered;
  for (int i = 1; i <= 8; ++i) {
    scattered += gpu_node("q1-" + std::to_string(i), 1, "lab.example.com/rack: q1");
  }
  const auto ones = cluster(scattered);
  const Capacity of_ones(*ones, Wish(8, 1).demand);
  EXPECT_FALSE(of_ones.fits(kRack));
  EXPECT_EQ(of_ones.largest_free(kRack), 8) << "the sum alone says 8";
  EXPECT_TRUE(Capacity(*ones, Wish(1, 8).demand).fits(kRack));

  const auto mixed = cluster(scattered + gpu_node("q2-1", 8, "lab.example.com/rack: q2"));
  EXPECT_TRUE(Capacity(*mixed, Wish(8, 1).demand).fits(kRack));
}

TEST(Capacity, NeverTakesSharesForCards) {
  const auto shared = cluster(gpu_node("ts-1", 4,
                                       "nvidia.com/gpu.product: NVIDIA-L4-SHARED, "
                                       "nvidia.com/gpu.count: '1', nvidia.com/gpu.replicas: '4', "
                                       "nvidia.com/gpu.sharing-strategy: time-slicing"));
  const Capacity capacity(*shared, Wish(2, 1).demand);
  EXPECT_FALSE(capacity.fits(kNode));
  EXPECT_EQ(capacity.free(), 0);
  EXPECT_EQ(capacity.usable().size(), 1U) << "the node itself is well";
}

TEST(Capacity, GivesAHostPortANodeOfItsOwn) {
  const auto snapshot = lab();
  const std::string tolerations = R"("tolerations":[{"key":"nvidia.com/gpu","operator":"Exists"}])";
  const std::string port =
      R"({"hostNetwork":true,)" + tolerations +
      R"(,"containers":[{"ports":[{"containerPort":29500,"hostPort":29500}]}]})";
  const std::string host = R"({"hostNetwork":true,)" + tolerations +
                           R"(,"containers":[{"ports":[{"containerPort":29500}]}]})";
  const std::string none =
      "{" + tolerations + R"(,"containers":[{"ports":[{"containerPort":29500}]}]})";
  EXPECT_FALSE(Capacity(*snapshot, Wish(2, 4, port).demand).fits(kNode));
  EXPECT_FALSE(Capacity(*snapshot, Wish(2, 4, host).demand).fits(kNode))
      << "on the host's network every port is one of the host";
  EXPECT_TRUE(Capacity(*snapshot, Wish(2, 4, none).demand).fits(kNode));
  EXPECT_TRUE(Capacity(*snapshot, Wish(2, 4, port).demand).fits(kRack)) << "four nodes of one rack";
}

// ---------------------------------------------------------------- the lab

TEST(Capacity, AgreesWithTheLab) {
  const auto snapshot = lab();
  const Capacity capacity(*snapshot, Wish(8, 4, kTolerant).demand);
  // H100: r1 8+8+8+4, r2 8+8+2+0, r3 three of four; GB200: 18 and 9 nodes of 4; A100: 1 on each
  // mixed node; L40S: 4 and 1. Spot nodes have a taint of their own, AMD's another key.
  EXPECT_EQ(capacity.free("H100"), 28 + 18 + 24);
  EXPECT_EQ(capacity.free("GB200"), 108);
  EXPECT_EQ(capacity.free("A100"), 2);
  EXPECT_EQ(capacity.free("L40S"), 5);
  EXPECT_EQ(capacity.free("L4"), 0);
  EXPECT_EQ(capacity.free(), 28 + 18 + 24 + 108 + 2 + 5);
  EXPECT_EQ(capacity.largest_free(kNode), 8);
  EXPECT_EQ(capacity.largest_free(kNvlink), 72);
  EXPECT_EQ(capacity.largest_free(kRack), 72);
  EXPECT_EQ(capacity.largest_free(kBlock), 108);
  EXPECT_EQ(capacity.largest_node(), 8);
  EXPECT_FALSE(capacity.fits(kRack)) << "no rack has four empty nodes of 8";
  EXPECT_TRUE(capacity.fits(kBlock)) << "block b1 has five";
  EXPECT_TRUE(capacity.fits(kZone));
  EXPECT_TRUE(Capacity(*snapshot, Wish(8, 3, kTolerant).demand).fits(kRack));
  EXPECT_FALSE(Capacity(*snapshot, Wish(8, 3, kTolerant).demand).fits(kRack, "GB200"));
  EXPECT_TRUE(Capacity(*snapshot, Wish(4, 18, kTolerant).demand).fits(kNvlink));
  EXPECT_FALSE(Capacity(*snapshot, Wish(4, 19, kTolerant).demand).fits(kNvlink));
  EXPECT_EQ(capacity.products(),
            (std::vector<std::string_view>{"A100", "GB200", "H100", "L4", "L40S"}));
}

TEST(Capacity, CountsFreeSlicesOfTheLab) {
  const auto snapshot = lab();
  const Capacity capacity(*snapshot, Wish(1, 1, kTolerant).demand);
  EXPECT_EQ(capacity.mig_profiles(),
            (std::vector<std::string_view>{"1g.10gb", "2g.20gb", "3g.40gb"}));
  EXPECT_EQ(capacity.mig_free("1g.10gb"), 10) << "not those that go by the name of a whole GPU";
  EXPECT_EQ(capacity.mig_free("2g.20gb"), 4) << "not those of the node in change";
  EXPECT_EQ(capacity.mig_free("3g.40gb"), 0);
  EXPECT_EQ(capacity.mig_free("1g.5gb"), 0);
  EXPECT_TRUE(Capacity(*snapshot, Wish(1, 1).demand).mig_profiles().empty()) << "tainted";
}

TEST(Capacity, CountsTolerationsThatRulesAdd) {
  const auto snapshot = lab();
  EXPECT_EQ(Capacity(*snapshot, Wish(1, 1).demand).free(), 0);
  const std::string extra = R"([{"key":"nvidia.com/gpu","operator":"Exists"},
                                {"key":"lab.example.com/spot","operator":"Exists"}])";
  EXPECT_EQ(Capacity(*snapshot, Wish(1, 1, "{}", extra).demand).free("A100-40GB"), 16);
}

TEST(Capacity, NarrowsByVendorProductSelectorAndName) {
  const auto snapshot = lab();
  Wish amd(8, 1, kTolerantAmd);
  amd.demand.vendor = "amd";
  EXPECT_EQ(Capacity(*snapshot, amd.demand).free(), 8);
  Wish nvidia(8, 1, kTolerant);
  nvidia.demand.vendor = "nvidia";
  EXPECT_EQ(Capacity(*snapshot, nvidia.demand).products().size(), 5U);
  Wish product(8, 1, kTolerant);
  product.demand.product = "h100";
  EXPECT_EQ(Capacity(*snapshot, product.demand).free(), 70) << "letter case does not matter";
  const std::string tolerations = R"("tolerations":[{"operator":"Exists"}])";
  Wish arch(4, 1, R"({"nodeSelector":{"kubernetes.io/arch":"arm64"},)" + tolerations + "}");
  EXPECT_EQ(Capacity(*snapshot, arch.demand).free(), 108);
  Wish terms(4, 1,
             R"({"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":
      {"nodeSelectorTerms":[{"matchExpressions":[{"key":"lab.example.com/rack","operator":"In",
      "values":["r1"]}]}]}}},)" +
                 tolerations + "}");
  EXPECT_EQ(Capacity(*snapshot, terms.demand).free(), 28);
  Wish bound(4, 1, R"({"nodeName":"h100-r1-4",)" + tolerations + "}");
  EXPECT_EQ(Capacity(*snapshot, bound.demand).free(), 4);
}

TEST(Capacity, DescribesTheDomainsOfALevel) {
  const auto snapshot = lab();
  std::string text;
  for (const DomainRoom& room : Capacity(*snapshot, Wish(8, 3, kTolerant).demand).domains(kRack)) {
    text += std::string(room.name) + " " + std::to_string(room.free) + "/" +
            std::to_string(room.total) + " on " + std::to_string(room.nodes) + " " +
            (room.fits_now    ? "now"
             : room.fits_ever ? "ever"
                              : "never");
    for (const std::string_view product : room.products) text += " " + std::string(product);
    text += "\n";
  }
  EXPECT_EQ(text,
            "r1 28/32 on 4 now H100\n"
            "r2 18/32 on 4 ever H100\n"
            "r3 24/24 on 3 now H100\n"
            "r5 72/72 on 18 never GB200\n"
            "r6 36/72 on 18 never GB200\n"
            "r7 2/8 on 4 never A100\n");
}

TEST(Capacity, AnswersWithoutGpus) {
  const auto snapshot = lab();
  const Capacity cpu(*snapshot, Wish(0, 100).demand);
  EXPECT_EQ(cpu.usable().size(), 6U) << "the nodes without taints";
  EXPECT_TRUE(cpu.fits(kNode)) << "110 pods a node";
  EXPECT_FALSE(Capacity(*snapshot, Wish(0, 111).demand).fits(kNode));
  EXPECT_TRUE(Capacity(*snapshot, Wish(0, 111).demand).fits(kZone));
}

TEST(Capacity, AnswersOnAnEmptyPicture) {
  const auto nothing = snapshot_of("", lab_options());
  const Capacity capacity(*nothing, Wish(8, 1).demand);
  EXPECT_FALSE(capacity.fits(kRack));
  EXPECT_EQ(capacity.free(), 0);
  EXPECT_EQ(capacity.largest_free(kRack), 0);
  EXPECT_TRUE(capacity.domains(kRack).empty());
  EXPECT_TRUE(capacity.products().empty());
}

// ---------------------------------------------------------------- names of products

struct NameRow {
  const char* label;
  std::int64_t mib;
  const char* name;
  bool is;
};

TEST(Capacity, MatchesProductsByFamilyLabelAndNarrowerName) {
  const NameRow rows[] = {
      {"NVIDIA-H100-80GB-HBM3", 81559, "H100", true},
      {"NVIDIA-H100-80GB-HBM3", 81559, "h100", true},
      {"NVIDIA-H100-80GB-HBM3", 81559, "NVIDIA-H100-80GB-HBM3", true},
      {"NVIDIA-H100-80GB-HBM3", 81559, "H100-80GB", true},
      {"NVIDIA-H100-80GB-HBM3", 81559, "H100-NVL", false},
      {"NVIDIA-H100-NVL", 95830, "H100-NVL", true},
      {"NVIDIA-A100-SXM4-80GB", 81920, "A100-80GB", true},
      {"NVIDIA-A100-80GB-PCIe", 81920, "A100-80GB", true},
      {"NVIDIA-A100-SXM4-40GB", 40960, "A100-80GB", false},
      {"nvidia-tesla-a100", 40960, "A100-40GB", true},
      {"NVIDIA-A100-SXM4-80GB-MIG-1g.10gb", 81920, "A100", true},
      {"NVIDIA-L4-SHARED", 23034, "NVIDIA-L4", true},
      {"NVIDIA-L40S", 46068, "L40", false},
      {"NVIDIA-H200-NVL", 143771, "NVIDIA-H200", false},
      {"NVIDIA-H200-NVL", 143771, "H200", true},
      {"NVIDIA-GeForce-RTX-4090", 24564, "NVIDIA-GeForce-RTX-4090", true},
      {"NVIDIA-H100-80GB-HBM3", 81559, "80GB", false},
      {"NVIDIA-H100-80GB-HBM3", 81559, "", false},
  };
  for (const NameRow& row : rows) {
    Node node;
    node.vendor = "nvidia";
    node.product_label = row.label;
    node.memory_mib = row.mib;
    const NodeList nodes({std::make_shared<const Node>(node)});
    const NodeIndex index(nodes);
    EXPECT_EQ(index.cards()[0].is(ProductName(row.name)), row.is) << row.label << " " << row.name;
  }
}

// ---------------------------------------------------------------- slow twin

// A node in the twin's own words.
struct TwinNode {
  std::string name;
  std::string rack;
  int gpus = 0;
  int used = 0;
  int pod_limit = 0;
  int pods = 0;
  bool cordoned = false;
  bool tainted = false;
  bool red = false;
};

struct TwinWish {
  int gpus = 0;
  int pods = 0;
  bool tolerates = false;
  bool wants_red = false;
  bool host_port = false;
};

bool may_run(const TwinNode& node, const TwinWish& wish) {
  return !node.cordoned && (!node.tainted || wish.tolerates) && (!wish.wants_red || node.red);
}

// Puts pods on nodes one by one until none goes anywhere.
int place_one_by_one(std::vector<TwinNode> nodes, const TwinWish& wish) {
  std::map<std::string, bool> port_taken;
  int placed = 0;
  for (bool moved = true; moved && placed < wish.pods;) {
    moved = false;
    for (TwinNode& node : nodes) {
      if (placed == wish.pods || !may_run(node, wish)) continue;
      if (node.pods >= node.pod_limit || node.gpus - node.used < wish.gpus) continue;
      if (wish.host_port && port_taken[node.name]) continue;
      node.pods += 1;
      node.used += wish.gpus;
      port_taken[node.name] = true;
      placed += 1;
      moved = true;
    }
  }
  return placed;
}

std::string text_of(const TwinNode& node) {
  std::string labels = "lab.example.com/rack: " + node.rack;
  if (node.red) labels += ", colour: red";
  std::string spec = node.cordoned ? "{unschedulable: true" : "{unschedulable: false";
  spec += node.tainted ? ", taints: [{key: t, effect: NoSchedule}]}" : "}";
  std::string out = gpu_node(node.name, node.gpus, labels, spec, node.pod_limit);
  for (int i = 0; i < node.pods; ++i) {
    out += "- {apiVersion: v1, kind: Pod, metadata: {name: " + node.name + "-" + std::to_string(i) +
           ", namespace: t}, spec: {nodeName: " + node.name +
           ", containers: [{name: c, resources: {requests: {nvidia.com/gpu: '" +
           std::to_string(i == 0 ? node.used : 0) + "'}}}]}}\n";
  }
  return out;
}

class Dice {
 public:
  int upto(int most) { return std::uniform_int_distribution<int>(0, most)(engine_); }
  bool one_in(int n) { return upto(n - 1) == 0; }

 private:
  std::mt19937 engine_{20260821};
};

TwinNode throw_node(Dice& dice, int index) {
  TwinNode node;
  node.name = "n" + std::to_string(index);
  node.rack = "r" + std::to_string(dice.upto(3));
  node.gpus = dice.upto(8);
  node.pod_limit = 1 + dice.upto(5);
  node.pods = dice.upto(node.pod_limit);
  node.used = node.pods == 0 ? 0 : dice.upto(node.gpus);
  node.cordoned = dice.one_in(8);
  node.tainted = dice.one_in(3);
  node.red = dice.one_in(2);
  return node;
}

void expect_sums(const DomainRoom& room, const std::vector<TwinNode>& members,
                 const TwinWish& wish) {
  TwinWish without_end = wish;
  without_end.pods = 1'000;
  EXPECT_EQ(room.places, place_one_by_one(members, without_end));
  int nodes = 0;
  int free = 0;
  int total = 0;
  for (const TwinNode& node : members) {
    if (!may_run(node, wish) || node.pods >= node.pod_limit) continue;
    nodes += 1;
    free += node.gpus - node.used;
    total += node.gpus;
  }
  EXPECT_EQ(room.nodes, nodes);
  EXPECT_EQ(room.free, free);
  EXPECT_EQ(room.total, total);
}

TEST(Capacity, AgreesWithPlacingPodsOneByOne) {
  Dice dice;
  for (int round = 0; round < 300; ++round) {
    std::vector<TwinNode> nodes;
    std::string items;
    const int count = 1 + dice.upto(11);
    for (int i = 0; i < count; ++i) {
      nodes.push_back(throw_node(dice, i));
      items += text_of(nodes.back());
    }
    const auto snapshot = cluster(items);
    TwinWish wish{1 + dice.upto(4), 1 + dice.upto(6), dice.one_in(2), dice.one_in(3),
                  dice.one_in(4)};
    const Wish real(wish.gpus, wish.pods,
                    std::string(R"({"nodeSelector":{)") +
                        (wish.wants_red ? R"("colour":"red")" : "") + R"(},"tolerations":[)" +
                        (wish.tolerates ? R"({"key":"t","operator":"Exists"})" : "") +
                        R"(],"containers":[{"ports":[{"containerPort":80)" +
                        (wish.host_port ? R"(,"hostPort":80)" : "") + "}]}]}");
    const Capacity capacity(*snapshot, real.demand);
    std::map<std::string, std::vector<TwinNode>> racks;
    int free = 0;
    for (const TwinNode& node : nodes) {
      racks[node.rack].push_back(node);
      if (may_run(node, wish) && node.pods < node.pod_limit) free += node.gpus - node.used;
    }
    bool fits = false;
    for (const auto& [name, members] : racks) {
      fits = fits || place_one_by_one(members, wish) == wish.pods;
    }
    ASSERT_EQ(capacity.fits(kRack), fits) << "round " << round << "\n" << items;
    ASSERT_EQ(capacity.free(), free) << "round " << round << "\n" << items;
    for (const DomainRoom& room : capacity.domains(kRack)) {
      const auto& members = racks[std::string(room.name)];
      ASSERT_EQ(room.fits_now, place_one_by_one(members, wish) == wish.pods) << "round " << round;
      expect_sums(room, members, wish);
      std::vector<TwinNode> emptied = members;
      for (TwinNode& node : emptied) node.used = node.pods = 0;
      ASSERT_EQ(room.fits_ever, place_one_by_one(emptied, wish) == wish.pods) << "round " << round;
    }
  }
}

TEST(Capacity, SaysWhatAWorkloadLeavesUnusableOfWholeNodes) {
  const auto rack = [](const char* name) { return std::string("lab.example.com/rack: ") + name; };
  const auto some =
      cluster(gpu_node("a1", 8, rack("a")) + gpu_node("a2", 8, rack("a")) +  // idle
              gpu_node("b1", 8, rack("b")) + gpu_node("b2", 8, rack("b")) + pod_with("b1", 2) +
              gpu_node("c1", 4, rack("c")) + gpu_node("c2", 4, rack("c")));  // idle and small
  struct Case {
    int gpus;
    int pods;
    std::vector<std::int64_t> splinters;
    const char* why;
  };
  const Case cases[] = {
      {8, 1, {0, 0, 0}, "whole nodes; none of c takes it"},
      {4, 1, {4, 0, 0}, "half a node of a; beside another on b1; a whole small node"},
      {4, 2, {0, 4, 0}, "b1 takes one of them"},
      {1, 6, {2, 0, 2}, "b1 takes all; two small nodes"},
      {3, 5, {4, 2, 2}, "as many as there is room for: 4 in a, 2 beside and 2 in b, 2 in c"},
      {0, 3, {0, 0, 0}, "no GPUs"},
  };
  for (const Case& one : cases) {
    for (const char* spec : {"{}", R"({"containers":[{"ports":[{"hostPort":0}]}]})"}) {
      std::vector<std::int64_t> splinters;
      const Wish wish(one.gpus, one.pods, spec);
      for (const DomainRoom& room : Capacity(*some, wish.demand).domains(kRack))
        splinters.push_back(room.splinters);
      EXPECT_EQ(splinters, one.splinters) << one.why;
    }
  }
}

}  // namespace
}  // namespace berth::topology
