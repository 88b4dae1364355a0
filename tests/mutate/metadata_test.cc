#include "mutate/metadata.h"

#include "tests/mutate/fixture.h"

namespace berth::mutate {
namespace {

using rules::Existing;
using rules::SlotKind;

std::string pod_of(std::string_view metadata) {
  return "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p'" + std::string(metadata) +
         "},'spec':{}}";
}

TEST(Labels, AreWrittenKeptAndReplaced) {
  struct Row {
    std::string_view why, metadata, key, value;
    Existing existing;
    std::string_view result, kept;
  };
  const Row rows[] = {
      {"A01: no map", "", "a/b", "1", Existing::kKeep, "{'a/b':'1'}", ""},
      {"A07: null map", ",'labels':null", "a/b", "1", Existing::kKeep, "{'a/b':'1'}", ""},
      {"A03: beside others", ",'labels':{'x':'y'}", "a/b", "1", Existing::kKeep,
       "{'x':'y','a/b':'1'}", ""},
      {"C118: of the author", ",'labels':{'model':'llama'}", "model", "shared", Existing::kKeep,
       "{'model':'llama'}", "labels.model wants shared, found llama at /metadata/labels/model\n"},
      {"replaced", ",'labels':{'model':'llama'}", "model", "shared", Existing::kReplace,
       "{'model':'shared'}", ""},
      {"C119: the text false, the key as written", "", "sidecar.istio.io/inject", "false",
       Existing::kKeep, "{'sidecar.istio.io/inject':'false'}", ""},
      {"A30: the right one of two", ",'labels':{'g/r':'1','g~1r':'2'}", "g/r", "3",
       Existing::kReplace, "{'g/r':'3','g~1r':'2'}", ""},
      {"E15: too long, shortened with a hash", "", "k",
       "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", Existing::kKeep,
       "{'k':'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-d96f0f85'}", ""},
  };
  for (const Row& row : rows) {
    Workbench bench(pod_of(row.metadata));
    bench.existing(row.existing).text(SlotKind::kLabel, row.value, std::string(row.key)).run();
    EXPECT_EQ(bench.at("/metadata/labels"), json_text(row.result)) << row.why;
    EXPECT_EQ(bench.kept(), row.kept) << row.why;
  }
}

TEST(Labels, ByWhichAnOwnerFindsItsPodsAreNeverTouched) {
  const std::string owned =
      ",'labels':{'app':'s','model':'llama','pod-template-hash':'7d'},'ownerReferences':[{"
      "'apiVersion':'apps/v1','kind':'ReplicaSet','name':'s-7d','uid':'u','controller':true}]";
  struct Row {
    std::string_view why, key;
  };
  const Row rows[] = {
      {"m041 B09: the hash of the template", "pod-template-hash"},
      {"C118: in the owner's selector", "model"},
      {"in its expressions", "app"},
      {"a label of another controller", "batch.kubernetes.io/job-name"},
      {"a label of Kueue", "kueue.x-k8s.io/managed"},
  };
  for (const Row& row : rows) {
    Workbench bench(pod_of(owned));
    bench.cluster(
        "{'apiVersion':'apps/v1','kind':'ReplicaSet','metadata':{'name':'s-7d','namespace':"
        "'team-nlp'},'spec':{'selector':{'matchLabels':{'model':'llama'},'matchExpressions':["
        "{'key':'app','operator':'Exists'}]}}}");
    bench.existing(Existing::kReplace).text(SlotKind::kLabel, "shared", std::string(row.key)).run();
    EXPECT_TRUE(bench.unchanged()) << row.why;
    EXPECT_EQ(bench.warnings(),
              "label " + std::string(row.key) + " not written: its owner finds the pod by it\n")
        << row.why;
  }
}

TEST(Labels, HaveValuesThatTheApiServerTakes) {
  Workbench bench(pod_of(""));
  bench.text(SlotKind::kLabel, "two words", "k").run();
  EXPECT_TRUE(bench.unchanged());
  EXPECT_EQ(bench.warnings(), "label k not written: 'two words' is no label value\n");
}

TEST(Annotations, AreWrittenAsTheyAre) {
  const std::string_view odd = "\xF0\x9F\x9A\x80 \\ \xE2\x80\xA8 < \" >";  // A29
  Workbench bench(pod_of(",'annotations':{'a~b/c':'1'}"));
  bench.text(SlotKind::kAnnotation, odd, "example.com/why").run();
  base::Arena arena;
  EXPECT_EQ(bench.at("/metadata/annotations/example.com~1why"),
            kube::to_json(kube::make_string(arena, odd)));
  EXPECT_EQ(bench.at("/metadata/annotations/a~0b~1c"), json_text("'1'"));
}

TEST(Annotations, StayBelowTheTotalOfTheApiServer) {  // E16
  Workbench bench(pod_of(",'annotations':{'big':'" + std::string(262000, 'x') + "'}"));
  bench.text(SlotKind::kAnnotation, std::string(400, 'y'), "k").run();
  EXPECT_TRUE(bench.unchanged());
  EXPECT_EQ(bench.warnings(), "annotation k not written: annotations would exceed 256 KiB\n");
}

TEST(Annotations, OfTheAuthorAreKeptOrRefused) {
  Workbench kept(pod_of(",'annotations':{'k':'theirs'}"));
  kept.text(SlotKind::kAnnotation, "ours", "k").run();
  EXPECT_TRUE(kept.unchanged());
  EXPECT_EQ(kept.kept(), "annotations.k wants ours, found theirs at /metadata/annotations/k\n");
  Workbench refused(pod_of(",'annotations':{'k':'theirs'}"));
  refused.existing(Existing::kDeny).text(SlotKind::kAnnotation, "ours", "k").run();
  EXPECT_EQ(refused.denials(), "annotations.k is theirs, but has to be ours\n");
}

}  // namespace
}  // namespace berth::mutate
