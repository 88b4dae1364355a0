#include "topology/feed.h"

#include <algorithm>
#include <utility>

#include "base/worker.h"
#include "kube/client.h"
#include "topology/model_keeper.h"
#include "topology/watched_kinds.h"

namespace berth::topology {
namespace {

using std::chrono::milliseconds;

// A group that a cluster need not have is asked for in the version that the server prefers.
base::Result<std::string> path_of(const WatchedKind& kind, kube::Client& client,
                                  const std::stop_token& stop) {
  const std::string resource(kind.resource);
  if (kind.group.empty()) return "/api/" + std::string(kind.version) + "/" + resource;
  const std::string group = "/apis/" + std::string(kind.group);
  if (!kind.is_optional()) return group + "/" + std::string(kind.version) + "/" + resource;
  const auto found = client.get(group, stop);
  if (!found) return found.error();
  const std::string version((*found)["preferredVersion"]["version"].string_or_empty());
  if (version.empty()) return base::invalid(group + ": no preferredVersion");
  const auto resources = client.get(group + "/" + version, stop);
  if (!resources) return resources.error();
  const auto items = (*resources)["resources"].items();
  const bool served = std::any_of(items.begin(), items.end(), [&](const kube::Json& item) {
    return item["name"].string_or_empty() == resource;
  });
  if (!served) return base::Error{base::ErrorCode::kNotFound, group + " has no " + resource};
  return group + "/" + version + "/" + resource;
}

std::string seconds(std::int64_t ms) {
  return std::to_string(ms / 1000) + " s";
}

}  // namespace

struct Feed::Source {
  Source(std::size_t index, std::unique_ptr<kube::Transport> with, Parts& parts);

  const WatchedKind& kind;
  std::unique_ptr<kube::Transport> transport;
  kube::Client client;
  KindSink sink;
  kube::Reflector reflector;
};

struct Feed::Parts {
  Parts(FeedOptions given, kube::ReflectorWorld around, base::Published<Snapshot>& out);

  SourceState state_of(const Source& source) const;
  milliseconds turn(const std::string& stale);
  base::Status discover(const std::stop_token& stop);

  FeedOptions options;
  kube::ReflectorWorld world;
  ModelKeeper keeper;
  milliseconds pause{0};                       // after the latest turn
  std::unique_ptr<kube::Transport> transport;  // of discovery
  std::vector<std::unique_ptr<Source>> sources;
  std::vector<std::unique_ptr<base::Worker>> workers;  // end first
};

Feed::Parts::Parts(FeedOptions given, kube::ReflectorWorld around, base::Published<Snapshot>& out)
    : options(std::move(given)),
      world(std::move(around)),
      keeper(options.reading.levels, Services(options.services), out) {}

Feed::Source::Source(std::size_t index, std::unique_ptr<kube::Transport> with, Parts& parts)
    : kind(watched_kinds()[index]),
      transport(std::move(with)),
      client(*transport),
      sink(index, parts.options.reading, parts.keeper.queue()),
      reflector(
          client, sink,
          [this](kube::Client& asking, const std::stop_token& stop) {
            return path_of(kind, asking, stop);
          },
          parts.world, parts.options.pace) {}

// Which gang and queue systems there are, by the API groups that the server has.
base::Status Feed::Parts::discover(const std::stop_token& stop) {
  kube::Client client(*transport);
  const auto groups = client.get("/apis", stop);
  if (!groups) return groups.error();
  Services services(options.services);
  services.observe({}, "APIGroupList", *groups);
  services.settle();
  keeper.queue().push({0, {}, {}, std::move(services)});
  return base::Done{};
}

// A picture follows soon what changes it, so that pods of a burst see each other; a turn that took
// long is followed by a pause as much longer, and silence by ever longer ones.
milliseconds Feed::Parts::turn(const std::string& stale) {
  constexpr int kShare = 20;
  const milliseconds start = world.now();
  const bool published = keeper.turn(stale, start);
  const milliseconds took = world.now() - start;
  pause = std::clamp(published ? took * kShare : pause * 2,
                     std::min(options.quick, options.publish), options.publish);
  return pause;
}

SourceState Feed::Parts::state_of(const Source& source) const {
  const kube::ReflectorStats& stats = source.reflector.stats();
  SourceState out;
  out.name = source_name(source.kind);
  out.needed = source.kind.is_needed();
  out.present = stats.present;
  out.synced = stats.synced;
  const std::int64_t heard = stats.heard_ms;
  if (heard >= 0) out.age_ms = std::max<std::int64_t>(0, world.now().count() - heard);
  out.lists = stats.lists;
  out.events = stats.events;
  out.failures = stats.failures;
  if (const auto trouble = stats.trouble.get()) out.trouble = trouble->text;
  return out;
}

Feed::Feed(const MakeTransport& make, FeedOptions options, kube::ReflectorWorld world,
           base::Published<Snapshot>& out)
    : parts_(std::make_unique<Parts>(std::move(options), std::move(world), out)) {
  for (std::size_t i = 0; i < watched_kinds().size(); ++i) {
    parts_->sources.push_back(std::make_unique<Source>(i, make(), *parts_));
  }
  parts_->transport = make();
  parts_->keeper.turn(stale(), parts_->world.now());
}

Feed::~Feed() {
  stop();
}

void Feed::start() {
  Parts& parts = *parts_;
  for (const auto& source : parts.sources) {
    parts.workers.push_back(std::make_unique<base::Worker>(
        std::string(source->kind.resource),
        [&reflector = source->reflector](const std::stop_token& stop) {
          return reflector.step(stop);
        }));
  }
  parts.workers.push_back(std::make_unique<base::Worker>(
      "discovery", base::WorkerPace{.interval = parts.options.discovery},
      [this](const std::stop_token& stop) { return parts_->discover(stop); }));
  parts.workers.push_back(std::make_unique<base::Worker>(
      "model", [this](const std::stop_token&) -> milliseconds { return parts_->turn(stale()); }));
}

void Feed::stop() {
  for (const auto& worker : parts_->workers) worker->request_stop();
  parts_->workers.clear();
}

std::vector<SourceState> Feed::sources() const {
  std::vector<SourceState> out;
  for (const auto& source : parts_->sources) out.push_back(parts_->state_of(*source));
  return out;
}

void Feed::admitted(kube::Json pod, std::string_view namespace_name) {
  PodRecord record = read_pod_record(pod, parts_->options.reading.label_prefix);
  if (!record.waits()) return;
  record.known.namespace_name = namespace_name;
  parts_->keeper.queue().push({0, {}, {}, Admitted{std::move(record)}});
}

void Feed::admitted(OwnerRecord owner) {
  parts_->keeper.queue().push({0, {}, {}, std::move(owner)});
}

std::size_t Feed::reservations() const {
  return parts_->keeper.reservations();
}

std::uint64_t Feed::hints_followed() const {
  return parts_->keeper.hints_followed();
}

std::uint64_t Feed::hints_missed() const {
  return parts_->keeper.hints_missed();
}

std::string Feed::stale() const {
  for (const auto& source : parts_->sources) {
    if (!source->kind.is_needed()) continue;
    const SourceState state = parts_->state_of(*source);
    const std::string why = state.trouble.empty() ? std::string() : ": " + state.trouble;
    if (!state.synced) return state.name + " not read yet" + why;
    if (state.age_ms > parts_->options.stale.count()) {
      return state.name + " not heard of for more than " + seconds(parts_->options.stale.count()) +
             why;
    }
  }
  return {};
}

}  // namespace berth::topology
