#include "topology/short_form.h"

#include "tests/topology/clusters.h"

namespace berth::topology {
namespace {

std::string expanded(std::string_view pattern) {
  const auto names = expand_names(pattern);
  if (!names) return "error: " + names.error().text;
  std::string out;
  for (const std::string& name : *names) out += (out.empty() ? "" : " ") + name;
  return out;
}

TEST(ShortForm, ExpandsRanges) {
  EXPECT_EQ(expanded("n1"), "n1");
  EXPECT_EQ(expanded("n[1-3]"), "n1 n2 n3");
  EXPECT_EQ(expanded("n[08-11]"), "n08 n09 n10 n11");
  EXPECT_EQ(expanded("n[1,3,5-6]"), "n1 n3 n5 n6");
  EXPECT_EQ(expanded("r[1-2]n[0-1]-x"), "r1n0-x r1n1-x r2n0-x r2n1-x");
  EXPECT_EQ(expanded("n[5-5]"), "n5");
  EXPECT_EQ(expanded("n[0-2]"), "n0 n1 n2");
}

TEST(ShortForm, RefusesWrongRanges) {
  for (const char* wrong :
       {"", "n[", "n]", "n[]", "n[1-", "n[a-b]", "n[3-1]", "n[1-2", "n[-1]", "n[1--2]", "n[1,]",
        "n[1-99999999999999999999]", "n[0-20000]", "n[1-200]m[1-200]", "n[[1-2]]"}) {
    EXPECT_TRUE(expanded(wrong).starts_with("error: ")) << wrong << ": " << expanded(wrong);
  }
  EXPECT_EQ(expanded("n[3-1]"),
            "error: 'n[3-1]' is no node name or range: expected numbers or first-last in brackets; "
            "examples: n1, n[1-4], n[01-18], n[1,3,7-9]");
}

const char kForm[] = R"(apiVersion: berth.dev/v1alpha1
kind: Topology
nodes:
- {name: "a[0-1]", product: H100, gpus: 8, free: 5, in: {nvlink: d0, rack: r0, block: b0}}
- {name: m1, product: A100, gpus: 0, mig: {1g.10gb: 4, 3g.40gb: 2}, in: {rack: 7}}
- {name: x1, product: MI300X, gpus: 8}
used: {"a[1]": 2}
)";

TEST(ShortForm, MakesNodesLikeAnyOther) {
  const auto snapshot = snapshot_of(kForm);
  ASSERT_EQ(snapshot->nodes().size(), 4U);
  const Node* a0 = snapshot->find_node("a0");
  EXPECT_EQ(a0->product, "H100");
  EXPECT_EQ(a0->product_label, "NVIDIA-H100-80GB-HBM3");
  EXPECT_EQ(a0->memory_mib, 81559);
  EXPECT_EQ(a0->whole_gpus, 8);
  EXPECT_EQ(a0->whole_gpus_free(), 5);
  EXPECT_EQ(snapshot->find_node("a1")->whole_gpus_free(), 3) << "used takes two more";
  EXPECT_TRUE(a0->schedulable && a0->healthy);
  EXPECT_EQ(domain_of(*snapshot, "a0", "node"), "a0");
  EXPECT_EQ(domain_of(*snapshot, "a0", "nvlink"), "d0");
  EXPECT_EQ(domain_of(*snapshot, "a0", "rack"), "r0");
  EXPECT_EQ(domain_of(*snapshot, "a0", "block"), "b0");
  EXPECT_EQ(domain_of(*snapshot, "a0", "zone"), "-");
  EXPECT_EQ(domain_of(*snapshot, "m1", "rack"), "7");
  const Node* m1 = snapshot->find_node("m1");
  EXPECT_EQ(m1->sharing, Sharing::kMigMixed);
  ASSERT_EQ(m1->slices.size(), 2U);
  EXPECT_EQ(m1->slices[1].profile, "3g.40gb");
  EXPECT_EQ(m1->slices[1].memory_mib, 40192) << "the A100 that has this slice is the 80 GB one";
  EXPECT_EQ(snapshot->find_node("x1")->vendor, "amd");
  EXPECT_EQ(snapshot->find_node("x1")->whole_gpus, 8);
  EXPECT_TRUE(snapshot->knows(Kind::kNodes));
}

TEST(ShortForm, UsesTheLabelsOfTheConfiguration) {
  const auto snapshot = snapshot_of(kForm, lab_options());
  EXPECT_EQ(snapshot->find_node("a0")->labels["lab.example.com/rack"].string_or_empty(), "r0");
  EXPECT_EQ(domain_of(*snapshot, "a0", "rack"), "r0");
}

TEST(ShortForm, MayStandInAListAndInJson) {
  const auto snapshot = snapshot_of(
      R"({"apiVersion":"v1","kind":"List","items":[{"apiVersion":"berth.dev/v1alpha1",
          "kind":"Topology","nodes":[{"name":"n[1-2]","product":"L4","gpus":1}]},
          {"apiVersion":"v1","kind":"Namespace","metadata":{"name":"team-a"}}]})");
  EXPECT_EQ(snapshot->nodes().size(), 2U);
  EXPECT_TRUE(snapshot->knows(Kind::kNamespaces));
}

