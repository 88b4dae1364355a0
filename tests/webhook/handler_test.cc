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
)";

// What the handler tells of pods that it lets through.
struct Door {
  Door() {
    world = testing::world_from({{"rules.yaml", kRules}}, {});
    rules.swap(world.rules);
    cluster.swap(world.cluster);
    HandlerParts parts{rules, cluster, world.limits, load, health, metrics};
    parts.admitted = [this](kube::Json pod, std::string_view namespace_name) {
      told.push_back(std::string(namespace_name) + " " + kube::to_json(pod));
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
