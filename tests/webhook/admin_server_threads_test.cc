#include <list>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/tls_client.h"
#include "webhook/admin_server.h"

namespace berth::webhook {
namespace {

using namespace std::chrono_literals;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using tests::TcpClient;

std::unique_ptr<AdminServer> start(AdminAddress address) {
  std::vector<AdminRoute> routes;
  routes.push_back({"/livez", [](std::string_view) {
                      return AdminResponse{200, "text/plain", "ok\n"};
                    }});
  routes.push_back({"/readyz", [](std::string_view query) {
                      return AdminResponse{503, "text/plain", "query " + std::string(query)};
                    }});
  routes.push_back({"/metrics", [](std::string_view) {
                      return AdminResponse{200, "text/plain", std::string(200'000, 'm')};
                    }});
  routes.push_back(
      {"/fails", [](std::string_view) -> AdminResponse { throw std::runtime_error("secret"); }});
  return std::move(*AdminServer::start(address, std::move(routes)));
}

std::string receive_all(TcpClient& client) {
  std::string all;
  char buffer[4096];
  ssize_t count = 0;
  while ((count = recv(client.fd(), buffer, sizeof buffer, 0)) > 0) {
    all.append(buffer, static_cast<std::size_t>(count));
  }
  return all;
}

std::string exchange(const AdminServer& server, const std::string& request) {
  TcpClient client(server.port());
  client.send(request);
  return receive_all(client);
}

TEST(AdminServer, AnswersItsRoutesAndCloses) {
  const auto server = start({"127.0.0.1", 0});
  const std::string live = exchange(*server, "GET /livez HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(live, StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(live, HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(live, EndsWith("\r\n\r\nok\n"));
  const std::string ready =
      exchange(*server, "GET /readyz?verbose&x=1 HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(ready, StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(ready, EndsWith("\r\n\r\nquery verbose&x=1"));
}

TEST(AdminServer, NeverCompresses) {
  const auto server = start({"127.0.0.1", 0});
  const std::string reply = exchange(
      *server, "GET /metrics HTTP/1.1\r\nHost: h\r\nAccept-Encoding: gzip, deflate, br\r\n\r\n");
  EXPECT_THAT(reply, HasSubstr("Content-Length: 200000\r\n"));
  EXPECT_THAT(reply, Not(HasSubstr("Content-Encoding")));
}

TEST(AdminServer, SaysWhatIsWrongWithoutDetailsOfItself) {
  const auto server = start({"127.0.0.1", 0});
  const std::string unknown = exchange(*server, "GET /livez/ HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(unknown, StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(unknown, HasSubstr("expected one of /livez, /readyz, /metrics"));
  const std::string method =
      exchange(*server, "POST /livez HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nab");
  EXPECT_THAT(method, StartsWith("HTTP/1.1 405 "));
  EXPECT_THAT(method, HasSubstr("Allow: GET, HEAD\r\n"));
  const std::string failed = exchange(*server, "GET /fails HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(failed, StartsWith("HTTP/1.1 500 "));
  EXPECT_THAT(failed, Not(HasSubstr("secret")));
  EXPECT_THAT(exchange(*server, "nonsense\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
}

TEST(AdminServer, DoesNotReadWithoutEnd) {
  const auto server = start({"127.0.0.1", 0});
  TcpClient line(server->port());
  line.send("GET /" + std::string(100'000, 'a'));
  EXPECT_TRUE(line.sees_close());
  TcpClient fields(server->port());
  std::string many = "GET /livez HTTP/1.1\r\n";
  for (int i = 0; i < 20'000; ++i) many += "F: v\r\n";
  fields.send(many);
  EXPECT_TRUE(fields.sees_close());
  EXPECT_THAT(exchange(*server, "GET /livez HTTP/1.1\r\nHost: h\r\n\r\n"), EndsWith("ok\n"));
}

TEST(AdminServer, IsNotHeldUpBySlowClients) {
  const auto server = start({"127.0.0.1", 0, 200ms});
  std::list<TcpClient> slow;
  for (int i = 0; i < 12; ++i) slow.emplace_back(server->port()).send("GET /li");
  EXPECT_THAT(exchange(*server, "GET /livez HTTP/1.1\r\nHost: h\r\n\r\n"), EndsWith("ok\n"));
  for (TcpClient& client : slow) EXPECT_TRUE(client.sees_close());
}

TEST(AdminServer, StopsWithoutWaitingForSlowClients) {
  auto server = start({"127.0.0.1", 0, 1h});
  std::list<TcpClient> slow;
  for (int i = 0; i < 12; ++i) slow.emplace_back(server->port()).send("GET /li");
  server.reset();  // would take hours
  for (TcpClient& client : slow) EXPECT_TRUE(client.sees_close());
}

TEST(AdminServer, StopsRightAfterItsStart) {
  for (int i = 0; i < 20; ++i) start({"127.0.0.1", 0});
}

TEST(AdminServer, SaysThatThePortIsTaken) {
  const auto server = start({"127.0.0.1", 0});
  const auto second = AdminServer::start({"127.0.0.1", server->port()}, {});
  ASSERT_FALSE(second.has_value());
  EXPECT_THAT(second.error().text, HasSubstr("cannot listen on 127.0.0.1:"));
}

}  // namespace
}  // namespace berth::webhook
