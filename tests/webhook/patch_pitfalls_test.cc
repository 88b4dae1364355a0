// How patches of other webhooks went wrong, each with the smallest input that shows it. Every reply
// is judged by MutateBench besides: plain operations, a strict application, an empty second pass.
#include <gmock/gmock.h>

#include "kube/json_patch.h"
#include "tests/webhook/mutate_bench.h"

namespace berth::webhook {
namespace {

using ::testing::Contains;
using ::testing::Not;

constexpr std::string_view kRecord = "/metadata/annotations/berth.dev~1rules";

// A review whose pod has the value at the path below it.
OtherJson review_with(const std::string& path, const OtherJson& value) {
  OtherJson review = base_review();
  review[OtherJson::json_pointer("/request/object" + path)] = value;
  return review;
}

std::vector<std::string> paths_of(const Admitted& admitted) {
  std::vector<std::string> out;
  for (const OtherJson& operation : admitted.patch) {
    if (operation.at("path") != kRecord) out.push_back(operation.at("path"));
  }
  return out;
}

TEST(PatchPitfalls, MissingMapIsCreatedAsAnObject) {  // A01, A02
  const Admitted admitted = MutateBench({kAnnotate}).admit(base_review());
  EXPECT_EQ(paths_of(admitted), std::vector<std::string>{"/metadata/annotations"});
  EXPECT_EQ(admitted.written("/metadata/annotations"),
            OtherJson::parse(R"({"gpu.example.com/rule": "r1"})"));
}

TEST(PatchPitfalls, MapOfTheAuthorIsAddedTo) {  // A03, A04
  const OtherJson review = review_with("/metadata/annotations", {{"a", "1"}});
  const Admitted admitted = MutateBench({kAnnotate}).admit(review);
  EXPECT_EQ(paths_of(admitted),
            std::vector<std::string>{"/metadata/annotations/gpu.example.com~1rule"});
  EXPECT_EQ(admitted.object["metadata"]["annotations"]["a"], "1");
  EXPECT_EQ(admitted.object["metadata"]["annotations"]["gpu.example.com/rule"], "r1");
}

TEST(PatchPitfalls, MissingListIsCreatedWhole) {  // A06
  OtherJson review = base_review();
  review[kPod]["spec"].erase("volumes");
  review[kMain].erase("volumeMounts");
  const Admitted admitted = MutateBench({kShm}).admit(review);
  for (const char* list : {"/spec/volumes", "/spec/containers/0/volumeMounts"}) {
    ASSERT_TRUE(admitted.written(list).is_array()) << list;
    EXPECT_EQ(admitted.written(list).size(), 1U) << list;
  }
}

TEST(PatchPitfalls, NullAndEmptyParentsCountAsAbsent) {  // A07, A08
  const MutateBench bench({kTolerate, kAnnotate, kProduct});
  const std::pair<const char*, OtherJson> rows[] = {
      {"null", {}},
      {"empty", OtherJson::object()},
      {"empty node affinity", {{"nodeAffinity", OtherJson::object()}}},
      {"null node affinity", {{"nodeAffinity", nullptr}}},
      {"null requirement",
       {{"nodeAffinity", {{"requiredDuringSchedulingIgnoredDuringExecution", nullptr}}}}},
  };
  for (const auto& [name, affinity] : rows) {
    SCOPED_TRACE(name);
    OtherJson review = review_with("/spec/affinity", affinity);
    review[kPod]["spec"]["securityContext"] = OtherJson::object();
    review[kPod]["spec"]["tolerations"] = nullptr;
    review[kPod]["metadata"]["annotations"] = nullptr;
    const Admitted admitted = bench.admit(review);
    const OtherJson& spec = admitted.object["spec"];
    EXPECT_EQ(spec["tolerations"].size(), 1U);
    EXPECT_EQ(admitted.object["metadata"]["annotations"]["gpu.example.com/rule"], "r1");
    EXPECT_EQ(spec["securityContext"], OtherJson::object());
    const OtherJson& terms =
        spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
            ["nodeSelectorTerms"];
    ASSERT_EQ(terms.size(), 1U);
    const OtherJson& expressions = terms[0]["matchExpressions"];
    ASSERT_EQ(expressions.size(), 1U);
    EXPECT_EQ(expressions[0]["key"], "nvidia.com/gpu.product");
    EXPECT_EQ(spec["affinity"].size(), 1U);
    EXPECT_EQ(spec["affinity"]["nodeAffinity"].size(), 1U);
  }
}

TEST(PatchPitfalls, TwoRulesCreateOneParent) {  // A09
  const Admitted admitted =
      MutateBench({kAnnotate, "{annotations: {other: r2}}"}).admit(base_review());
  EXPECT_EQ(admitted.object["metadata"]["annotations"]["gpu.example.com/rule"], "r1");
  EXPECT_EQ(admitted.object["metadata"]["annotations"]["other"], "r2");
  const auto paths = paths_of(admitted);
  EXPECT_EQ(std::count(paths.begin(), paths.end(), "/metadata/annotations"), 1);
}

TEST(PatchPitfalls, NoRuleMeansNoPatchAtAll) {  // A12
  const MutateBench bench(WholeFile{},
                          "apiVersion: berth.dev/v1alpha1\nkind: RuleSet\nrules:\n- name: r\n"
                          "  match: {namespaces: elsewhere}\n  then: " +
                              std::string(kAnnotate));
  const Admitted admitted = bench.admit(base_review());
  EXPECT_FALSE(admitted.response.contains("patch"));
  EXPECT_FALSE(admitted.response.contains("patchType"));
  EXPECT_EQ(admitted.response["allowed"], true);
}

TEST(PatchPitfalls, DenialSaysWhoAndWhy) {  // A13
  const Admitted admitted = MutateBench({kDeny, kAnnotate}).admit(base_review());
  EXPECT_EQ(admitted.response["allowed"], false);
  EXPECT_FALSE(admitted.response.contains("patch"));
  EXPECT_FALSE(admitted.response.contains("patchType"));
  EXPECT_EQ(admitted.response["status"]["code"], 403);
  EXPECT_EQ(admitted.response["status"]["message"], "not here (rule t/r0)");
}

TEST(PatchPitfalls, PlainValuesOfARuleFileBecomeTexts) {  // A16
  const Admitted admitted =
      MutateBench({"{labels: {n: 1}, annotations: {b: true}, env: {E: 5, F: 1.10}}"})
          .admit(base_review());
  EXPECT_EQ(admitted.object["metadata"]["labels"]["n"], "1");
  EXPECT_EQ(admitted.object["metadata"]["annotations"]["b"], "true");
  const OtherJson env = admitted.object["spec"]["containers"][0]["env"];
  EXPECT_THAT(env, Contains(OtherJson({{"name", "E"}, {"value", "5"}})));
  EXPECT_THAT(env, Contains(OtherJson({{"name", "F"}, {"value", "1.10"}})));
}

TEST(PatchPitfalls, QuantitiesAreComparedByValue) {  // A17, A22
  OtherJson review = base_review();
  const OtherJson amounts = {{"cpu", "1000m"}, {"memory", "2048Mi"}, {"nvidia.com/gpu", 1}};
  review[kMain]["resources"] = {{"limits", amounts}, {"requests", amounts}};
  review[kPod]["spec"]["volumes"].push_back(
      {{"name", "own"}, {"emptyDir", {{"medium", "Memory"}, {"sizeLimit", "1024Mi"}}}});
  review[kMain]["volumeMounts"].push_back({{"name", "own"}, {"mountPath", "/dev/shm"}});
  review[kMain]["env"] = {{{"name", "NCCL_DEBUG"}, {"value", "WARN"}}};
  review[kPod]["metadata"]["annotations"] = {{"gpu.example.com/rule", "r1"}};
  const Admitted admitted = MutateBench({kShm, kSetEnv, kAnnotate}).admit(review);
  EXPECT_TRUE(admitted.unchanged()) << admitted.patch;
  EXPECT_FALSE(admitted.response.contains("patchType"));
}

TEST(PatchPitfalls, SliceReplacesTheCardInLimitsAndRequests) {  // A18, A23
  for (const OtherJson& one : {OtherJson("1"), OtherJson(1)}) {
    OtherJson review = base_review();
    review[kMain]["resources"]["limits"]["nvidia.com/gpu"] = one;
    review[kMain]["resources"]["requests"]["nvidia.com/gpu"] = one;
    const Admitted admitted = MutateBench({kSlice}).admit(review);
    for (const char* amounts : {"limits", "requests"}) {
      const OtherJson& map = admitted.object["spec"]["containers"][0]["resources"][amounts];
      EXPECT_FALSE(map.contains("nvidia.com/gpu")) << one << " " << admitted.response;
      EXPECT_EQ(map.value("nvidia.com/mig-1g.10gb", OtherJson()), "1") << one;
    }
  }
}

// The other library keeps 64 bits only: numbers are compared as texts by our own applier.
TEST(PatchPitfalls, NumbersKeepTheirDigits) {  // A19, I11
  for (const std::string number : {"9007199254740993", "18446744073709551616", "1e3", "1.10", "-0",
                                   "3.141592653589793238462643"}) {
    OtherJson review = review_with("/spec/futureNumber", "HERE");
    review[kMain]["resources"]["futureNumber"] = "HERE";
    std::string text = review.dump();
    for (std::size_t at = text.find("\"HERE\""); at != std::string::npos;
         at = text.find("\"HERE\"")) {
      text.replace(at, 6, number);
    }
    const HttpReply reply = MutateBench({kAnnotate, kSetEnv, kSlice}).send(text);
    const std::string patch = decoded_patch(reply.text);
    EXPECT_NE(patch, "") << number << reply.text;
    base::Arena arena;
    const auto before = kube::parse_json(text, arena);
    ASSERT_TRUE(before) << number;
    const auto after =
        kube::apply_patch((*before)["request"]["object"], *kube::parse_json(patch, arena), arena);
    ASSERT_TRUE(after) << number;
    EXPECT_EQ(kube::to_json((*after)["spec"]["futureNumber"]), number);
    EXPECT_EQ(kube::to_json((*after)["spec"]["containers"].items()[0]["resources"]["futureNumber"]),
              number);
  }
}

TEST(PatchPitfalls, NumbersOfAnOwnerKeepTheirDigits) {  // A19
  OtherJson review = base_review();
  const OtherJson pod = review[kPod];
  review["request"]["kind"] = {{"group", "batch"}, {"version", "v1"}, {"kind", "Job"}};
  review["request"]["object"] = {
      {"apiVersion", "batch/v1"},
      {"kind", "Job"},
      {"metadata", {{"name", "train"}}},
      {"spec", {{"template", {{"spec", pod["spec"]}}}, {"future", 9007199254740993}}}};
  const Admitted admitted = MutateBench({kSetEnv}).admit(review);
  EXPECT_FALSE(admitted.unchanged());
  EXPECT_EQ(admitted.object["spec"]["future"].dump(), "9007199254740993");
}

TEST(PatchPitfalls, FieldsNewerThanBerthAreKept) {  // A20
  OtherJson review = review_with("/spec/futureField", {{"x", 1}});
  review[kMain]["futureThing"] = {{"y", {1, 2}}};
  const Admitted admitted = MutateBench({kSetEnv, kTolerate, kSlice}).admit(review);
  EXPECT_EQ(admitted.object["spec"]["futureField"], OtherJson({{"x", 1}}));
  EXPECT_EQ(admitted.object["spec"]["containers"][0]["futureThing"]["y"], OtherJson({1, 2}));
  for (const char* parent : {"/spec", "/spec/containers", "/spec/containers/0"}) {
    EXPECT_THAT(paths_of(admitted), Not(Contains(parent)));
  }
}

TEST(PatchPitfalls, NullTimeIsNoTime) {  // A21
  const MutateBench bench({kAnnotate, kTolerate});
  const Admitted absent = bench.admit(base_review());
  const Admitted null = bench.admit(review_with("/metadata/creationTimestamp", nullptr));
  EXPECT_EQ(absent.patch, null.patch);
  EXPECT_TRUE(null.object["metadata"].contains("creationTimestamp"));
}

TEST(PatchPitfalls, DeleteIsLeftAlone) {  // A24
  OtherJson review = base_review();
  review["request"]["operation"] = "DELETE";
  review["request"]["oldObject"] = review[kPod];
  review["request"]["object"] = nullptr;
  EXPECT_TRUE(MutateBench({kAnnotate, kDeny}).admit(review).unchanged());
  EXPECT_EQ(MutateBench({kDeny}).admit(review).response["allowed"], true);
}

TEST(PatchPitfalls, TolerationIsOneMoreElement) {  // A26
  OtherJson review = review_with("/metadata/annotations", {{"a", "1"}});
  for (const char* key : {"a", "b", "c"}) {
    review[kPod]["spec"]["tolerations"].push_back({{"key", key}, {"operator", "Exists"}});
  }
  const Admitted admitted = MutateBench({kTolerate}).admit(review);
  EXPECT_EQ(paths_of(admitted), std::vector<std::string>{"/spec/tolerations/5"});
  EXPECT_EQ(admitted.object["spec"]["tolerations"].size(), 6U);
}

TEST(PatchPitfalls, SameInputGivesTheSameBytes) {  // A28
  const std::vector<std::string_view> thens = {kAnnotate, kLabel, kTolerate, kSetEnv,
                                               kShm,      kSlice, kProduct,  kPriority};
  const MutateBench one(thens);
  const MutateBench other(thens);
  const std::string body = base_review().dump();
  const std::string first = one.send(body).text;
  EXPECT_NE(first.find("\"patch\""), std::string::npos);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(one.send(body).text, first) << i;
  EXPECT_EQ(other.send(body).text, first);
}

TEST(PatchPitfalls, ValuesMayHoldAnyCharacter) {  // A29
  const std::string value = "\" \\ \xe2\x80\xa8 \xf0\x9f\x98\x80 \x01 \n";
  const std::string then = "{annotations: {a: " + OtherJson(value).dump() + "}}";
  const Admitted admitted = MutateBench({then}).admit(base_review());
  EXPECT_EQ(admitted.object["metadata"]["annotations"]["a"], value);
}

TEST(PatchPitfalls, KeysThatDifferInEscapesOnly) {  // A05, A30
  const OtherJson review =
      review_with("/metadata/annotations", {{"gpu.example.com/rule", "old"},
                                            {"gpu.example.com~1rule", "other"},
                                            {"gpu.example.com~01rule", "third"}});
  const MutateBench bench(WholeFile{},
                          "apiVersion: berth.dev/v1alpha1\nkind: RuleSet\nrules:\n- name: r\n"
                          "  existing: replace\n  then: " +
                              std::string(kAnnotate));
  const Admitted admitted = bench.admit(review);
  EXPECT_EQ(admitted.object["metadata"]["annotations"]["gpu.example.com/rule"], "r1");
  EXPECT_EQ(admitted.object["metadata"]["annotations"]["gpu.example.com~1rule"], "other");
  EXPECT_EQ(admitted.object["metadata"]["annotations"]["gpu.example.com~01rule"], "third");
}

}  // namespace
}  // namespace berth::webhook
