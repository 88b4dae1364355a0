#include <list>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "tests/support/eventually.h"
#include "tests/support/tls_client.h"
#include "tests/support/tls_server.h"
#include "webhook/tls_listener.h"

namespace berth::webhook {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using tests::eventually;
using tests::HttpReply;
using tests::post;
using tests::TlsClient;
using tests::TlsServer;

ListenerOptions with(void (*change)(ListenerOptions&)) {
  ListenerOptions options;
  options.loops = 2;
  change(options);
  return options;
}

TEST(TlsListener, SpeaksTls13AndTls12WithHttp11Only) {
  TlsServer server;
  const std::string ca = server.ca_pem();
  for (const int version : {TLS1_3_VERSION, TLS1_2_VERSION}) {
    TlsClient client(server.port(), {.highest_version = version, .ca_pem = ca});
    ASSERT_TRUE(client.ready());
    EXPECT_EQ(SSL_version(client.tls()), version);
    EXPECT_EQ(client.chosen_protocol(), "http/1.1");
    EXPECT_EQ(client.exchange(post("hello")).body, "hello");
  }
  TlsClient without(server.port(), {.protocols = ""});
  EXPECT_EQ(without.exchange(post("hello")).body, "hello") << "no ALPN at all is fine";
  const TlsClient both(server.port(), {.protocols = "\x02h2\x08http/1.1"});
  EXPECT_TRUE(both.ready());
  const TlsClient h2(server.port(), {.protocols = "\x02h2"});
  EXPECT_FALSE(h2.ready());
  const TlsClient old(server.port(), {.highest_version = TLS1_1_VERSION});
  EXPECT_FALSE(old.ready());
}

TEST(TlsListener, KeepsAConnectionForManyRequests) {
  TlsServer server;
  TlsClient client(server.port());
  for (int i = 0; i < 200; ++i) {
    const std::string body(static_cast<std::size_t>(i) * 100, 'x');
    const HttpReply reply = client.exchange(post(body));
    ASSERT_EQ(reply.status, 200);
    ASSERT_EQ(reply.body, body);
  }
  EXPECT_EQ(server.stats().accepted.load(), 1U);
  EXPECT_EQ(server.stats().http.requests.load(), 200U);
}

TEST(TlsListener, Serves25ConnectionsAtOnce) {
  TlsServer server(with([](ListenerOptions&) {}));
  std::list<TlsClient> clients;
  for (int i = 0; i < 25; ++i) clients.emplace_back(server.port());
  for (int round = 0; round < 20; ++round) {
    int number = 0;
    for (TlsClient& client : clients) ASSERT_TRUE(client.send(post(std::to_string(number++))));
    number = 0;
    for (TlsClient& client : clients) ASSERT_EQ(client.receive().body, std::to_string(number++));
  }
  EXPECT_EQ(server.stats().http.requests.load(), 500U);
  EXPECT_EQ(server.stats().open.load(), 25);
  clients.clear();
  EXPECT_TRUE(eventually([&] { return server.stats().open.load() == 0; }));
}

TEST(TlsListener, AnswersRequestsOfOneRecordInOrder) {
  TlsServer server;
  TlsClient client(server.port());
  std::string sent;
  for (int i = 0; i < 100; ++i) sent += post(std::to_string(i));
  ASSERT_TRUE(client.send(sent));
  for (int i = 0; i < 100; ++i) ASSERT_EQ(client.receive().body, std::to_string(i));
}

TEST(TlsListener, TakesChunksAndAsksForTheBody) {
  TlsServer server;
  TlsClient client(server.port());
  const std::string head = "POST /mutate HTTP/1.1\r\nHost: h\r\n";
  EXPECT_EQ(client.exchange(head + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n").body,
            "abc");
  const HttpReply go = client.exchange(head + "Expect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(go.status, 100);
  EXPECT_EQ(client.exchange("abc").body, "abc");
}

TEST(TlsListener, RefusesALargeBodySoThatTheClientCanReadIt) {
  TlsServer server;
  const std::string megabyte(1024U * 1024, 'x');
  TlsClient announced(server.port());
  announced.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9437184\r\n\r\n");
  for (int i = 0; i < 9 && announced.send(megabyte); ++i) continue;
  EXPECT_EQ(announced.receive().status, 413);
  TlsClient chunks(server.port());
  chunks.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 9 && chunks.send("100000\r\n" + megabyte + "\r\n"); ++i) continue;
  const HttpReply reply = chunks.receive();
  EXPECT_EQ(reply.status, 413);
  EXPECT_TRUE(reply.says("Connection: close"));
  EXPECT_TRUE(chunks.sees_end());
  EXPECT_EQ(server.rejected(Rejection::kBodyTooLarge), 2U);
}

TEST(TlsListener, SendsALargeReplyToASlowReader) {
  TlsServer server;
  TlsClient client(server.port());
  ASSERT_TRUE(client.send("GET /large HTTP/1.1\r\nHost: h\r\n\r\n" + post("next")));
  EXPECT_EQ(client.receive().body.size(), 16U * 1024 * 1024);
  EXPECT_EQ(client.receive().body, "next");
}

TEST(TlsListener, SwapsTheCertificateUnderLiveConnections) {
  TlsServer server;
  TlsClient before(server.port());
  EXPECT_EQ(before.exchange(post("1")).body, "1");
  server.use_new_certificate();
  TlsClient after(server.port(), {.ca_pem = server.ca_pem()});
  ASSERT_TRUE(after.ready());
  EXPECT_NE(after.certificate_serial(), before.certificate_serial());
  EXPECT_EQ(after.exchange(post("2")).body, "2");
  EXPECT_EQ(before.exchange(post("3")).body, "3") << "the old connection lives on";
}

TEST(TlsListener, AnswersAHalfClosedClient) {
  TlsServer server;
  TlsClient goodbye(server.port());
  ASSERT_TRUE(goodbye.send(post("1") + post("2")));
  SSL_shutdown(goodbye.tls());
  goodbye.tcp().half_close();
  EXPECT_EQ(goodbye.receive().body, "1");
  EXPECT_EQ(goodbye.receive().body, "2");
  TlsClient rude(server.port());
  ASSERT_TRUE(rude.send(post("3")));
  rude.tcp().half_close();
  EXPECT_EQ(rude.receive().body, "3");
}

TEST(TlsListener, SurvivesResetsInTheMiddle) {
  TlsServer server;
  const std::string half = post("hello").substr(0, 60);
  TlsClient cut(server.port());
  ASSERT_TRUE(cut.send(half));
  ASSERT_TRUE(eventually([&] { return server.stats().handshakes.load() == 1; }));
  cut.tcp().reset();
  EXPECT_TRUE(eventually([&] { return server.rejected(Rejection::kRequestAbandoned) == 1; }));
  TlsClient reading(server.port());
  ASSERT_TRUE(reading.send("GET /large HTTP/1.1\r\nHost: h\r\n\r\n"));
  ASSERT_TRUE(eventually([&] { return server.stats().http.requests.load() == 1; }));
  reading.tcp().reset();
  EXPECT_TRUE(eventually([&] { return server.stats().open.load() == 0; }));
  TlsClient next(server.port());
  EXPECT_EQ(next.exchange(post("x")).body, "x");
}

TEST(TlsListener, CountsWhyHandshakesFail) {
  TlsServer server;
  tests::TcpClient probe(server.port());
  probe.drop();
  EXPECT_TRUE(eventually([&] { return server.rejected(Rejection::kHandshakeAbandoned) == 1; }));
  tests::TcpClient plain(server.port());
  plain.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_TRUE(plain.sees_close());
  EXPECT_EQ(server.rejected(Rejection::kHandshakeFailed), 1U);
  const TlsServer other;
  const TlsClient distrustful(server.port(), {.ca_pem = other.ca_pem()});
  EXPECT_FALSE(distrustful.ready());
  EXPECT_TRUE(eventually([&] { return server.rejected(Rejection::kCertificateRefused) == 1; }));
}

TEST(TlsListener, DoesNotRenegotiate) {
  TlsServer server;
  TlsClient client(server.port(), {.highest_version = TLS1_2_VERSION});
  ASSERT_EQ(client.exchange(post("1")).body, "1");
  SSL_renegotiate(client.tls());
  EXPECT_NE(SSL_do_handshake(client.tls()), 1);
  EXPECT_EQ(server.stats().handshakes.load(), 1U);
}

TEST(TlsListener, EndsWhatIsTooSlow) {
  TlsServer server(with([](ListenerOptions& options) {
    options.handshake_deadline = options.head_deadline = 300ms;
    options.request_deadline = options.idle_deadline = options.write_deadline = 300ms;
  }));
  tests::TcpClient silent(server.port());
  EXPECT_TRUE(silent.sees_close());
  EXPECT_EQ(server.rejected(Rejection::kHandshakeTimeout), 1U);

  TlsClient idle(server.port());
  EXPECT_EQ(idle.exchange(post("1")).status, 200);
  EXPECT_TRUE(idle.sees_end());
  EXPECT_EQ(server.stats().idle_closed.load(), 1U);

  TlsClient head(server.port());
  ASSERT_TRUE(head.send("POST / HTTP/1.1\r\n"));
  EXPECT_EQ(head.receive().status, 408);
  EXPECT_TRUE(head.sees_end());
  EXPECT_EQ(server.rejected(Rejection::kHeadTimeout), 1U);

  TlsClient body(server.port());
  ASSERT_TRUE(body.send(post("hello").substr(0, post("hello").size() - 2)));
  EXPECT_EQ(body.receive().status, 408);
  EXPECT_EQ(server.rejected(Rejection::kBodyTimeout), 1U);

  TlsClient reader(server.port());
  ASSERT_TRUE(reader.send("GET /large HTTP/1.1\r\nHost: h\r\n\r\n"));
  EXPECT_TRUE(eventually([&] { return server.rejected(Rejection::kWriteTimeout) == 1; }));
}

TEST(TlsListener, IsNotHeldUpByAByteNowAndThen) {
  TlsServer server(with([](ListenerOptions& options) {
    options.handshake_deadline = options.head_deadline = 300ms;
  }));
  TlsClient trickle(server.port());
  ASSERT_TRUE(trickle.send("POST / HTTP/1.1\r\nX: "));
  EXPECT_TRUE(eventually([&] {
    return !trickle.send("x") ||
           server.rejected(Rejection::kHeadTimeout) + server.rejected(Rejection::kHeadTooLarge) > 0;
  }));
  tests::TcpClient hello(server.port());
  ASSERT_TRUE(hello.send("\x16\x03\x01\x40"));  // a record header that promises 16 KiB
  EXPECT_TRUE(eventually(
      [&] { return !hello.send("x") || server.rejected(Rejection::kHandshakeTimeout) > 0; }));
  TlsClient other(server.port());
  EXPECT_EQ(other.exchange(post("x")).status, 200);
}

TEST(TlsListener, ShedsWhatIsTooMuch) {
  TlsServer server(with([](ListenerOptions& options) {
    options.max_connections = 2;
    options.shed_connections = 1;
  }));
  TlsClient first(server.port());
  TlsClient second(server.port());
  TlsClient shed(server.port());
  ASSERT_TRUE(shed.ready());
  tests::TcpClient refused(server.port());
  EXPECT_TRUE(refused.sees_close());
  const HttpReply reply = shed.exchange(post("x"));
  EXPECT_EQ(reply.status, 503);
  EXPECT_TRUE(reply.says("Retry-After: 1"));
  EXPECT_TRUE(reply.says("Connection: close"));
  EXPECT_TRUE(shed.sees_end());
  EXPECT_EQ(second.exchange(post("x")).status, 200);
  EXPECT_EQ(server.rejected(Rejection::kTotalConnections), 2U);
}

TEST(TlsListener, CapsConnectionsOfOnePeer) {
  TlsServer server(with([](ListenerOptions& options) { options.max_connections_per_peer = 1; }));
  TlsClient first(server.port());
  EXPECT_EQ(first.exchange(post("x")).status, 200);
  tests::TcpClient second(server.port());
  EXPECT_TRUE(second.sees_close());
  EXPECT_EQ(server.rejected(Rejection::kPeerConnections), 1U);
}

TEST(TlsListener, ClosesConnectionsWhileThereIsNoCertificate) {
  const certs::Store empty;
  ListenerOptions options;
  options.address = "127.0.0.1";
  options.port = 0;
  auto listener = TlsListener::start(options, empty, [](Request&) { return Response{}; });
  ASSERT_TRUE(listener.has_value());
  tests::TcpClient client((*listener)->port());
  EXPECT_TRUE(client.sees_close());
  EXPECT_EQ((*listener)->stats().http.rejected.count(Rejection::kNoCertificate), 1U);
}

TEST(TlsListener, SaysWhyItCannotStart) {
  TlsServer server;
  const certs::Store empty;
  const auto start = [&](ListenerOptions options) {
    return TlsListener::start(options, empty, [](Request&) { return Response{}; }).error().text;
  };
  ListenerOptions taken;
  taken.address = "127.0.0.1";
  taken.port = server.port();
  EXPECT_THAT(start(taken), HasSubstr("binding: Address already in use"));
  EXPECT_THAT(start({.address = "localhost"}), HasSubstr("address is 'localhost'; expected an IP"));
  EXPECT_THAT(start({.head_deadline = 0ms}),
              HasSubstr("head deadline is 0 ms; expected more than 0"));
  EXPECT_THAT(start({.http = {.max_body_bytes = 0}}), HasSubstr("limit of body bytes is 0"));
}

TEST(TlsListener, Holds1000IdleConnectionsAndAnswersANewOne) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_max < 2200) GTEST_SKIP() << "needs 2,200 descriptors, has " << limit.rlim_max;
  TlsServer server(with([](ListenerOptions&) {}));
  std::list<TlsClient> idle;
  for (int i = 0; i < 1000; ++i) {
    TlsClient& client = idle.emplace_back(server.port());
    ASSERT_EQ(client.exchange(post("x")).status, 200) << i;
  }
  EXPECT_EQ(server.stats().open.load(), 1000);
  TlsClient fresh(server.port());
  EXPECT_EQ(fresh.exchange(post("new")).body, "new");
  EXPECT_EQ(idle.front().exchange(post("old")).body, "old");
}

