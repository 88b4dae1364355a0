#include "webhook/http_reply.h"

#include <gtest/gtest.h>

namespace berth::webhook {
namespace {

std::string written(const Response& response, const ReplyFrame& frame) {
  ByteBuffer out;
  append_reply(response, frame, out);
  return std::string(out.view());
}

TEST(HttpReply, WritesStatusFieldsAndBody) {
  Response response;
  response.body = "{}";
  EXPECT_EQ(written(response, {}),
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");
  response.status = 405;
  response.headers.emplace_back("Allow", "POST");
  EXPECT_EQ(written(response, {.persistence = Persistence::kClose, .date = "now"}),
            "HTTP/1.1 405 Method Not Allowed\r\nContent-Type: application/json\r\n"
            "Content-Length: 2\r\nDate: now\r\nConnection: close\r\nAllow: POST\r\n\r\n{}");
}

TEST(HttpReply, LeavesOutAnExtraFieldThatWouldSplitTheReply) {
  Response response;
  response.headers.emplace_back("X", "a\r\nSet-Cookie: b");
  EXPECT_EQ(written(response, {}),
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 0\r\n\r\n");
}

TEST(HttpReply, HasAPhraseForEveryStatusTheFrontEndSends) {
  for (const int status : {200, 400, 404, 405, 408, 413, 415, 417, 429, 431, 500, 501, 503, 505}) {
    EXPECT_NE(reason_phrase(status), "") << status;
  }
}

}  // namespace
}  // namespace berth::webhook
