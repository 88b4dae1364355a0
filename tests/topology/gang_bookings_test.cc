#include "topology/gang_bookings.h"

#include <chrono>

#include "tests/topology/keeper_rig.h"
#include "topology/capacity.h"

namespace berth::topology {
namespace {

using std::chrono::milliseconds;

constexpr char kRack[] = "lab.example.com/rack";

std::string spec_of(int gpus) {
  return R"("tolerations":[{"operator":"Exists"}],)"
         R"("containers":[{"name":"main","resources":{"limits":{"nvidia.com/gpu":")" +
         std::to_string(gpus) + R"("}}}])";
}

// A pod of the Job as its controller makes it; on a node where one is named.
std::string member(const std::string& job, const std::string& name, int gpus,
                   const std::string& node = "") {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
         R"(","namespace":"team","ownerReferences":[{"apiVersion":"batch/v1","kind":"Job",)"
         R"("name":")" +
         job + R"(","uid":"u","controller":true}]},"spec":{)" +
         (node.empty() ? "" : R"("nodeName":")" + node + "\",") + spec_of(gpus) +
         R"(},"status":{}})";
}

BatchRecord batch_of(int pods, int gpus, std::vector<std::string> racks) {
  base::Arena arena;
  const std::string text = R"({"metadata":{},"spec":{)" + spec_of(gpus) + "}}";
  BatchRecord batch;
  batch.pod = read_pod_record(kube::parse_json(text, arena).value(), "berth.dev");
  batch.pods = pods;
  batch.label = kRack;
  batch.domains = std::move(racks);
  return batch;
}

OwnerRecord job(const std::string& name, int pods, int gpus, std::vector<std::string> racks) {
  OwnerRecord owner{"Job", "team", name, true, false, {}};
  owner.batches.push_back(batch_of(pods, gpus, std::move(racks)));
  return owner;
}

// Racks a, b and c of two nodes of 8: n1 n2, n3 n4, n5 n6. No pods.
struct Racks : Rig {
  Racks() {
    std::vector<std::string> nodes;
    const std::string racks[] = {"a", "b", "c"};
    for (int i = 1; i <= 6; ++i)
      nodes.push_back(node_text(i, 8, racks[(i - 1) / 2], false, "present"));
    listed(source_of("Node"), nodes);
    listed(source_of("Pod"), {});
    turn("");
  }
  void book(OwnerRecord owner) { keeper.queue().push({0, {}, {}, std::move(owner)}); }
  void seen(const std::string& pod) { changed(source_of("Pod"), pod); }
  // Free GPUs of the racks as `topology.domains('rack')` says them: "16 16 16".
  std::string free(std::span<const BookedRoom> own = {}) {
    turn("");
    base::Arena arena;
    Demand demand;
    demand.pod_spec = kube::parse_json(R"({"tolerations":[{"operator":"Exists"}]})", arena).value();
    demand.gpus = 1;
    demand.own = own;
    const auto picture = out.get();
    const Capacity capacity(*picture, demand);
    std::string text;
    for (const DomainRoom& room : capacity.domains(*picture->level_index("rack")))
      text += (text.empty() ? "" : " ") + std::to_string(room.free);
    return text;
  }
};

TEST(GangBookings, AnOwnerCountsBeforeItsPodsAreThere) {
  Racks rig;
  rig.book(job("one", 2, 8, {"b", "a"}));
  EXPECT_EQ(rig.free(), "16 0 16");
  EXPECT_EQ(rig.keeper.reservations(), 2u);
}

TEST(GangBookings, TwoOfOneTurnDoNotShareADomain) {
  Racks rig;
  rig.book(job("one", 2, 8, {"a", "b", "c"}));
  rig.book(job("two", 2, 8, {"a", "b", "c"}));
  EXPECT_EQ(rig.free(), "0 0 16") << "the second counts in the next of its domains";
  rig.book(job("three", 3, 4, {"a", "c"}));
  EXPECT_EQ(rig.free(), "0 0 4");
  rig.book(job("four", 2, 8, {"a", "c"}));
  EXPECT_EQ(rig.free(), "0 0 4") << "no domain holds all of it: it counts nowhere";
}

