#include "kube/client.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_api.h"

namespace berth::kube {
namespace {

using base::ErrorCode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Told;
using testing::ToldTransport;

std::function<Told(const HttpGet&)> always(Told told) {
  return [told](const HttpGet&) { return told; };
}

struct Listed {
  base::Result<Page> page;
  std::vector<std::string> names;
};
Listed list_all(Client& client, const PageRequest& request) {
  std::vector<std::string> names;
  auto page = client.list(
      request, [&](Json item) { names.emplace_back(item["metadata"]["name"].string_or_empty()); },
      {});
  return {std::move(page), std::move(names)};
}

TEST(Client, ListsInPagesAndEscapesTheToken) {
  ToldTransport transport(always(
      {200,
       {R"({"metadata":{"resourceVersion":"7","continue":"a b/="},"items":[{"metadata":{"na)",
        R"(me":"n1"}},{"metadata":{"name":"n2"}}]})"}}));
  Client client(transport);
  const Listed first = list_all(client, {"/api/v1/nodes", {}, 2});
  ASSERT_TRUE(first.page.has_value());
  EXPECT_THAT(first.names, ElementsAre("n1", "n2"));
  EXPECT_EQ(first.page->resource_version, "7");
  const Listed second = list_all(client, {"/api/v1/nodes", first.page->continue_token, 2});
  EXPECT_THAT(transport.targets,
              ElementsAre("/api/v1/nodes?limit=2", "/api/v1/nodes?limit=2&continue=a%20b%2F%3D"));
}

TEST(Client, NullItemsAreAnEmptyList) {
  ToldTransport transport(always({200, {R"({"metadata":{"resourceVersion":"7"},"items":null})"}}));
  Client client(transport);
  EXPECT_TRUE(list_all(client, {"/api/v1/nodes"}).page.has_value());
}

struct Refusal {
  const char* why;
  Told told;
  ErrorCode code;
  const char* says;
};

