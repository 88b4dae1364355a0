#include "topology/file_source.h"

#include "tests/topology/clusters.h"

namespace berth::topology {
namespace {

TEST(FileSource, ReadsTheLab) {
  const Loaded loaded = load_text(read_test_data("cases/checks/lab.yaml"), lab_options());
  ASSERT_NE(loaded.snapshot, nullptr) << texts_of(loaded.problems);
  EXPECT_EQ(texts_of(loaded.problems), "");
  const Snapshot& lab = *loaded.snapshot;
  EXPECT_EQ(lab.nodes().size(), 68U);
  for (const Kind kind : {Kind::kNodes, Kind::kPods, Kind::kNamespaces, Kind::kPriorityClasses,
                          Kind::kRuntimeClasses, Kind::kLocalQueues, Kind::kQueues}) {
    EXPECT_TRUE(lab.knows(kind)) << static_cast<int>(kind);
  }
  EXPECT_FALSE(lab.knows(Kind::kResourceQuotas));
  EXPECT_EQ(lab.priority_class("gpu-scavenge")->preemption_policy, "Never");
  EXPECT_EQ(lab.local_queues("team-nlp"), std::vector<std::string_view>{"team-nlp"});
  EXPECT_EQ(lab.namespace_labels("shop")["tier"].string_or_empty(), "production");
}

struct FreeRow {
  const char* node;
  std::int64_t free;
};

TEST(FileSource, CountsFreeGpusOfTheLab) {
  const FreeRow rows[] = {
      {"h100-r1-1", 8}, {"h100-r1-4", 4}, {"h100-r2-2", 8}, {"h100-r2-3", 2}, {"h100-r2-4", 0},
      {"h100-r3-4", 8}, {"nvl-a-18", 4},  {"nvl-b-09", 4},  {"nvl-b-10", 0},  {"mix-1", 1},
      {"sgl-1", 0},     {"bad-1", 0},     {"chg-1", 0},     {"ts-1", 0},      {"mps-1", 0},
      {"l40s-1", 4},    {"l40s-2", 1},    {"spot-1", 8},    {"amd-1", 8},     {"cpu-1", 0},
  };
  const auto snapshot = lab();
  for (const FreeRow& row : rows) {
    const Node* node = snapshot->find_node(row.node);
    ASSERT_NE(node, nullptr) << row.node;
    EXPECT_EQ(node->whole_gpus_free(), row.free) << row.node;
  }
}

std::string slices_of(const Node& node) {
  std::string out = std::string(to_text(node.sharing)) + " " + std::to_string(node.shares_used) +
                    "/" + std::to_string(node.shares);
  for (const SliceCount& slice : node.slices) {
    out += " " + slice.profile + " " + std::to_string(slice.used) + "/" +
           std::to_string(slice.total) + " of " + std::to_string(slice.memory_mib);
  }
  return out;
}

TEST(FileSource, CountsSlicesAndSharesOfTheLab) {
  const auto snapshot = lab();
  EXPECT_EQ(slices_of(*snapshot->find_node("mix-1")),
            "mig-mixed 0/0 1g.10gb 3/8 of 9856 2g.20gb 2/4 of 19968 3g.40gb 4/4 of 40192");
  EXPECT_EQ(slices_of(*snapshot->find_node("sgl-2")), "mig-single 0/0 1g.10gb 16/56 of 9856");
  EXPECT_EQ(slices_of(*snapshot->find_node("bad-1")), "mig-single 0/0");
  EXPECT_EQ(slices_of(*snapshot->find_node("ts-1")), "time-slicing 0/4");
  EXPECT_EQ(slices_of(*snapshot->find_node("mps-1")), "mps 0/20");
  EXPECT_FALSE(snapshot->find_node("chg-1")->schedulable);
  EXPECT_FALSE(snapshot->find_node("chg-1")->healthy);
  EXPECT_FALSE(snapshot->find_node("bad-1")->healthy);
  EXPECT_FALSE(snapshot->find_node("h100-r3-4")->schedulable);
}

TEST(FileSource, KnowsNothingWithoutFiles) {
  const Loaded loaded = load_cluster({}, {});
  ASSERT_NE(loaded.snapshot, nullptr);
  EXPECT_FALSE(loaded.snapshot->knows(Kind::kNodes));
  EXPECT_TRUE(loaded.snapshot->fresh());
  EXPECT_EQ(loaded.snapshot->levels().size(), 5U);
  BuildOptions none;
  none.levels.clear();
  EXPECT_EQ(load_cluster({}, none).snapshot->levels().size(), 5U) << "the default levels";
}

TEST(FileSource, JoinsAllTextsIntoOnePicture) {
  const std::vector<base::SourceText> texts = {
      {"nodes.json", R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}})"},
      {"more.yaml",
       "apiVersion: v1\nkind: Namespace\nmetadata: {name: n}\n---\n---\n"
       "apiVersion: v1\nkind: Node\nmetadata: {name: b}\n"}};
  const Loaded loaded = load_cluster(texts, {});
  ASSERT_NE(loaded.snapshot, nullptr) << texts_of(loaded.problems);
  EXPECT_EQ(loaded.snapshot->nodes().size(), 2U);
  EXPECT_TRUE(loaded.snapshot->knows(Kind::kNamespaces));
}

