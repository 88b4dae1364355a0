#include "webhook/http_connection.h"

#include <cstdint>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/memory_stream.h"

namespace berth::webhook {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using tests::HttpBench;
using tests::MemoryStream;

const std::string kReview =
    "POST /mutate?timeout=5s HTTP/1.1\r\n"
    "Host: berth.ns.svc:443\r\n"
    "User-Agent: kube-apiserver-admission\r\n"
    "Content-Length: 5\r\n"
    "Accept: application/json, */*\r\n"
    "Content-Type: application/json\r\n"
    "Accept-Encoding: gzip\r\n"
    "\r\n"
    "hello";

std::string reply_with(const std::string& body) {
  return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

struct Played {
  std::string received;
  Next next;
};

/// Sends `bytes` in pieces of `piece` bytes (0: all at once) and gives what came back.
Played play(const std::string& bytes, std::size_t piece, HttpBench& bench) {
  if (piece == 0) piece = bytes.size();
  for (std::size_t i = 0; i < bytes.size(); i += piece) bench.stream().send(bytes.substr(i, piece));
  const Next next = bench.run();
  return {bench.stream().received(), next};
}

struct Exchange {
  const char* why;
  std::string sent;
  std::string body;  ///< of the reply by echo, for good requests
  Rejection reason = Rejection::kBadHeader;
  int status = 200;
};

std::string get(const std::string& fields) {
  return "GET /a HTTP/1.1\r\nHost: h\r\n" + fields + "\r\n";
}
std::string post(const std::string& fields, const std::string& body) {
  return "POST /a HTTP/1.1\r\nHost: h\r\n" + fields + "\r\n" + body;
}
std::string chunked(const std::string& raw) {
  return post("Transfer-Encoding: chunked\r\n", raw);
}

std::vector<Exchange> good_exchanges() {
  return {
      {"as the API server sends it", kReview, "POST /mutate?timeout=5s hello"},
      {"no body at all", get(""), "GET /a? "},
      {"a body of no bytes", post("Content-Length: 0\r\n", ""), "POST /a? "},
      {"field names in any case", post("cOnTeNt-LeNgTh: 2\r\n", "ab"), "POST /a? ab"},
      {"no blank after the colon", post("Content-Length:2\r\n", "ab"), "POST /a? ab"},
      {"blanks and a tab around a value", post("Content-Length: \t2 \r\n", "ab"), "POST /a? ab"},
      {"leading zeros in a length", post("Content-Length: 002\r\n", "ab"), "POST /a? ab"},
      {"a GET with a body: read, not left for the next request",
       get("Content-Length: 3\r\n") + "abc", "GET /a? abc"},
      {"chunks", chunked("3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"), "POST /a? abcde"},
      {"chunk sizes in both cases and with zeros",
       chunked("00A\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n"),
       "POST /a? 01234567890123456789"},
      {"chunk extension and trailers: dropped", chunked("1;x=y\r\na\r\n0\r\nT: v\r\nU: w\r\n\r\n"),
       "POST /a? a"},
      {"a last chunk with several zeros", chunked("000\r\n\r\n"), "POST /a? "},
      {"coding name in another case", post("Transfer-Encoding: Chunked\r\n", "1\r\nx\r\n0\r\n\r\n"),
       "POST /a? x"},
      {"identity is no encoding", post("Content-Encoding: identity\r\nContent-Length: 1\r\n", "x"),
       "POST /a? x"},
      {"values are never decoded", "GET /%41?b=%20 HTTP/1.1\r\nHost: h\r\n\r\n", "GET /%41?b=%20 "},
      {"bytes above 127 in a value", get("X: caf\xc3\xa9\r\n"), "GET /a? "},
      {"an upgrade is not taken", get("Connection: Upgrade\r\nUpgrade: h2c\r\n"), "GET /a? "},
      {"a body with line ends and zero bytes",
       post("Content-Length: 6\r\n", std::string("\r\n\r\n\0x", 6)),
       "POST /a? " + std::string("\r\n\r\n\0x", 6)},
      {"a query that has a mark of its own", "GET /a?b?c HTTP/1.1\r\nHost: h\r\n\r\n",
       "GET /a?b?c "},
      {"exactly 100 fields", get([] {
         std::string fields;
         for (int i = 0; i < 99; ++i) fields += "F: v\r\n";
         return fields;
       }()),
       "GET /a? "},
  };
}

std::vector<Exchange> bad_exchanges() {
  std::string many;
  for (int i = 0; i < 100; ++i) many += "F: v\r\n";
  const std::string long_value = "X: " + std::string(17U * 1024, 'x') + "\r\n";
  using R = Rejection;
  return {
      {"length and coding together",
       post("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), "",
       R::kAmbiguousLength, 400},
      {"coding and length, other order",
       post("Transfer-Encoding: chunked\r\nContent-Length: 3\r\n", "0\r\n\r\n"), "",
       R::kAmbiguousLength, 400},
      {"two different lengths", post("Content-Length: 3\r\nContent-Length: 4\r\n", "abcd"), "",
       R::kAmbiguousLength, 400},
      {"two equal lengths", post("Content-Length: 3\r\nContent-Length: 3\r\n", "abc"), "",
       R::kAmbiguousLength, 400},
      {"lengths in one field", post("Content-Length: 3, 3\r\n", "abc"), "", R::kBadContentLength,
       400},
      {"coding twice",
       post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), "",
       R::kAmbiguousLength, 400},
      {"length with a plus", post("Content-Length: +3\r\n", "abc"), "", R::kBadContentLength, 400},
      {"negative length", post("Content-Length: -1\r\n", ""), "", R::kBadContentLength, 400},
      {"hexadecimal length", post("Content-Length: 0x3\r\n", "abc"), "", R::kBadContentLength, 400},
      {"length with a blank inside", post("Content-Length: 3 3\r\n", "abc"), "",
       R::kBadContentLength, 400},
      {"length without a number", post("Content-Length: \r\n", ""), "", R::kBadContentLength, 400},
      {"length beyond 64 bits", post("Content-Length: 18446744073709551617\r\n", ""), "",
       R::kBadContentLength, 400},
      {"coding that is not known", post("Transfer-Encoding: gzip\r\n", ""), "",
       R::kBadTransferEncoding, 501},
      {"coding that only looks known", post("Transfer-Encoding: xchunked\r\n", ""), "",
       R::kBadTransferEncoding, 501},
      {"two codings", post("Transfer-Encoding: gzip, chunked\r\n", ""), "", R::kBadTransferEncoding,
       501},
      {"chunked not last", post("Transfer-Encoding: chunked, identity\r\n", ""), "",
       R::kBadTransferEncoding, 501},
      {"coding with HTTP/1.0", "POST /a HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
       "", R::kBadTransferEncoding, 501},
      {"a compressed body", post("Content-Encoding: gzip\r\nContent-Length: 1\r\n", "x"), "",
       R::kContentEncoded, 415},
      {"line feed alone after the request line", "GET /a HTTP/1.1\nHost: h\r\n\r\n", "",
       R::kBareLineFeed, 400},
      {"line feed alone after a field", "GET /a HTTP/1.1\r\nHost: h\n\r\n", "", R::kBareLineFeed,
       400},
      {"line feed alone as the blank line", "GET /a HTTP/1.1\r\nHost: h\r\n\n", "",
       R::kBareLineFeed, 400},
      {"folded field", get("X: a\r\n b\r\n"), "", R::kFoldedHeader, 400},
      {"folded field by tab", get("X: a\r\n\tb\r\n"), "", R::kFoldedHeader, 400},
      {"blank before the first field", "GET /a HTTP/1.1\r\n Host: h\r\n\r\n", "", R::kFoldedHeader,
       400},
      {"blank before the colon", post("Content-Length : 3\r\n", "abc"), "", R::kBadHeader, 400},
      {"blank in a name", get("A B: c\r\n"), "", R::kBadHeader, 400},
      {"field without a colon", get("Nonsense\r\n"), "", R::kBadHeader, 400},
      {"field without a name", get(": v\r\n"), "", R::kBadHeader, 400},
      {"zero byte in a value", get(std::string("X: a\0b\r\n", 8)), "", R::kBadHeader, 400},
      {"zero byte in a name", get(std::string("X\0: b\r\n", 7)), "", R::kBadHeader, 400},
      {"carriage return alone in a value", get("X: a\rb\r\n"), "", R::kBadHeader, 400},
      {"control character in a value", get("X: \x01\r\n"), "", R::kBadHeader, 400},
      {"zero byte in the target", std::string("GET /a\0b HTTP/1.1\r\nHost: h\r\n\r\n", 30), "",
       R::kBadTarget, 400},
      {"target of a proxy", "GET http://h/a HTTP/1.1\r\nHost: h\r\n\r\n", "", R::kBadTarget, 400},
      {"target with a fragment", "GET /a#b HTTP/1.1\r\nHost: h\r\n\r\n", "", R::kBadTarget, 400},
      {"target above 127", "GET /\xff HTTP/1.1\r\nHost: h\r\n\r\n", "", R::kBadTarget, 400},
      {"two blanks in the request line", "GET  /a HTTP/1.1\r\nHost: h\r\n\r\n", "", R::kBadTarget,
       400},
      {"blank after the version", "GET /a HTTP/1.1 \r\nHost: h\r\n\r\n", "", R::kBadRequestLine,
       400},
      {"no version, as in HTTP/0.9", "GET /a\r\n\r\n", "", R::kBadRequestLine, 400},
      {"not HTTP at all", "SSH-2.0-OpenSSH_9.2\r\n\r\n", "", R::kBadRequestLine, 400},
      {"empty line first", "\r\nGET /a HTTP/1.1\r\nHost: h\r\n\r\n", "", R::kBadRequestLine, 400},
      {"method that is not known", "FOO /a HTTP/1.1\r\nHost: h\r\n\r\n", "", R::kBadRequestLine,
       400},
      {"method in lower case", "get /a HTTP/1.1\r\nHost: h\r\n\r\n", "", R::kBadRequestLine, 400},
      {"preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "", R::kBadTarget, 400},
      {"version 2.0", "GET /a HTTP/2.0\r\nHost: h\r\n\r\n", "", R::kBadVersion, 505},
      {"version 1.2", "GET /a HTTP/1.2\r\nHost: h\r\n\r\n", "", R::kBadVersion, 505},
      {"version with two digits", "GET /a HTTP/1.10\r\nHost: h\r\n\r\n", "", R::kBadVersion, 505},
      {"no host", "GET /a HTTP/1.1\r\n\r\n", "", R::kBadHost, 400},
      {"two hosts", "GET /a HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "", R::kBadHost, 400},
      {"101 fields", get(many), "", R::kTooManyFields, 431},
      {"a field longer than the head may be", get(long_value), "", R::kHeadTooLarge, 431},
      {"a request line without end", "GET /" + std::string(20U * 1024, 'a'), "", R::kHeadTooLarge,
       431},
      {"unknown expectation", post("Expect: tea\r\nContent-Length: 1\r\n", "x"), "",
       R::kBadExpectation, 417},
      {"announced body over the limit", post("Content-Length: 1001\r\n", ""), "", R::kBodyTooLarge,
       413},
      {"the same with an expectation: no 100 before the refusal",
       post("Content-Length: 1001\r\nExpect: 100-continue\r\n", ""), "", R::kBodyTooLarge, 413},
      {"chunks over the limit together", chunked("3e8\r\n" + std::string(1000, 'x') + "\r\n1\r\n"),
       "", R::kBodyTooLarge, 413},
      {"one chunk over the limit", chunked("3e9\r\n"), "", R::kBodyTooLarge, 413},
      {"largest chunk size there is", chunked("ffffffffffffffff\r\n"), "", R::kBodyTooLarge, 413},
      {"chunk sizes that would wrap around", chunked("1\r\na\r\nffffffffffffffff\r\n"), "",
       R::kBodyTooLarge, 413},
      {"chunk size of 17 digits", chunked("00000000000000001\r\na\r\n0\r\n\r\n"), "", R::kBadChunk,
       400},
      {"negative chunk size", chunked("-1\r\na\r\n"), "", R::kBadChunk, 400},
      {"chunk size with a plus", chunked("+1\r\na\r\n"), "", R::kBadChunk, 400},
      {"chunk size with 0x", chunked("0x1\r\na\r\n"), "", R::kBadChunk, 400},
      {"chunk size with a blank", chunked("1 \r\na\r\n"), "", R::kBadChunk, 400},
      {"no chunk size", chunked("\r\na\r\n"), "", R::kBadChunk, 400},
      {"chunk without its line end", chunked("1\r\nabc"), "", R::kBadChunk, 400},
      {"chunk size line by line feed", chunked("1\na\r\n0\r\n\r\n"), "", R::kBareLineFeed, 400},
      {"chunk extension without end", chunked("1;" + std::string(300, 'x')), "", R::kBadChunk, 400},
      {"control character in a chunk extension", chunked("1;\x01\r\na\r\n0\r\n\r\n"), "",
       R::kBadChunk, 400},
      {"folded trailer", chunked("0\r\n x: y\r\n\r\n"), "", R::kFoldedHeader, 400},
      {"trailer by line feed", chunked("0\r\nx: y\n\r\n"), "", R::kBareLineFeed, 400},
      {"end of trailers by line feed", chunked("0\r\n\n"), "", R::kBareLineFeed, 400},
      {"trailers without end", chunked("0\r\nx: " + std::string(17U * 1024, 'y')), "",
       R::kHeadTooLarge, 431},
  };
}

TEST(HttpConnection, AnswersEveryAcceptableForm) {
  for (const Exchange& exchange : good_exchanges()) {
    SCOPED_TRACE(exchange.why);
    HttpBench bench;
    const Played played = play(exchange.sent, 0, bench);
    EXPECT_EQ(played.received, reply_with(exchange.body));
    EXPECT_EQ(played.next, Next::kReadable);
    EXPECT_EQ(bench.connection().phase(), Phase::kIdle) << "ready for the next request";
    EXPECT_EQ(bench.stream().writes(), 1U) << "head and body leave together";
  }
}

TEST(HttpConnection, RefusesEveryAmbiguousOrBrokenFormAndCloses) {
  const std::string next_request = get("");
  for (const Exchange& exchange : bad_exchanges()) {
    SCOPED_TRACE(exchange.why);
    HttpBench bench(HttpBench::echo, {.max_body_bytes = 1000});
    const Played played = play(exchange.sent + next_request, 0, bench);
    EXPECT_THAT(played.received, StartsWith("HTTP/1.1 " + std::to_string(exchange.status) + " "));
    EXPECT_THAT(played.received, HasSubstr("\r\nConnection: close\r\n"));
    EXPECT_THAT(played.received, Not(HasSubstr("HTTP/1.1 200"))) << "smuggled request answered";
    EXPECT_THAT(played.received, Not(HasSubstr("100 Continue")));
    EXPECT_EQ(played.next, Next::kLinger);
    EXPECT_EQ(bench.counters().rejected.count(exchange.reason), 1U) << played.received;
    EXPECT_EQ(bench.counters().requests.load(), 0U);
  }
}

TEST(HttpConnection, GivesTheSameAnswerHoweverTheBytesArrive) {
  std::vector<Exchange> all = good_exchanges();
  for (Exchange& bad : bad_exchanges()) all.push_back(std::move(bad));
  for (const Exchange& exchange : all) {
    SCOPED_TRACE(exchange.why);
    HttpBench at_once(HttpBench::echo, {.max_body_bytes = 1000});
    const Played whole = play(exchange.sent, 0, at_once);
    for (const std::size_t piece : {1U, 2U, 3U, 7U, 64U, 4096U}) {
      HttpBench in_pieces(HttpBench::echo, {.max_body_bytes = 1000});
      const Played cut = play(exchange.sent, piece, in_pieces);
      EXPECT_EQ(cut.received, whole.received) << "pieces of " << piece;
      EXPECT_EQ(cut.next, whole.next) << "pieces of " << piece;
    }
  }
}

TEST(HttpConnection, GivesTheSameAnswersForRandomSequencesCutAtRandom) {
  std::vector<std::string> parts;
  for (const Exchange& good : good_exchanges()) parts.push_back(good.sent);
  std::uint32_t random = 20240607;
  const auto below = [&random](std::size_t limit) {
    random = random * 1664525U + 1013904223U;
    return static_cast<std::size_t>(random >> 8U) % limit;
  };
  for (int round = 0; round < 300; ++round) {
    std::string sent;
    for (std::size_t i = 0; i < 1 + below(6); ++i) sent += parts[below(parts.size())];
    if (below(3) == 0) sent[below(sent.size())] = static_cast<char>(below(256));
    HttpBench at_once;
    const Played whole = play(sent, 0, at_once);
    HttpBench cut;
    for (std::size_t i = 0; i < sent.size();) {
      const std::size_t size = 1 + below(40);
      cut.stream().send(sent.substr(i, size));
      i += size;
    }
    const Next next = cut.run();
    ASSERT_EQ(cut.stream().received(), whole.received) << "round " << round;
    ASSERT_EQ(next, whole.next) << "round " << round;
  }
}

TEST(HttpConnection, AnswersPipelinedRequestsInOrder) {
  HttpBench bench;
  const std::string sent =
      kReview + chunked("1\r\nx\r\n0\r\n\r\n") + get("") + post("Content-Length: 2\r\n", "yz");
  const Played played = play(sent, 0, bench);
  EXPECT_EQ(played.received, reply_with("POST /mutate?timeout=5s hello") +
                                 reply_with("POST /a? x") + reply_with("GET /a? ") +
                                 reply_with("POST /a? yz"));
  EXPECT_EQ(bench.connection().begun(), 4U);
}

TEST(HttpConnection, LetsOthersHaveTheirTurnWhenOneClientPipelinesWithoutEnd) {
  HttpBench bench;
  std::string sent;
  for (int i = 0; i < 200; ++i) sent += get("");
  bench.stream().send(sent);
  bench.stream().deliver();
  EXPECT_EQ(bench.connection().pump(), Next::kAgain);
  EXPECT_LT(bench.counters().requests.load(), 100U);
  bench.run();
  EXPECT_EQ(bench.counters().requests.load(), 200U);
}

TEST(HttpConnection, StopsReadingWhileTheClientDoesNotTakeItsReplies) {
  HttpBench bench;
  bench.stream().take_at_most(10);
  bench.stream().send(get("") + get(""));
  EXPECT_EQ(bench.run(), Next::kWritable);
  EXPECT_EQ(bench.connection().phase(), Phase::kReply);
  EXPECT_EQ(bench.counters().requests.load(), 1U) << "the second waits";
  bench.stream().take_at_most(100'000);
  EXPECT_EQ(bench.run(), Next::kReadable);
  EXPECT_EQ(bench.stream().received(), reply_with("GET /a? ") + reply_with("GET /a? "));
}

TEST(HttpConnection, SendsContinueOnlyWhenTheBodyIsWelcome) {
  HttpBench bench;
  bench.stream().send(post("Content-Length: 3\r\nExpect: 100-continue\r\n", ""));
  bench.run();
  EXPECT_EQ(bench.stream().received(), "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_EQ(bench.connection().phase(), Phase::kBody);
  bench.stream().send("abc");
  bench.run();
  EXPECT_EQ(bench.stream().received(),
            "HTTP/1.1 100 Continue\r\n\r\n" + reply_with("POST /a? abc"));
}

TEST(HttpConnection, KeepsHttp10OpenOnlyOnRequest) {
  HttpBench close;
  EXPECT_EQ(play("GET /a HTTP/1.0\r\n\r\n", 0, close).next, Next::kLinger);
  EXPECT_THAT(close.stream().received(), HasSubstr("Connection: close"));
  HttpBench keep;
  EXPECT_EQ(play("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", 0, keep).next,
            Next::kReadable);
  EXPECT_THAT(keep.stream().received(), HasSubstr("Connection: keep-alive"));
}

TEST(HttpConnection, ClosesWhenTheClientOrTheServerWantsIt) {
  HttpBench client;
  EXPECT_EQ(play(get("Connection: close\r\n"), 0, client).next, Next::kLinger);
  EXPECT_THAT(client.stream().received(), HasSubstr("Connection: close"));
  HttpBench server;
  server.context().persistence = Persistence::kClose;
  EXPECT_EQ(play(get(""), 0, server).next, Next::kLinger);
  EXPECT_THAT(server.stream().received(), HasSubstr("Connection: close"));
}

TEST(HttpConnection, LeavesOutTheBodyForHead) {
  HttpBench bench;
  play("HEAD /a HTTP/1.1\r\nHost: h\r\n\r\n", 0, bench);
  EXPECT_THAT(bench.stream().received(), HasSubstr("Content-Length: 9\r\n"));
  EXPECT_THAT(bench.stream().received(), EndsWith("\r\n\r\n"));
}

TEST(HttpConnection, AnswersAClientThatHasClosedItsSide) {
  HttpBench bench;
  bench.stream().send(get("") + get(""));
  bench.stream().after_last(MemoryStream::After::kEnd);
  EXPECT_EQ(bench.run(), Next::kReadable);
  EXPECT_EQ(bench.run(), Next::kClose);
  EXPECT_EQ(bench.stream().received(), reply_with("GET /a? ") + reply_with("GET /a? "));
  EXPECT_EQ(bench.counters().rejected.count(Rejection::kRequestAbandoned), 0U);
}

TEST(HttpConnection, CountsRequestsThatWereCutOff) {
  const std::vector<std::pair<std::string, MemoryStream::After>> cuts = {
      {"GET /a HT", MemoryStream::After::kEnd},
      {"GET /a HT", MemoryStream::After::kBreak},
      {post("Content-Length: 3\r\n", "ab"), MemoryStream::After::kEnd},
      {chunked("3\r\nab"), MemoryStream::After::kBreak},
  };
  for (const auto& [sent, after] : cuts) {
    HttpBench bench;
    bench.stream().send(sent);
    bench.stream().after_last(after);
    bench.run();
    EXPECT_EQ(bench.run(), Next::kClose);
    EXPECT_EQ(bench.counters().rejected.count(Rejection::kRequestAbandoned), 1U);
    EXPECT_EQ(bench.stream().received(), "");
  }
}

TEST(HttpConnection, AnswersLateRequestsWith408AndEndsIdleOnesSilently) {
  HttpBench idle;
  idle.run();
  EXPECT_EQ(idle.connection().expire(), Next::kLinger);
  EXPECT_EQ(idle.stream().received(), "");
  HttpBench head;
  play("GET /a HT", 1, head);
  EXPECT_EQ(head.connection().phase(), Phase::kHead);
  EXPECT_EQ(head.connection().expire(), Next::kLinger);
  EXPECT_THAT(head.stream().received(), StartsWith("HTTP/1.1 408 "));
  EXPECT_EQ(head.counters().rejected.count(Rejection::kHeadTimeout), 1U);
  HttpBench body;
  play(post("Content-Length: 3\r\n", "ab"), 0, body);
  EXPECT_EQ(body.connection().phase(), Phase::kBody);
  EXPECT_EQ(body.connection().expire(), Next::kLinger);
  EXPECT_EQ(body.counters().rejected.count(Rejection::kBodyTimeout), 1U);
  HttpBench reply;
  reply.stream().take_at_most(0);
  play(get(""), 0, reply);
  EXPECT_EQ(reply.connection().expire(), Next::kClose);
  EXPECT_EQ(reply.counters().rejected.count(Rejection::kWriteTimeout), 1U);
}

TEST(HttpConnection, ShedsWithRetryAfter) {
  HttpBench bench(HttpBench::echo, {}, 1U << 20U, Admission::kShed);
  EXPECT_EQ(play(kReview, 0, bench).next, Next::kLinger);
  EXPECT_THAT(bench.stream().received(), StartsWith("HTTP/1.1 503 Service Unavailable\r\n"));
  EXPECT_THAT(bench.stream().received(), HasSubstr("\r\nRetry-After: 1\r\n"));
  EXPECT_THAT(bench.stream().received(), HasSubstr("\r\nConnection: close\r\n"));
  EXPECT_EQ(bench.counters().rejected.count(Rejection::kTotalConnections), 1U);
}

TEST(HttpConnection, ShedsLargeBodiesBeyondTheBudgetAndGivesItBack) {
  constexpr std::size_t kBudget = 200U * 1024;
  const std::string large(300U * 1024, 'x');
  for (const bool in_chunks : {false, true}) {
    HttpBench bench(HttpBench::echo, {}, kBudget);
    std::string sent = post("Content-Length: 307200\r\n", large);
    if (in_chunks) sent = chunked("4b000\r\n" + large + "\r\n0\r\n\r\n");
    EXPECT_EQ(play(sent, 16U * 1024, bench).next, Next::kLinger);
    EXPECT_THAT(bench.stream().received(), StartsWith("HTTP/1.1 503 "));
    EXPECT_EQ(bench.counters().rejected.count(Rejection::kBodyMemory), 1U);
    EXPECT_TRUE(bench.buffers().charge(kBudget)) << "nothing is held any more";
  }
}

TEST(HttpConnection, TakesABodyOfExactlyTheLimit) {
  const std::string body(8U * 1024 * 1024, 'x');
  for (const bool in_chunks : {false, true}) {
    HttpBench bench(
        [](Request& request) { return text_response(200, std::to_string(request.body.size())); });
    std::string sent = post("Content-Length: 8388608\r\n", body);
    if (in_chunks) sent = chunked("800000\r\n" + body + "\r\n0\r\n\r\n");
    play(sent, 16U * 1024, bench);
    EXPECT_THAT(bench.stream().received(), EndsWith("\r\n\r\n8388608\n"));
  }
}

TEST(HttpConnection, PadsTheBodyWithZeros) {
  HttpBench bench([](Request& request) {
    const char* end = request.body.data() + request.body.size();
    const bool zero = std::all_of(end, end + kBodyPadding, [](char c) { return c == '\0'; });
    return text_response(200, zero ? "zero" : "other");
  });
  for (const std::size_t size : {0U, 1U, 65'535U, 65'536U, 70'000U, 300'000U, 5U}) {
    bench.stream().send(
        post("Content-Length: " + std::to_string(size) + "\r\n", std::string(size, 'x')));
    bench.run();
    EXPECT_THAT(bench.stream().received(), EndsWith("zero\n")) << size;
  }
}

TEST(HttpConnection, TurnsAnExceptionInto500WithoutItsText) {
  HttpBench bench([](Request&) -> Response { throw std::runtime_error("secret"); });
  EXPECT_EQ(play(get(""), 0, bench).next, Next::kLinger);
  EXPECT_THAT(bench.stream().received(), StartsWith("HTTP/1.1 500 "));
  EXPECT_THAT(bench.stream().received(), Not(HasSubstr("secret")));
  EXPECT_EQ(bench.counters().rejected.count(Rejection::kHandlerFailed), 1U);
}

TEST(HttpConnection, ShowsFieldsToTheHandler) {
  HttpBench bench([](Request& request) {
    return text_response(200, std::string(request.header("content-type")) + "|" +
                                  std::string(request.header("absent")) + "|" +
                                  std::to_string(request.fields.size()));
  });
  play(kReview, 0, bench);
  EXPECT_THAT(bench.stream().received(), EndsWith("application/json||6\n"));
}

}  // namespace
}  // namespace berth::webhook
