#include "topology/model_keeper.h"

#include <algorithm>
#include <utility>

#include "topology/kind_sink.h"

namespace berth::topology {

ModelKeeper::ModelKeeper(std::vector<Level> levels, Services services,
                         base::Published<Snapshot>& out)
    : model_(std::move(levels)),
      out_(out),
      known_(watched_kinds().size()),
      synced_(watched_kinds().size()) {
  model_.set_services(std::move(services));
}

bool ModelKeeper::turn(const std::string& stale, std::chrono::milliseconds now) {
  now_ = now;
  std::vector<Change> changes = queue_.take();
  const bool pods_expired = reservations_.expire(now);
  const bool expired = gangs_.expire(now) || pods_expired;
  if (changes.empty() && !expired && stale == stale_ && generation_ > 0) return false;
  for (Change& change : changes) apply(std::move(change));
  stale_ = stale;
  ++generation_;
  auto picture = model_.build({generation_, stale_});
  // Where the new pods may go shows the picture with all else in it.
  Placing placing(*picture);
  const bool placed_pods = reservations_.place(placing);
  const bool placed = gangs_.place(placing) || placed_pods;
  if (placed) picture = model_.build({generation_, stale_});
  reserved_ = reservations_.placed() + gangs_.placed();
  hints_followed_ = model_.hints().followed;
  hints_missed_ = model_.hints().missed;
  out_.swap(std::move(picture));
  return true;
}

void ModelKeeper::apply(Change change) {
  if (auto* services = std::get_if<Services>(&change.what)) {
    model_.set_services(std::move(*services));
    return;
  }
  if (auto* admitted = std::get_if<Admitted>(&change.what)) {
    reservations_.admitted(std::move(admitted->pod), now_);
    return;
  }
  if (auto* owner = std::get_if<OwnerRecord>(&change.what)) {
    gangs_.admitted(std::move(*owner), now_);
    return;
  }
  const WatchedKind& kind = watched_kinds()[change.source];
  if (const auto* listed = std::get_if<KeySet>(&change.what)) {
    keep_only(change.source, *listed);
    synced_[change.source] = true;
    model_.know(kind.known_as);
    return;
  }
  if (std::holds_alternative<Absent>(change.what)) {
    keep_only(change.source, {});
    synced_[change.source] = false;
    const auto kinds = watched_kinds();
    bool other = false;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      other = other || (synced_[i] && kinds[i].known_as == kind.known_as);
    }
    if (!other) model_.forget(kind.known_as);
    return;
  }
  const std::string key = key_of(change.namespace_name, change.name);
  if (std::holds_alternative<Removed>(change.what)) {
    if (known_[change.source].erase(key) > 0) remove(kind, change.namespace_name, change.name);
    return;
  }
  const bool is_new = known_[change.source].insert(key).second;
  using Seen = Reservations::Seen;
  take(kind, change, is_new && synced_[change.source] ? Seen::kMadeNow : Seen::kAgain);
}

void ModelKeeper::take(const WatchedKind& kind, Change& change, Reservations::Seen seen) {
  switch (kind.as) {
    case WatchedAs::kNode:
      model_.set_node(std::move(std::get<NodeRecord>(change.what)));
      return;
    case WatchedAs::kPod:
      reservations_.saw(std::get<PodRecord>(change.what), seen, now_);
      model_.set_pod(std::move(std::get<PodRecord>(change.what)));
      return;
    case WatchedAs::kPriorityClass:
      model_.set_priority_class(change.name, std::move(std::get<PriorityClass>(change.what)));
      return;
    case WatchedAs::kNamespace:
      model_.set_namespace(change.name, std::move(std::get<Kept>(change.what)));
      return;
    case WatchedAs::kRuntimeClass:
      model_.set_runtime_class(change.name, std::move(std::get<Kept>(change.what)));
      return;
    case WatchedAs::kQuota:
      model_.set_quota(change.namespace_name, change.name, std::move(std::get<Kept>(change.what)));
      return;
    case WatchedAs::kObject:
    case WatchedAs::kOwner:
      model_.set_object(kind.group, kind.kind, change.namespace_name, change.name,
                        std::move(std::get<Kept>(change.what)));
      return;
  }
}

void ModelKeeper::remove(const WatchedKind& kind, std::string_view namespace_name,
                         std::string_view name) {
  switch (kind.as) {
    case WatchedAs::kNode:
      model_.remove_node(name);
      return;
    case WatchedAs::kPod:
      reservations_.saw_removed(namespace_name, name);
      model_.remove_pod(namespace_name, name);
      return;
    case WatchedAs::kPriorityClass:
      model_.remove_priority_class(name);
      return;
    case WatchedAs::kNamespace:
      model_.remove_namespace(name);
      return;
    case WatchedAs::kRuntimeClass:
      model_.remove_runtime_class(name);
      return;
    case WatchedAs::kQuota:
      model_.remove_quota(namespace_name, name);
      return;
    case WatchedAs::kObject:
    case WatchedAs::kOwner:
      model_.remove_object(kind.group, kind.kind, namespace_name, name);
      return;
  }
}

// What a whole list does not have is gone: a delete may have been missed.
void ModelKeeper::keep_only(std::size_t source, const KeySet& listed) {
  const WatchedKind& kind = watched_kinds()[source];
  std::erase_if(known_[source], [&](const std::string& key) {
    if (listed.contains(key)) return false;
    const std::size_t slash = key.find('/');
    remove(kind, std::string_view(key).substr(0, slash), std::string_view(key).substr(slash + 1));
    return true;
  });
}

}  // namespace berth::topology
