#include "topology/reservations.h"

#include <utility>

namespace berth::topology {

using std::chrono::milliseconds;

void Reservations::hold(std::string key, Held held) {
  held_.emplace(std::move(key), std::move(held));
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
  const auto at = one_of_many ? held_.end() : held_.find(key);
  if (at == held_.end()) return begin(std::move(key), std::move(pod), now);
  std::string first = std::move(at->second.first);
  drop(at);
  hold(std::move(key), {std::move(pod), State::kWaits, std::move(first), {}, now + pace_.life});
}

// Holds a pod that nothing was known of. Where its owner had room for it, it takes that.
void Reservations::begin(std::string key, PodRecord pod, milliseconds now) {
  if (held_.size() >= pace_.most) return;
  std::string first = gangs_.member_came(pod);
  hold(std::move(key), {std::move(pod), State::kWaits, std::move(first), {}, now + pace_.life});
}

void Reservations::saw(const PodRecord& pod, Seen seen, milliseconds now) {
  if (held_.empty() && gangs_.empty() && !pod.waits()) return;
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
    if (pod.waits()) return;
    const std::string first = std::move(at->second.first);
    drop(at);
    if (!first.empty() && !pod.known.node_name.empty()) gangs_.member_landed(pod, first);
    return;
  }
  if (seen == Seen::kAgain) return;
  if (pod.waits()) return begin(std::move(key), pod, now);
  gangs_.member_came(pod);
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

bool Reservations::place(Placing& placing) {
  if (waiting_ == 0) return false;
  bool changed = false;
  for (auto& [key, held] : held_) {
    if (held.state != State::kWaits) continue;
    const Node* node = placing.find(held.pod, held.first);
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
