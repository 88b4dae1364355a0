#include "webhook/listen_socket.h"

#include <cerrno>

#include <gtest/gtest.h>

namespace berth::webhook {
namespace {

TEST(ListenSocket, TakesEveryAcceptErrorAsPassingButABrokenSocket) {
  const std::vector<std::pair<int, AcceptFailure>> cases = {
      {EAGAIN, AcceptFailure::kNoneWaiting},  {ECONNABORTED, AcceptFailure::kNext},
      {EINTR, AcceptFailure::kNext},          {EPROTO, AcceptFailure::kNext},
      {EPERM, AcceptFailure::kNext},          {ENETDOWN, AcceptFailure::kNext},
      {EHOSTUNREACH, AcceptFailure::kNext},   {ETIMEDOUT, AcceptFailure::kNext},
      {EMFILE, AcceptFailure::kOutOfFiles},   {ENFILE, AcceptFailure::kOutOfFiles},
      {ENOBUFS, AcceptFailure::kOutOfMemory}, {ENOMEM, AcceptFailure::kOutOfMemory},
      {EBADF, AcceptFailure::kUnusable},      {EINVAL, AcceptFailure::kUnusable},
  };
  for (const auto& [error, answer] : cases) EXPECT_EQ(accept_failure(error), answer) << error;
}

TEST(ListenSocket, SharesOnePortAmongItsSockets) {
  const auto listening = listen_on({"127.0.0.1", 0, 3, 16});
  ASSERT_TRUE(listening.has_value());
  EXPECT_EQ(listening->sockets.size(), 3U);
  EXPECT_NE(listening->port, 0);
  const auto again = listen_on({"127.0.0.1", listening->port, 1, 16});
  ASSERT_FALSE(again.has_value()) << "a second process must not slip in";
  EXPECT_EQ(again.error().code, base::ErrorCode::kUnavailable);
}

TEST(ListenSocket, TakesIpv6Addresses) {
  const auto listening = listen_on({"::1", 0, 1, 16});
  if (!listening) GTEST_SKIP() << "no IPv6 here: " << listening.error().text;
  EXPECT_NE(listening->port, 0);
}

}  // namespace
}  // namespace berth::webhook
