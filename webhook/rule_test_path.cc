#include "webhook/rule_test_path.h"

#include <charconv>

namespace berth::webhook {
namespace {

kube::Json pick(kube::Json list, std::string_view inside) {
  std::size_t index = 0;
  const auto parsed = std::from_chars(inside.data(), inside.data() + inside.size(), index);
  if (parsed.ec == std::errc() && parsed.ptr == inside.data() + inside.size())
    return list.at(index);
  const std::size_t equals = inside.rfind('=');
  const std::string_view field =
      equals == std::string_view::npos ? "name" : inside.substr(0, equals);
  const std::string_view value =
      equals == std::string_view::npos ? inside : inside.substr(equals + 1);
  for (kube::Json item : list.items()) {
    if (item[field].is_string() && item[field].string_or_empty() == value) return item;
  }
  return {};
}

}  // namespace

kube::Json value_at_path(kube::Json object, std::string_view path) {
  while (!path.empty()) {
    if (path.front() == '.') {
      path.remove_prefix(1);
      continue;
    }
    if (path.front() != '[') {
      const std::size_t end = std::min(path.find_first_of(".["), path.size());
      object = object[path.substr(0, end)];
      path.remove_prefix(end);
      continue;
    }
    const bool quoted = path.size() > 1 && path[1] == '"';
    const std::size_t end = quoted ? path.find("\"]") : path.find(']');
    if (end == std::string_view::npos) return {};
    object = quoted ? object[path.substr(2, end - 2)] : pick(object, path.substr(1, end - 1));
    path.remove_prefix(end + (quoted ? 2 : 1));
  }
  return object;
}

}  // namespace berth::webhook
