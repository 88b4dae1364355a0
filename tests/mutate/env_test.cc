#include "mutate/env.h"

#include "tests/mutate/fixture.h"

namespace berth::mutate {
namespace {

using rules::ContainerChoice;
using rules::Existing;
using rules::SlotKind;

std::string container(std::string_view name, std::string_view more) {
  return "{'name':'" + std::string(name) + "'" + std::string(more) + "}";
}
const std::string kGpu = ",'resources':{'limits':{'nvidia.com/gpu':'1'}}";

TEST(Env, IsSetWhereTheAuthorSetsNothing) {
  struct Row {
    std::string_view why, env, value;
    Existing existing;
    std::string_view result, kept;
  };
  const Row rows[] = {
      {"A06: no list", "", "WARN", Existing::kKeep, "[{'name':'NCCL_DEBUG','value':'WARN'}]", ""},
      {"A07: null list", ",'env':null", "WARN", Existing::kKeep,
       "[{'name':'NCCL_DEBUG','value':'WARN'}]", ""},
      {"appended at the end", ",'env':[{'name':'A','value':'1'}]", "WARN", Existing::kKeep,
       "[{'name':'A','value':'1'},{'name':'NCCL_DEBUG','value':'WARN'}]", ""},
      {"B01: there with the value", ",'env':[{'name':'NCCL_DEBUG','value':'WARN'}]", "WARN",
       Existing::kKeep, "[{'name':'NCCL_DEBUG','value':'WARN'}]", ""},
      {"m020: an empty value is left out", "", "", Existing::kKeep, "[{'name':'NCCL_DEBUG'}]", ""},
      {"m020: an empty value of the author", ",'env':[{'name':'NCCL_DEBUG','value':''}]", "",
       Existing::kKeep, "[{'name':'NCCL_DEBUG','value':''}]", ""},
      {"kept", ",'env':[{'name':'NCCL_DEBUG','value':'INFO'}]", "WARN", Existing::kKeep,
       "[{'name':'NCCL_DEBUG','value':'INFO'}]",
       "env.NCCL_DEBUG wants WARN, found INFO at /spec/containers/0/env/0\n"},
      {"m020: taken from elsewhere is set",
       ",'env':[{'name':'NCCL_DEBUG','valueFrom':{'fieldRef':{'fieldPath':'x'}}}]", "WARN",
       Existing::kKeep, "[{'name':'NCCL_DEBUG','valueFrom':{'fieldRef':{'fieldPath':'x'}}}]",
       "env.NCCL_DEBUG wants WARN, found valueFrom fieldRef at /spec/containers/0/env/0\n"},
      {"m021: replaced in its place",
       ",'env':[{'name':'NCCL_DEBUG','value':'INFO'},{'name':'Z','value':'$(NCCL_DEBUG)'}]", "WARN",
       Existing::kReplace,
       "[{'name':'NCCL_DEBUG','value':'WARN'},{'name':'Z','value':'$(NCCL_DEBUG)'}]", ""},
      {"replaced, taken from elsewhere",
       ",'env':[{'name':'NCCL_DEBUG','valueFrom':{'fieldRef':{'fieldPath':'x'}}}]", "WARN",
       Existing::kReplace, "[{'name':'NCCL_DEBUG','value':'WARN'}]", ""},
      {"doubled by the author: the last counts",
       ",'env':[{'name':'NCCL_DEBUG','value':'A'},{'name':'NCCL_DEBUG','value':'WARN'}]", "WARN",
       Existing::kKeep, "[{'name':'NCCL_DEBUG','value':'A'},{'name':'NCCL_DEBUG','value':'WARN'}]",
       ""},
  };
  for (const Row& row : rows) {
    Workbench bench(pod_with("", container("main", kGpu + std::string(row.env))));
    bench.existing(row.existing).text(SlotKind::kEnv, row.value, "NCCL_DEBUG").run();
    EXPECT_EQ(bench.at("/spec/containers/0/env"), json_text(row.result)) << row.why;
    EXPECT_EQ(bench.kept(), row.kept) << row.why;
  }
}

TEST(Env, RefusesWhereTheRuleSaysSo) {
  Workbench bench(pod_with("", container("main", kGpu + ",'env':[{'name':'A','value':'1'}]")));
  bench.existing(Existing::kDeny).text(SlotKind::kEnv, "2", "A").run();
  EXPECT_EQ(bench.denials(), "env.A is 1, but has to be 2\n");
  EXPECT_TRUE(bench.unchanged());
}

TEST(Env, GoesToTheContainersThatTheRuleNames) {
  const std::string spec = "'initContainers':[" + container("init", "") + "," +
                           container("warm", kGpu) + "],'ephemeralContainers':[" +
                           container("debug", kGpu) + "],";
  const std::string main = container("main", kGpu) + "," + container("log", "") + "," +
                           container("claims", ",'resources':{'claims':[{'name':'gpu'}]}");
  struct Row {
    std::string_view why;
    ContainerChoice choice;
    std::vector<std::string_view> with;
  };
  const std::vector<std::string_view> all = {"/spec/initContainers/0", "/spec/initContainers/1",
                                             "/spec/containers/0", "/spec/containers/1",
                                             "/spec/containers/2"};
  const Row rows[] = {
      {"those that ask for GPUs, claims too",
       {ContainerChoice::Kind::kGpu, {}},
       {"/spec/initContainers/1", "/spec/containers/0", "/spec/containers/2"}},
      {"all but ephemeral ones", {ContainerChoice::Kind::kAll, {}}, all},
      {"by name",
       {ContainerChoice::Kind::kNamed, {"log", "init"}},
       {"/spec/initContainers/0", "/spec/containers/1"}},
      {"by a name that nobody has", {ContainerChoice::Kind::kNamed, {"other"}}, {}},
  };
  for (const Row& row : rows) {
    Workbench bench(pod_with(spec, main));
    bench.containers(row.choice).text(SlotKind::kEnv, "1", "A").run();
    for (const std::string_view path : all) {
      const bool has = bench.at(std::string(path) + "/env") != "absent";
      const bool wanted = std::find(row.with.begin(), row.with.end(), path) != row.with.end();
      EXPECT_EQ(has, wanted) << row.why << " " << path;
    }
    EXPECT_EQ(bench.at("/spec/ephemeralContainers/0/env"), "absent") << row.why;
  }
}

TEST(Env, ReachesContainersThatCameLater) {  // B03: the record is there, the sidecar is new
  std::string pod = pod_with("", container("main", kGpu + ",'env':[{'name':'A','value':'1'}]") +
                                     "," + container("late", kGpu));
  pod.replace(pod.find("'labels'"), 0, "'annotations':{'berth.dev/rules':'t/rule'},");
  Workbench bench(pod);
  bench.text(SlotKind::kEnv, "1", "A").run();
  EXPECT_EQ(bench.patch(), json_text("[{'op':'add','path':'/spec/containers/1/env','value':"
                                     "[{'name':'A','value':'1'}]}]"));
}

TEST(Env, LeavesTheDevicePluginsVariableToIt) {  // C025
  const std::string cuda = container("main", kGpu) + "," + container("logger", "");
  Workbench hidden(pod_with("", cuda));
  hidden.containers({ContainerChoice::Kind::kAll, {}})
      .text(SlotKind::kEnv, "void", "NVIDIA_VISIBLE_DEVICES")
      .run();
  EXPECT_EQ(hidden.at("/spec/containers/0/env"), "absent");
  EXPECT_EQ(hidden.at("/spec/containers/1/env"),
            json_text("[{'name':'NVIDIA_VISIBLE_DEVICES','value':'void'}]"));

  Workbench own(
      pod_with("", container("main", ",'env':[{'name':'NVIDIA_VISIBLE_DEVICES','value':'all'}]")));
  own.containers({ContainerChoice::Kind::kAll, {}})
      .text(SlotKind::kEnv, "void", "NVIDIA_VISIBLE_DEVICES")
      .run();
  EXPECT_TRUE(own.unchanged());
  EXPECT_EQ(own.warnings(),
            "container main asks for no GPU but sets NVIDIA_VISIBLE_DEVICES=all, which shows it "
            "the node's GPUs\n");
}

TEST(Env, OfAnotherShapeIsLeftAlone) {
  Workbench bench(pod_with("", container("main", kGpu + ",'env':'none'")));
  bench.text(SlotKind::kEnv, "1", "A").run();
  EXPECT_TRUE(bench.unchanged());
  EXPECT_EQ(bench.warnings(), "env.A not written: no list at /spec/containers/0/env\n");
}

}  // namespace
}  // namespace berth::mutate
