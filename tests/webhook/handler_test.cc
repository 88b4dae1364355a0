#include "webhook/handler.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/published.h"
#include "kube/json.h"
#include "tests/support/world.h"
#include "webhook/health.h"
#include "webhook/metrics.h"

namespace berth::webhook {
namespace {

constexpr char kRules[] = R"(apiVersion: berth.dev/v1alpha1
kind: RuleSet
metadata: {name: handler}
rules:
- name: no-sixteen
  match: {gpus: ">=16"}
  then: {deny: "at most 15"}
- name: tolerate
  match: {gpus: ">=1"}
  then:
    tolerate: [nvidia.com/gpu]
- name: together
  match: {gpus: 8}
  then: {placement: {narrowest: [node, zone]}}
)";

// Two nodes of 16 GPUs.
constexpr char kNodes[] = R"(
{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {kubernetes.io/hostname: n1}},
 status: {allocatable: {nvidia.com/gpu: "16", pods: "110"},
          conditions: [{type: Ready, status: "True"}]}}
---
{apiVersion: v1, kind: Node, metadata: {name: n2, labels: {kubernetes.io/hostname: n2}},
 status: {allocatable: {nvidia.com/gpu: "16", pods: "110"},
          conditions: [{type: Ready, status: "True"}]}}
)";

// What the handler tells of what it lets through.
struct Door {
  Door() {
    world = testing::world_from({{"rules.yaml", kRules}}, {{"cluster.yaml", kNodes}});
    rules.swap(world.rules);
    cluster.swap(world.cluster);
    HandlerParts parts{rules, cluster, world.limits, load, health, metrics};
    parts.admitted = [this](kube::Json pod, std::string_view namespace_name) {
      told.push_back(std::string(namespace_name) + " " + kube::to_json(pod));
    };
    parts.owner_admitted = [this](const topology::OwnerRecord& owner) {
      owners.push_back(owner.namespace_name + " " + owner.kind + " " + owner.name + " " +
                       std::to_string(owner.batches.at(0).pods) + " on " +
                       owner.batches.at(0).domains.at(0));
    };
    routes = std::make_unique<Routes>(tls_routes(std::move(parts)));
  }

  int post(std::string body) const {
    const std::size_t size = body.size();
    body.append(kBodyPadding, '\0');
    const HeaderField json{"Content-Type", kJsonType};
    Request request;
    request.method = Method::kPost;
    request.method_text = "POST";
    request.path = "/mutate";
    request.fields = {&json, 1};
    request.body = std::span(body).first(size);
    return (*routes)(request).status;
  }

  testing::TestWorld world;
  base::Published<rules::RuleSet> rules;
  base::Published<topology::Snapshot> cluster;
  rules::LoadOptions load;
  Health health;
  Metrics metrics;
  std::vector<std::string> told;
  std::vector<std::string> owners;
  std::unique_ptr<Routes> routes;
};

std::string pod_of(int gpus) {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[)"
         R"({"name":"c","image":"i","resources":{"limits":{"nvidia.com/gpu":")" +
         std::to_string(gpus) + R"("}}}]}})";
}

struct Asked {
  std::string operation = "CREATE";
  std::string kind = R"({"group":"","version":"v1","kind":"Pod"})";
  std::string more = {};  // members of the request
  std::string object = pod_of(1);
};

std::string review_text(const Asked& asked) {
  return R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u",)"
         R"("namespace":"team","operation":")" +
         asked.operation + R"(","kind":)" + asked.kind + "," + asked.more + R"("object":)" +
         asked.object + "}}";
}

TEST(Handler, TellsOfAPodThatIsLetThroughAsItWillBe) {
  Door door;
  EXPECT_EQ(door.post(review_text({})), 200);
  ASSERT_EQ(door.told.size(), 1u);
  EXPECT_TRUE(door.told[0].starts_with("team {")) << door.told[0];
  EXPECT_NE(door.told[0].find(R"("tolerations":[{"key":"nvidia.com/gpu")"), std::string::npos)
      << door.told[0];
}

std::string job_of(int pods) {
  return R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j"},"spec":{"parallelism":)" +
         std::to_string(pods) + R"(,"template":)" + pod_of(8) + "}}";
}

TEST(Handler, TellsOfAnOwnerWhosePodsAreKeptTogether) {
  const std::string kind = R"({"group":"batch","version":"v1","kind":"Job"})";
  Door door;
  EXPECT_EQ(door.post(review_text({.kind = kind, .object = job_of(2)})), 200);
  EXPECT_EQ(door.owners, std::vector<std::string>{"team Job j 2 on n1"});
  EXPECT_TRUE(door.told.empty());
  EXPECT_EQ(door.post(review_text({.kind = kind, .object = job_of(1)})), 200);
  EXPECT_EQ(
      door.post(review_text({.kind = kind, .more = R"("dryRun":true,)", .object = job_of(2)})),
      200);
  EXPECT_EQ(door.owners.size(), 1u) << "one pod, and a dry run";
}

struct SilentRow {
  const char* why;
  Asked asked;
};

TEST(Handler, TellsNothingOfWhatMakesNoPod) {
  const SilentRow rows[] = {
      {"a dry run", {.more = R"("dryRun":true,)"}},
      {"denied", {.object = pod_of(16)}},
      {"an update", {.operation = "UPDATE"}},
      {"a deletion", {.operation = "DELETE", .object = "null"}},
      {"a sub-resource", {.more = R"("subResource":"binding",)"}},
      {"another kind", {.kind = R"({"group":"batch","version":"v1","kind":"Job"})"}},
      {"a Pod of another group",
       {.kind = R"({"group":"example.com","version":"v1","kind":"Pod"})"}},
  };
  for (const SilentRow& row : rows) {
    Door door;
    EXPECT_EQ(door.post(review_text(row.asked)), 200) << row.why;
    EXPECT_TRUE(door.told.empty()) << row.why;
  }
}

}  // namespace
}  // namespace berth::webhook
