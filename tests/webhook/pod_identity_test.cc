// Pods that are not what they seem: without a name, of another namespace, of the kubelet, of a
// DaemonSet, of Windows, very large, or no pods at all.
#include <gmock/gmock.h>

#include "tests/support/cpu_time.h"
#include "tests/webhook/mutate_bench.h"

namespace berth::webhook {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const OtherJson::json_pointer kSpec("/request/object/spec");
const OtherJson::json_pointer kMeta("/request/object/metadata");
const OtherJson::json_pointer kRequirement(
    "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution");

std::string for_match(const std::string& match) {
  return "apiVersion: berth.dev/v1alpha1\nkind: RuleSet\nmetadata: {name: t}\nrules:\n- name: r\n"
         "  match: " +
         match + "\n  then: " + std::string(kAnnotate) + "\n";
}

OtherJson review_with_terms(const OtherJson& terms) {
  OtherJson review = base_review();
  review[kSpec]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
        ["nodeSelectorTerms"] = terms;
  return review;
}

OtherJson terms_of(const Admitted& admitted) {
  return admitted.object.at(kRequirement).at("nodeSelectorTerms");
}

TEST(PodIdentity, NamesAreOftenMissing) {  // D01
  const MutateBench bench({kAnnotate, kShm});
  OtherJson nameless = base_review();
  nameless[kMeta].erase("generateName");
  const std::pair<OtherJson, const char*> rows[] = {
      {base_review(), "\"object\":\"team-nlp/train-*\""},
      {nameless, "\"object\":\"team-nlp/(no name)\""}};
  for (const auto& [review, logged] : rows) {
    EXPECT_THAT(bench.log_of(review.dump()), HasSubstr(logged));
    const Admitted admitted = bench.admit(review);
    EXPECT_FALSE(admitted.unchanged());
    EXPECT_FALSE(admitted.object["metadata"].contains("name"));
  }
  EXPECT_THAT(bench.metrics(), Not(HasSubstr("train-")));
  EXPECT_THAT(bench.metrics(), Not(HasSubstr("team-nlp")));
}

TEST(PodIdentity, NamespaceIsThatOfTheRequest) {  // D02, D03
  OtherJson foreign = base_review();
  foreign[kMeta]["namespace"] = "shop";
  const MutateBench ours(WholeFile{}, for_match("{namespaces: team-nlp}"));
  const MutateBench theirs(WholeFile{}, for_match("{namespaces: shop}"));
  EXPECT_FALSE(ours.admit(base_review()).unchanged()) << "the object names none";
  EXPECT_FALSE(ours.admit(foreign).unchanged());
  EXPECT_TRUE(theirs.admit(foreign).unchanged());
}

TEST(PodIdentity, MirrorPodsBelongToTheirKubelet) {  // D04
  OtherJson review = base_review();
  review[kMeta]["annotations"] = {{"kubernetes.io/config.mirror", "0123"}};
  review["request"]["userInfo"] = {{"username", "system:node:n1"}, {"groups", {"system:nodes"}}};
  const Admitted admitted = MutateBench({kAnnotate, kTolerate, kDeny}).admit(review);
  EXPECT_TRUE(admitted.unchanged());
  EXPECT_EQ(admitted.response["allowed"], true);
}

TEST(PodIdentity, PodsOfADaemonSetStayOnTheirNode) {  // D05
  OtherJson review = review_with_terms(OtherJson::parse(
      R"([{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["mix-1"]}]}])"));
  review[kMeta]["ownerReferences"][0]["kind"] = "DaemonSet";
  review[kMeta]["ownerReferences"][0]["apiVersion"] = "apps/v1";
  const MutateBench bench(
      {kProduct, kPriority, kSlice, "{scheduler: volcano}", "{placement: {nodeSelector: {a: b}}}"});
  const Admitted admitted = bench.admit(review);
  EXPECT_TRUE(admitted.unchanged()) << admitted.patch;
}

TEST(PodIdentity, EveryAlternativeOfTheAuthorIsNarrowed) {  // D06, D07
  const MutateBench bench({kProduct});
  const auto two = OtherJson::parse(R"([
      {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]},
      {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["h100-r1-1"]}]}])");
  const Admitted admitted = bench.admit(review_with_terms(two));
  const OtherJson terms = terms_of(admitted);
  ASSERT_EQ(terms.size(), 2U);
  EXPECT_EQ(terms[0]["matchExpressions"].size(), 2U);
  EXPECT_EQ(terms[0]["matchExpressions"][0], two[0]["matchExpressions"][0]);
  EXPECT_EQ(terms[1]["matchExpressions"].size(), 1U);
  EXPECT_EQ(terms[1]["matchExpressions"][0], terms[0]["matchExpressions"][1]);
  EXPECT_EQ(terms[1]["matchFields"], two[1]["matchFields"]);
}

TEST(PodIdentity, EmptyListOfAlternativesIsSaidAndLeft) {  // D07
  const Admitted admitted = MutateBench({kProduct}).admit(review_with_terms(OtherJson::array()));
  EXPECT_TRUE(admitted.unchanged()) << admitted.patch;
  EXPECT_TRUE(admitted.warns("required node affinity that matches no node")) << admitted.response;
}

TEST(PodIdentity, SidecarsAreContainers) {  // D08
  OtherJson review = base_review();
  OtherJson sidecar = review[kSpec]["containers"][0];
  sidecar["name"] = "helper";
  sidecar["restartPolicy"] = "Always";
  review[kSpec]["initContainers"] = {sidecar};
  const Admitted admitted = MutateBench({kSlice, kSetEnv}).admit(review);
  for (const char* list : {"initContainers", "containers"}) {
    const OtherJson& container = admitted.object["spec"][list][0];
    EXPECT_EQ(container["resources"]["limits"].value("nvidia.com/mig-1g.10gb", ""), "1") << list;
    EXPECT_EQ(container["resources"]["requests"].value("nvidia.com/mig-1g.10gb", ""), "1") << list;
    EXPECT_FALSE(container["resources"]["limits"].contains("nvidia.com/gpu")) << list;
    EXPECT_EQ(container["env"][0]["name"], "NCCL_DEBUG") << list;
  }
}

