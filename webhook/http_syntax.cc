#include "webhook/http_syntax.h"

namespace berth::webhook {

std::string quoted(std::string_view foreign) {
  constexpr std::size_t kLongest = 40;
  std::string text = "'";
  for (const char c : foreign.substr(0, kLongest)) text += c >= ' ' && c < 127 ? c : '?';
  if (foreign.size() > kLongest) text += "...";
  text += '\'';
  return text;
}

}  // namespace berth::webhook
