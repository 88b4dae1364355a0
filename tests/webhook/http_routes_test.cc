#include "webhook/http_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::webhook {
namespace {

using ::testing::HasSubstr;

struct Call {
  const char* why;
  Method method;
  std::string_view method_text;
  std::string_view path;
  std::string_view content_type;
  int status;
  const char* text;
};

TEST(Routes, AnswersOrSaysWhatWasExpected) {
  const Routes routes({
      {"/mutate", Takes::kJsonBody, [](Request&) { return text_response(200, "mutated"); }},
      {"/livez", Takes::kNothing, [](Request&) { return text_response(200, "alive"); }},
  });
  const std::vector<Call> calls = {
      {"review", Method::kPost, "POST", "/mutate", "application/json", 200, "mutated"},
      {"with parameters", Method::kPost, "POST", "/mutate", "application/json; charset=utf-8", 200,
       "mutated"},
      {"type in another case", Method::kPost, "POST", "/mutate", "Application/JSON ; q=1", 200,
       "mutated"},
      {"probe", Method::kGet, "GET", "/livez", "", 200, "alive"},
      {"probe by HEAD", Method::kHead, "HEAD", "/livez", "", 200, "alive"},
      {"wrong method", Method::kGet, "GET", "/mutate", "", 405,
       "method is 'GET'; expected POST for this path"},
      {"method we have no word for", Method::kOther, "PATCH", "/livez", "", 405,
       "method is 'PATCH'; expected GET, HEAD for this path"},
      {"wrong type", Method::kPost, "POST", "/mutate", "text/plain", 415,
       "content type is 'text/plain'; expected 'application/json'"},
      {"no type", Method::kPost, "POST", "/mutate", "", 415, "content type is ''; expected"},
      {"type that only begins well", Method::kPost, "POST", "/mutate",
       "application/json-patch+json", 415, "expected"},
      {"unknown path", Method::kPost, "POST", "/nope", "application/json", 404,
       "path is '/nope'; expected one of /mutate, /livez"},
      {"slash at the end: no redirect", Method::kPost, "POST", "/mutate/", "application/json", 404,
       "'/mutate/'"},
  };
  for (const Call& call : calls) {
    SCOPED_TRACE(call.why);
    const std::vector<HeaderField> fields = {{"content-type", call.content_type}};
    Request request;
    request.method = call.method;
    request.method_text = call.method_text;
    request.path = call.path;
    if (!call.content_type.empty()) request.fields = fields;
    const Response response = routes(request);
    EXPECT_EQ(response.status, call.status);
    EXPECT_THAT(response.body, HasSubstr(call.text));
    const bool allow = !response.headers.empty() && response.headers[0].first == "Allow";
    EXPECT_EQ(allow, call.status == 405);
  }
}

}  // namespace
}  // namespace berth::webhook
