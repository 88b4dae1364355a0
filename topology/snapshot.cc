#include "topology/snapshot.h"

#include <algorithm>

#include "topology/packing.h"

namespace berth::topology {
namespace {

kube::Json json_or_null(const Kept* kept) {
  return kept == nullptr ? kube::Json() : kept->json;
}

}  // namespace

std::string object_key(std::string_view kind, std::string_view namespace_name,
                       std::string_view name) {
  std::string out;
  out.reserve(kind.size() + namespace_name.size() + name.size() + 2);
  out.append(kind).append("/").append(namespace_name).append("/").append(name);
  return out;
}

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

Snapshot::Snapshot()
    : nodes_(std::make_shared<const NodeList>()),
      index_(std::make_shared<const IndexedNodes>()),
      rooms_(std::make_shared<const Rooms>()),
      packing_(std::make_shared<const Packing>()),
      domains_(std::make_shared<const std::vector<std::vector<Domain>>>()) {}

std::optional<std::size_t> Snapshot::level_index(std::string_view name) const {
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    if (levels_[i].name == name) return i;
  }
  return std::nullopt;
}

const Node* Snapshot::find_node(std::string_view name) const {
  const auto i = nodes_->index_of(name);
  return i ? &(*nodes_)[*i] : nullptr;
}

kube::Json Snapshot::namespace_labels(std::string_view name) const {
  const kube::Json found = find_namespace(name);
  if (found.is_null()) return found;
  const kube::Json labels = found["metadata"]["labels"];
  // Known, and without labels: an empty object, not null.
  return labels.is_object() ? labels : kube::Json::object({});
}

kube::Json Snapshot::find_namespace(std::string_view name) const {
  return json_or_null(namespaces_.find(name));
}

const PriorityClass* Snapshot::priority_class(std::string_view name) const {
  return priority_classes_.find(name);
}

bool Snapshot::has_runtime_class(std::string_view name) const {
  return runtime_classes_.find(name) != nullptr;
}

kube::Json Snapshot::runtime_class(std::string_view name) const {
  return json_or_null(runtime_classes_.find(name));
}

std::vector<std::string_view> Snapshot::local_queues(std::string_view namespace_name) const {
  const std::vector<std::string>* names = local_queues_.find(namespace_name);
  if (names == nullptr) return {};
  return {names->begin(), names->end()};
}

std::span<const kube::Json> Snapshot::quotas(std::string_view namespace_name) const {
  const Quotas* found = quotas_.find(namespace_name);
  return found == nullptr ? std::span<const kube::Json>{} : found->objects;
}

kube::Json Snapshot::owner(std::string_view kind, std::string_view namespace_name,
                           std::string_view name) const {
  return object(kind, namespace_name, name);
}

kube::Json Snapshot::object(std::string_view kind, std::string_view namespace_name,
                            std::string_view name) const {
  return json_or_null(objects_.find(object_key(kind, namespace_name, name)));
}

std::vector<kube::Json> Snapshot::objects_of(std::string_view kind, std::string_view group) const {
  std::string prefix(kind);
  prefix.append(".").append(group).append("/");
  std::vector<std::pair<std::string_view, kube::Json>> found;
  objects_.for_each([&](const std::string& key, const Kept& kept) {
    if (key.starts_with(prefix)) found.emplace_back(key, kept.json);
  });
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<kube::Json> out;
  for (const auto& [key, object] : found) out.push_back(object);
  return out;
}

std::vector<const KnownPod*> Snapshot::pods_of(std::string_view namespace_name,
                                               std::string_view owner_kind,
                                               std::string_view owner_name) const {
  std::vector<const KnownPod*> out;
  const PodsOfOwner* found = pods_.find(object_key(owner_kind, namespace_name, owner_name));
  if (found == nullptr) return out;
  for (const auto& pod : *found) out.push_back(pod.get());
  return out;
}

std::span<const BookedRoom> Snapshot::booked_for(std::string_view namespace_name,
                                                 std::string_view kind,
                                                 std::string_view name) const {
  if (booked_.empty()) return {};  // most of the time; asked for each decision
  const auto* rooms = booked_.find(object_key(kind, namespace_name, name));
  return rooms == nullptr ? std::span<const BookedRoom>() : std::span<const BookedRoom>(*rooms);
}

}  // namespace berth::topology
