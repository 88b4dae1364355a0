#include "mutate/mounts.h"

#include <algorithm>

#include "kube/quantity.h"

namespace berth::mutate {

std::string plain_path(std::string_view path) {
  if (!path.ends_with('/') && path.find("//") == std::string_view::npos) return std::string(path);
  std::string out;
  for (const char c : path) {
    if (c != '/' || !out.ends_with('/')) out += c;
  }
  if (out.size() > 1 && out.ends_with('/')) out.pop_back();
  return out;
}

std::optional<std::size_t> mount_at(const kube::Container& container, std::string_view path) {
  const auto mounts = container.json["volumeMounts"].items();
  const std::string wanted = plain_path(path);
  for (std::size_t i = 0; i < mounts.size(); ++i) {
    if (plain_path(mounts[i]["mountPath"].string_or_empty()) == wanted) return i;
  }
  return std::nullopt;
}

bool includes(kube::Json large, kube::Json small) {
  if (small.is_object()) {
    const auto members = small.members();
    return large.is_object() &&
           std::all_of(members.begin(), members.end(), [&](const kube::JsonMember& member) {
             return includes(large[member.key], member.value);
           });
  }
  if (small.is_string() && large.is_string()) {
    return kube::canonical_quantity(small.string_or_empty()) ==
           kube::canonical_quantity(large.string_or_empty());
  }
  if (small.is_array() && large.is_array() && small.size() == large.size()) {
    for (std::size_t i = 0; i < small.size(); ++i) {
      if (!includes(large.at(i), small.at(i))) return false;
    }
    return true;
  }
  return kube::equal(large, small);
}

std::string_view source_of(kube::Json volume) {
  for (const kube::JsonMember& member : volume.members()) {
    if (member.key != "name" && !member.value.is_null()) return member.key;
  }
  return {};
}

}  // namespace berth::mutate