struct WrongRow {
  const char* node;
  const char* problem;
};

TEST(ShortForm, NamesThePlaceOfWhatIsWrong) {
  const WrongRow rows[] = {
      {"{name: n1, product: H100, gpus: 8, gpu: 4}",
       "3:40: error: unknown-key: unknown key 'gpu'; did you mean 'gpus'?"},
      {"{name: n1, gpus: 8}",
       "3:5: error: wrong-type: product must be a name such as H100, found nothing"},
      {"{name: n1, product: H100}",
       "3:5: error: wrong-type: gpus must be a whole number from 0 to 100000, found nothing"},
      {"{name: n1, product: H100, gpus: many}",
       "3:31: error: wrong-type: gpus must be a whole number from 0 to 100000, found \"many\""},
      {"{name: n1, product: H100, gpus: -1}",
       "3:31: error: wrong-type: gpus must be a whole number from 0 to 100000, found -1"},
      {"{name: n1, product: H100, gpus: 4, free: 5}",
       "3:40: error: wrong-value: free is 5, more than gpus, 4"},
      {"{name: 'n[2-1]', product: H100, gpus: 4}", "3:6: error: bad-range: 'n[2-1]' is no node"},
      {"{name: n1, product: H100, gpus: 0, mig: {10gb: 1}}",
       "3:46: error: unknown-profile: '10gb' is no MIG profile"},
      {"{name: n1, product: H100, gpus: 0, mig: 3}",
       "3:40: error: wrong-type: mig must map profiles to counts, found 3"},
      {"{name: n1, product: H100, gpus: 8, in: {rak: r0}}",
       "3:45: error: unknown-level: unknown level 'rak'; did you mean 'rack'?"},
      {"{name: n1, product: H100, gpus: 8, in: {node: x}}",
       "3:45: error: wrong-value: every node is in itself: leave this out"},
      {"n1",
       "3:5: error: wrong-type: a node must be a mapping with name, product and gpus, found "
       "\"n1\""},
      {"{name: n1, product: H1000, gpus: 8}",
       "3:16: warning: unknown-product: unknown product 'H1000'; did you mean 'H100'?"},
  };
  for (const WrongRow& row : rows) {
    const Loaded loaded =
        load_text("{apiVersion: berth.dev/v1alpha1, kind: Topology,\nnodes: [\n    " +
                  std::string(row.node) + "\n]}");
    const std::string texts = texts_of(loaded.problems);
    EXPECT_NE(texts.find("cluster.yaml:" + std::string(row.problem)), std::string::npos)
        << row.node << "\n"
        << texts;
    EXPECT_EQ(loaded.snapshot == nullptr, loaded.problems.has_errors());
  }
}

TEST(ShortForm, FindsNodesThatStandTwiceAndUsesOfNone) {
  const Loaded loaded = load_text(R"(apiVersion: berth.dev/v1alpha1
kind: Topology
nodes:
- {name: "n[1-2]", product: H100, gpus: 8}
- {name: n2, product: H100, gpus: 8}
used: {n3: 1, n1: x}
)");
  EXPECT_EQ(texts_of(loaded.problems),
            "cluster.yaml:5:4: error: duplicate-object: node 'n2' stands here twice\n"
            "cluster.yaml:6:8: error: unknown-node: no node 'n3' in this topology\n"
            "cluster.yaml:6:15: error: wrong-type: used must map nodes to a number of GPUs, found "
            "\"x\"\n");
}

TEST(ShortForm, WantsAListOfNodes) {
  const Loaded loaded = load_text("{apiVersion: berth.dev/v1alpha1, kind: Topology, nodes: 3}");
  EXPECT_EQ(texts_of(loaded.problems),
            "cluster.yaml:1:50: error: wrong-type: nodes must be a list of nodes, found 3\n");
}

}  // namespace
}  // namespace berth::topology