TEST(TlsListener, TurnsConnectionsAwayWhenDescriptorsRunOut) {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit low = before;
  low.rlim_cur = 200;
  TlsServer server(with([](ListenerOptions&) {}));
  setrlimit(RLIMIT_NOFILE, &low);
  std::vector<int> fillers;
  for (int fd = dup(0); fd >= 0; fd = dup(0)) fillers.push_back(fd);
  ::close(fillers.back());
  fillers.pop_back();
  tests::TcpClient away(server.port());
  EXPECT_TRUE(away.connected());
  EXPECT_TRUE(away.sees_close());
  EXPECT_TRUE(eventually([&] { return server.rejected(Rejection::kDescriptors) == 1; }));
  for (const int fd : fillers) ::close(fd);
  TlsClient next(server.port());
  EXPECT_EQ(next.exchange(post("x")).status, 200);
  EXPECT_TRUE(server.listener().healthy());
  setrlimit(RLIMIT_NOFILE, &before);
}

TEST(TlsListener, DrainsPolitelyWhileConnectionsStillCome) {
  TlsServer server(with([](ListenerOptions&) {}));
  TlsClient idle(server.port());
  ASSERT_EQ(idle.exchange(post("1")).status, 200);
  server.listener().begin_drain({.grace = 1h, .quiet = 1h, .latest = 1h, .deadline = 1h});
  EXPECT_TRUE(eventually([&] {
    TlsClient late(server.port());
    const HttpReply reply = late.exchange(post("late"));
    return reply.body == "late" && reply.says("Connection: close") && late.sees_end();
  }));
  const HttpReply last = idle.exchange(post("2"));
  EXPECT_EQ(last.body, "2") << "an idle connection ends at its next use, not before";
}

