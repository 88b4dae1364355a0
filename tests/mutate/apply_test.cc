#include "mutate/apply.h"

#include "tests/mutate/fixture.h"

namespace berth::mutate {
namespace {

using rules::Existing;
using rules::SlotKind;

rules::Toleration gpu_toleration() {
  rules::Toleration out;
  out.key = "nvidia.com/gpu";
  return out;
}

TEST(Apply, LeavesItsRecordWhereItChangedSomething) {
  Workbench changed(pod_with(""));
  changed.text(SlotKind::kRuntimeClass, "nvidia").rule("t/warns-only").run();
  EXPECT_EQ(changed.at("/metadata/annotations"),
            json_text("{'berth.dev/rules':'t/rule,t/warns-only'}"));
  EXPECT_EQ(changed.outcome().changes.back().rule, nullptr);

  Workbench same(pod_with("'runtimeClassName':'nvidia',"));
  same.text(SlotKind::kRuntimeClass, "nvidia").run();
  EXPECT_TRUE(same.unchanged()) << "A22";
}

TEST(Apply, AddsToTheRecordOfAnEarlierCall) {
  std::string pod = pod_with("");
  pod.replace(pod.find("'labels'"), 0, "'annotations':{'berth.dev/rules':'mig/slice'},");
  Workbench bench(pod);
  bench.text(SlotKind::kRuntimeClass, "nvidia").run();
  EXPECT_EQ(bench.at("/metadata/annotations"), json_text("{'berth.dev/rules':'mig/slice,t/rule'}"));
}

TEST(Apply, DecidesFromThePodAndNotFromTheRecord) {  // B04
  std::string pod = pod_with("");
  pod.replace(pod.find("'labels'"), 0, "'annotations':{'berth.dev/rules':'t/rule'},");
  Workbench bench(pod);
  bench.text(SlotKind::kRuntimeClass, "nvidia").run();
  EXPECT_EQ(bench.at("/spec/runtimeClassName"), json_text("'nvidia'"));
}

TEST(Apply, SaysThatAValueOfItsOwnWasChanged) {  // B07
  std::string pod = pod_with("'runtimeClassName':'kata',");
  pod.replace(pod.find("'labels'"), 0, "'annotations':{'berth.dev/rules':'t/rule'},");
  Workbench bench(pod);
  bench.text(SlotKind::kRuntimeClass, "nvidia").run();
  EXPECT_TRUE(bench.unchanged());
  EXPECT_EQ(bench.warnings(), "runtimeClass stays kata, not nvidia\n");
}

TEST(Apply, ChangesNothingWhereItRefuses) {
  Workbench bench(pod_with("'runtimeClassName':'kata',"));
  bench.text(SlotKind::kEnv, "1", "A")
      .rule("t/strict", Existing::kDeny)
      .text(SlotKind::kRuntimeClass, "nvidia")
      .run();
  EXPECT_TRUE(bench.unchanged());
  EXPECT_EQ(bench.denials(), "runtimeClass is kata, but has to be nvidia\n");
}

TEST(Apply, WritesInTheOrderOfSlotsWhateverTheOrderOfRules) {  // A28
  const auto patch_of = [](auto fill) {
    Workbench bench(pod_with(""));
    fill(bench);
    return bench.run().patch();
  };
  const std::string one = patch_of([](Workbench& bench) {
    bench.text(SlotKind::kAnnotation, "1", "a").text(SlotKind::kEnv, "1", "B");
    bench.text(SlotKind::kEnv, "1", "A").text(SlotKind::kNodeSelector, "z", "zone");
  });
  const std::string other = patch_of([](Workbench& bench) {
    bench.text(SlotKind::kNodeSelector, "z", "zone").text(SlotKind::kEnv, "1", "A");
    bench.text(SlotKind::kEnv, "1", "B").text(SlotKind::kAnnotation, "1", "a");
  });
  EXPECT_EQ(one, other);
}

TEST(Apply, UsesTheThreeOperationsOnExistingParents) {  // A10, A27
  Workbench bench(pod_with("'priorityClassName':'old',"));
  bench.existing(Existing::kReplace)
      .text(SlotKind::kPriorityClass, "new")
      .text(SlotKind::kAnnotation, "1", "a")
      .text(SlotKind::kShm, "1Gi")
      .run();
  const auto operations = nlohmann::json::parse(bench.patch());
  ASSERT_FALSE(operations.empty());
  for (const auto& operation : operations) {
    const std::string op = operation["op"];
    EXPECT_TRUE(op == "add" || op == "replace" || op == "remove") << op;
    EXPECT_EQ(operation.size(), op == "remove" ? 2u : 3u);
    EXPECT_EQ(std::string(operation["path"]).find("managedFields"), std::string::npos);
  }
}

std::string owner(std::string_view api, std::string_view kind, std::string_view metadata,
                  std::string_view more = "") {
  return "{'apiVersion':'" + std::string(api) + "','kind':'" + std::string(kind) +
         "','metadata':{'name':'o'" + std::string(metadata) + "},'spec':{" + std::string(more) +
         "'template':{'metadata':{'labels':{'app':'o'}},'spec':{'containers':[" +
         std::string(kMain) + "]}}}}";
}

TEST(Apply, GivesALongLivedOwnerOnlyWhatDoesNotAge) {  // m029, B09
  Workbench bench(owner("apps/v1", "Deployment", "", "'selector':{'matchLabels':{'app':'o'}},"),
                  "/spec/template");
  rules::LevelAnswer level;
  level.label = "rack";
  level.prefer = {{"rack", {"r1"}, 100}};
  bench.text(SlotKind::kRuntimeClass, "nvidia")
      .text(SlotKind::kLabel, "gold", "tier")
      .text(SlotKind::kAnnotation, "1", "a")
      .text(SlotKind::kEnv, "1", "A")
      .add(SlotKind::kTolerate, "nvidia.com/gpu", gpu_toleration(), "")
      .add(SlotKind::kPlacement, "", rules::LevelPlacement{}, "", level)
      .run();
  EXPECT_EQ(bench.at("/spec/template/metadata/labels"), json_text("{'app':'o','tier':'gold'}"));
  EXPECT_EQ(bench.at("/spec/selector"), json_text("{'matchLabels':{'app':'o'}}"));
  EXPECT_EQ(bench.at("/spec/template/metadata/annotations"),
            json_text("{'a':'1','berth.dev/rules':'t/rule'}"));
  EXPECT_EQ(bench.at("/spec/template/spec/affinity"), "absent");
  EXPECT_EQ(bench.at("/spec/template/spec/runtimeClassName"), json_text("'nvidia'"));
  EXPECT_EQ(bench.at("/spec/template/spec/containers/0/env"),
            json_text("[{'name':'A','value':'1'}]"));
  EXPECT_EQ(bench.at("/spec/template/spec/tolerations/0/key"), json_text("'nvidia.com/gpu'"));
  EXPECT_EQ(bench.at("/metadata"), json_text("{'name':'o'}"));
}

TEST(Apply, GivesAJobTheLabelsOfItsPods) {
  Workbench bench(owner("batch/v1", "Job", ""), "/spec/template");
  bench.text(SlotKind::kLabel, "gold", "tier").run();
  EXPECT_EQ(bench.at("/spec/template/metadata/labels"), json_text("{'app':'o','tier':'gold'}"));
}

TEST(Apply, LeavesATemplateThatKueueCompares) {  // C062
  Workbench bench(
      owner("batch/v1", "Job", ",'labels':{'kueue.x-k8s.io/prebuilt-workload-name':'w'}"),
      "/spec/template");
  bench.text(SlotKind::kRuntimeClass, "nvidia").text(SlotKind::kQueue, "q").run();
  EXPECT_EQ(bench.at("/spec"), kube::to_json(bench.parse(owner("batch/v1", "Job", ""))["spec"]));
  EXPECT_EQ(bench.at("/metadata/labels/kueue.x-k8s.io~1queue-name"), json_text("'q'"));
  EXPECT_EQ(bench.warnings(),
            "template left as it is: Kueue compares it with the Workload it was built for\n");
}

TEST(Apply, HandsTheIntentOfAnOwnerDown) {
  const std::string metadata =
      ",'labels':{'berth.dev/intent':'training','berth.dev/ignore':'false','x':'y'},"
      "'annotations':{'berth.dev/gpu-memory':'9Gi','berth.dev/rules':'z/z'}";
  Workbench bench(owner("batch/v1", "Job", metadata), "/spec/template");
  bench.text(SlotKind::kRuntimeClass, "nvidia").run();
  EXPECT_EQ(bench.at("/spec/template/metadata/annotations"),
            json_text("{'berth.dev/gpu-memory':'9Gi','berth.dev/rules':'t/rule'}"));
  EXPECT_EQ(bench.at("/spec/template/metadata/labels"),
            json_text("{'app':'o','berth.dev/intent':'training'}"));
}

TEST(Apply, NeverWritesALabelBySelectorOfAnOwner) {
  for (const std::string_view selector :
       {"'selector':{'matchLabels':{'app':'o'},'matchExpressions':[{'key':'tier','operator':"
        "'NotIn','values':['gold']},{'key':'berth.dev/intent','operator':'DoesNotExist'}]},"}) {
    Workbench bench(
        owner("apps/v1", "StatefulSet", ",'labels':{'berth.dev/intent':'training'}", selector),
        "/spec/template");
    bench.text(SlotKind::kLabel, "gold", "tier").text(SlotKind::kRuntimeClass, "nvidia").run();
    EXPECT_EQ(bench.at("/spec/template/metadata/labels"), json_text("{'app':'o'}"));
    EXPECT_EQ(bench.at("/spec/template/metadata/annotations/berth.dev~1intent"),
              json_text("'training'"));
    EXPECT_EQ(bench.warnings(), "label tier not written: its owner finds the pod by it\n");
  }
}

TEST(Apply, KeepsTheIntentOfTheTemplate) {
  std::string object = owner("batch/v1", "Job", ",'labels':{'berth.dev/intent':'training'}");
  object.replace(object.find("'app':'o'"), 0, "'berth.dev/intent':'batch',");
  Workbench bench(object, "/spec/template");
  bench.text(SlotKind::kRuntimeClass, "nvidia").run();
  EXPECT_EQ(bench.at("/spec/template/metadata/annotations"),
            json_text("{'berth.dev/rules':'t/rule'}"));
}

TEST(Apply, KeepsWhatItDoesNotKnow) {  // A19, A20, A21
  Workbench bench(
      "{'kind':'Pod','metadata':{'creationTimestamp':null,'odd':9007199254740993},"
      "'spec':{'futureField':{'x':1.50},'containers':[{'name':'main','futureThing':[1],"
      "'resources':{'limits':{'nvidia.com/gpu':'1'}}}]}}");
  bench.text(SlotKind::kEnv, "1", "A").run();
  EXPECT_EQ(bench.at("/metadata/creationTimestamp"), "null");
  EXPECT_EQ(bench.at("/metadata/odd"), "9007199254740993");
  EXPECT_EQ(bench.at("/spec/futureField"), json_text("{'x':1.50}"));
  EXPECT_EQ(bench.at("/spec/containers/0/futureThing"), "[1]");
}

TEST(Apply, ManagesABigPod) {  // D12
  std::string containers;
  for (int i = 0; i < 1000; ++i) {
    containers +=
        (i == 0 ? "{'name':'c" : ",{'name':'c") + std::to_string(i) +
        "','env':[{'name':'X','value':'1'}],'resources':{'limits':{'nvidia.com/gpu':'1'}}}";
  }
  Workbench bench(pod_with("", containers));
  bench.text(SlotKind::kEnv, "1", "A").run();
  EXPECT_EQ(bench.outcome().changes.size(), 1001u);
  EXPECT_EQ(bench.at("/spec/containers/999/env/1"), json_text("{'name':'A','value':'1'}"));
}

}  // namespace
}  // namespace berth::mutate
