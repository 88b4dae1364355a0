#include "topology/reservations.h"

#include <chrono>

#include "tests/topology/keeper_rig.h"

namespace berth::topology {
namespace {

using std::chrono::seconds;

// A pod that waits for a node. `name` ends in '-': the API server makes the name.
std::string waiting(const std::string& name, int gpus, const std::string& more_spec = "",
                    const std::string& resource = "nvidia.com/gpu") {
  const std::string key = name.ends_with('-') ? "generateName" : "name";
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{")" + key + R"(":")" + name +
         R"(","namespace":"team"},"spec":{)" + more_spec +
         R"("tolerations":[{"operator":"Exists"}],)"
         R"("containers":[{"name":"main","resources":{"limits":{")" +
         resource + R"(":")" + std::to_string(gpus) + R"("}}}]},"status":{}})";
}

std::string token_volume(const std::string& suffix) {
  return R"("volumes":[{"name":"kube-api-access-)" + suffix + R"("}],)";
}

// The same pod once the API server has named it.
std::string named(std::string text, const std::string& name) {
  const std::string from = R"("metadata":{)";
  return text.replace(text.find(from), from.size(), from + R"("name":")" + name + "\",");
}

// Two nodes: n1 with 8 GPUs, n2 with 4; no pods.
struct Pair : Rig {
  Pair() {
    listed(source_of("Node"), {node_text(1, 8, "r1", false, ""), node_text(2, 4, "r1", false, "")});
    listed(source_of("Pod"), {});
    turn("");
  }
  void seen(const std::string& pod) { changed(source_of("Pod"), pod); }
  void gone(const std::string& pod) { removed(source_of("Pod"), pod); }
  std::string free() {
    turn("");
    return std::to_string(free_on("n1")) + " " + std::to_string(free_on("n2"));
  }
};

TEST(Reservations, AnAdmittedPodCountsOnTheFullestNodeThatTakesIt) {
  Pair rig;
  rig.admitted(waiting("a", 3));
  EXPECT_EQ(rig.free(), "8 1");
  rig.admitted(waiting("b", 3));
  EXPECT_EQ(rig.free(), "5 1");
  EXPECT_EQ(rig.keeper.reservations(), 2u);
}

TEST(Reservations, PodsOfOneTurnDoNotShareTheSameGpus) {
  Pair rig;
  for (const char* name : {"a", "b", "c", "d"}) rig.admitted(waiting(name, 4));
  EXPECT_EQ(rig.free(), "0 0");
  EXPECT_EQ(rig.keeper.reservations(), 3u) << "the fourth has no room and counts nowhere";
}

TEST(Reservations, FollowSelectorAffinityTaintsAndReadiness) {
  Pair rig;
  rig.admitted(waiting("a", 1, R"("nodeSelector":{"kubernetes.io/hostname":"n1"},)"));
  EXPECT_EQ(rig.free(), "7 4");
  rig.admitted(
      waiting("b", 1,
              R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
              R"({"nodeSelectorTerms":[{"matchExpressions":[{"key":"kubernetes.io/hostname",)"
              R"("operator":"NotIn","values":["n2"]}]}]}}},)"));
  EXPECT_EQ(rig.free(), "6 4");
  rig.changed(source_of("Node"), node_text(2, 4, "r1", true, ""));  // cordoned
  rig.admitted(waiting("c", 1));
  EXPECT_EQ(rig.free(), "5 4");
  std::string bare = waiting("d", 1);
  bare.replace(bare.find(R"({"operator":"Exists"})"), 21, "");
  rig.admitted(bare);
  EXPECT_EQ(rig.free(), "5 4") << "it tolerates no taint";
}

TEST(Reservations, EndOnceThePodIsSeenOnANode) {
  Pair rig;
  rig.admitted(waiting("a", 4));
  EXPECT_EQ(rig.free(), "8 0");
  rig.seen(waiting("a", 4));
  EXPECT_EQ(rig.free(), "8 0") << "seen and still waiting: counted once";
  rig.seen(waiting("a", 4, R"("nodeName":"n1",)"));
  EXPECT_EQ(rig.free(), "4 4");
  EXPECT_EQ(rig.keeper.reservations(), 0u);
}

TEST(Reservations, EndWithThePod) {
  Pair rig;
  rig.admitted(waiting("a", 4));
  rig.seen(waiting("a", 4));
  EXPECT_EQ(rig.free(), "8 0");
  rig.gone(waiting("a", 4));
  EXPECT_EQ(rig.free(), "8 4");
}

