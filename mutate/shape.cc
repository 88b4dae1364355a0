#include "mutate/shape.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/keys.h"
#include "kube/pod_types.h"
#include "mutate/mounts.h"

namespace berth::mutate {
namespace {

using kube::Json;
using kube::JsonMember;

using Problems = std::vector<std::string>;

// The member stands unchanged at its place in `before`.
bool is_untouched(Json before, std::size_t place, const JsonMember& member) {
  if (place >= before.members().size()) return false;
  const JsonMember& there = before.members()[place];
  return there.value.shares(member.value) && there.key == member.key;
}

void check_fields(Json spec, Json before, Problems& problems) {
  std::size_t place = 0;
  for (const JsonMember& member : spec.members()) {
    if (is_untouched(before, place++, member) || member.value.is_null()) continue;
    const auto type = kube::spec_field_type(member.key);
    if (!type) {
      problems.push_back("spec." + std::string(member.key) + " is no field of a pod");
    } else if (*type != member.value.type()) {
      problems.push_back("spec." + std::string(member.key) + " is of type " +
                         std::string(kube::to_text(member.value.type())));
    }
  }
}

void check_texts(Json map, Json before, std::string_view where, Problems& problems) {
  if (map.shares(before)) return;
  for (const JsonMember& member : map.members()) {
    if (!member.value.is_string()) {
      problems.push_back(std::string(where) + " " + std::string(member.key) + " is no text");
    }
  }
}

std::string_view name_of(const Json& item) {
  return item["name"].string_or_empty();
}

std::string text_of(Json container) {
  return "container " + std::string(name_of(container));
}

// A name that two items of the list have, at least one of which is not of `before`. Mostly a few
// items stand behind those of `before`: they alone are held against the others.
std::optional<std::string_view> repeated_name(Json list, Json before) {
  constexpr std::size_t kFew = 8;
  const auto items = list.items();
  std::size_t shared = 0;
  while (shared < items.size() && items[shared].shares(before.at(shared))) ++shared;
  if (items.size() - shared > kFew) return base::repeated_key(items, name_of);
  for (std::size_t i = shared; i < items.size(); ++i) {
    const std::string_view name = name_of(items[i]);
    const auto earlier = items.first(i);
    if (std::any_of(earlier.begin(), earlier.end(),
                    [&](const Json& other) { return base::same_key(name_of(other), name); })) {
      return name;
    }
  }
  return std::nullopt;
}

void check_mounts(Json container, Json volumes, Problems& problems) {
  std::vector<std::string> paths;
  for (const Json& mount : container["volumeMounts"].items()) {
    const std::string_view name = name_of(mount);
    const auto known = volumes.items();
    const bool has_volume = std::any_of(
        known.begin(), known.end(), [&](const Json& volume) { return name_of(volume) == name; });
    if (!has_volume) {
      problems.push_back(text_of(container) + " mounts " + std::string(name) +
                         ", which is no volume");
    }
    paths.push_back(plain_path(mount["mountPath"].string_or_empty()));
  }
  std::sort(paths.begin(), paths.end());
  const auto twice = std::adjacent_find(paths.begin(), paths.end());
  if (twice != paths.end())
    problems.push_back(text_of(container) + " mounts two volumes at " + *twice);
}

void check_env(Json container, Json before, Problems& problems) {
  if (const auto twice = repeated_name(container["env"], before)) {
    problems.push_back("env of " + text_of(container) + " has " + std::string(*twice) + " twice");
  }
  for (const Json& entry : container["env"].items()) {
    const Json value = entry["value"];
    if (!value.is_null() && !value.is_string()) {
      problems.push_back("env " + std::string(name_of(entry)) + " of " + text_of(container) +
                         " is no text");
    }
  }
}

void check_containers(Json spec, Json before, Problems& problems) {
  const Json volumes = spec["volumes"];
  const bool same_volumes = volumes.shares(before["volumes"]);
  for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
    const Json old = before[list];
    std::size_t place = 0;
    for (const Json& container : spec[list].items()) {
      const Json was = old.at(place++);
      const bool same = container.shares(was);
      const Json env = was["env"];
      if (!same && !container["env"].shares(env)) check_env(container, env, problems);
      if (!same || !same_volumes) check_mounts(container, volumes, problems);
    }
  }
}

}  // namespace

std::vector<std::string> shape_problems(Json pod, Json before) {
  Problems problems;
  const Json spec = pod["spec"];
  const Json old_spec = before["spec"];
  check_fields(spec, old_spec, problems);
  for (const auto& [map, name] : {std::pair("labels", "label"), {"annotations", "annotation"}}) {
    check_texts(pod["metadata"][map], before["metadata"][map], name, problems);
  }
  check_texts(spec["nodeSelector"], old_spec["nodeSelector"], "nodeSelector", problems);
  if (!spec["volumes"].shares(old_spec["volumes"])) {
    if (const auto twice = repeated_name(spec["volumes"], old_spec["volumes"])) {
      problems.push_back("volumes has " + std::string(*twice) + " twice");
    }
  }
  check_containers(spec, old_spec, problems);
  return problems;
}

}  // namespace berth::mutate
