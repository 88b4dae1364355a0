#include "mutate/packing.h"

#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/mutate/fixture.h"

namespace berth::mutate {
namespace {

using rules::SlotKind;

constexpr std::string_view kPreferences =
    "/spec/affinity/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution";

std::string node(const std::string& name, int gpus, const std::string& labels = "",
                 const std::string& spec = "") {
  return "{'apiVersion':'v1','kind':'Node','metadata':{'name':'" + name +
         "','labels':{'kubernetes.io/hostname':'" + name + "','nvidia.com/gpu.product':'H100'" +
         labels + "}},'spec':{" + spec + "},'status':{'allocatable':{'nvidia.com/gpu':'" +
         std::to_string(gpus) +
         "','cpu':'96','memory':'1Ti','pods':'110'},'conditions':[{'type':'Ready','status':"
         "'True'}]}}";
}

std::string pod_on(const std::string& node, int gpus) {
  static int made = 0;
  return "{'apiVersion':'v1','kind':'Pod','metadata':{'namespace':'x','name':'p" +
         std::to_string(made++) + "'},'spec':{'nodeName':'" + node +
         "','containers':[{'name':'c','resources':{'limits':{'nvidia.com/gpu':'" +
         std::to_string(gpus) + "'}}}]}}";
}

Workbench& pack(Workbench& bench) {
  bench.facts().wants_gpu = true;
  bench.facts().vendor = "nvidia";
  return bench.matches_from(0).add(SlotKind::kPack, "", rules::Pack{true}, "");
}

// Host names with their weights, in order: "b 100, a 70".
std::string hint(const Workbench& bench) {
  base::Arena arena;
  std::string out;
  const std::string text = bench.at(kPreferences);
  if (text == "absent") return "";
  for (const kube::Json& term : kube::parse_json(text, arena).value().items()) {
    const kube::Json expression = term["preference"]["matchExpressions"].at(0);
    if (expression["key"].string_or_empty() != "kubernetes.io/hostname") continue;
    out += (out.empty() ? "" : ", ") + std::string(expression["values"].at(0).string_or_empty()) +
           " " + std::to_string(term["weight"].as_int().value_or(0));
  }
  return out;
}

std::string notes(const Workbench& bench) {
  std::string out;
  for (const rules::Message& note : bench.outcome().notes) out += note.text + "\n";
  return out;
}

// Three nodes with 8, 4 and 2 free GPUs.
Workbench& three_nodes(Workbench& bench) {
  bench.cluster(node("empty", 8)).cluster(node("half", 8)).cluster(node("full", 8));
  for (int i = 0; i < 4; ++i) bench.cluster(pod_on("half", 1));
  for (int i = 0; i < 6; ++i) bench.cluster(pod_on("full", 1));
  return bench;
}

TEST(Packing, NamesTheFullestNodesFirstWithFallingWeights) {
  Workbench bench(pod_with(""));
  pack(three_nodes(bench)).run();
  EXPECT_EQ(hint(bench), "full 100, half 70, empty 49");
  EXPECT_EQ(bench.outcome().nodes_named, 3u);
  EXPECT_TRUE(notes(bench).starts_with("3 nodes named: full (1 GPUs left")) << notes(bench);
}

std::string shared_node(const std::string& name, const std::string& resource) {
  return "{'apiVersion':'v1','kind':'Node','metadata':{'name':'" + name +
         "','labels':{'kubernetes.io/hostname':'" + name +
         "','nvidia.com/gpu.product':'H100','nvidia.com/gpu.count':'4','nvidia.com/gpu.replicas':"
         "'10'}},'status':{'allocatable':{'" +
         resource +
         "':'40','cpu':'96','memory':'1Ti','pods':'110'},'conditions':[{'type':'Ready'," +
         "'status':'True'}]}}";
}

std::string shares(const std::string& pod, int units) {
  return "{'apiVersion':'v1','kind':'Pod','metadata':{'namespace':'x','name':'s-" + pod +
         "'},'spec':{'nodeName':'" + pod +
         "','containers':[{'name':'c','resources':{'limits':{'nvidia.com/gpu.shared':'" +
         std::to_string(units) + "'}}}]}}";
}

TEST(Packing, NamesNodesForSharesOfGpus) {
  Workbench bench(
      pod_with("", "{'name':'main','resources':{'limits':{'nvidia.com/gpu.shared':'5'}}}"));
  for (const char* name : {"a", "b", "c"})
    bench.cluster(shared_node(name, "nvidia.com/gpu.shared"));
  bench.cluster(shares("b", 20)).cluster(shares("c", 38)).cluster(node("whole", 8));
  bench.cluster(shared_node("other", "nvidia.com/gpu"));
  pack(bench).run();
  EXPECT_EQ(hint(bench), "b 100, a 70") << "c is full, whole and other have no such resource";
  EXPECT_TRUE(notes(bench).starts_with("2 nodes named: b (1.5 GPUs left")) << notes(bench);
}

const char kTaint[] = "'taints':[{'key':'nvidia.com/gpu','effect':'NoSchedule'}]";
const char kTolerates[] = "'tolerations':[{'key':'nvidia.com/gpu','operator':'Exists'}],";

TEST(Packing, ARuleForGpuPodsAloneNamesNodesOnlyWhereOthersAreKeptAway) {
  Workbench open(pod_with(kTolerates));
  pack(open.cluster(node("a", 8))).matches_from(1).run();
  EXPECT_EQ(hint(open), "");
  EXPECT_EQ(notes(open),
            "no node is named: pods without GPUs may take the CPU of these nodes and the rule does "
            "not match them (match: {gpus: \">=0\"} does)\n");
  Workbench tainted(pod_with(kTolerates));
  tainted.cluster(node("a", 8, "", kTaint)).cluster(shared_node("b", "nvidia.com/gpu.shared"));
  pack(tainted).matches_from(1).run();
  EXPECT_EQ(hint(tainted), "a 100") << "b is open, but has none of its GPUs";
}

TEST(Packing, APodWithoutGpusIsPackedOnlyWhereItCanTakeTheCpuOfGpuNodes) {
  const std::string pod = pod_with("", "{'name':'main','resources':{'requests':{'cpu':'8'}}}");
  const std::string cpu =
      "{'apiVersion':'v1','kind':'Node','metadata':{'name':'cpu','labels':{"
      "'kubernetes.io/hostname':'cpu'}},'status':{'allocatable':{'cpu':'96','memory':'1Ti'},"
      "'conditions':[{'type':'Ready','status':'True'}]}}";
  Workbench open(pod);
  pack(open.cluster(node("gpu", 8)).cluster(cpu)).facts().wants_gpu = false;
  EXPECT_EQ(hint(open.run()), "cpu 100, gpu 70");
  Workbench closed(pod);
  pack(closed.cluster(node("gpu", 8, "", kTaint)).cluster(cpu)).facts().wants_gpu = false;
  EXPECT_EQ(hint(closed.run()), "");
  EXPECT_EQ(notes(closed), "no node is named: no node with GPUs is open to the pod\n");
}

TEST(Packing, NamesSixteenNodesAtMost) {
  Workbench bench(pod_with(""));
  for (int i = 0; i < 40; ++i) bench.cluster(node("n" + std::to_string(i), 8));
  pack(bench).run();
  EXPECT_EQ(bench.outcome().nodes_named, 16u);
}

TEST(Packing, NeverNamesANodeThatThePodCannotUse) {
  struct Row {
    std::string why;
    std::string pod;
    std::string other;  // a node that would be best
  };
  const std::string taint = "'taints':[{'key':'a','effect':'NoSchedule'}]";
  const std::string plain = pod_with("");
  const Row rows[] = {
      {"taint", plain, node("bad", 2, "", taint)},
      {"soft taint", plain,
       node("bad", 2, "",
            "'taints':[{'key':'a','effect':"
            "'PreferNoSchedule'}]")},
      {"cordon", plain, node("bad", 2, "", "'unschedulable':true")},
      {"selector", pod_with("'nodeSelector':{'pool':'a'},"), node("bad", 2, ",'pool':'b'")},
      {"required affinity",
       pod_with("'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{"
                "'nodeSelectorTerms':[{'matchExpressions':[{'key':'pool','operator':'In','values':"
                "['a']}]}]}}},"),
       node("bad", 2, ",'pool':'b'")},
      {"too few GPUs", plain, node("bad", 0)},
  };
  for (const Row& row : rows) {
    Workbench bench(row.pod);
    bench.cluster(node("good", 8, ",'pool':'a'")).cluster(row.other);
    pack(bench).run();
    EXPECT_EQ(hint(bench), "good 100") << row.why;
  }
}

TEST(Packing, LeavesPodsAloneThatOthersPlaceOrThatAreNotDecidedOneByOne) {
  const std::string label = "{'matchLabels':{'app':'x'}}";
  const std::string host = "{'key':'kubernetes.io/hostname','operator':'In','values':['empty']}";
  const std::string pods[] = {
      pod_with("'schedulingGates':[{'name':'g'}],"),
      pod_with("'topologySpreadConstraints':[{'maxSkew':1,'topologyKey':'zone','labelSelector':" +
               label + "}],"),
      pod_with("'affinity':{'podAntiAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':"
               "[]}},"),
      pod_with("'affinity':{'nodeAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':[{"
               "'weight':1,'preference':{'matchExpressions':[" +
               host + "]}}]}},"),
      pod_with("'nodeSelector':{'kubernetes.io/hostname':'half'},"),
      pod_with("", "{'name':'main','resources':{'limits':{'nvidia.com/mig-1g.10gb':'1'}}}"),
      "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p'},'spec':{'schedulerName':'volcano',"
      "'containers':[" +
          std::string(kMain) + "]}}",
      "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p','labels':{"
      "'kueue.x-k8s.io/queue-name':'q'}},'spec':{'containers':[" +
          std::string(kMain) + "]}}",
      "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p','annotations':{"
      "'gang.scheduling.koordinator.sh/name':'g'}},'spec':{'containers':[" +
          std::string(kMain) + "]}}",
  };
  for (const std::string& pod : pods) {
    Workbench bench(pod);
    pack(three_nodes(bench)).run();
    EXPECT_TRUE(bench.unchanged()) << pod;
    EXPECT_TRUE(notes(bench).starts_with("no node is named: ")) << pod << notes(bench);
  }
  for (const char* kind : {"Deployment", "StatefulSet", "InferenceService"}) {
    Workbench bench(pod_with(""));
    bench.facts().kind = kind;
    pack(three_nodes(bench)).run();
    EXPECT_TRUE(bench.unchanged()) << kind;
  }
}

TEST(Packing, LeavesTheTemplateOfAnOwnerAlone) {
  Workbench bench(
      "{'apiVersion':'batch/v1','kind':'Job','metadata':{'name':'train'},'spec':{"
      "'template':" +
          pod_with("") + "}}",
      "/spec/template");
  pack(three_nodes(bench)).run();
  EXPECT_TRUE(bench.unchanged());
}

TEST(Packing, SaysThatNodesAreNotKnown) {
  Workbench bench(pod_with(""));
  pack(bench).run();
  EXPECT_TRUE(bench.unchanged());
  EXPECT_EQ(bench.warnings(), "placement.pack: nodes are not known, so none is preferred\n");
}

TEST(Packing, IsOffWhereARuleSaysSo) {
  Workbench bench(pod_with(""));
  three_nodes(bench).matches_from(0).add(SlotKind::kPack, "", rules::Pack{false}, "").run();
  EXPECT_TRUE(bench.unchanged());
}

// The scheduler adds up the weights of all terms that hold.
std::map<std::string, std::int64_t> sums(const Workbench& bench, const std::vector<int>& pools) {
  base::Arena arena;
  std::map<std::string, std::int64_t> out;
  for (std::size_t i = 0; i < pools.size(); ++i) out["n" + std::to_string(i)] = 0;
  const std::string text = bench.at(kPreferences);
  if (text == "absent") return out;
  for (const kube::Json& term : kube::parse_json(text, arena).value().items()) {
    const kube::Json expression = term["preference"]["matchExpressions"].at(0);
    const std::string value(expression["values"].at(0).string_or_empty());
    for (std::size_t i = 0; i < pools.size(); ++i) {
      const std::string name = "n" + std::to_string(i);
      const bool host = expression["key"].string_or_empty() == "kubernetes.io/hostname";
      if (value == (host ? name : std::to_string(pools[i])))
        out[name] += term["weight"].as_int().value_or(0);
    }
  }
  return out;
}

TEST(Packing, OthersPreferencesKeepTheirOrder) {
  std::mt19937 random(7);
  const auto below = [&random](int n) {
    return static_cast<int>(random() % static_cast<unsigned>(n));
  };
  for (int round = 0; round < 200; ++round) {
    std::vector<int> pools;
    std::vector<int> used;
    std::string terms;
    for (int i = 0; i < 12; ++i) pools.push_back(below(4));
    for (int t = 0; t < 1 + below(4); ++t) {
      terms += std::string(t == 0 ? "" : ",") + "{'weight':" + std::to_string(1 + below(100)) +
               ",'preference':{'matchExpressions':[{'key':'pool','operator':'In','values':['" +
               std::to_string(below(4)) + "']}]}}";
    }
    const auto bench_with = [&](bool packs) {
      auto bench = std::make_unique<Workbench>(
          pod_with("'affinity':{'nodeAffinity':{'preferredDuringSchedulingIgnoredDuringExecution'"
                   ":[" +
                   terms + "]}},"));
      for (int i = 0; i < 12; ++i) {
        const std::string name = "n" + std::to_string(i);
        bench->cluster(node(name, 8, ",'pool':'" + std::to_string(pools[i]) + "'"));
        for (int u = 0; u < (i + round) % 9; ++u) bench->cluster(pod_on(name, 1));
      }
      if (packs) pack(*bench);
      bench->run();
      return bench;
    };
    const auto before = sums(*bench_with(false), pools);
    const auto after = sums(*bench_with(true), pools);
    for (const auto& [a, sum_a] : before) {
      for (const auto& [b, sum_b] : before) {
        if (sum_a > sum_b) {
          EXPECT_GT(after.at(a), after.at(b)) << a << " and " << b << ": " << terms;
        }
      }
    }
  }
}

}  // namespace
}  // namespace berth::mutate
