#include "kube/pod.h"

#include <algorithm>

#include "kube/pointer.h"

namespace berth::kube {
namespace {

constexpr std::string_view kDeviceClassPrefix = "deviceclass.resource.kubernetes.io/";

// Resources that spec.resources may set for the whole pod.
bool is_pod_level(std::string_view resource) {
  return resource == "cpu" || resource == "memory" || resource.starts_with("hugepages-");
}

bool is_extended(std::string_view resource) {
  if (resource.starts_with(kDeviceClassPrefix)) return true;
  return resource.find('/') != std::string_view::npos &&
         resource.find("kubernetes.io/") == std::string_view::npos &&
         !resource.starts_with("requests.");
}

Json wanted_of(Json resources, std::string_view resource) {
  const Json request = resources["requests"][resource];
  return request.is_null() ? resources["limits"][resource] : request;
}

Quantity quantity_or_zero(Json value) {
  return value.is_null() ? Quantity() : Quantity::parse(value).value_or({});
}

// What all containers need together, by the order in which they run: a sidecar keeps its share
// from its start on, an init container has it only while it runs.
Quantity needed_by_containers(Json spec, std::string_view resource) {
  Quantity running;
  for (const Json& container : spec["containers"].items()) {
    running = running + quantity_or_zero(wanted_of(container["resources"], resource));
  }
  Quantity sidecars;
  Quantity starting;
  for (const Json& container : spec["initContainers"].items()) {
    const Quantity own = quantity_or_zero(wanted_of(container["resources"], resource));
    const Quantity now = sidecars + own;
    if (container["restartPolicy"].string_or_empty() == "Always") {
      running = running + own;
      sidecars = now;
    }
    starting = std::max(starting, now);
  }
  return std::max(running, starting);
}

void append_containers(std::vector<Container>& out, Json list, ContainerKind kind) {
  for (std::size_t i = 0; i < list.items().size(); ++i) {
    const Json json = list.items()[i];
    const bool sidecar =
        kind == ContainerKind::kInit && json["restartPolicy"].string_or_empty() == "Always";
    out.push_back({sidecar ? ContainerKind::kSidecar : kind, i, json});
  }
}

// `path_of_map` gives the pointer of the map, and is called only where something is wrong.
template <typename Path>
void append_malformed(std::vector<Pod::Malformed>& out, Json map, const Path& path_of_map) {
  for (const JsonMember& member : map.members()) {
    if (member.value.is_null() || Quantity::parse(member.value)) continue;
    std::string at = path_of_map();
    append_segment(at, member.key);
    const bool text = member.value.is_string();
    out.push_back({std::move(at),
                   text ? std::string(member.value.string_or_empty()) : to_json(member.value)});
  }
}

template <typename Path>
void append_malformed_resources(std::vector<Pod::Malformed>& out, Json resources,
                                const Path& path) {
  append_malformed(out, resources["limits"], [&] { return path() + "/limits"; });
  append_malformed(out, resources["requests"], [&] { return path() + "/requests"; });
}

std::string resources_path(const Container& container) {
  std::string path = "/spec";
  append_segment(path, container.list_name());
  append_segment(path, container.index);
  return path + "/resources";
}

void append_names(std::vector<std::string_view>& out, Json map) {
  for (const JsonMember& member : map.members()) {
    if (!is_extended(member.key) || member.value.is_null()) continue;
    const auto value = Quantity::parse(member.value);
    if (value && value->sign() == 0) continue;
    if (std::find(out.begin(), out.end(), member.key) == out.end()) out.push_back(member.key);
  }
}

}  // namespace

Json Container::wanted(std::string_view resource) const {
  return wanted_of(json["resources"], resource);
}

std::string_view Container::list_name() const {
  switch (kind) {
    case ContainerKind::kMain:
      return "containers";
    case ContainerKind::kInit:
    case ContainerKind::kSidecar:
      return "initContainers";
    case ContainerKind::kEphemeral:
      return "ephemeralContainers";
  }
  return {};
}

std::optional<OwnerReference> Pod::controller() const {
  for (const Json& owner : metadata()["ownerReferences"].items()) {
    if (!owner["controller"].bool_or(false)) continue;
    return OwnerReference{owner["apiVersion"].string_or_empty(), owner["kind"].string_or_empty(),
                          owner["name"].string_or_empty(), owner["uid"].string_or_empty()};
  }
  return std::nullopt;
}

bool Pod::is_windows() const {
  return spec()["os"]["name"].string_or_empty() == "windows" ||
         spec()["nodeSelector"]["kubernetes.io/os"].string_or_empty() == "windows";
}

std::vector<Container> Pod::containers() const {
  std::vector<Container> out;
  const Json all = spec();
  const Json init = all["initContainers"];
  const Json main = all["containers"];
  const Json ephemeral = all["ephemeralContainers"];
  out.reserve(init.items().size() + main.items().size() + ephemeral.items().size());
  append_containers(out, init, ContainerKind::kInit);
  append_containers(out, main, ContainerKind::kMain);
  append_containers(out, ephemeral, ContainerKind::kEphemeral);
  return out;
}

Quantity Pod::effective_request(std::string_view resource) const {
  Quantity out = needed_by_containers(spec(), resource);
  if (is_pod_level(resource)) {
    const Json request = spec()["resources"]["requests"][resource];
    const Json limit = spec()["resources"]["limits"][resource];
    // A limit alone becomes the request where no container asks, as the API server defaults it.
    if (!request.is_null()) {
      out = quantity_or_zero(request);
    } else if (!limit.is_null() && out.sign() == 0) {
      out = quantity_or_zero(limit);
    }
  }
  return out + quantity_or_zero(spec()["overhead"][resource]);
}

std::vector<Pod::Malformed> Pod::malformed_quantities() const {
  std::vector<Malformed> out;
  for (const Container& container : containers()) {
    append_malformed_resources(out, container.json["resources"],
                               [&] { return resources_path(container); });
  }
  append_malformed_resources(out, spec()["resources"],
                             [] { return std::string("/spec/resources"); });
  append_malformed(out, spec()["overhead"], [] { return std::string("/spec/overhead"); });
  return out;
}

std::vector<std::string_view> Pod::resource_names() const {
  std::vector<std::string_view> out;
  for (const Container& container : containers()) {
    append_names(out, container.json["resources"]["requests"]);
    append_names(out, container.json["resources"]["limits"]);
  }
  return out;
}

}  // namespace berth::kube
