#include "webhook/booking.h"

#include <chrono>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/world.h"
#include "tests/topology/keeper_rig.h"

namespace berth::webhook {
namespace {

using topology::node_text;
using topology::source_of;

constexpr char kRules[] = R"yaml(apiVersion: berth.dev/v1alpha1
kind: RuleSet
metadata: {name: gangs}
rules:
- name: no-room
  match: {gpus: ">=1"}
  when: "!topology.fits('rack')"
  then: {warn: "no rack has room"}
- name: together
  match: {gpus: ">=1"}
  then: {placement: {narrowest: [rack, block]}}
)yaml";

// What stands in a Job beside its parallelism and template.
struct Job {
  std::string name = "one";
  int pods = 2;
  std::string metadata = {};
  std::string spec = {};
  std::string pod_spec = {};
  int gpus = 8;
  std::string request = {};

  std::string object() const {
    const bool unnamed = name.ends_with('-');
    return R"({"apiVersion":"batch/v1","kind":"Job","metadata":{)" + metadata +
           (unnamed ? R"("generateName":")" : R"("name":")") + name +
           R"(","namespace":"team"},"spec":{)" + spec + R"("parallelism":)" + std::to_string(pods) +
           R"(,"completions":)" + std::to_string(pods) +
           R"(,"completionMode":"Indexed","template":{"metadata":{},"spec":{)" + pod_spec +
           R"("restartPolicy":"Never","containers":[{"name":"main","image":"i","resources":)" +
           R"({"limits":{"nvidia.com/gpu":")" + std::to_string(gpus) + R"("}}}]}}}})";
  }
  std::string review() const { return review_of(object()); }
  std::string review_of(const std::string& text) const {
    return R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u",)" +
           request + R"("namespace":"team","kind":{"group":"batch","version":"v1","kind":"Job"},)" +
           (request.find("operation") == std::string::npos ? R"("operation":"CREATE",)" : "") +
           R"("object":)" + text + "}}";
  }
};

// Racks a, b and c of two idle nodes of 8 GPUs each, tainted as usual: what is decided on them and
// what the model makes of it.
struct Racks : topology::Rig {
  Racks() {
    world = testing::world_from({{"rules.yaml", kRules}}, {});
    const std::string racks[] = {"a", "b", "c"};
    std::vector<std::string> nodes;
    for (int i = 1; i <= 6; ++i)
      nodes.push_back(node_text(i, 8, racks[(i - 1) / 2], false, "present"));
    listed(source_of("Node"), nodes);
    listed(source_of("Pod"), {});
    turn("");
  }

  testing::Judged decide(const std::string& review) {
    picture = out.get();
    return testing::judge(review, {*world.rules, *picture, world.limits});
  }
  // As the server does: decides, and tells the model.
  testing::Judged admit(const std::string& review) {
    testing::Judged judged = decide(review);
    auto owner = booking_of(judged.review, judged.answer, "berth.dev", *judged.arena);
    if (owner) keeper.queue().push({0, {}, {}, std::move(*owner)});
    turn("");
    return judged;
  }
  std::size_t booked() const { return keeper.reservations(); }

  testing::TestWorld world;
  std::shared_ptr<const topology::Snapshot> picture;
};

// The domain that the template prefers most.
std::string first_domain(const testing::Judged& judged) {
  const kube::Json term = judged.answer
                              .object["spec"]["template"]["spec"]["affinity"]["nodeAffinity"]
                                     ["preferredDuringSchedulingIgnoredDuringExecution"]
                              .at(0);
  return std::string(
      term["preference"]["matchExpressions"].at(0)["values"].at(0).string_or_empty());
}

TEST(Booking, OwnersOneAfterTheOtherGetDifferentDomains) {
  Racks racks;
  EXPECT_EQ(first_domain(racks.admit(Job{.name = "one"}.review())), "a");
  EXPECT_EQ(first_domain(racks.admit(Job{.name = "two"}.review())), "b");
  EXPECT_EQ(first_domain(racks.admit(Job{.name = "three"}.review())), "c");
  EXPECT_EQ(racks.booked(), 6u);
  const auto fourth = racks.admit(Job{.name = "four"}.review());
  EXPECT_FALSE(fourth.answer.warnings.empty()) << "no rack is free";
  EXPECT_EQ(racks.booked(), 6u);
}

