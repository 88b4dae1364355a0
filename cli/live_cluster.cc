#include "cli/live_cluster.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>
#include <string>

#include "kube/http_transport.h"

namespace berth::cli {
namespace {

base::Result<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file) {
    return base::Error{base::ErrorCode::kNotFound,
                       "cannot read '" + path + "': " + std::strerror(errno)};
  }
  return text.str();
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

std::chrono::milliseconds steady_now() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now().time_since_epoch());
}

// For pauses that should not fall together; each thread has its own.
double dice() {
  thread_local std::minstd_rand random{std::random_device{}()};
  return std::uniform_real_distribution<double>(0, 1)(random);
}

}  // namespace

base::Result<kube::CredentialSource> find_cluster(const webhook::Options& options) {
  kube::CredentialSource source;
  if (!options.kubeconfig.empty()) {
    source = [path = options.kubeconfig] { return kube::read_kubeconfig(path, read_file); };
  } else if (options.cluster.empty() && kube::is_in_cluster(variable)) {
    source = [] { return kube::read_in_cluster(variable, read_file); };
  }
  if (!source) return source;
  if (const auto first = source(); !first) return first.error();
  return source;
}

std::unique_ptr<topology::Feed> make_feed(const kube::CredentialSource& source,
                                          const webhook::Options& options,
                                          base::Published<topology::Snapshot>& out) {
  std::signal(SIGPIPE, SIG_IGN);  // an API server that went away is an error code, not a death
  const topology::BuildOptions build = build_options_of(options);
  topology::FeedOptions feed;
  feed.reading = {build.levels, build.unhealthy_conditions, build.label_prefix};
  feed.services = build.services;
  kube::HttpTransportOptions transport;
  transport.user_agent = "berth/" BERTH_VERSION;
  return std::make_unique<topology::Feed>(
      [source, transport] { return kube::make_http_transport(source, transport); }, std::move(feed),
      kube::ReflectorWorld{steady_now, dice}, out);
}

void add_metrics_of(const topology::Feed& feed, webhook::Metrics& metrics) {
  using topology::SourceState;
  const auto sources = feed.sources();
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto of_source = [&feed, i](double (*value)(const SourceState&)) {
      return [&feed, i, value] { return value(feed.sources()[i]); };
    };
    const std::string& name = sources[i].name;
    metrics.add_gauge(
        {kClusterAge, kClusterAgeHelp, "source", name, of_source([](const SourceState& state) {
           return state.age_ms < 0 ? -1.0 : static_cast<double>(state.age_ms) / 1000;
         })});
    metrics.add_gauge(
        {"berth_cluster_synced", "1 once a whole list of the source was read", "source", name,
         of_source([](const SourceState& state) { return state.synced ? 1.0 : 0.0; })});
    metrics.add_counter(
        {"berth_cluster_events_total", "Objects that watches brought", "source", name,
         of_source([](const SourceState& state) { return static_cast<double>(state.events); })});
    metrics.add_counter(
        {"berth_cluster_lists_total", "Whole lists that were read", "source", name,
         of_source([](const SourceState& state) { return static_cast<double>(state.lists); })});
    metrics.add_counter(
        {"berth_cluster_failures_total", "Lists and watches that failed and were tried again",
         "source", name,
         of_source([](const SourceState& state) { return static_cast<double>(state.failures); })});
  }
  metrics.add_gauge(
      {"berth_cluster_reservations",
       "Pods just made, or to be made by an owner just admitted, that count on a node "
       "that can take them",
       "", "", [&feed] { return static_cast<double>(feed.reservations()); }});
  metrics.add_counter({"berth_hints_followed_total",
                       "Pods with a hint that got one of the nodes it names", "", "",
                       [&feed] { return static_cast<double>(feed.hints_followed()); }});
  metrics.add_counter({"berth_hints_missed_total",
                       "Pods with a hint that got another node than those it names", "", "",
                       [&feed] { return static_cast<double>(feed.hints_missed()); }});
}

}  // namespace berth::cli