TEST(Client, TellsRefusalsApart) {
  const std::string too_large =
      R"({"message":"Too large resource version: 9, current: 3","reason":"Timeout","code":504,)"
      R"("details":{"causes":[{"reason":"ResourceVersionTooLarge"}]}})";
  const std::vector<Refusal> table = {
      {"no rights",
       {403, {R"({"message":"nodes is forbidden"})"}},
       ErrorCode::kInvalid,
       "GET https://api.test:6443/api/v1/nodes?limit=500: status 403, expected 200: nodes is "
       "forbidden"},
      {"an expired token",
       {401, {R"({"message":"Unauthorized"})"}},
       ErrorCode::kInvalid,
       "status 401"},
      {"a collection that is not there",
       {404, {"404 page not found"}},
       ErrorCode::kNotFound,
       "status 404"},
      {"a continue token that was forgotten",
       {410, {R"({"reason":"Expired"})"}},
       ErrorCode::kExpired,
       "status 410"},
      {"a server that was set back", {504, {too_large}}, ErrorCode::kExpired, "Too large"},
      {"a plain time-out",
       {504, {R"({"reason":"Timeout"})"}},
       ErrorCode::kUnavailable,
       "status 504"},
      {"too many requests", {429, {"slow down"}}, ErrorCode::kUnavailable, "status 429"},
      {"an answer that was cut", {200, {R"({"items":[)"}}, ErrorCode::kUnavailable, "no JSON"},
      {"another kind of answer",
       {200, {R"({"kind":"Status"})"}},
       ErrorCode::kUnavailable,
       "is no list, expected items"},
      {"a connection that broke", {200, {R"({"ite)"}, "cut"}, ErrorCode::kUnavailable, ": cut"},
      {"no connection", {0, {}, "cannot connect"}, ErrorCode::kUnavailable, ": cannot connect"},
  };
  for (const Refusal& row : table) {
    ToldTransport transport(always(row.told));
    Client client(transport);
    const Listed got = list_all(client, {"/api/v1/nodes"});
    ASSERT_FALSE(got.page.has_value()) << row.why;
    EXPECT_EQ(got.page.error().code, row.code) << row.why;
    EXPECT_THAT(got.page.error().text, HasSubstr(row.says)) << row.why;
  }
}

TEST(Client, StopsReadingAnAnswerThatIsTooLong) {
  ToldTransport transport(always({200, std::vector<std::string>(100, std::string(100, ' '))}));
  Client client(transport, {.page_bytes = 1'000});
  const Listed got = list_all(client, {"/api/v1/nodes"});
  ASSERT_FALSE(got.page.has_value());
  EXPECT_THAT(got.page.error().text, HasSubstr("longer than 1000 bytes"));
}

struct Watched {
  base::Status status = base::Done{};
  std::vector<std::string> events;
  bool opened = false;
};
Watched watch(Transport& transport, const ClientLimits& limits = {}) {
  Client client(transport, limits);
  Watched out;
  out.status = client.watch(
      {"/api/v1/nodes", "7"}, [&] { out.opened = true; },
      [&](const Event& event) {
        out.events.push_back(std::to_string(static_cast<int>(event.type)) +
                             std::string(event.object["metadata"]["name"].string_or("-")));
      },
      {});
  return out;
}

constexpr const char* kThree =
    "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\xc3\xa9\"}}}\n"
    "{\"type\":\"MODIFIED\",\"object\":{\"metadata\":{\"name\":\"b\"}}}\n"
    "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{}}}\n";

TEST(Client, ReadsAWatchWhereverItsLinesAreCut) {
  const std::string whole = kThree;
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    ToldTransport transport(always({200, {whole.substr(0, cut), whole.substr(cut)}}));
    const Watched got = watch(transport);
    EXPECT_TRUE(got.status.has_value());
    EXPECT_THAT(got.events, ElementsAre("0a\xc3\xa9", "1b", "3-")) << "cut at " << cut;
  }
  std::vector<std::string> bytes;
  for (const char c : whole) bytes.emplace_back(1, c);
  ToldTransport transport(always({200, bytes}));
  EXPECT_EQ(watch(transport).events.size(), 3U);
  EXPECT_EQ(transport.targets[0],
            "/api/v1/nodes?watch=1&allowWatchBookmarks=true&resourceVersion=7&timeoutSeconds=300");
}

TEST(Client, AHalfLineAtTheEndIsNoEvent) {
  ToldTransport transport(always({200, {std::string(kThree), "{\"type\":\"DELETED\",\"obj"}}));
  const Watched got = watch(transport);
  EXPECT_TRUE(got.status.has_value());
  EXPECT_EQ(got.events.size(), 3U);
}

TEST(Client, AnErrorEventEndsTheWatchWithItsCode) {
  using testing::FakeCollection;
  for (const auto& [event, code] :
       {std::pair{FakeCollection::error_event(410, "Expired", "too old"), ErrorCode::kExpired},
        std::pair{FakeCollection::error_event(500, "InternalError", "etcd"),
                  ErrorCode::kUnavailable},
        std::pair{std::string("{\"type\":\"SURPRISE\",\"object\":{}}\n"), ErrorCode::kUnavailable},
        std::pair{std::string("no JSON\n"), ErrorCode::kUnavailable}}) {
    ToldTransport transport(always({200, {std::string(kThree), event}}));
    const Watched got = watch(transport);
    ASSERT_FALSE(got.status.has_value()) << event;
    EXPECT_EQ(got.status.error().code, code) << event;
    EXPECT_EQ(got.events.size(), 3U);
    EXPECT_TRUE(got.opened);
  }
}

TEST(Client, AnEndlessLineIsNotKept) {
  ToldTransport transport(always({200, std::vector<std::string>(50, std::string(100, ' '))}));
  const Watched got = watch(transport, {.event_bytes = 1'000});
  ASSERT_FALSE(got.status.has_value());
  EXPECT_THAT(got.status.error().text, HasSubstr("longer than 1000 bytes"));
}

TEST(Client, ARefusedWatchSaysWhy) {
  ToldTransport transport(always({403, {R"({"message":"no)", R"( rights"})"}}));
  const Watched got = watch(transport);
  ASSERT_FALSE(got.status.has_value());
  EXPECT_FALSE(got.opened);
  EXPECT_THAT(got.status.error().text, HasSubstr("status 403, expected 200: no rights"));
}

}  // namespace
}  // namespace berth::kube
