#include "mutate/placement.h"

#include "tests/mutate/fixture.h"

namespace berth::mutate {
namespace {

using rules::Existing;
using rules::LevelAnswer;
using rules::ProductAnswer;
using rules::SlotKind;

constexpr std::string_view kTerms =
    "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms";
constexpr std::string_view kPreferences =
    "/spec/affinity/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kH100 =
    "{'key':'nvidia.com/gpu.product','operator':'In','values':['H100']}";

std::string with_terms(std::string_view terms, std::string_view more = "") {
  return pod_with(
      "'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{"
      "'nodeSelectorTerms':" +
      std::string(terms) + "}}}," + std::string(more));
}

Workbench& products(Workbench& bench, std::vector<rules::LabelValues> choices = {
                                          {"nvidia.com/gpu.product", {"H100"}, 0}}) {
  rules::Products names;
  names.names = {"H100"};
  return bench.add(SlotKind::kProducts, "", names, "", ProductAnswer{std::move(choices)});
}

std::string node(std::string_view name, std::string_view labels) {
  return "{'apiVersion':'v1','kind':'Node','metadata':{'name':'" + std::string(name) +
         "','labels':{" + std::string(labels) +
         "}},'status':{'conditions':[{'type':'Ready',"
         "'status':'True'}]}}";
}

TEST(Products, AreAndedIntoEveryTerm) {
  const std::string h100(kH100);
  struct Row {
    std::string_view why;
    std::string pod;
    std::string result;
    std::string_view warnings;
  };
  const std::string exists = "{'key':'z','operator':'Exists'}";
  const Row rows[] = {
      {"nothing there", pod_with(""), "[{'matchExpressions':[" + h100 + "]}]", ""},
      {"A07: null affinity", pod_with("'affinity':null,"), "[{'matchExpressions':[" + h100 + "]}]",
       ""},
      {"A08: empty affinity", pod_with("'affinity':{},"), "[{'matchExpressions':[" + h100 + "]}]",
       ""},
      {"A08: empty node affinity", pod_with("'affinity':{'nodeAffinity':{}},"),
       "[{'matchExpressions':[" + h100 + "]}]", ""},
      {"A07: null beside", pod_with("'affinity':{'nodeAffinity':null,'podAntiAffinity':null},"),
       "[{'matchExpressions':[" + h100 + "]}]", ""},
      {"D06 m001: two terms",
       with_terms("[{'matchExpressions':[" + exists +
                  "]},{'matchExpressions':[{'key':'rack',"
                  "'operator':'In','values':['r1']}]}]"),
       "[{'matchExpressions':[" + exists + "," + h100 +
           "]},{'matchExpressions':[{'key':'rack',"
           "'operator':'In','values':['r1']}," +
           h100 + "]}]",
       ""},
      {"D07 m002: a term of fields alone",
       with_terms("[{'matchFields':[{'key':'metadata.name','operator':'In','values':['n']}]}]"),
       "[{'matchFields':[{'key':'metadata.name','operator':'In','values':['n']}],"
       "'matchExpressions':[" +
           h100 + "]}]",
       ""},
      {"there already", with_terms("[{'matchExpressions':[" + h100 + "]}]"),
       "[{'matchExpressions':[" + h100 + "]}]", ""},
      {"there in one of two",
       with_terms("[{'matchExpressions':[" + h100 + "]},{'matchExpressions':[" + exists + "]}]"),
       "[{'matchExpressions':[" + h100 + "]},{'matchExpressions':[" + exists + "," + h100 + "]}]",
       ""},
      {"m008: one alternative contradicts and stays impossible",
       with_terms("[{'matchExpressions':[" + exists +
                  "]},{'matchExpressions':[{'key':"
                  "'nvidia.com/gpu.product','operator':'In','values':['A100']}]}]"),
       "[{'matchExpressions':[" + exists + "," + h100 +
           "]},{'matchExpressions':[{'key':"
           "'nvidia.com/gpu.product','operator':'In','values':['A100']}," +
           h100 + "]}]",
       ""},
      {"C067: an empty term beside a real one stays empty",
       with_terms("[{},{'matchExpressions':[" + exists + "]}]"),
       "[{},{'matchExpressions':[" + exists + "," + h100 + "]}]",
       "a nodeSelectorTerm without expressions matches no node: that alternative never holds\n"},
  };
  for (const Row& row : rows) {
    Workbench bench(row.pod);
    products(bench).run();
    EXPECT_EQ(bench.at(kTerms), json_text(row.result)) << row.why;
    EXPECT_EQ(bench.warnings(), row.warnings) << row.why;
  }
}

TEST(Products, ThatTheAuthorExcludesAreSaidAndNotWritten) {
  struct Row {
    std::string_view why;
    std::string pod;
  };
  const Row rows[] = {
      {"C068: selector", pod_with("'nodeSelector':{'nvidia.com/gpu.product':'A100'},")},
      {"m007: NotIn", with_terms("[{'matchExpressions':[{'key':'nvidia.com/gpu.product','operator':"
                                 "'NotIn','values':['H100']}]}]")},
      {"C067: an empty term", with_terms("[{}]")},
      {"C067: a term with an empty list", with_terms("[{'matchExpressions':[]}]")},
      {"D07: no terms", with_terms("[]")},
  };
  for (const Row& row : rows) {
    Workbench bench(row.pod);
    products(bench).run();
    EXPECT_TRUE(bench.unchanged()) << row.why << bench.patch();
    EXPECT_NE(bench.warnings().find("product H100 not required: "), std::string::npos)
        << row.why << bench.warnings();
    EXPECT_FALSE(bench.kept().empty()) << row.why;
  }
  Workbench refused(rows[0].pod);
  refused.existing(Existing::kDeny);
  products(refused).run();
  EXPECT_EQ(refused.denials(),
            "product H100 is demanded, but nodeSelector nvidia.com/gpu.product=A100 excludes it\n");
}

TEST(Products, ReplaceTheAuthorsWhereTheRuleSaysSo) {
  Workbench selector(pod_with("'nodeSelector':{'nvidia.com/gpu.product':'A100','a':'b'},"));
  selector.existing(Existing::kReplace);
  products(selector).run();
  EXPECT_EQ(selector.at("/spec/nodeSelector"), json_text("{'a':'b'}"));
  EXPECT_EQ(selector.at(kTerms), json_text("[{'matchExpressions':[" + std::string(kH100) + "]}]"));

  Workbench term(
      with_terms("[{'matchExpressions':[{'key':'z','operator':'Exists'},{'key':"
                 "'nvidia.com/gpu.product','operator':'In','values':['A100']}]}]"));
  term.existing(Existing::kReplace);
  products(term).run();
  EXPECT_EQ(term.at(kTerms), json_text("[{'matchExpressions':[{'key':'z','operator':'Exists'}," +
                                       std::string(kH100) + "]}]"));
}

TEST(Products, UnderTwoLabelsMakeACopyOfEachTerm) {
  Workbench bench(with_terms("[{'matchExpressions':[{'key':'z','operator':'Exists'}]}]"));
  products(bench, {{"a", {"H100"}, 0}, {"b", {"h100"}, 0}}).run();
  const std::string z = "{'key':'z','operator':'Exists'},";
  EXPECT_EQ(bench.at(kTerms), json_text("[{'matchExpressions':[" + z +
                                        "{'key':'a','operator':'In','values':['H100']}"
                                        "]},{'matchExpressions':[" +
                                        z +
                                        "{'key':'b','operator':'In','values':"
                                        "['h100']}]}]"));
}

TEST(Products, AndTheAuthorHaveToLeaveANode) {  // m006
  const std::string pod =
      with_terms("[{'matchExpressions':[{'key':'memory','operator':'Lt','values':['50000']}]}]");
  Workbench none(pod);
  none.cluster(node("l40s", "'nvidia.com/gpu.product':'L40S','memory':'46068'"))
      .cluster(node("h100", "'nvidia.com/gpu.product':'H100','memory':'81559'"));
  products(none).run();
  EXPECT_TRUE(none.unchanged());
  EXPECT_EQ(none.warnings(),
            "product H100 not required: what the pod selects, of the nodes there "
            "are, excludes it\n");
  Workbench some(pod);
  some.cluster(node("h100", "'nvidia.com/gpu.product':'H100','memory':'40000'"));
  products(some).run();
  EXPECT_FALSE(some.unchanged());
  Workbench coming(pod);  // an autoscaler may bring the nodes
  coming.cluster(node("l40s", "'nvidia.com/gpu.product':'L40S','memory':'46068'"));
  products(coming).run();
  EXPECT_FALSE(coming.unchanged());
}

TEST(NodeSelector, IsWrittenKeptReplacedAndRefused) {
  struct Row {
    std::string_view why;
    std::string pod;
    Existing existing;
    std::string_view result, warnings, denials;
  };
  const std::string z1 = pod_with("'nodeSelector':{'zone':'z1'},");
  const std::string in_z1 =
      with_terms("[{'matchExpressions':[{'key':'zone','operator':'In','values':['z1']}]}]");
  const std::string in_z2 =
      with_terms("[{'matchExpressions':[{'key':'zone','operator':'In','values':['z2']}]}]");
  const std::string contradiction = "zone=z2 not required: nodeSelector zone=z1 excludes it\n";
  const Row rows[] = {
      {"absent", pod_with(""), Existing::kKeep, "{'zone':'z2'}", "", ""},
      {"A07: null", pod_with("'nodeSelector':null,"), Existing::kKeep, "{'zone':'z2'}", "", ""},
      {"m011: equal", pod_with("'nodeSelector':{'zone':'z2'},"), Existing::kDeny, "{'zone':'z2'}",
       "", ""},
      {"E13 m009: another", z1, Existing::kKeep, "{'zone':'z1'}", contradiction, ""},
      {"m010: refused", z1, Existing::kDeny, "{'zone':'z1'}", "",
       "zone=z2 is demanded, but nodeSelector zone=z1 excludes it\n"},
      {"replaced", z1, Existing::kReplace, "{'zone':'z2'}", "", ""},
      {"the author's terms say it already", in_z2, Existing::kKeep, "absent", "", ""},
  };
  for (const Row& row : rows) {
    Workbench bench(row.pod);
    bench.existing(row.existing).text(SlotKind::kNodeSelector, "z2", "zone").run();
    EXPECT_EQ(bench.at("/spec/nodeSelector"), json_text(row.result)) << row.why;
    EXPECT_EQ(bench.warnings(), row.warnings) << row.why;
    EXPECT_EQ(bench.denials(), row.denials) << row.why;
  }
  Workbench excluded(in_z1);
  excluded.text(SlotKind::kNodeSelector, "z2", "zone").run();
  EXPECT_TRUE(excluded.unchanged());
  EXPECT_NE(excluded.warnings().find("zone=z2 not required"), std::string::npos);
}

TEST(NodeSelector, OfTwoRulesHoldsTogetherOrIsSaid) {
  Workbench bench(pod_with(""));
  bench.text(SlotKind::kNodeSelector, "A100", "nvidia.com/gpu.product").rule("t/other");
  products(bench).run();
  EXPECT_EQ(bench.at("/spec/nodeSelector"), json_text("{'nvidia.com/gpu.product':'A100'}"));
  EXPECT_EQ(bench.at("/spec/affinity"), "absent");
  EXPECT_NE(bench.warnings().find("product H100 not required"), std::string::npos);
}

TEST(Preferences, AreAppendedOnceWithTheirWeights) {  // m012, m013, B05
  const std::string theirs =
      "{'weight':7,'preference':{'matchExpressions':[{'key':'r','operator':'Exists'}]}}";
  const std::string ours =
      "{'weight':80,'preference':{'matchExpressions':[{'key':'p','operator':'In','values':['A','B']"
      "}]}}";
  struct Row {
    std::string_view why;
    std::string there, result;
  };
  const Row rows[] = {
      {"none there", "", "[" + ours + "]"},
      {"beside the author's", theirs, "[" + theirs + "," + ours + "]"},
      {"there with another weight",
       "{'weight':3,'preference':{'matchExpressions':[{'key':'p','operator':'In','values':['A','B']"
       "}]}}",
       "[{'weight':3,'preference':{'matchExpressions':[{'key':'p','operator':'In','values':['A','B'"
       "]"
       "}]}}]"},
  };
  for (const Row& row : rows) {
    Workbench bench(row.there.empty()
                        ? pod_with("")
                        : pod_with("'affinity':{'nodeAffinity':{"
                                   "'preferredDuringSchedulingIgnoredDuringExecution':[" +
                                   row.there + "]}},"));
    bench.add(SlotKind::kPreferProducts, "", rules::Products{}, "",
              ProductAnswer{{{"p", {"B", "A", "A"}, 80}, {"empty", {}, 10}}});
    bench.run();
    EXPECT_EQ(bench.at(kPreferences), json_text(row.result)) << row.why;
  }
}

LevelAnswer rack() {
  LevelAnswer answer;
  answer.level = "rack";
  answer.label = "lab/rack";
  return answer;
}

TEST(Level, RequiresPrefersAndDrawsTogether) {
  LevelAnswer answer = rack();
  answer.required = true;
  answer.together = true;
  answer.require = {{"lab/rack", {"r1", "r2"}, 0}};
  answer.prefer = {{"lab/rack", {"r1"}, 100}};
  Workbench bench(pod_with(""));
  bench.facts().pods = 4;
  bench.add(SlotKind::kPlacement, "", rules::LevelPlacement{}, "", answer).run();
  EXPECT_EQ(bench.at(kTerms), json_text("[{'matchExpressions':[{'key':'lab/rack','operator':'In',"
                                        "'values':['r1','r2']}]}]"));
  EXPECT_EQ(bench.at(std::string(kPreferences) + "/0/weight"), "100");
  EXPECT_EQ(bench.at("/spec/affinity/podAffinity"),
            json_text("{'requiredDuringSchedulingIgnoredDuringExecution':[{'labelSelector':{"
                      "'matchLabels':{'batch.kubernetes.io/job-name':'train'}},'topologyKey':"
                      "'lab/rack'}]}"));
}

TEST(Level, DrawsTogetherAsFarAsItCan) {
  const std::string preferred =
      "{'preferredDuringSchedulingIgnoredDuringExecution':[{'weight':100,'podAffinityTerm':{"
      "'labelSelector':{'matchLabels':{'batch.kubernetes.io/job-name':'train'}},'topologyKey':"
      "'lab/rack'}}]}";
  struct Row {
    std::string_view why;
    bool required;
    std::int64_t pods;
    std::string_view warnings;
  };
  const Row rows[] = {
      {"a preference", false, 4, ""},
      {"C071: a requirement of too many pods", true, 400,
       "level rack: 400 pods are too many to require it of each pair; preferred\n"},
  };
  for (const Row& row : rows) {
    LevelAnswer answer = rack();
    answer.required = row.required;
    answer.together = true;
    Workbench bench(pod_with(""));
    bench.facts().pods = row.pods;
    bench.add(SlotKind::kPlacement, "", rules::LevelPlacement{}, "", answer).run();
    EXPECT_EQ(bench.at("/spec/affinity/podAffinity"), json_text(preferred)) << row.why;
    EXPECT_EQ(bench.warnings(), row.warnings) << row.why;
  }
  LevelAnswer answer = rack();
  answer.together = true;
  Workbench nameless("{'apiVersion':'v1','kind':'Pod','metadata':{},'spec':{}}");
  nameless.add(SlotKind::kPlacement, "", rules::LevelPlacement{}, "", answer).run();
  EXPECT_TRUE(nameless.unchanged());
  EXPECT_EQ(nameless.warnings(),
            "level rack: no label tells the pods of this workload, they may part\n");
}

TEST(Level, SelectsTheSamePodsAtBothDoors) {
  LevelAnswer answer = rack();
  answer.together = true;
  Workbench job(
      "{'apiVersion':'batch/v1','kind':'Job','metadata':{'name':'train'},'spec':{"
      "'template':{'metadata':{},'spec':{}}}}",
      "/spec/template");
  job.add(SlotKind::kPlacement, "", rules::LevelPlacement{}, "", answer).run();
  Workbench pod(pod_with(""));
  pod.add(SlotKind::kPlacement, "", rules::LevelPlacement{}, "", answer).run();
  EXPECT_EQ(job.at("/spec/template/spec/affinity"), pod.at("/spec/affinity"));
}

TEST(Level, IsRankedOnceForAPod) {  // what is free changes between two calls
  std::string marked = pod_with(
      "'affinity':{'nodeAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':[{'weight':"
      "100,"
      "'preference':{'matchExpressions':[{'key':'lab/"
      "rack','operator':'In','values':['r1']}]}}]}},");
  marked.replace(marked.find("'labels'"), 0, "'annotations':{'berth.dev/rules':'t/rule'},");
  LevelAnswer answer = rack();
  answer.prefer = {{"lab/rack", {"r2"}, 100}};
  Workbench bench(marked);
  bench.add(SlotKind::kPlacement, "", rules::LevelPlacement{}, "", answer).run();
  EXPECT_TRUE(bench.unchanged());
}

TEST(Spread, IsOneConstraintALabel) {
  Workbench bench(pod_with(""));
  bench.add(SlotKind::kSpread, "", rules::Spread{"rack"}, "", rack()).run();
  EXPECT_EQ(
      bench.at("/spec/topologySpreadConstraints"),
      json_text("[{'maxSkew':1,'topologyKey':'lab/rack','whenUnsatisfiable':'ScheduleAnyway',"
                "'labelSelector':{'matchLabels':{'batch.kubernetes.io/job-name':'train'}}}]"));
  Workbench there(
      pod_with("'topologySpreadConstraints':[{'maxSkew':2,'topologyKey':'lab/rack',"
               "'whenUnsatisfiable':'DoNotSchedule'}],"));
  there.add(SlotKind::kSpread, "", rules::Spread{"rack"}, "", rack()).run();
  EXPECT_TRUE(there.unchanged());
}

}  // namespace
}  // namespace berth::mutate