TEST(Reservations, EndAfterHalfAMinute) {
  Pair rig;
  rig.admitted(waiting("a", 4));
  EXPECT_EQ(rig.free(), "8 0");
  rig.now += std::chrono::milliseconds(29'999);
  EXPECT_EQ(rig.free(), "8 0");
  rig.now += std::chrono::milliseconds(1);
  EXPECT_EQ(rig.free(), "8 4");
  rig.seen(waiting("a", 4));
  EXPECT_EQ(rig.free(), "8 0") << "the pod is there only now";
  rig.now += seconds(30);
  EXPECT_EQ(rig.free(), "8 4");
  rig.seen(waiting("a", 4));
  EXPECT_EQ(rig.free(), "8 4") << "it waits for reasons of its own";
}

TEST(Reservations, APodThatNeverAppearsDoesNotCountForEver) {
  Pair rig;
  rig.admitted(waiting("refused-", 4, token_volume("abcde")));
  EXPECT_EQ(rig.free(), "8 0");
  rig.now += seconds(30);
  EXPECT_EQ(rig.free(), "8 4");
  EXPECT_EQ(rig.keeper.reservations(), 0u);
}

TEST(Reservations, APodCountsOnceWhenItIsAskedAboutTwice) {
  Pair rig;
  rig.admitted(waiting("a", 2));
  rig.admitted(waiting("a", 2));
  rig.admitted(waiting("b-", 1, token_volume("abcde")));
  rig.admitted(waiting("b-", 1, token_volume("abcde")));
  EXPECT_EQ(rig.free(), "8 1");
}

TEST(Reservations, APodThatGetsItsNameLaterIsTheSame) {
  Pair rig;
  const std::string one = waiting("web-", 1, token_volume("abcde"));
  const std::string two = waiting("web-", 1, token_volume("fghij"));
  rig.admitted(one);
  rig.admitted(two);
  EXPECT_EQ(rig.free(), "8 2");
  rig.seen(named(two, "web-2"));
  rig.seen(named(one, "web-1"));
  EXPECT_EQ(rig.free(), "8 2");
  rig.gone(named(one, "web-1"));
  EXPECT_EQ(rig.free(), "8 3");
}

TEST(Reservations, PodsWithoutATokenAreToldApartByTheirNumber) {
  Pair rig;
  rig.admitted(waiting("bare-", 1));
  rig.admitted(waiting("bare-", 1));
  EXPECT_EQ(rig.free(), "8 2");
  rig.seen(named(waiting("bare-", 1), "bare-1"));
  rig.seen(named(waiting("bare-", 1), "bare-2"));
  EXPECT_EQ(rig.free(), "8 2");
}

struct NoEffectRow {
  const char* why;
  std::string pod;
};

TEST(Reservations, AreNotMadeForPodsThatTakeNothingNow) {
  const NoEffectRow rows[] = {
      {"asks for no GPU", waiting("a", 1, "", "cpu")},
      {"asks for memory of GPUs only", waiting("a", 4000, "", "nvidia.com/gpumem")},
      {"is gated", waiting("a", 1, R"("schedulingGates":[{"name":"kueue.x-k8s.io/admission"}],)")},
      {"fits nowhere", waiting("a", 9)},
      {"names another vendor", waiting("a", 1, "", "amd.com/gpu")},
  };
  for (const NoEffectRow& row : rows) {
    Pair rig;
    rig.admitted(row.pod);
    EXPECT_EQ(rig.free(), "8 4") << row.why;
    EXPECT_EQ(rig.keeper.reservations(), 0u) << row.why;
  }
}

TEST(Reservations, PodsThatWaitedBeforeWeLookedAreNotCounted) {
  Rig rig;
  rig.listed(source_of("Node"), {node_text(1, 8, "r1", false, "")});
  rig.listed(source_of("Pod"), {waiting("old", 4)});
  rig.turn("");
  EXPECT_EQ(rig.free_on("n1"), 8);
}

TEST(Reservations, AreCappedInNumber) {
  Model model(default_levels());
  GangBookings gangs(model);
  Reservations reservations(model, gangs, {.life = seconds(30), .most = 2});
  base::Arena arena;
  model.set_node(read_node_record(kube::parse_json(node_text(1, 8, "r1", false, ""), arena).value(),
                                  nullptr, {model.levels(), {}}));
  for (const char* name : {"a", "b", "c"}) {
    reservations.admitted(
        read_pod_record(kube::parse_json(waiting(name, 1), arena).value(), "berth.dev"),
        seconds(0));
  }
  const auto picture = model.build({1, ""});
  Placing placing(*picture);
  EXPECT_TRUE(reservations.place(placing));
  EXPECT_EQ(model.build({2, ""})->nodes()[0].whole_gpus_free(), 6);
}

}  // namespace
}  // namespace berth::topology
