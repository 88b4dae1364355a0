#include "topology/gang_bookings.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "topology/node_reader.h"

namespace berth::topology {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMadeUp = 5;  // characters that the API server adds to generateName

std::string key_of(const OwnerRecord& owner) {
  std::string out = object_key(owner.kind, owner.namespace_name, owner.name);
  return owner.named ? out : out.append("*");
}

bool takes_the_same_gpus(const PodRecord& a, const PodRecord& b) {
  const auto gpus_of = [](const PodRecord& pod) {
    std::vector<ResourceUse> out;
    std::copy_if(
        pod.uses.begin(), pod.uses.end(), std::back_inserter(out),
        [](const ResourceUse& use) { return use.resource != kCpu && use.resource != kRam; });
    return out;
  };
  const std::vector<ResourceUse> gpus = gpus_of(a);
  return !gpus.empty() && gpus == gpus_of(b);
}

std::int64_t pods_in(const std::vector<BatchRecord>& batches) {
  std::int64_t sum = 0;
  for (const BatchRecord& batch : batches) sum += batch.pods;
  return sum;
}

}  // namespace

void GangBookings::admitted(OwnerRecord owner, milliseconds now) {
  const std::string key = key_of(owner);
  if (owner.named && model_.has_pods_of(key)) return;
  const auto [begin, end] = gangs_.equal_range(key);
  if (begin != end && owner.named) drop(begin);
  // Which of those whose name begins so it is, nobody can tell; the last one most likely.
  if (begin != end && !owner.named && owner.recorded) drop(std::prev(end));
  std::erase_if(owner.batches, [](const BatchRecord& batch) {
    return batch.pods <= 0 || !batch.pod.waits() || batch.domains.empty();
  });
  const std::int64_t pods = pods_in(owner.batches);
  if (pods == 0 || pods > pace_.most - pods_) return;
  Gang gang;
  gang.until = now + pace_.life;
  for (BatchRecord& batch : owner.batches) gang.batches.push_back({std::move(batch), {}});
  gangs_.emplace(key, std::move(gang));
  pods_ += pods;
}

GangBookings::Gangs::iterator GangBookings::find_of(const PodRecord& pod) {
  const std::string& name = pod.known.owner_name;
  const auto found = gangs_.find(object_key(pod.known.owner_kind, pod.known.namespace_name, name));
  if (found != gangs_.end() || name.size() <= kMadeUp) return found;
  const std::string_view begins = std::string_view(name).substr(0, name.size() - kMadeUp);
  return gangs_.find(object_key(pod.known.owner_kind, pod.known.namespace_name, begins) + "*");
}

// Whose pods take the same GPUs as this one; null where none is still to come.
GangBookings::Batch* GangBookings::batch_of(Gang& gang, const PodRecord& pod) {
  const auto at = std::find_if(gang.batches.begin(), gang.batches.end(), [&](const Batch& one) {
    return one.what.pods > 0 && takes_the_same_gpus(one.what.pod, pod);
  });
  return at == gang.batches.end() ? nullptr : &*at;
}

std::string GangBookings::member_came(const PodRecord& pod) {
  if (gangs_.empty()) return {};
  const auto at = find_of(pod);
  if (at == gangs_.end()) return {};
  Batch* batch = batch_of(at->second, pod);
  if (batch == nullptr) return {};
  --batch->what.pods;
  --pods_;
  std::string node = give_up_place(at->first, *batch, pod.known.node_name);
  const std::vector<Batch>& batches = at->second.batches;
  const bool done = std::all_of(batches.begin(), batches.end(),
                                [](const Batch& one) { return one.what.pods == 0; });
  if (done) drop(at);
  return node;
}

void GangBookings::member_landed(const PodRecord& pod, std::string_view place) {
  if (gangs_.empty() || pod.known.node_name == place) return;
  const auto at = find_of(pod);
  Batch* batch = at == gangs_.end() ? nullptr : batch_of(at->second, pod);
  if (batch == nullptr) return;
  const bool has = std::any_of(batch->places.begin(), batch->places.end(),
                               [&](const Place& one) { return one.node == pod.known.node_name; });
  if (!has) return;
  give_up_place(at->first, *batch, pod.known.node_name);
  take_place(at->first, *batch, std::string(place));
}

void GangBookings::take_place(std::string_view owner, Batch& batch, std::string node) {
  Place place{"booking " + std::to_string(++claims_), std::move(node)};
  model_.set_claim(place.claim, place.node, batch.what.pod.uses, 1);
  model_.book(owner, place.node, batch.what.pod.uses, 1);
  batch.places.push_back(std::move(place));
  ++placed_;
}

// On that node where it has one there, else any. Gives its node; empty where the batch has none.
std::string GangBookings::give_up_place(std::string_view owner, Batch& batch,
                                        std::string_view node) {
  if (batch.places.empty()) return {};
  const auto there = std::find_if(batch.places.begin(), batch.places.end(),
                                  [&](const Place& one) { return one.node == node; });
  if (there != batch.places.end()) std::iter_swap(there, std::prev(batch.places.end()));
  Place place = std::move(batch.places.back());
  batch.places.pop_back();
  model_.remove_claim(place.claim);
  model_.book(owner, place.node, batch.what.pod.uses, -1);
  --placed_;
  return std::move(place.node);
}

GangBookings::Gangs::iterator GangBookings::drop(Gangs::iterator at) {
  for (Batch& batch : at->second.batches) {
    while (!batch.places.empty()) give_up_place(at->first, batch, {});
    pods_ -= batch.what.pods;
  }
  return gangs_.erase(at);
}

bool GangBookings::expire(milliseconds now) {
  const std::size_t before = placed_;
  for (auto at = gangs_.begin(); at != gangs_.end();)
    at = at->second.until > now ? std::next(at) : drop(at);
  return placed_ != before;
}

bool GangBookings::place(Placing& placing) {
  const std::size_t before = placed_;
  for (auto& [owner, gang] : gangs_) {
    if (!std::exchange(gang.waits, false)) continue;
    for (Batch& batch : gang.batches) {
      for (const Node* node : placing.find_for_all(batch.what))
        take_place(owner, batch, node->name);
    }
  }
  return placed_ != before;
}

}  // namespace berth::topology
