#include "topology/kind_sink.h"

#include <array>
#include <utility>

namespace berth::topology {
namespace {

using kube::Json;
using kube::JsonMember;

// Heavy parts of pod templates that sizes and selectors do not need.
constexpr std::array<std::string_view, 4> kHeavy = {"containers", "initContainers", "volumes",
                                                    "ephemeralContainers"};

Json without_heavy_parts(base::Arena& arena, Json value) {
  for (const std::string_view key : kHeavy) {
    if (value.has(key)) value = kube::without_member(arena, value, key);
  }
  for (const JsonMember& member : value.members()) {
    if (member.value.is_object()) {
      value = kube::with_member(arena, value, member.key, without_heavy_parts(arena, member.value));
    } else if (member.value.is_array()) {
      Json list = member.value;
      for (std::size_t i = 0; i < list.size(); ++i) {
        if (list.at(i).is_object())
          list = kube::with_item(arena, list, i, without_heavy_parts(arena, list.at(i)));
      }
      value = kube::with_member(arena, value, member.key, list);
    }
  }
  return value;
}

}  // namespace

KindSink::KindSink(std::size_t source, const SinkOptions& options, ChangeQueue& queue)
    : source_(source), kind_(watched_kinds()[source]), options_(options), queue_(queue) {
  if (!kind_.group.empty()) api_version_.append(kind_.group).append("/");
  api_version_ += kind_.version.empty() ? "v1" : kind_.version;
}

Change KindSink::change_of(Json object) const {
  const Json metadata = object["metadata"];
  return {source_, std::string(metadata["namespace"].string_or_empty()),
          std::string(metadata["name"].string_or_empty()), Removed{}};
}

Kept KindSink::kept(Json object) {
  scratch_.reset();
  Json out = without_bookkeeping(scratch_, object);
  if (kind_.as == WatchedAs::kOwner) {
    out = kube::without_member(scratch_, out, "status");
    out = kube::with_member(scratch_, out, "spec", without_heavy_parts(scratch_, out["spec"]));
  }
  if (!out.has("kind")) out = kube::with_member(scratch_, out, "kind", Json::string(kind_.kind));
  if (!out.has("apiVersion"))
    out = kube::with_member(scratch_, out, "apiVersion", Json::string(api_version_));
  return copy_kept(out);
}

void KindSink::list_began() {
  listed_.clear();
}

void KindSink::listed(Json object) {
  const Json metadata = object["metadata"];
  listed_.insert(
      key_of(metadata["namespace"].string_or_empty(), metadata["name"].string_or_empty()));
  changed(object);
}

void KindSink::list_ended() {
  queue_.push({source_, {}, {}, std::exchange(listed_, {})});
}

void KindSink::changed(Json object) {
  Change change = change_of(object);
  switch (kind_.as) {
    case WatchedAs::kNode:
      change.what = copy_node_record(object, {options_.levels, options_.unhealthy_conditions});
      break;
    case WatchedAs::kPod:
      change.what = read_pod_record(object, options_.label_prefix);
      break;
    case WatchedAs::kPriorityClass: {
      std::vector<Remark> remarks;  // what cannot be read counts as said there
      change.what = read_priority_class(object, remarks);
      break;
    }
    case WatchedAs::kNamespace:
    case WatchedAs::kRuntimeClass:
    case WatchedAs::kQuota:
    case WatchedAs::kObject:
    case WatchedAs::kOwner:
      change.what = kept(object);
      break;
  }
  queue_.push(std::move(change));
}

void KindSink::removed(Json object) {
  queue_.push(change_of(object));
}

void KindSink::absent() {
  listed_.clear();
  queue_.push({source_, {}, {}, Absent{}});
}

}  // namespace berth::topology