TEST(Booking, OwnersOfOnePictureAreToldApartByTheModel) {
  Racks racks;
  const auto one = racks.decide(Job{.name = "one"}.review());
  const auto two = racks.decide(Job{.name = "two"}.review());
  EXPECT_EQ(first_domain(one), first_domain(two)) << "neither could know";
  for (const testing::Judged* judged : {&one, &two}) {
    racks.keeper.queue().push(
        {0, {}, {}, *booking_of(judged->review, judged->answer, "berth.dev", *judged->arena)});
  }
  racks.turn("");
  EXPECT_EQ(racks.booked(), 4u);
  EXPECT_EQ(first_domain(racks.admit(Job{.name = "three"}.review())), "c");
}

TEST(Booking, ASecondCallForTheSameOwnerChangesAndBooksNothingMore) {
  for (const char* name : {"one", "train-"}) {
    Racks racks;
    const Job job{.name = name};
    const auto first = racks.admit(job.review());
    EXPECT_EQ(racks.booked(), 2u);
    const auto second = racks.admit(job.review_of(kube::to_json(first.answer.object)));
    EXPECT_EQ(racks.booked(), 2u) << name;
    EXPECT_EQ(second.answer.outcome, Outcome::kUnchanged) << name;
  }
}

TEST(Booking, AnOwnerSeesItsOwnRoomAsFree) {
  Racks racks;
  for (const char* name : {"one", "two", "three"}) racks.admit(Job{.name = name}.review());
  const auto again = racks.admit(Job{.name = "three"}.review());
  EXPECT_TRUE(again.answer.warnings.empty()) << again.answer.warnings.front().text;
  EXPECT_EQ(first_domain(again), "c");
  EXPECT_EQ(racks.booked(), 6u);
}

TEST(Booking, AnOwnerThatIsSuspendedLaterGivesItsRoomUp) {
  Racks racks;
  racks.admit(Job{}.review());
  EXPECT_EQ(racks.booked(), 2u);
  racks.admit(Job{.spec = R"("suspend":true,)"}.review());
  EXPECT_EQ(racks.booked(), 0u);
}

struct NothingRow {
  const char* why;
  Job job;
};

TEST(Booking, IsNotMadeForOwnersThatMakeNoGangNow) {
  const NothingRow rows[] = {
      {"a dry run", {.request = R"("dryRun":true,)"}},
      {"an update", {.request = R"("operation":"UPDATE",)"}},
      {"a sub-resource", {.request = R"("subResource":"status",)"}},
      {"suspended", {.spec = R"("suspend":true,)"}},
      {"queued by Kueue", {.metadata = R"("labels":{"kueue.x-k8s.io/queue-name":"q"},)"}},
      {"its pods are gated", {.pod_spec = R"("schedulingGates":[{"name":"g"}],)"}},
      {"one pod", {.pods = 1}},
      {"no GPUs", {.gpus = 0}},
      {"opted out", {.metadata = R"("labels":{"berth.dev/ignore":"true"},)"}},
      {"no domain has room", {.pods = 7}},
  };
  for (const NothingRow& row : rows) {
    Racks racks;
    racks.admit(row.job.review());
    EXPECT_EQ(racks.booked(), 0u) << row.why;
  }
}

TEST(Booking, ADeniedOwnerBooksNothing) {
  Racks racks;
  racks.world =
      testing::world_from({{"rules.yaml", std::string(kRules) + "- name: no\n  match: {gpus: 8}\n"
                                                                "  then: {deny: \"not today\"}\n"}},
                          {});
  EXPECT_FALSE(racks.admit(Job{}.review()).answer.allowed());
  EXPECT_EQ(racks.booked(), 0u);
}

TEST(Booking, FollowsWhatTheAuthorRequires) {
  Racks racks;
  racks.admit(Job{.pod_spec = R"("nodeSelector":{"lab.example.com/rack":"c"},)"}.review());
  EXPECT_EQ(racks.booked(), 2u);
  EXPECT_EQ(racks.free_on("n5") + racks.free_on("n6"), 0);
}

}  // namespace
}  // namespace berth::webhook
