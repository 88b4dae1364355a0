#include "kube/reflector.h"

#include <algorithm>
#include <utility>

namespace berth::kube {

using std::chrono::milliseconds;

Reflector::Reflector(Client& client, Sink& sink, FindPath path, ReflectorWorld world,
                     const ReflectorPace& pace)
    : client_(client),
      sink_(sink),
      find_path_(std::move(path)),
      world_(std::move(world)),
      pace_(pace) {}

void Reflector::heard() {
  stats_.heard_ms = world_.now().count();
}

base::Status Reflector::list(const std::stop_token& stop) {
  auto path = find_path_(client_, stop);
  if (!path) return path.error();
  path_ = *std::move(path);
  sink_.list_began();
  PageRequest request{path_, {}, pace_.page_size};
  for (;;) {
    const auto page = client_.list(
        request, [this](Json object) { sink_.listed(object); }, stop);
    if (!page) return page.error();
    heard();
    request.continue_token = page->continue_token;
    if (!page->continue_token.empty()) continue;
    version_ = page->resource_version;
    break;
  }
  sink_.list_ended();
  stats_.synced = true;
  ++stats_.lists;
  return base::Done{};
}

void Reflector::take(const Event& event) {
  heard();
  const std::string_view version = event.object["metadata"]["resourceVersion"].string_or_empty();
  switch (event.type) {
    case EventType::kAdded:
    case EventType::kModified:
      sink_.changed(event.object);
      break;
    case EventType::kDeleted:
      sink_.removed(event.object);
      break;
    case EventType::kBookmark:
      break;
  }
  if (!version.empty()) version_ = version;
  if (event.type != EventType::kBookmark) ++stats_.events;
}

base::Status Reflector::watch(const std::stop_token& stop) {
  WatchRequest request{path_, version_};
  const auto span = static_cast<double>((pace_.watch_most - pace_.watch_least).count());
  request.duration =
      pace_.watch_least + std::chrono::seconds(static_cast<std::int64_t>(span * world_.dice()));
  request.patience = pace_.silence;
  bool is_open = false;
  bool spoke = false;
  const milliseconds began = world_.now();
  const base::Status done = client_.watch(
      request,
      [&] {
        is_open = true;
        ++stats_.watches;
        stats_.trouble.swap(nullptr);
        heard();
      },
      [&](const Event& event) {
        spoke = true;
        failures_ = 0;
        take(event);
      },
      stop);
  if (stop.stop_requested()) return base::Done{};
  if (!done && done.error().code == base::ErrorCode::kExpired) return done.error();
  const bool lasted = spoke || world_.now() - began >= pace_.short_watch;
  // The end of a watch that worked, however it came, is no failure: the next one goes on from here.
  if (is_open && lasted) return base::Done{};
  if (!done) return done.error();
  return base::Error{base::ErrorCode::kUnavailable,
                     "GET " + path_ + ": the watch ended at once, without an event"};
}

milliseconds Reflector::after_failure(const base::Error& error) {
  stats_.trouble.swap(std::make_shared<const base::Error>(error));
  if (error.code == base::ErrorCode::kNotFound) {
    heard();
    version_.clear();
    failures_ = 0;
    stats_.present = false;
    sink_.absent();
    return pace_.absent;
  }
  ++stats_.failures;
  if (error.code == base::ErrorCode::kExpired) {
    ++stats_.expired;
    version_.clear();
    if (failures_++ == 0) return milliseconds(0);
  } else {
    ++failures_;
  }
  const unsigned doublings = std::min(failures_ - 1, 16U);
  const milliseconds full =
      std::min(pace_.first_back_off * (std::int64_t{1} << doublings), pace_.last_back_off);
  // Between half and all of it, so that many clients of a server that returns do not come at once.
  const double share = 0.5 + 0.5 * world_.dice();
  return milliseconds(static_cast<std::int64_t>(static_cast<double>(full.count()) * share));
}

milliseconds Reflector::step(const std::stop_token& stop) {
  const bool lists = version_.empty();
  const base::Status done = lists ? list(stop) : watch(stop);
  if (stop.stop_requested()) return milliseconds(0);
  if (!done) return after_failure(done.error());
  stats_.present = true;
  if (!lists) failures_ = 0;
  return milliseconds(0);
}

}  // namespace berth::kube