TEST(TlsListener, FinishesRequestsAndClosesIdleOnesAtTheEndOfTheDrain) {
  TlsServer server(with([](ListenerOptions&) {}));
  TlsClient idle(server.port());
  TlsClient busy(server.port());
  const std::string request = post("hello");
  ASSERT_EQ(idle.exchange(request).status, 200);
  ASSERT_TRUE(busy.send(request.substr(0, request.size() - 2)));
  ASSERT_TRUE(eventually([&] { return server.stats().handshakes.load() == 2; }));
  ASSERT_EQ(idle.exchange(request).status, 200) << "the loops had a turn since";
  server.listener().begin_drain({.grace = 0ms, .quiet = 0ms, .latest = 1h, .deadline = 1h});
  EXPECT_TRUE(idle.sees_end());
  EXPECT_TRUE(eventually([&] { return !tests::TcpClient(server.port()).connected(); }));
  const HttpReply reply = busy.exchange(request.substr(request.size() - 2));
  EXPECT_EQ(reply.body, "hello");
  EXPECT_TRUE(reply.says("Connection: close"));
  EXPECT_TRUE(busy.sees_end());
  busy.tcp().drop();
  idle.tcp().drop();
  server.listener().wait();
  EXPECT_EQ(server.stats().cut.load(), 0U);
  EXPECT_EQ(server.stats().open.load(), 0);
}

