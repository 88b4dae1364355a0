#include "mutate/shape.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/keys.h"
#include "kube/pod.h"
#include "kube/pod_types.h"
#include "mutate/mounts.h"

namespace berth::mutate {
namespace {

using kube::Json;
using kube::JsonMember;

using Problems = std::vector<std::string>;

void check_fields(Json spec, Problems& problems) {
  for (const JsonMember& member : spec.members()) {
    if (member.value.is_null()) continue;
    const auto type = kube::spec_field_type(member.key);
    if (!type) {
      problems.push_back("spec." + std::string(member.key) + " is no field of a pod");
    } else if (*type != member.value.type()) {
      problems.push_back("spec." + std::string(member.key) + " is of type " +
                         std::string(kube::to_text(member.value.type())));
    }
  }
}

void check_texts(Json map, std::string_view where, Problems& problems) {
  for (const JsonMember& member : map.members()) {
    if (!member.value.is_string()) {
      problems.push_back(std::string(where) + " " + std::string(member.key) + " is no text");
    }
  }
}

std::string_view name_of(const Json& item) {
  return item["name"].string_or_empty();
}

std::string text_of(const kube::Container& container) {
  return "container " + std::string(container.name());
}

// A name that two items of the list have.
std::optional<std::string_view> repeated_name(Json list) {
  std::vector<std::string_view> names;
  names.reserve(list.items().size());
  for (const Json& item : list.items()) names.push_back(name_of(item));
  return base::repeated_key(names);
}

void check_mounts(const kube::Container& container, Json volumes, Problems& problems) {
  std::vector<std::string> paths;
  for (const Json& mount : container.json["volumeMounts"].items()) {
    const auto known = volumes.items();
    const bool has_volume = std::any_of(known.begin(), known.end(), [&](const Json& volume) {
      return name_of(volume) == name_of(mount);
    });
    if (!has_volume) {
      problems.push_back(text_of(container) + " mounts " + std::string(name_of(mount)) +
                         ", which is no volume");
    }
    paths.push_back(plain_path(mount["mountPath"].string_or_empty()));
  }
  std::sort(paths.begin(), paths.end());
  const auto twice = std::adjacent_find(paths.begin(), paths.end());
  if (twice != paths.end())
    problems.push_back(text_of(container) + " mounts two volumes at " + *twice);
}

void check_container(const kube::Container& container, Json volumes, Problems& problems) {
  if (const auto twice = repeated_name(container.json["env"])) {
    problems.push_back("env of " + text_of(container) + " has " + std::string(*twice) + " twice");
  }
  for (const Json& entry : container.json["env"].items()) {
    const Json value = entry["value"];
    if (!value.is_null() && !value.is_string()) {
      problems.push_back("env " + std::string(name_of(entry)) + " of " + text_of(container) +
                         " is no text");
    }
  }
  check_mounts(container, volumes, problems);
}

}  // namespace

std::vector<std::string> shape_problems(Json pod) {
  Problems problems;
  const Json spec = pod["spec"];
  check_fields(spec, problems);
  check_texts(pod["metadata"]["labels"], "label", problems);
  check_texts(pod["metadata"]["annotations"], "annotation", problems);
  check_texts(spec["nodeSelector"], "nodeSelector", problems);
  if (const auto twice = repeated_name(spec["volumes"])) {
    problems.push_back("volumes has " + std::string(*twice) + " twice");
  }
  for (const kube::Container& container : kube::Pod(pod).containers()) {
    check_container(container, spec["volumes"], problems);
  }
  return problems;
}

}  // namespace berth::mutate