TEST(FileSource, ReadsListsOfTheApiWhoseItemsHaveNoKind) {
  const auto snapshot = snapshot_of(
      R"({"apiVersion":"v1","kind":"NodeList","items":[{"metadata":{"name":"a"}},
          {"metadata":{"name":"b"}}]})");
  EXPECT_EQ(snapshot->nodes().size(), 2U);
}

TEST(FileSource, NotesKindsThatItDoesNotRead) {
  const Loaded loaded = load_text(
      "kind: List\nitems:\n"
      "- {apiVersion: v1, kind: Secret, metadata: {name: a}}\n"
      "- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n"
      "- {apiVersion: v1, kind: Secret, metadata: {name: b}}\n");
  ASSERT_NE(loaded.snapshot, nullptr);
  EXPECT_EQ(texts_of(loaded.problems),
            "cluster.yaml:3:3: note: ignored-kind: 2 of kind Secret, which berth does not read\n"
            "cluster.yaml:4:3: note: ignored-kind: 1 of kind ConfigMap, which berth does not "
            "read\n"
            "cluster.yaml: warning: nothing-read: holds nothing of a cluster that berth reads\n");
}

TEST(FileSource, LetsTheLaterOfTwoObjectsCount) {
  const Loaded loaded = load_text(
      "kind: List\nitems:\n"
      "- {apiVersion: v1, kind: Node, metadata: {name: a}, status: {allocatable: {nvidia.com/gpu: "
      "'4'}}}\n"
      "- {apiVersion: v1, kind: Node, metadata: {name: a}, status: {allocatable: {nvidia.com/gpu: "
      "'8'}}}\n");
  ASSERT_NE(loaded.snapshot, nullptr);
  EXPECT_EQ(loaded.snapshot->nodes()[0].whole_gpus, 8);
  EXPECT_EQ(
      texts_of(loaded.problems),
      "cluster.yaml:4:3: warning: duplicate-object: Node 'a' stands here twice, the later one "
      "counts\n");
}

struct WrongRow {
  const char* text;
  const char* problem;
};

TEST(FileSource, NamesThePlaceOfWhatIsWrong) {
  const WrongRow rows[] = {
      {"apiVersion: v1\nkind: Node\nmetadata: {labels: {}}\n",
       "cluster.yaml:1:1: error: missing-name: a Node without metadata.name\n"},
      {"apiVersion: v1\nmetadata: {name: a}\n",
       "cluster.yaml:1:1: error: missing-kind: an object without kind, expected what kubectl get "
       "-o "
       "yaml prints, or kind: Topology\n"},
      {"just text\n",
       "cluster.yaml:1:1: error: not-an-object: expected a Kubernetes object with apiVersion, kind "
       "and metadata, found a string\n"},
      {"kind: List\nitems:\n- {apiVersion: v1, kind: Namespace, metadata: {name: a}}\n- 3\n",
       "cluster.yaml:4:3: error: not-an-object: expected a Kubernetes object with apiVersion, kind "
       "and metadata, found a number\n"},
      {"kind: List\nitems: 3\n",
       "cluster.yaml:2:1: error: not-an-object: items must be a list of objects, found a number\n"},
      {"{\"kind\":\"List\",\n\"items\":[\n{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{}}"
       "]}",
       "cluster.yaml:3:1: error: missing-name: a Node without metadata.name\n"},
      {"apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: p}\nvalue: high\n",
       "cluster.yaml:4:1: warning: bad-value: PriorityClass 'p': value is no whole number, counts "
       "as "
       "0\n"},
  };
  for (const WrongRow& row : rows) {
    const Loaded loaded = load_text(row.text);
    EXPECT_EQ(texts_of(loaded.problems), row.problem) << row.text;
    EXPECT_EQ(loaded.snapshot == nullptr, loaded.problems.has_errors()) << row.text;
  }
}

TEST(FileSource, NamesThePlaceOfSyntaxErrors) {
  for (const char* text :
       {"kind: Node\nmetadata: {name: a\nspec: }\n",
        "{\"kind\": \"Node\",\n\"metadata\": {\"name\": }", "kind: Node\nkind: Pod\n",
        "{\"kind\":\"Node\",\n\"kind\":\"Pod\"}", "a: *x\n", "kind: Node\n\tmetadata: x\n"}) {
    const Loaded loaded = load_text(text);
    EXPECT_EQ(loaded.snapshot, nullptr) << text;
    ASSERT_TRUE(loaded.problems.has_errors()) << text;
    EXPECT_GE(loaded.problems.list()[0].place.line, 1) << text;
    EXPECT_EQ(loaded.problems.list()[0].place.file, "cluster.yaml") << text;
  }
}

TEST(FileSource, StopsAtListsInLists) {
  std::string text = "{apiVersion: v1, kind: Node, metadata: {name: a}}";
  for (int i = 0; i < 10; ++i) text = "{kind: List, items: [" + text + "]}";
  const Loaded loaded = load_text(text);
  EXPECT_EQ(loaded.snapshot, nullptr);
  EXPECT_NE(texts_of(loaded.problems).find("too-deep"), std::string::npos);
}

}  // namespace
}  // namespace berth::topology