TEST(TlsListener, CutsWhatIsLeftAtTheDeadlineOfTheDrain) {
  TlsServer server(with([](ListenerOptions&) {}));
  TlsClient stuck(server.port());
  ASSERT_TRUE(stuck.send(
      "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"));
  ASSERT_EQ(stuck.receive().status, 100);
  server.listener().begin_drain({.grace = 0ms, .quiet = 0ms, .latest = 0ms, .deadline = 100ms});
  server.listener().wait();
  EXPECT_EQ(server.stats().cut.load(), 1U);
  EXPECT_TRUE(stuck.sees_end());
}

TEST(TlsListener, StopsAtOnceAndTwice) {
  TlsServer server(with([](ListenerOptions&) {}));
  TlsClient client(server.port());
  ASSERT_EQ(client.exchange(post("x")).status, 200);
  server.listener().stop();
  server.listener().stop();
  EXPECT_TRUE(client.sees_end());
  EXPECT_EQ(server.stats().open.load(), 0);
}

TEST(TlsListener, ServesManyThreadsOfMixedClientsWhileCertificatesChange) {
  TlsServer server(with([](ListenerOptions&) {}));
  std::atomic<int> wrong{0};
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 25; ++i) {
        TlsClient client(server.port());
        const std::string body = std::to_string(t * 1000 + i);
        for (int k = 0; k < 5; ++k) wrong += client.exchange(post(body)).body != body ? 1 : 0;
        if (i % 3 == 0) client.send("POST /");
        if (i % 2 == 0) client.tcp().reset();
      }
    });
  }
  for (int i = 0; i < 20; ++i) server.use_new_certificate();
  threads.clear();
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_TRUE(eventually([&] { return server.stats().open.load() == 0; }));
}

}  // namespace
}  // namespace berth::webhook