TEST(GangBookings, AnOwnerThatIsToldTwiceCountsOnce) {
  Racks rig;
  rig.book(job("one", 2, 8, {"a"}));
  rig.book(job("one", 2, 8, {"a"}));
  EXPECT_EQ(rig.free(), "0 16 16");
  rig.book(job("one", 2, 8, {"a"}));
  EXPECT_EQ(rig.free(), "0 16 16");
  EXPECT_EQ(rig.keeper.reservations(), 2u);
}

TEST(GangBookings, MembersTakeTheirPlacesOver) {
  Racks rig;
  rig.book(job("one", 2, 8, {"b"}));
  EXPECT_EQ(rig.free(), "16 0 16");
  rig.admitted(member("one", "one-0", 8));
  EXPECT_EQ(rig.free(), "16 0 16") << "it counts where its owner had room for it";
  rig.admitted(member("one", "one-0", 8));
  EXPECT_EQ(rig.free(), "16 0 16") << "asked about twice, it takes one place";
  rig.seen(member("one", "one-0", 8));
  rig.seen(member("one", "one-0", 8, "n3"));
  EXPECT_EQ(rig.free(), "16 0 16");
  rig.seen(member("one", "one-1", 8, "n4"));
  EXPECT_EQ(rig.free(), "16 0 16") << "seen though never asked about here";
  EXPECT_EQ(rig.keeper.reservations(), 0u);
  rig.removed(source_of("Pod"), member("one", "one-0", 8, "n3"));
  rig.removed(source_of("Pod"), member("one", "one-1", 8, "n4"));
  EXPECT_EQ(rig.free(), "16 16 16") << "nothing of it is left";
}

TEST(GangBookings, AMemberThatLandsElsewhereFreesItsPlace) {
  Racks rig;
  rig.book(job("one", 2, 8, {"b"}));
  EXPECT_EQ(rig.free(), "16 0 16");
  rig.admitted(member("one", "one-0", 8));
  rig.admitted(member("one", "one-1", 8));
  rig.seen(member("one", "one-0", 8, "n1"));
  rig.seen(member("one", "one-1", 8, "n2"));
  EXPECT_EQ(rig.free(), "0 16 16");
}

TEST(GangBookings, RoomMovesToWhereTheMembersAreNot) {
  for (const char* node : {"n3", "n4"}) {
    Racks rig;
    rig.book(job("one", 2, 8, {"b"}));
    EXPECT_EQ(rig.free(), "16 0 16");
    rig.admitted(member("one", "one-0", 8));
    rig.seen(member("one", "one-0", 8, node));
    EXPECT_EQ(rig.free(), "16 0 16") << node;
    rig.seen(member("one", "one-1", 8, "n1"));
    EXPECT_EQ(rig.free(), "8 8 16") << node;
  }
}

TEST(GangBookings, OtherPodsTakeNoPlace) {
  Racks rig;
  rig.book(job("one", 2, 8, {"b"}));
  rig.seen(member("other", "other-0", 8, "n1"));
  rig.seen(member("one", "one-launcher", 0, "n5"));
  rig.seen(member("one", "one-small", 1, "n5"));
  EXPECT_EQ(rig.free(), "8 0 15");
}

