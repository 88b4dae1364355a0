#include "mutate/resources.h"

#include "tests/mutate/fixture.h"

namespace berth::mutate {
namespace {

using rules::SlotKind;

rules::GpuAnswer slice() {
  rules::GpuAnswer answer;
  answer.share = rules::Share::kMig;
  answer.resource = "nvidia.com/mig-1g.10gb";
  answer.profile = "1g.10gb";
  return answer;
}

std::string container(std::string_view name, std::string_view resources,
                      std::string_view more = "") {
  return "{'name':'" + std::string(name) + "','resources':" + std::string(resources) +
         std::string(more) + "}";
}

TEST(Gpu, IsRenamedInLimitsAndRequests) {
  struct Row {
    std::string_view why, resources, result, warnings;
  };
  const Row rows[] = {
      {"A23 C001: both maps, the rest untouched",
       "{'limits':{'cpu':'1000m','nvidia.com/gpu':'1'},'requests':{'cpu':0.5,'nvidia.com/"
       "gpu':'1'}}",
       "{'limits':{'cpu':'1000m','nvidia.com/mig-1g.10gb':'1'},"
       "'requests':{'cpu':0.5,'nvidia.com/mig-1g.10gb':'1'}}",
       ""},
      {"A18: a number", "{'limits':{'nvidia.com/gpu':1}}",
       "{'limits':{'nvidia.com/mig-1g.10gb':'1'}}", ""},
      {"C023: another spelling of one", "{'limits':{'nvidia.com/gpu':'1000m'}}",
       "{'limits':{'nvidia.com/mig-1g.10gb':'1'}}", ""},
      {"E07 m028: limit only", "{'limits':{'nvidia.com/gpu':'1'}}",
       "{'limits':{'nvidia.com/mig-1g.10gb':'1'}}", ""},
      {"E08 m027: request only", "{'requests':{'nvidia.com/gpu':'1'}}",
       "{'requests':{'nvidia.com/gpu':'1'}}",
       "GPU request left as it is: container main requests nvidia.com/gpu without a limit\n"},
      {"not whole", "{'limits':{'nvidia.com/gpu':'1.5'}}", "{'limits':{'nvidia.com/gpu':'1.5'}}",
       "GPU request left as it is: container main limits nvidia.com/gpu to 1.5\n"},
      {"no quantity", "{'limits':{'nvidia.com/gpu':'one'}}", "{'limits':{'nvidia.com/gpu':'one'}}",
       "GPU request left as it is: container main limits nvidia.com/gpu to one\n"},
      {"request and limit differ",
       "{'limits':{'nvidia.com/gpu':'2'},'requests':{'nvidia.com/gpu':'1'}}",
       "{'limits':{'nvidia.com/gpu':'2'},'requests':{'nvidia.com/gpu':'1'}}",
       "GPU request left as it is: container main requests another number of nvidia.com/gpu than "
       "its limit\n"},
      {"asks for the new name as well",
       "{'limits':{'nvidia.com/gpu':'1','nvidia.com/mig-1g.10gb':'1'}}",
       "{'limits':{'nvidia.com/gpu':'1','nvidia.com/mig-1g.10gb':'1'}}",
       "GPU request left as it is: container main asks for nvidia.com/mig-1g.10gb as well\n"},
      {"C033: answered before", "{'limits':{'nvidia.com/mig-1g.10gb':'1'}}",
       "{'limits':{'nvidia.com/mig-1g.10gb':'1'}}", ""},
      {"m035: another vendor", "{'limits':{'huawei.com/Ascend910':'1'}}",
       "{'limits':{'huawei.com/Ascend910':'1'}}", ""},
      {"E09: empty resources", "{}", "{}", ""},
      {"E09: null maps", "{'limits':null,'requests':null}", "{'limits':null,'requests':null}", ""},
      {"zero asks for nothing", "{'limits':{'nvidia.com/gpu':'0'}}",
       "{'limits':{'nvidia.com/gpu':'0'}}", ""},
  };
  for (const Row& row : rows) {
    Workbench bench(pod_with("", container("main", row.resources) + ",{'name':'plain'}"));
    bench.add(SlotKind::kGpu, "", rules::GpuShare{}, "", slice()).run();
    EXPECT_EQ(bench.at("/spec/containers/0/resources"), json_text(row.result)) << row.why;
    EXPECT_EQ(bench.warnings(), row.warnings) << row.why;
  }
}

TEST(Gpu, IsRenamedInEveryContainerThatAsks) {  // C015, D08
  const std::string_view one = "{'limits':{'nvidia.com/gpu':'1'}}";
  const std::string spec = "'initContainers':[" + container("warm", one) + "," +
                           container("side", one, ",'restartPolicy':'Always'") + "],";
  Workbench bench(pod_with(spec, container("main", one) + "," + container("b", one)));
  bench.add(SlotKind::kGpu, "", rules::GpuShare{}, "", slice()).run();
  const std::string renamed = json_text("{'limits':{'nvidia.com/mig-1g.10gb':'1'}}");
  for (const char* path : {"/spec/initContainers/0", "/spec/initContainers/1", "/spec/containers/0",
                           "/spec/containers/1"}) {
    EXPECT_EQ(bench.at(std::string(path) + "/resources"), renamed) << path;
  }
}

TEST(Gpu, OfOneContainerThatCannotBeRenamedKeepsAll) {
  Workbench bench(pod_with("", container("a", "{'limits':{'nvidia.com/gpu':'1'}}") + "," +
                                   container("b", "{'requests':{'nvidia.com/gpu':'1'}}")));
  bench.add(SlotKind::kGpu, "", rules::GpuShare{}, "", slice()).run();
  EXPECT_TRUE(bench.unchanged());
}

TEST(Gpu, GoingRoundTheDevicePluginKeepsTheCard) {  // C009
  struct Row {
    std::string_view why, env;
    std::string_view unchanged;
  };
  const Row rows[] = {
      {"all cards", "'value':'all'", "yes"},
      {"a card by its id", "'value':'GPU-5c1f2f0a'", "yes"},
      {"none", "'value':'none'", "no"},
      {"from elsewhere is unknown", "'valueFrom':{'fieldRef':{'fieldPath':'x'}}", "no"},
  };
  for (const Row& row : rows) {
    Workbench bench(pod_with(
        "", container("main", "{'limits':{'nvidia.com/gpu':'1'}}",
                      ",'env':[{'name':'NVIDIA_VISIBLE_DEVICES'," + std::string(row.env) + "}]")));
    bench.add(SlotKind::kGpu, "", rules::GpuShare{}, "", slice()).run();
    EXPECT_EQ(bench.unchanged(), row.unchanged == "yes") << row.why;
  }
}

TEST(Gpu, IsLeftWhereTheAnswerIsToKeep) {
  rules::GpuAnswer keep = slice();
  keep.keep = true;
  Workbench bench(pod_with(""));
  bench.add(SlotKind::kGpu, "", rules::GpuShare{}, "", keep).run();
  EXPECT_TRUE(bench.unchanged());
}

TEST(Gpu, BringsTheNodesWhereTheNameMeansIt) {  // C004, C017
  rules::GpuAnswer whole;
  whole.resource = "nvidia.com/gpu";
  whole.require = {{"nvidia.com/gpu.count", {"8", "4"}, 0}};
  whole.refuse = {{"nvidia.com/gpu.sharing-strategy", {"time-slicing"}, 0}};
  Workbench bench(pod_with(""));
  bench.add(SlotKind::kGpu, "", rules::GpuShare{}, "", whole).run();
  EXPECT_EQ(bench.at("/spec/affinity/nodeAffinity"),
            json_text("{'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':[{"
                      "'matchExpressions':[{'key':'nvidia.com/gpu.count','operator':'In','values':"
                      "['4','8']},{'key':'nvidia.com/gpu.sharing-strategy','operator':'NotIn',"
                      "'values':['time-slicing']}]}]}}"));
}

TEST(Gpu, IsNotRenamedWhereTheAuthorExcludesTheNodes) {
  rules::GpuAnswer shared = slice();
  shared.require = {{"nvidia.com/mig.strategy", {"mixed"}, 0}};
  Workbench bench(pod_with("'nodeSelector':{'nvidia.com/mig.strategy':'single'},"));
  bench.add(SlotKind::kGpu, "", rules::GpuShare{}, "", shared).run();
  EXPECT_TRUE(bench.unchanged());
  EXPECT_EQ(bench.warnings(),
            "nvidia.com/mig.strategy of mixed not required: nodeSelector "
            "nvidia.com/mig.strategy=single excludes it\n");
}

TEST(Gpu, OfALongLivedTemplateChangesItsNameAlone) {  // m029
  rules::GpuAnswer shared = slice();
  shared.require = {{"nvidia.com/mig.strategy", {"mixed"}, 0}};
  Workbench bench(
      "{'apiVersion':'apps/v1','kind':'Deployment','metadata':{'name':'s'},'spec':{'selector':{},"
      "'template':{'metadata':{},'spec':{'containers':[" +
          container("main", "{'limits':{'nvidia.com/gpu':'1'}}") + "]}}}}",
      "/spec/template");
  bench.add(SlotKind::kGpu, "", rules::GpuShare{}, "", shared).run();
  EXPECT_EQ(bench.at("/spec/template/spec"),
            json_text("{'containers':[{'name':'main','resources':{'limits':"
                      "{'nvidia.com/mig-1g.10gb':'1'}}}]}"));
}

}  // namespace
}  // namespace berth::mutate
