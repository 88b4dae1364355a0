#include "cli/live_cluster.h"

#include <cerrno>
#include <chrono>
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

}  // namespace berth::cli
