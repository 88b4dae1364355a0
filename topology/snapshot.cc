#include "topology/snapshot.h"

#include <algorithm>
#include <tuple>

namespace berth::topology {
namespace {

std::string object_key(std::string_view kind, std::string_view namespace_name,
                       std::string_view name) {
  std::string out;
  out.reserve(kind.size() + namespace_name.size() + name.size() + 2);
  return out.append(kind).append("/").append(namespace_name).append("/").append(name);
}

template <typename Map>
kube::Json json_or_null(const Map& map, std::string_view key) {
  const auto at = map.find(key);
  return at == map.end() ? kube::Json() : at->second;
}

}  // namespace

std::string_view to_text(Sharing sharing) {
  switch (sharing) {
    case Sharing::kNone:
      return "none";
    case Sharing::kTimeSlicing:
      return "time-slicing";
    case Sharing::kMps:
      return "mps";
    case Sharing::kMigSingle:
      return "mig-single";
    case Sharing::kMigMixed:
      return "mig-mixed";
  }
  return {};
}

Snapshot::Snapshot() = default;

std::optional<std::size_t> Snapshot::level_index(std::string_view name) const {
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    if (levels_[i].name == name) return i;
  }
  return std::nullopt;
}

const Node* Snapshot::find_node(std::string_view name) const {
  const auto at = std::lower_bound(
      nodes_.begin(), nodes_.end(), name,
      [](const Node& node, std::string_view wanted) { return node.name < wanted; });
  return at != nodes_.end() && at->name == name ? &*at : nullptr;
}

kube::Json Snapshot::namespace_labels(std::string_view name) const {
  const kube::Json found = find_namespace(name);
  if (found.is_null()) return found;
  const kube::Json labels = found["metadata"]["labels"];
  // Known, and without labels: an empty object, not null.
  return labels.is_object() ? labels : kube::Json::object({});
}

kube::Json Snapshot::find_namespace(std::string_view name) const {
  return json_or_null(namespaces_, name);
}

const PriorityClass* Snapshot::priority_class(std::string_view name) const {
  const auto at = priority_classes_.find(name);
  return at == priority_classes_.end() ? nullptr : &at->second;
}

bool Snapshot::has_runtime_class(std::string_view name) const {
  return runtime_classes_.find(name) != runtime_classes_.end();
}

kube::Json Snapshot::runtime_class(std::string_view name) const {
  return json_or_null(runtime_classes_, name);
}

std::vector<std::string_view> Snapshot::local_queues(std::string_view namespace_name) const {
  const std::string prefix = object_key("LocalQueue", namespace_name, {});
  std::vector<std::string_view> out;
  for (auto at = objects_.lower_bound(prefix);
       at != objects_.end() && at->first.starts_with(prefix); ++at) {
    out.push_back(std::string_view(at->first).substr(prefix.size()));
  }
  return out;
}

std::span<const kube::Json> Snapshot::quotas(std::string_view namespace_name) const {
  const auto at = quotas_.find(namespace_name);
  return at == quotas_.end() ? std::span<const kube::Json>{} : at->second;
}

kube::Json Snapshot::owner(std::string_view kind, std::string_view namespace_name,
                           std::string_view name) const {
  return object(kind, namespace_name, name);
}

kube::Json Snapshot::object(std::string_view kind, std::string_view namespace_name,
                            std::string_view name) const {
  return json_or_null(objects_, object_key(kind, namespace_name, name));
}

std::vector<const KnownPod*> Snapshot::pods_of(std::string_view namespace_name,
                                               std::string_view owner_kind,
                                               std::string_view owner_name) const {
  const auto key = std::tuple(namespace_name, owner_kind, owner_name);
  const auto key_of = [](const KnownPod& pod) {
    return std::tuple(std::string_view(pod.namespace_name), std::string_view(pod.owner_kind),
                      std::string_view(pod.owner_name));
  };
  std::vector<const KnownPod*> out;
  for (auto at = std::lower_bound(
           pods_.begin(), pods_.end(), key,
           [&key_of](const KnownPod&pod, const auto&wanted) { return key_of(pod) < wanted; });
       at != pods_.end() && key_of(*at) == key; ++at) {
    out.push_back(&*at);
  }
  return out;
}

}  // namespace berth::topology
