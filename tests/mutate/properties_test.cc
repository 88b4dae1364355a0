// Random pods and decisions. Each run of the workbench proves that the patch applies strictly by
// two other implementations and that a second pass is empty; here it is proved besides that the
// same input gives the same bytes, that what nobody spoke of is kept, and that the result admits no
// node that the author's own terms refused.
#include <random>

#include "kube/selector.h"
#include "tests/mutate/fixture.h"

namespace berth::mutate {
namespace {

using kube::Json;
using rules::Existing;
using rules::SlotKind;

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  std::size_t below(std::size_t end) { return engine_() % end; }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <typename T>
  const T& any_of(const std::vector<T>& list) {
    return list[below(list.size())];
  }

 private:
  std::mt19937 engine_;
};

const std::vector<std::string> kKeys = {"zone", "rack", "product", "memory"};
const std::vector<std::string> kValues = {"1", "2", "3"};

std::string values_of(Dice& dice) {
  std::string out = "'" + dice.any_of(kValues) + "'";
  if (dice.one_in(2)) out += ",'" + dice.any_of(kValues) + "'";
  return out;
}

std::string expression(Dice& dice) {
  const std::string key = "{'key':'" + dice.any_of(kKeys) + "','operator':";
  switch (dice.below(6)) {
    case 0:
      return key + "'Exists'}";
    case 1:
      return key + "'DoesNotExist'}";
    case 2:
      return key + "'Gt','values':['" + dice.any_of(kValues) + "']}";
    case 3:
      return key + "'NotIn','values':[" + values_of(dice) + "]}";
    default:
      return key + "'In','values':[" + values_of(dice) + "]}";
  }
}

std::string term(Dice& dice) {
  if (dice.one_in(12)) return "{}";
  if (dice.one_in(10)) {
    return "{'matchFields':[{'key':'metadata.name','operator':'In','values':['n" +
           std::to_string(dice.below(30)) + "']}]}";
  }
  std::string out = "{'matchExpressions':[" + expression(dice);
  if (dice.one_in(2)) out += "," + expression(dice);
  return out + "]}";
}

std::string affinity(Dice& dice) {
  if (dice.one_in(5)) return "'affinity':null,";
  if (dice.one_in(5)) return "'affinity':{'nodeAffinity':{}},";
  std::string terms = term(dice);
  while (dice.one_in(2)) terms += "," + term(dice);
  if (dice.one_in(15)) terms.clear();
  return "'affinity':{'podAntiAffinity':{'x':1},'nodeAffinity':{"
         "'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':[" +
         terms + "]}}},";
}

std::string container(Dice& dice, std::size_t number) {
  std::string out = "{'name':'c" + std::to_string(number) + "','futureThing':{'n':1.0}";
  if (dice.one_in(3)) out += ",'env':null";
  if (dice.one_in(4)) out += ",'env':[{'name':'A','value':'1'},{'name':'B','valueFrom':{'x':{}}}]";
  if (dice.one_in(4)) out += ",'volumeMounts':[{'name':'v','mountPath':'/dev/shm/'}]";
  if (dice.one_in(3)) return out + ",'resources':{}}";
  const std::string gpus = dice.one_in(5) ? "1" : "'1'";
  out += ",'resources':{'limits':{'memory':'4Gi','nvidia.com/gpu':" + gpus + "}";
  if (dice.one_in(2)) out += ",'requests':{'nvidia.com/gpu':'1'}";
  return out + "}}";
}

std::string without_doubled_env(std::string text) {
  const std::size_t null = text.find(",'env':null");
  if (null != std::string::npos && text.find(",'env':[") != std::string::npos) text.erase(null, 11);
  return text;
}

std::string random_pod(Dice& dice) {
  std::string spec = "'futureField':[9007199254740993],";
  if (dice.one_in(2)) spec += affinity(dice);
  if (dice.one_in(3)) spec += "'nodeSelector':{'" + dice.any_of(kKeys) + "':'2'},";
  if (dice.one_in(3)) spec += "'runtimeClassName':'kata',";
  if (dice.one_in(3)) spec += "'tolerations':[{'key':'k','operator':'Exists'}],";
  spec += "'volumes':[{'name':'v','emptyDir':{'medium':'Memory','sizeLimit':'1Gi'}}],";
  std::string containers = without_doubled_env(container(dice, 0));
  for (std::size_t i = 1; i < 1 + dice.below(3); ++i) {
    containers += "," + without_doubled_env(container(dice, i));
  }
  std::string pod = pod_with(spec, containers);
  if (dice.one_in(3)) {
    pod.replace(pod.find("'labels'"), 0, "'annotations':{'a':'1','berth.dev/rules':'t/rule'},");
  }
  return pod;
}

std::vector<std::string_view> random_values(Dice& dice) {
  std::vector<std::string_view> out = {dice.any_of(kValues)};
  if (dice.one_in(2)) out.push_back(dice.any_of(kValues));
  return out;
}

// Requirements by every way there is; returns how many were asked for.
void add_requirements(Workbench& bench, Dice& dice) {
  if (dice.one_in(2)) {
    bench.text(SlotKind::kNodeSelector, dice.any_of(kValues), dice.any_of(kKeys));
  }
  if (dice.one_in(2)) {
    rules::ProductAnswer answer{{{"product", random_values(dice), 0}}};
    if (dice.one_in(4)) answer.choices.push_back({"memory", random_values(dice), 0});
    bench.add(SlotKind::kProducts, "", rules::Products{{"P"}}, "", answer);
  }
  if (dice.one_in(2)) {
    rules::GpuAnswer answer;
    answer.resource = dice.one_in(2) ? "nvidia.com/gpu" : "nvidia.com/mig-1g.10gb";
    answer.refuse = {{dice.any_of(kKeys), random_values(dice), 0}};
    bench.add(SlotKind::kGpu, "", rules::GpuShare{}, "", answer);
  }
  if (dice.one_in(2)) {
    rules::LevelAnswer answer;
    answer.level = answer.label = "rack";
    answer.require = {{"rack", random_values(dice), 0}};
    answer.prefer = {{"rack", random_values(dice), 50}, {"zone", random_values(dice), 30}};
    answer.together = dice.one_in(2);
    answer.required = dice.one_in(2);
    bench.add(SlotKind::kPlacement, "", rules::LevelPlacement{}, "", answer);
  }
}

void add_the_rest(Workbench& bench, Dice& dice, Existing existing) {
  bench.rule("u/rest", existing);
  if (dice.one_in(3)) bench.containers({rules::ContainerChoice::Kind::kAll, {}});
  if (dice.one_in(2)) bench.text(SlotKind::kEnv, "2", dice.one_in(2) ? "A" : "B");
  if (dice.one_in(2)) bench.text(SlotKind::kShm, dice.one_in(2) ? "2Gi" : "1024Mi");
  if (dice.one_in(2)) bench.text(SlotKind::kRuntimeClass, "nvidia");
  if (dice.one_in(2)) bench.text(SlotKind::kScheduler, "volcano");
  if (dice.one_in(2)) bench.text(SlotKind::kQueue, "q");
  if (dice.one_in(2)) bench.text(SlotKind::kPriorityClass, "high");
  if (dice.one_in(2)) bench.text(SlotKind::kLabel, "x", dice.one_in(2) ? "app" : "new");
  if (dice.one_in(2)) bench.text(SlotKind::kAnnotation, "x", dice.one_in(2) ? "a" : "b/c");
  if (dice.one_in(2)) {
    rules::Toleration toleration;
    toleration.key = dice.one_in(2) ? "k" : "other";
    toleration.effect = dice.one_in(2) ? "NoSchedule" : "";
    bench.add(SlotKind::kTolerate, toleration.key, toleration, "");
  }
  if (dice.one_in(3)) {
    const Json volume = bench.parse("{'name':'v','mountPath':'/x','emptyDir':{}}");
    bench.add(SlotKind::kVolume, "v", rules::Volume{volume}, "");
  }
}

std::string random_node(Dice& dice, std::size_t number) {
  std::string labels;
  for (const std::string& key : kKeys) {
    if (dice.one_in(4)) continue;
    labels += (labels.empty() ? "'" : ",'") + key + "':'" + dice.any_of(kValues) + "'";
  }
  return "{'apiVersion':'v1','kind':'Node','metadata':{'name':'n" + std::to_string(number) +
         "','labels':{" + labels + "}}}";
}

// Everything of the author's that no rule spoke of is where it was.
void expect_kept(const Workbench& bench, const std::string& why) {
  EXPECT_EQ(bench.at("/spec/futureField"), "[9007199254740993]") << why;
  EXPECT_EQ(bench.at("/spec/containers/0/futureThing"), json_text("{'n':1.0}")) << why;
  EXPECT_EQ(bench.at("/metadata/ownerReferences/0/uid"), json_text("'u'")) << why;
}

TEST(Properties, HoldForRandomPodsAndDecisions) {
  for (unsigned seed = 1; seed <= 3000; ++seed) {
    const std::string why = "seed " + std::to_string(seed);
    SCOPED_TRACE(why);
    const auto run = [&](auto&& then) {
      Dice dice(seed);
      const std::string pod = random_pod(dice);
      const std::vector<Existing> all = {Existing::kKeep, Existing::kReplace, Existing::kDeny};
      Workbench bench(pod);
      bench.facts().pods = 2;
      bench.facts().kind = "Pod";
      const Existing existing = dice.any_of(all);
      bench.existing(existing);
      const bool with_nodes = dice.one_in(2);
      for (std::size_t i = 0; with_nodes && i < 5; ++i) bench.cluster(random_node(dice, i));
      add_requirements(bench, dice);
      add_the_rest(bench, dice, dice.any_of(all));
      bench.run();
      then(bench, existing);
    };
    std::string first;
    run([&](Workbench& bench, Existing) {
      first = bench.patch() + bench.warnings() + bench.denials();
      expect_kept(bench, why);
    });
    run([&](Workbench& bench, Existing) {
      EXPECT_EQ(bench.patch() + bench.warnings() + bench.denials(), first);
    });
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Properties, NoNodeIsAdmittedThatTheAuthorRefused) {
  base::Arena arena;
  std::size_t admitted = 0;
  std::size_t refused_by_author = 0;
  std::size_t narrowed = 0;
  for (unsigned seed = 1; seed <= 3000; ++seed) {
    Dice dice(seed);
    const std::string pod = random_pod(dice);
    Workbench bench(pod);
    add_requirements(bench, dice);
    bench.run();
    const Json before = bench.parse(pod)["spec"];
    const Json after = bench.outcome().object["spec"];
    for (std::size_t i = 0; i < 30; ++i) {
      const Json node = bench.parse(random_node(dice, i))["metadata"];
      const std::string_view name = node["name"].string_or_empty();
      const bool author = kube::node_affinity_matches(before, node["labels"], name);
      const bool result = kube::node_affinity_matches(after, node["labels"], name);
      ASSERT_FALSE(result && !author) << "seed " << seed << " " << bench.patch();
      admitted += result ? 1 : 0;
      refused_by_author += author ? 0 : 1;
      narrowed += author && !result ? 1 : 0;
    }
  }
  // The draw is worth something.
  EXPECT_GT(admitted, 5000u);
  EXPECT_GT(refused_by_author, 5000u);
  EXPECT_GT(narrowed, 5000u);
}

TEST(Properties, WhatIsWrittenHolds) {
  for (unsigned seed = 1; seed <= 2000; ++seed) {
    Dice dice(seed);
    const std::string pod = random_pod(dice);
    Workbench bench(pod);
    const std::string value = dice.any_of(kValues);
    bench.add(SlotKind::kProducts, "", rules::Products{{"P"}}, "",
              rules::ProductAnswer{{{"product", {value}, 0}}});
    bench.run();
    if (!bench.outcome().kept.empty()) continue;
    const Json after = bench.outcome().object["spec"];
    for (std::size_t i = 0; i < 30; ++i) {
      const Json node = bench.parse(random_node(dice, i))["metadata"];
      if (!kube::node_affinity_matches(after, node["labels"], node["name"].string_or_empty())) {
        continue;
      }
      ASSERT_EQ(node["labels"]["product"].string_or_empty(), value) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace berth::mutate
