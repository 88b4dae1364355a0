#include "webhook/http_routes.h"

#include "webhook/http_syntax.h"

namespace berth::webhook {
namespace {

bool is_json(std::string_view content_type) {
  std::string_view type = content_type.substr(0, content_type.find(';'));
  while (type.ends_with(' ') || type.ends_with('\t')) type.remove_suffix(1);
  return equal_without_case(type, kJsonType);
}

bool method_fits(const Route& route, Method method) {
  switch (route.takes) {
    case Takes::kNothing:
      return method == Method::kGet || method == Method::kHead;
    case Takes::kJsonBody:
      return method == Method::kPost;
  }
  return false;
}

Response wrong_method(const Route& route, const Request& request) {
  const std::string allowed = route.takes == Takes::kJsonBody ? "POST" : "GET, HEAD";
  Response response = text_response(405, "method is '" + std::string(request.method_text) +
                                             "'; expected " + allowed + " for this path");
  response.headers.emplace_back("Allow", allowed);
  return response;
}

}  // namespace

Response Routes::operator()(Request& request) const {
  for (const Route& route : routes_) {
    if (route.path != request.path) continue;
    if (!method_fits(route, request.method)) return wrong_method(route, request);
    if (route.takes == Takes::kJsonBody && !is_json(request.header("Content-Type"))) {
      return text_response(415, "content type is " + quoted(request.header("Content-Type")) +
                                    "; expected 'application/json'");
    }
    return route.handler(request);
  }
  std::string known;
  for (const Route& route : routes_) known += (known.empty() ? "" : ", ") + route.path;
  return text_response(404, "path is " + quoted(request.path) + "; expected one of " + known);
}

}  // namespace berth::webhook
