#include "webhook/http_rejection.h"

#include <set>

#include <gtest/gtest.h>

namespace berth::webhook {
namespace {

TEST(HttpRejection, NamesEachReasonOnce) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kRejectionCount; ++i)
    names.insert(to_text(static_cast<Rejection>(i)));
  EXPECT_EQ(names.size(), kRejectionCount);
  EXPECT_EQ(to_text(Rejection::kBadRequestLine), "bad_request_line");
  EXPECT_EQ(to_text(Rejection::kBodyTooLarge), "body_too_large");
  EXPECT_EQ(to_text(Rejection::kCertificateRefused), "certificate_refused");
  EXPECT_EQ(to_text(Rejection::kHandlerFailed), "handler_failed");
}

}  // namespace
}  // namespace berth::webhook