TEST(GangBookings, EndAfterAMinute) {
  Racks rig;
  rig.book(job("one", 2, 8, {"a"}));
  EXPECT_EQ(rig.free(), "0 16 16");
  rig.now += milliseconds(59'999);
  EXPECT_EQ(rig.free(), "0 16 16");
  rig.now += milliseconds(1);
  EXPECT_EQ(rig.free(), "16 16 16");
  EXPECT_EQ(rig.keeper.reservations(), 0u);
  EXPECT_TRUE(rig.out.get()->booked_for("team", "Job", "one").empty());
}

TEST(GangBookings, AnOwnerThatMakesNoPodsNowGivesItsRoomUp) {
  Racks rig;
  rig.book(job("one", 2, 8, {"a"}));
  EXPECT_EQ(rig.free(), "0 16 16");
  rig.book(OwnerRecord{"Job", "team", "one", true, true, {}});
  EXPECT_EQ(rig.free(), "16 16 16");
}

TEST(GangBookings, AnOwnerWhosePodsAreKnownBooksNothing) {
  Racks rig;
  rig.seen(member("one", "one-0", 8, "n3"));
  rig.book(job("one", 2, 8, {"a"}));
  EXPECT_EQ(rig.free(), "16 8 16") << "made again in vain";
}

TEST(GangBookings, OwnersThatGetTheirNamesLaterAreFoundByTheirPods) {
  Racks rig;
  OwnerRecord unnamed = job("train-", 2, 8, {"a", "b", "c"});
  unnamed.named = false;
  rig.book(unnamed);
  rig.book(unnamed);
  EXPECT_EQ(rig.free(), "0 0 16");
  unnamed.recorded = true;
  rig.book(unnamed);
  EXPECT_EQ(rig.free(), "0 0 16") << "a second call for the last of them";
  rig.seen(member("train-x7k2p", "p0", 8, "n5"));
  rig.seen(member("train-x7k2p", "p1", 8, "n6"));
  EXPECT_EQ(rig.free(), "16 0 0");
}

TEST(GangBookings, EachTemplateHasItsOwnRoom) {
  Racks rig;
  OwnerRecord owner = job("one", 1, 8, {"a"});
  owner.batches.push_back(batch_of(4, 2, {"b"}));
  rig.book(owner);
  EXPECT_EQ(rig.free(), "8 8 16");
  rig.admitted(member("one", "worker-0", 2));
  EXPECT_EQ(rig.free(), "8 8 16");
  rig.seen(member("one", "worker-0", 2, "n6"));
  EXPECT_EQ(rig.free(), "8 10 14");
}

TEST(GangBookings, RoomOfAnOwnerIsFreeForItself) {
  Racks rig;
  rig.book(job("one", 2, 8, {"a"}));
  EXPECT_EQ(rig.free(), "0 16 16");
  const auto picture = rig.out.get();
  const auto own = picture->booked_for("team", "Job", "one");
  EXPECT_EQ(rig.free(own), "16 16 16");
  EXPECT_TRUE(picture->booked_for("team", "Job", "two").empty());
  rig.admitted(member("one", "one-0", 8));
  rig.turn("");
  EXPECT_EQ(rig.free(rig.out.get()->booked_for("team", "Job", "one")), "8 16 16");
}

TEST(GangBookings, AreCappedInPods) {
  Model model(default_levels());
  GangBookings gangs(model, {.life = milliseconds(1000), .most = 3});
  base::Arena arena;
  for (int i = 1; i <= 2; ++i) {
    model.set_node(
        read_node_record(kube::parse_json(node_text(i, 8, "a", false, ""), arena).value(), nullptr,
                         {model.levels(), {}}));
  }
  gangs.admitted(job("one", 2, 1, {"a"}), milliseconds(0));
  gangs.admitted(job("two", 2, 1, {"a"}), milliseconds(0));
  gangs.admitted(job("three", 1, 1, {"a"}), milliseconds(0));
  const auto picture = model.build({1, ""});
  Placing placing(*picture);
  EXPECT_TRUE(gangs.place(placing));
  EXPECT_EQ(gangs.placed(), 3u);
  EXPECT_TRUE(gangs.expire(milliseconds(1000)));
  EXPECT_TRUE(gangs.empty());
}

}  // namespace
}  // namespace berth::topology
