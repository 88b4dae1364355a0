#include "topology/reservations.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kube/gpu_resource.h"
#include "topology/candidates.h"
#include "topology/hint.h"
#include "topology/node_reader.h"

namespace berth::topology {
namespace {

using std::chrono::milliseconds;

std::string key_of(std::string_view namespace_name, std::string_view name) {
  std::string out(namespace_name);
  return out.append("/").append(name);
}

// Places pods one after the other on a picture that does not know of those before.
class Placing {
 public:
  explicit Placing(const Snapshot& snapshot)
      : snapshot_(snapshot), touched_(snapshot.index().none()) {}

  // The fullest node that can take the pod now.
  const Node* find(const PodRecord& pod) {
    std::vector<kube::GpuResource> resources;
    for (const ResourceUse& use : pod.uses) resources.push_back(counts_as(use.resource));
    std::optional<std::size_t> best;
    std::int64_t least = 0;
    if (const auto hinted = find_hinted(pod, resources)) return take(*hinted, pod);
    Like& like = like_of(pod);
    // What took the last pod like it is the fullest still, until it takes no more.
    if (like.node && left_after(*like.node, pod, resources)) return take(*like.node, pod);
    if (like.nowhere) return nullptr;
    candidates(snapshot_, pod).for_each([&](std::size_t i) {
      const auto left = left_after(i, pod, resources);
      if (!left || (best && *left >= least)) return;
      best = i;
      least = *left;
    });
    like.node = best;
    like.nowhere = !best;
    return best ? take(*best, pod) : nullptr;
  }

 private:
  // Pods that ask for the same under the same terms.
  struct Like {
    const PodRecord* pod = nullptr;
    std::optional<std::size_t> node;  // of the last one
    bool nowhere = false;
  };

  // The first node with room among those that the pod prefers by name.
  std::optional<std::size_t> find_hinted(const PodRecord& pod,
                                         std::span<const kube::GpuResource> resources) const {
    const NodeList& nodes = snapshot_.nodes();
    for (const std::string_view host : hinted_nodes(pod.terms.json)) {
      const auto at = std::lower_bound(
          nodes.begin(), nodes.end(), host,
          [](const Node& node, std::string_view name) { return node.name < name; });
      if (at == nodes.end() || (*at).name != host) continue;
      const auto i = static_cast<std::size_t>(at - nodes.begin());
      if (left_after(i, pod, resources)) return i;
    }
    return std::nullopt;
  }

  Like& like_of(const PodRecord& pod) {
    for (Like& like : likes_) {
      if (like.pod->uses == pod.uses && kube::equal(like.pod->terms.json, pod.terms.json))
        return like;
    }
    return likes_.emplace_back(Like{&pod, std::nullopt, false});
  }

  const Node* take(std::size_t node, const PodRecord& pod) {
    for (const ResourceUse& use : pod.uses) added_[{node, use.resource}] += use.units;
    ++added_[{node, {}}];
    touched_.insert(node);
    return &snapshot_.nodes()[node];
  }

  std::int64_t added(std::size_t i, std::string_view resource) const {
    if (!touched_.contains(i)) return 0;
    const auto at = added_.find({i, std::string(resource)});
    return at == added_.end() ? 0 : at->second;
  }

  // Units that would be left there, or nothing where there is no room.
  std::optional<std::int64_t> left_after(std::size_t i, const PodRecord& pod,
                                         std::span<const kube::GpuResource> resources) const {
    const Node& node = snapshot_.nodes()[i];
    std::int64_t left = 0;
    for (std::size_t u = 0; u < resources.size(); ++u) {
      const ResourceUse& use = pod.uses[u];
      if (resources[u].form == kube::GpuForm::kNone) continue;
      left = units_free(node, resources[u]) - use.units - added(i, use.resource);
      if (left < 0) return std::nullopt;
    }
    if (node.pods_limit > 0 && node.pods_used + added(i, {}) >= node.pods_limit)
      return std::nullopt;
    return left;
  }

  const Snapshot& snapshot_;
  std::vector<Like> likes_;
  NodeSet touched_;  // nodes with something in added_
  std::map<std::pair<std::size_t, std::string>, std::int64_t> added_;  // "": pods
};

}  // namespace

void Reservations::hold(std::string key, PodRecord pod, milliseconds now) {
  if (held_.size() >= pace_.most) return;
  held_.emplace(std::move(key), Held{std::move(pod), State::kWaits, {}, now + pace_.life});
  ++waiting_;
}

Reservations::HeldPods::iterator Reservations::drop(HeldPods::iterator at) {
  if (at->second.state == State::kWaits) --waiting_;
  if (at->second.state == State::kPlaced) {
    model_.remove_claim(at->second.claim);
    --placed_;
  }
  return held_.erase(at);
}

void Reservations::admitted(PodRecord pod, milliseconds now) {
  if (!pod.waits()) return;
  const bool named = !pod.known.name.empty();
  std::string key =
      key_of(pod.known.namespace_name, named ? std::string_view(pod.known.name) : pod.born.name);
  const bool one_of_many = !named && !pod.born.unique;
  if (const auto at = held_.find(key); at != held_.end() && !one_of_many) drop(at);
  hold(std::move(key), std::move(pod), now);
}

void Reservations::saw(const PodRecord& pod, Seen seen, milliseconds now) {
  if (held_.empty() && !pod.waits()) return;
  std::string key = key_of(pod.known.namespace_name, pod.known.name);
  auto at = held_.find(key);
  if (at == held_.end() && seen == Seen::kMadeNow && !pod.born.name.empty()) {
    at = held_.find(key_of(pod.known.namespace_name, pod.born.name));
    if (at != held_.end()) {
      auto moved = held_.extract(at);
      moved.key() = key;
      at = held_.insert(std::move(moved));
    }
  }
  if (at != held_.end()) {
    if (!pod.waits()) drop(at);
    return;
  }
  if (pod.waits() && seen == Seen::kMadeNow) hold(std::move(key), pod, now);
}

void Reservations::saw_removed(std::string_view namespace_name, std::string_view name) {
  if (held_.empty()) return;
  const auto at = held_.find(key_of(namespace_name, name));
  if (at != held_.end()) drop(at);
}

bool Reservations::expire(milliseconds now) {
  bool changed = false;
  for (auto at = held_.begin(); at != held_.end();) {
    if (at->second.until > now) {
      ++at;
      continue;
    }
    changed = changed || at->second.state == State::kPlaced;
    at = drop(at);
  }
  return changed;
}

bool Reservations::place(const Snapshot& now) {
  if (waiting_ == 0) return false;
  bool changed = false;
  Placing placing(now);
  for (auto& [key, held] : held_) {
    if (held.state != State::kWaits) continue;
    const Node* node = placing.find(held.pod);
    held.state = node == nullptr ? State::kNowhere : State::kPlaced;
    if (node == nullptr) continue;
    held.claim = "reservation " + std::to_string(++claims_);
    model_.set_claim(held.claim, node->name, held.pod.uses, 1);
    ++placed_;
    changed = true;
  }
  waiting_ = 0;
  return changed;
}

}  // namespace berth::topology
