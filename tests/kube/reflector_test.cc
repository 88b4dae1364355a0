#include "kube/reflector.h"

#include <map>
#include <random>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_api.h"

namespace berth::kube {
namespace {

using std::chrono::milliseconds;
using testing::FakeCollection;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::Told;
using testing::ToldTransport;

// Holds what a user of the sink would hold: name -> value, with deletions found by a full list.
class Mirror : public Sink {
 public:
  void list_began() override { seen_.clear(); }
  void listed(Json object) override {
    seen_.insert(name_of(object));
    changed(object);
  }
  void list_ended() override {
    std::erase_if(objects, [this](const auto& entry) { return !seen_.contains(entry.first); });
  }
  void changed(Json object) override {
    objects[name_of(object)] = std::string(object["v"].string_or_empty());
  }
  void removed(Json object) override { objects.erase(name_of(object)); }
  void absent() override {
    objects.clear();
    ++absences;
  }

  std::map<std::string, std::string> objects;
  int absences = 0;

 private:
  static std::string name_of(Json object) {
    return std::string(object["metadata"]["name"].string_or_empty());
  }
  std::set<std::string> seen_;
};

// A reflector in a world that the test moves.
struct Rig {
  explicit Rig(std::function<Told(const HttpGet&)> answer, const ReflectorPace& pace = {})
      : transport(std::move(answer)),
        reflector(
            client, mirror,
            [](Client&, const std::stop_token&) { return std::string("/api/v1/nodes"); },
            {[this] { return now; }, [this] { return dice; }}, pace) {}

  milliseconds step() { return reflector.step({}); }

