#include "webhook/http_message.h"

#include <algorithm>

namespace berth::webhook {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

bool equal_without_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view Request::header(std::string_view name) const {
  for (const HeaderField& field : fields) {
    if (equal_without_case(field.name, name)) return field.value;
  }
  return {};
}

Response text_response(int status, std::string text) {
  text += '\n';
  Response response;
  response.status = status;
  response.content_type = kPlainType;
  response.body = std::move(text);
  return response;
}

}  // namespace berth::webhook