TEST(PodIdentity, WindowsHasNoSharedMemoryVolume) {  // D09
  OtherJson review = base_review();
  review[kSpec]["os"] = {{"name", "windows"}};
  EXPECT_TRUE(MutateBench({kShm}).admit(review).unchanged());
  review[kSpec]["os"] = {{"name", "linux"}};
  EXPECT_FALSE(MutateBench({kShm}).admit(review).unchanged());
}

TEST(PodIdentity, OtherKindsHaveTheirOwnRules) {  // D10
  const OtherJson pod = base_review()[kPod];
  const auto review_of = [&](const char* group, const char* kind) {
    OtherJson review = base_review();
    review["request"]["kind"] = {{"group", group}, {"version", "v1"}, {"kind", kind}};
    OtherJson object = {{"apiVersion", std::string(group) + "/v1"}, {"kind", kind}};
    object["metadata"]["name"] = "web";
    object["spec"]["selector"]["matchLabels"]["app"] = "train";
    object["spec"]["template"]["metadata"]["labels"]["app"] = "train";
    object["spec"]["template"]["spec"] = pod["spec"];
    review["request"]["object"] = object;
    return review;
  };
  const MutateBench for_all({kAnnotate, kSetEnv});
  const Admitted deployment = for_all.admit(review_of("apps", "Deployment"));
  EXPECT_EQ(deployment.object["spec"]["template"]["metadata"]["annotations"].value(
                "gpu.example.com/rule", ""),
            "r1");
  EXPECT_FALSE(deployment.object["spec"].contains("containers"));
  EXPECT_TRUE(for_all.admit(review_of("example.com", "Widget")).unchanged());
  EXPECT_TRUE(for_all.admit(review_of("example.com", "Pod")).unchanged());
  const MutateBench for_jobs(WholeFile{}, for_match("{kinds: Job}"));
  EXPECT_TRUE(for_jobs.admit(review_of("apps", "Deployment")).unchanged());
}

TEST(PodIdentity, OnlyAControllerIsAnOwner) {  // D11
  const MutateBench bare(WholeFile{}, for_match("{kinds: Pod, gpus: '>=0'}"));
  const std::pair<const char*, const char*> rows[] = {
      {"no flag", R"([{"apiVersion": "v1", "kind": "Thing", "name": "x", "uid": "u"}])"},
      {"flag false", R"([{"kind": "Thing", "name": "x", "uid": "u", "controller": false}])"},
      {"flag a text", R"([{"kind": "Thing", "name": "x", "uid": "u", "controller": "true"}])"},
      {"none", "[]"},
      {"null", "null"},
  };
  for (const auto& [name, owners] : rows) {
    OtherJson review = base_review();
    review[kMeta]["ownerReferences"] = OtherJson::parse(owners);
    EXPECT_FALSE(bare.admit(review).unchanged()) << name;
  }
  EXPECT_TRUE(bare.admit(base_review()).unchanged()) << "of a Job";
  const std::pair<const char*, const char*> odd[] = {
      {"uid a number", R"([{"kind": "Job", "name": "x", "uid": 7, "controller": true}])"},
      {"two controllers", R"([{"kind": "Job", "name": "x", "uid": "u", "controller": true},
                              {"kind": "Job", "name": "y", "uid": "v", "controller": true}])"},
  };
  const MutateBench of_jobs(WholeFile{}, for_match("{kinds: Job, gpus: '>=0'}"));
  for (const auto& [name, owners] : odd) {
    OtherJson review = base_review();
    review[kMeta]["ownerReferences"] = OtherJson::parse(owners);
    EXPECT_FALSE(of_jobs.admit(review).unchanged()) << name;
  }
}

TEST(PodIdentity, VeryLargePodsAreAnsweredInTime) {  // D12
  OtherJson review = base_review();
  OtherJson container = review[kSpec]["containers"][0];
  for (int i = 0; i < 5000; ++i) {
    container["env"].push_back(
        {{"name", "V" + std::to_string(i)}, {"value", std::string(32, 'x')}});
  }
  review[kSpec]["containers"][0] = container;
  container["env"] = OtherJson::array();
  container["resources"] = OtherJson::object();
  for (int i = 1; i < 1000; ++i) {
    container["name"] = "c" + std::to_string(i);
    container["args"] = {std::string(2400, 'a')};
    review[kSpec]["containers"].push_back(container);
  }
  const MutateBench bench({kSetEnv, kShm, kSlice, kTolerate});
  const std::string body = review.dump();
  EXPECT_GT(body.size(), 2U << 20U);
  const double start = testing::cpu_milliseconds();
  bench.send(body);
  EXPECT_LT(testing::cpu_milliseconds() - start, 2000);
  const Admitted admitted = bench.admit(review);
  const OtherJson& containers = admitted.object["spec"]["containers"];
  ASSERT_EQ(containers.size(), 1000U);
  EXPECT_EQ(containers[0]["env"].size(), 5001U);
  EXPECT_EQ(containers[999]["env"][0]["name"], "NCCL_DEBUG");
  EXPECT_EQ(containers[0]["volumeMounts"].size(), 2U);
  EXPECT_EQ(containers[0]["resources"]["limits"].value("nvidia.com/mig-1g.10gb", ""), "1");
}

}  // namespace
}  // namespace berth::webhook