  milliseconds now{1'000};
  double dice = 0;
  ToldTransport transport;
  Client client{transport};
  Mirror mirror;
  Reflector reflector;
};

std::function<Told(const HttpGet&)> serve(FakeCollection& collection) {
  return [&collection](const HttpGet& request) {
    return request.target.find("watch=1") == std::string::npos ? collection.list(request.target)
                                                               : collection.watch(request.target);
  };
}

TEST(Reflector, ListsInPagesThenWatchesFromThere) {
  FakeCollection nodes;
  for (int i = 0; i < 7; ++i) nodes.set("n" + std::to_string(i), "1");
  Rig rig(serve(nodes), {.page_size = 3});
  EXPECT_FALSE(rig.reflector.stats().synced);
  EXPECT_EQ(rig.step().count(), 0);
  EXPECT_TRUE(rig.reflector.stats().synced);
  EXPECT_EQ(rig.mirror.objects.size(), 7U);
  EXPECT_EQ(rig.transport.targets.size(), 3U);
  nodes.set("n3", "2");
  nodes.remove("n4");
  rig.step();
  EXPECT_EQ(rig.mirror.objects.size(), 6U);
  EXPECT_EQ(rig.mirror.objects["n3"], "2");
  EXPECT_THAT(rig.transport.targets.back(), HasSubstr("resourceVersion=107&"));
  rig.step();  // the bookmark moved it on
  EXPECT_THAT(rig.transport.targets.back(), HasSubstr("resourceVersion=109&"));
}

TEST(Reflector, FindsWhatWasDeletedWhileItCouldNotWatch) {
  for (const bool as_event : {true, false}) {
    FakeCollection nodes;
    nodes.set("stays", "1");
    nodes.set("goes", "1");
    Rig rig([&](const HttpGet& request) -> Told {
      if (request.target.find("watch=1") == std::string::npos) return nodes.list(request.target);
      const Told told = nodes.watch(request.target);
      const bool is_gone = told.pieces[0].find("410") != std::string::npos;
      if (is_gone && !as_event) return {410, {R"({"reason":"Expired"})"}};
      return told;
    });
    rig.step();
    nodes.remove("goes");
    nodes.compact();
    EXPECT_EQ(rig.step().count(), 0) << "the first list again comes at once";
    rig.step();
    EXPECT_EQ(rig.mirror.objects.size(), 1U);
    EXPECT_EQ(rig.reflector.stats().expired, 1U);
  }
}

TEST(Reflector, ListsAgainWhenTheServerWasSetBack) {
  FakeCollection nodes;
  nodes.set("a", "1");
  Rig rig(serve(nodes));
  rig.step();
  nodes.version = 50;  // restored from a copy
  rig.step();
  rig.step();
  EXPECT_EQ(rig.reflector.stats().lists, 2U);
  EXPECT_THAT(rig.transport.targets.back(), StartsWith("/api/v1/nodes?limit="));
  rig.step();
  EXPECT_THAT(rig.transport.targets.back(), HasSubstr("resourceVersion=50&"));
}

TEST(Reflector, DoesNotHammerAServerThatForgetsAtOnce) {
  FakeCollection nodes;
  nodes.set("a", "1");
  Rig rig([&](const HttpGet& request) -> Told {
    if (request.target.find("watch=1") == std::string::npos) return nodes.list(request.target);
    return {410, {}};
  });
  milliseconds waited{0};
  for (int i = 0; i < 12; ++i) waited += rig.step();
  EXPECT_GE(waited.count(), 400 + 800 + 1'600);
}

TEST(Reflector, BacksOffWithJitterUpToALimit) {
  Rig rig([](const HttpGet&) { return Told{0, {}, "cannot connect"}; });
  rig.dice = 0.999999;
  EXPECT_EQ(rig.step().count(), 799);
  EXPECT_EQ(rig.step().count(), 1'599);
  rig.dice = 0;
  EXPECT_EQ(rig.step().count(), 1'600);
  for (int i = 0; i < 100; ++i) rig.step();
  EXPECT_EQ(rig.step().count(), 15'000);
  EXPECT_FALSE(rig.reflector.stats().synced);
  EXPECT_THAT(rig.reflector.stats().trouble.get()->text,
              HasSubstr("GET https://api.test:6443/api/v1/nodes?limit=500: cannot connect"));
}

TEST(Reflector, GoesOnAtOnceAfterAWatchThatLasted) {
  FakeCollection nodes;
  nodes.set("a", "1");
  bool silent = false;
  Rig* world = nullptr;
  Rig rig([&](const HttpGet& request) -> Told {
    if (request.target.find("watch=1") == std::string::npos) return nodes.list(request.target);
    if (silent) world->now += milliseconds(150'000);
    return {200, {}, "the connection was silent"};
  });
  world = &rig;
  rig.step();
  EXPECT_GT(rig.step().count(), 0) << "a watch that ends at once, silent, is a failure";
  silent = true;
  EXPECT_EQ(rig.step().count(), 0);
  EXPECT_EQ(rig.step().count(), 0);
  EXPECT_EQ(rig.reflector.stats().lists, 1U);
  EXPECT_EQ(rig.transport.patience.back(), milliseconds(150'000));
}

TEST(Reflector, SpreadsTheLengthOfWatches) {
  FakeCollection nodes;
  Rig rig(serve(nodes));
  rig.step();
  rig.step();
  EXPECT_THAT(rig.transport.targets.back(), HasSubstr("timeoutSeconds=240"));
  rig.dice = 0.5;
  rig.step();
  EXPECT_THAT(rig.transport.targets.back(), HasSubstr("timeoutSeconds=360"));
}

TEST(Reflector, AMissingCollectionIsNoFailureAndIsLookedForAgain) {
  FakeCollection nodes;
  bool exists = false;
  Rig rig([&](const HttpGet& request) -> Told {
    if (!exists) return {404, {"404 page not found"}};
    return serve(nodes)(request);
  });
  EXPECT_EQ(rig.step().count(), 60'000);
  EXPECT_FALSE(rig.reflector.stats().present);
  EXPECT_EQ(rig.reflector.stats().failures, 0U);
  exists = true;
  nodes.set("a", "1");
  rig.step();
  EXPECT_TRUE(rig.reflector.stats().present);
  EXPECT_EQ(rig.mirror.objects.size(), 1U);
  exists = false;  // its definition is deleted
  rig.step();
  EXPECT_TRUE(rig.mirror.objects.empty());
  EXPECT_EQ(rig.mirror.absences, 2);
}

TEST(Reflector, TellsWhenItLastHeardFromTheServer) {
  FakeCollection nodes;
  bool reachable = true;
  Rig rig([&](const HttpGet& request) -> Told {
    return reachable ? serve(nodes)(request) : Told{0, {}, "cannot connect"};
  });
  EXPECT_EQ(rig.reflector.stats().heard_ms, -1);
  rig.step();
  EXPECT_EQ(rig.reflector.stats().heard_ms, 1'000);
  rig.now = milliseconds(2'000);
  rig.step();
  EXPECT_EQ(rig.reflector.stats().heard_ms, 2'000);
  EXPECT_EQ(rig.reflector.stats().trouble.get(), nullptr);
  reachable = false;
  rig.now = milliseconds(3'000);
  rig.step();
  EXPECT_EQ(rig.reflector.stats().heard_ms, 2'000);
  EXPECT_NE(rig.reflector.stats().trouble.get(), nullptr);
}

TEST(Reflector, AStopEndsAStepWithoutAFailure) {
  FakeCollection nodes;
  Rig rig(serve(nodes));
  std::stop_source source;
  source.request_stop();
  EXPECT_EQ(rig.reflector.step(source.get_token()).count(), 0);
  EXPECT_EQ(rig.reflector.stats().failures, 0U);
  EXPECT_FALSE(rig.reflector.stats().synced);
}

// Cuts an answer anywhere, or hands it over in pieces of any size.
Told maul(Told told, std::mt19937& random) {
  std::string whole;
  for (const std::string& piece : told.pieces) whole += piece;
  const auto roll = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n)(random);
  };
  if (roll(3) == 0) {
    whole.resize(roll(whole.size()));
    told.broken = "cut";
  }
  told.pieces.clear();
  for (std::size_t at = 0; at < whole.size();) {
    const std::size_t size = 1 + roll(200);
    told.pieces.push_back(whole.substr(at, size));
    at += size;
  }
  return told;
}

// Whatever goes wrong in between, once the server answers well the mirror is the collection.
TEST(Reflector, AgreesWithTheServerAfterAnyMishap) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const auto roll = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
    FakeCollection nodes;
    bool calm = false;
    Rig rig(
        [&](const HttpGet& request) -> Told {
          if (calm) return serve(nodes)(request);
          switch (roll(8)) {
            case 0:
              return {0, {}, "cannot connect"};
            case 1:
              return {500 + roll(5), {"{}"}};
            case 2:
              return {410, {R"({"reason":"Expired"})"}};
            default:
              return maul(serve(nodes)(request), random);
          }
        },
        {.page_size = 1 + roll(5)});
    for (int step = 0; step < 60; ++step) {
      for (int change = roll(4); change > 0; --change) {
        const std::string name = "n" + std::to_string(roll(12));
        if (roll(3) == 0)
          nodes.remove(name);
        else
          nodes.set(name, std::to_string(step));
      }
      if (roll(10) == 0) nodes.compact();
      rig.step();
    }
    calm = true;
    for (int i = 0; i < 4; ++i) rig.step();
    std::map<std::string, std::string> truth;
    for (const auto& [name, json] : nodes.objects) {
      const std::size_t at = json.find("\"v\":\"") + 5;
      truth[name] = json.substr(at, json.find('"', at) - at);
    }
    EXPECT_EQ(rig.mirror.objects, truth) << "seed " << seed;
  }
}

}  // namespace
}  // namespace berth::kube
