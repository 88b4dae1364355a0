#include <atomic>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/arena.h"
#include "kube/json.h"
#include "tests/support/eventually.h"
#include "tests/support/fake_api.h"
#include "topology/feed.h"
#include "topology/file_source.h"

namespace berth::topology {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using testing::Told;
using testing::ToldTransport;
using tests::eventually;

std::string list_of(const std::string& items) {
  return R"({"kind":"List","metadata":{"resourceVersion":"5"},"items":[)" + items + "]}";
}

// A server with one GPU node, one pod on it, and Kueue. Watches end at once.
Told answer(const kube::HttpGet& request, bool nodes_refused) {
  const std::string path = request.target.substr(0, request.target.find('?'));
  if (request.target.find("watch=") != std::string::npos) return {200, {}};
  if (path == "/api/v1/nodes") {
    if (nodes_refused) return {403, {R"({"kind":"Status","message":"nodes is forbidden"})"}};
    return {200,
            {list_of(R"({"metadata":{"name":"n1","labels":{"nvidia.com/gpu.product":"NVIDIA-L4"}},)"
                     R"("status":{"allocatable":{"nvidia.com/gpu":"4"}}})")}};
  }
  if (path == "/api/v1/pods") {
    return {
        200,
        {list_of(R"({"metadata":{"name":"p","namespace":"team"},"spec":{"nodeName":"n1",)"
                 R"("containers":[{"name":"c","resources":{"limits":{"nvidia.com/gpu":"3"}}}]},)"
                 R"("status":{"phase":"Running"}})")}};
  }
  if (path == "/apis/kueue.x-k8s.io") {
    return {200, {R"({"preferredVersion":{"version":"v1beta2"}})"}};
  }
  if (path == "/apis/kueue.x-k8s.io/v1beta2") {
    return {200, {R"({"resources":[{"name":"localqueues"}]})"}};
  }
  if (path == "/apis/kueue.x-k8s.io/v1beta2/localqueues") {
    return {200, {list_of(R"({"metadata":{"name":"main","namespace":"team"}})")}};
  }
  if (path.starts_with("/api/v1/") || path.find("/v1/") != std::string::npos) {
    return {200, {list_of("")}};
  }
  return {404, {R"({"kind":"Status","code":404})"}};
}

struct Rig {
  Rig() {
    options.reading.levels = default_levels();
    options.reading.label_prefix = "berth.dev";
    options.publish = milliseconds(1);
    feed = std::make_unique<Feed>(
        [this] {
          return std::make_unique<ToldTransport>(
              [this](const kube::HttpGet& request) { return answer(request, refused); });
        },
        options,
        kube::ReflectorWorld{[this] { return milliseconds(now.load()); }, [] { return 0.5; }}, out);
  }

  FeedOptions options;
  std::atomic<bool> refused{false};
  std::atomic<std::int64_t> now{1'000};
  base::Published<Snapshot> out;
  std::unique_ptr<Feed> feed;
};

SourceState state_of(const Feed& feed, const std::string& name) {
  for (SourceState& state : feed.sources()) {
    if (state.name == name) return state;
  }
  return {};
}

TEST(Feed, PublishesWhatTheServerHas) {
  Rig rig;
  EXPECT_FALSE(rig.out.get()->fresh());
  EXPECT_THAT(rig.out.get()->stale(), HasSubstr("nodes not read yet"));
  rig.feed->start();
  ASSERT_TRUE(eventually([&] { return rig.out.get()->fresh(); }));
  const auto picture = rig.out.get();
  ASSERT_NE(picture->find_node("n1"), nullptr);
  EXPECT_EQ(picture->find_node("n1")->whole_gpus_free(), 1);
  ASSERT_TRUE(eventually([&] { return !rig.out.get()->local_queues("team").empty(); }));
  ASSERT_TRUE(eventually([&] { return !state_of(*rig.feed, "rayclusters.ray.io").present; }));
  EXPECT_TRUE(state_of(*rig.feed, "nodes").synced);
  rig.feed->stop();
  rig.feed->stop();
}

TEST(Feed, CountsAPodThatWasJustAdmitted) {
  Rig rig;
  rig.feed->start();
  ASSERT_TRUE(eventually([&] { return rig.out.get()->fresh(); }));
  base::Arena arena;
  const auto pod =
      kube::parse_json(R"({"metadata":{"generateName":"p-"},"spec":{"containers":[{"name":"c",)"
                       R"("resources":{"limits":{"nvidia.com/gpu":"1"}}}]}})",
                       arena);
  ASSERT_TRUE(pod);
  rig.feed->admitted(*pod, "team");
  ASSERT_TRUE(eventually([&] { return rig.feed->reservations() == 1; }));
  ASSERT_TRUE(eventually([&] { return rig.out.get()->find_node("n1")->whole_gpus_free() == 0; }));
  rig.now += 30'000;
  ASSERT_TRUE(eventually([&] { return rig.feed->reservations() == 0; }));
}

TEST(Feed, IsStaleWhereNodesMayNotBeRead) {
  Rig rig;
  rig.refused = true;
  rig.feed->start();
  ASSERT_TRUE(eventually([&] { return !state_of(*rig.feed, "nodes").trouble.empty(); }));
  ASSERT_TRUE(
      eventually([&] { return rig.out.get()->stale().find("forbidden") != std::string::npos; }));
  EXPECT_FALSE(rig.out.get()->knows(Kind::kNodes));
}

TEST(Feed, IsStaleOnceTheServerIsSilentForTooLong) {
  Rig rig;
  rig.feed->start();
  ASSERT_TRUE(eventually([&] { return rig.out.get()->fresh(); }));
  rig.feed->stop();  // nobody listens any more
  EXPECT_EQ(rig.feed->stale(), "");
  rig.now = 1'000 + 300'001;
  EXPECT_THAT(rig.feed->stale(), HasSubstr("nodes not heard of for more than 300 s"));
}

}  // namespace
}  // namespace berth::topology
