// berth serve: start and stop as two lists of steps. Everything that can fail at start is a step
// with a name; after the start the main thread only waits for signals.
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/log.h"
#include "base/worker.h"
#include "certs/self_signed.h"
#include "certs/store.h"
#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/live_cluster.h"
#include "cli/setup.h"
#include "rules/store.h"
#include "topology/file_source.h"
#include "topology/render.h"
#include "webhook/admin_server.h"
#include "webhook/handler.h"
#include "webhook/health.h"
#include "webhook/listener_metrics.h"
#include "webhook/metrics.h"
#include "webhook/tls_listener.h"

namespace berth::cli {
namespace {

using base::LogLevel;
using webhook::ConditionState;

constexpr std::chrono::milliseconds kRulePoll{2'000};
constexpr std::chrono::milliseconds kCertificatePoll{5'000};
// A server that cannot read its cluster takes traffic all the same after so long: rules that ask
// about the topology fail to evaluate, the others work.
constexpr std::int64_t kLongestWaitForCluster = 60;  // seconds

struct ServeLine {
  CommandLine common;
  std::string kubeconfig;
  std::string listen;
  std::string admin;
  std::string cert;
  std::string key;
  std::vector<std::string> self_signed_for;
  std::string write_ca;
  std::string log_format;
};

std::int64_t now_seconds() {
  return static_cast<std::int64_t>(std::time(nullptr));
}

// All that lives while the server runs, in order of construction.
struct Server {
  Server(webhook::Options given, std::string ca_file)
      : options(std::move(given)), write_ca(std::move(ca_file)) {}

  webhook::Options options;
  std::string write_ca;
  webhook::Limits limits = webhook::limits_of(options);
  rules::LoadOptions load = webhook::load_options_of(options);
  rules::Store rules{
      [this](base::Problems& problems) { return read_texts(options.rules, problems); }, load};
  base::Published<topology::Snapshot> cluster;
  std::int64_t cluster_read_at = 0;
  std::unique_ptr<topology::Feed> feed;  // null: the picture is from files
  certs::Store certificates;
  std::atomic<bool> draining{false};
  webhook::Health health;
  webhook::Metrics metrics;
  std::unique_ptr<webhook::TlsListener> listener;
  std::unique_ptr<webhook::AdminServer> admin;
  std::unique_ptr<base::Worker> rule_worker;
  std::unique_ptr<base::Worker> certificate_worker;
};

void refresh_rules(Server& server) {
  switch (server.rules.refresh()) {
    case rules::Refresh::kUnchanged:
      return;
    case rules::Refresh::kReplaced: {
      const auto set = server.rules.published().get();
      server.metrics.set_rules(set->generation, static_cast<std::int64_t>(set->rules.size()));
      server.metrics.set_rule_load_errors(0);
      base::log(LogLevel::kInfo, "rules in force",
                {{"generation", set->generation},
                 {"rules", static_cast<std::int64_t>(set->rules.size())}});
      return;
    }
    case rules::Refresh::kRefused: {
      const auto failure = server.rules.failure();
      std::int64_t errors = 0;
      for (const base::Problem& problem : failure->problems.list()) {
        if (problem.severity != base::Severity::kError) continue;
        ++errors;
        base::log(LogLevel::kError, "rule file refused", {{"problem", to_text(problem)}});
      }
      server.metrics.set_rule_load_errors(errors);
      return;
    }
  }
}

// ------------------------------------------------------------------ start

base::Status start_rules(Server& server) {
  refresh_rules(server);
  server.health.add("rules", [&server]() -> ConditionState {
    const auto set = server.rules.published().get();
    if (set == nullptr)
      return {ConditionState::Ready::kNo, "no good rule set yet; the log and /debug/rules say why"};
    std::string note = std::to_string(set->rules.size()) + " rules, generation " + set->generation;
    if (server.rules.failure() != nullptr) note += "; newer files are refused";
    return {ConditionState::Ready::kYes, note};
  });
  return base::Done{};
}

ConditionState live_cluster_state(const Server& server) {
  const auto snapshot = server.cluster.get();
  std::string note = std::to_string(snapshot->nodes().size()) + " nodes, generation " +
                     std::to_string(snapshot->generation());
  if (snapshot->fresh()) return {ConditionState::Ready::kYes, note};
  note = "conditions on the topology fail: " + snapshot->stale();
  const bool waits = !snapshot->knows(topology::Kind::kNodes) &&
                     now_seconds() - server.cluster_read_at < kLongestWaitForCluster;
  return {waits ? ConditionState::Ready::kNo : ConditionState::Ready::kYes, note};
}

base::Status start_feed(Server& server, const kube::CredentialSource& source) {
  server.cluster_read_at = now_seconds();
  server.feed = make_feed(source, server.options, server.cluster);
  server.feed->start();
  server.health.add("cluster", [&server] { return live_cluster_state(server); });
  return base::Done{};
}

base::Status start_cluster(Server& server) {
  const auto source = find_cluster(server.options);
  if (!source) return source.error();
  if (*source) return start_feed(server, *source);
  base::Problems problems;
  const auto texts = read_texts(server.options.cluster, problems);
  topology::Loaded loaded = topology::load_cluster(texts, build_options_of(server.options));
  problems.append(std::move(loaded.problems));
  print_problems(problems);
  if (problems.has_errors() || loaded.snapshot == nullptr)
    return base::invalid("the cluster files have errors");
  server.cluster.swap(std::move(loaded.snapshot));
  server.cluster_read_at = now_seconds();
  server.health.add("cluster", [&server]() -> ConditionState {
    const auto snapshot = server.cluster.get();
    return {ConditionState::Ready::kYes,
            std::to_string(snapshot->nodes().size()) + " nodes from files"};
  });
  return base::Done{};
}

base::Status make_own_certificate(Server& server) {
  certs::LeafRequest request;
  request.names = server.options.self_signed_for;
  request.now = now_seconds();
  const auto made = certs::make_self_signed(request);
  if (!made) return made.error();
  auto bundle = certs::read_bundle(made->leaf_pem, made->key_pem, now_seconds());
  if (!bundle) return bundle.error();
  if (!server.write_ca.empty()) {
    std::ofstream file(server.write_ca);
    file << made->ca_pem;
    if (!file.flush()) {
      return base::Error{
          base::ErrorCode::kUnavailable,
          "--write-ca: cannot write '" + server.write_ca + "': " + std::strerror(errno)};
    }
  }
  return server.certificates.replace(std::move(*bundle));
}

base::Status reload_certificate(Server& server) {
  if (server.options.cert.empty()) return base::Done{};
  const auto reloaded = server.certificates.reload_from_files(
      {server.options.cert, server.options.key}, now_seconds());
  if (!reloaded) {
    base::log(LogLevel::kError, "certificate refused", {{"problem", reloaded.error().text}});
    return reloaded.error();
  }
  if (*reloaded == certs::Reload::kReplaced) {
    const auto served = server.certificates.current();
    base::log(LogLevel::kInfo, "certificate in force",
              {{"subject", served->bundle.subject}, {"not_after", served->bundle.not_after}});
  }
  return base::Done{};
}

base::Status start_certificates(Server& server) {
  base::Status status =
      server.options.cert.empty() ? make_own_certificate(server) : reload_certificate(server);
  if (!status) return status;
  server.health.add("certificate", [&server]() -> ConditionState {
    const auto served = server.certificates.current();
    if (served->bundle.not_after <= now_seconds()) return {ConditionState::Ready::kNo, "expired"};
    const auto refusal = server.certificates.refusal();
    return {ConditionState::Ready::kYes,
            refusal != nullptr ? "the files are refused: " + refusal->text : ""};
  });
  return status;
}

base::Status start_listener(Server& server) {
  const auto address = webhook::parse_address(server.options.listen);
  webhook::ListenerOptions options;
  options.address = address->host;
  options.port = static_cast<std::uint16_t>(address->port);
  options.loops = static_cast<unsigned>(server.options.loops);
  webhook::HandlerParts parts{server.rules.published(),
                              server.cluster,
                              server.limits,
                              server.load,
                              server.health,
                              server.metrics};
  if (server.feed != nullptr) {
    parts.admitted = [&server](kube::Json pod, std::string_view namespace_name) {
      server.feed->admitted(pod, namespace_name);
    };
    parts.owner_admitted = [&server](topology::OwnerRecord owner) {
      server.feed->admitted(std::move(owner));
    };
  }
  auto listener = webhook::TlsListener::start(options, server.certificates,
                                              webhook::tls_routes(std::move(parts)));
  if (!listener) return listener.error();
  server.listener = std::move(*listener);
  server.health.add("drain", [&server]() -> ConditionState {
    return {server.draining ? ConditionState::Ready::kNo : ConditionState::Ready::kYes,
            server.draining ? "shutting down" : ""};
  });
  server.health.add("listener", [&server]() -> ConditionState {
    const bool healthy = server.listener->healthy();
    return {healthy ? ConditionState::Ready::kYes : ConditionState::Ready::kNo,
            healthy ? "" : "a loop can no longer accept connections"};
  });
  return base::Done{};
}

std::string debug_rules(const Server& server) {
  std::string out;
  if (const auto set = server.rules.published().get()) {
    out += "generation " + set->generation + "\n";
    for (const rules::RuleFile& file : set->files)
      out += "file " + file.path + ", set " + file.name + "\n";
    for (const rules::Rule& rule : set->rules) {
      out +=
          "rule " + rule.id + "  " + rule.place.file + ":" + std::to_string(rule.place.line) + "\n";
    }
  } else {
    out += "no rule set in force\n";
  }
  const auto list = [&out](const char* head,
                           const std::shared_ptr<const rules::LoadFailure>& problems) {
    if (problems == nullptr || problems->problems.empty()) return;
    out += head;
    for (const base::Problem& problem : problems->problems.list()) out += to_text(problem) + "\n";
  };
  list("warnings:\n", server.rules.warnings());
  list("the files as they are now are refused:\n", server.rules.failure());
  return out;
}

base::Status start_admin(Server& server) {
  const auto address = webhook::parse_address(server.options.admin);
  using webhook::AdminResponse;
  std::vector<webhook::AdminRoute> routes;
  const std::string plain(webhook::kPlainType);
  routes.push_back({"/livez", [plain](std::string_view) {
                      return AdminResponse{200, plain, "ok\n"};
                    }});
  routes.push_back({"/readyz", [&server, plain](std::string_view query) {
                      auto answer = webhook::readiness(server.health, query);
                      return AdminResponse{answer.status, plain, std::move(answer.text)};
                    }});
  routes.push_back({"/metrics", [&server](std::string_view) {
                      return AdminResponse{200, "text/plain; version=0.0.4; charset=utf-8",
                                           server.metrics.text()};
                    }});
  routes.push_back({"/debug/rules", [&server, plain](std::string_view) {
                      return AdminResponse{200, plain, debug_rules(server)};
                    }});
  routes.push_back({"/debug/topology", [&server](std::string_view) {
                      return AdminResponse{200, std::string(webhook::kJsonType),
                                           topology::render_json(*server.cluster.get())};
                    }});
  routes.push_back({"/debug/version", [plain](std::string_view) {
                      return AdminResponse{200, plain, "berth " BERTH_VERSION "\n"};
                    }});
  auto admin = webhook::AdminServer::start(
      {address->host, static_cast<std::uint16_t>(address->port)}, std::move(routes));
  if (!admin) return admin.error();
  server.admin = std::move(*admin);
  return base::Done{};
}

base::Status start_workers(Server& server) {
  server.rule_worker =
      std::make_unique<base::Worker>("rules", base::WorkerPace{.interval = kRulePoll},
                                     [&server](const std::stop_token&) -> base::Status {
                                       refresh_rules(server);
                                       return base::Done{};
                                     });
  server.certificate_worker = std::make_unique<base::Worker>(
      "certificates", base::WorkerPace{.interval = kCertificatePoll},
      [&server](const std::stop_token&) { return reload_certificate(server); });
  return base::Done{};
}

void add_cluster_metrics(Server& server) {
  webhook::Metrics& metrics = server.metrics;
  if (server.feed != nullptr) {
    add_metrics_of(*server.feed, metrics);
    metrics.add_gauge({"berth_cluster_fresh", "1 where conditions on the topology can be evaluated",
                       "", "", [&server] { return server.cluster.get()->fresh() ? 1.0 : 0.0; }});
    return;
  }
  metrics.add_gauge({kClusterAge, kClusterAgeHelp, "source", "file", [&server] {
                       return static_cast<double>(now_seconds() - server.cluster_read_at);
                     }});
}

base::Status start_metrics(Server& server) {
  const auto gauge = [&server](const char* name, const char* help, std::function<double()> read) {
    server.metrics.add_gauge({name, help, "", "", std::move(read)});
  };
  add_cluster_metrics(server);
  gauge("berth_certificate_expiry_seconds",
        "End of the serving certificate's life, seconds since 1970",
        [&server] { return static_cast<double>(server.certificates.stats().not_after.load()); });
  gauge("berth_http_connections", "Open connections on the TLS port",
        [&server] { return static_cast<double>(server.listener->stats().open.load()); });
  for (webhook::Metrics::Gauge& counter : webhook::listener_counters(server.listener->stats())) {
    server.metrics.add_counter(std::move(counter));
  }
  server.metrics.add_counter(
      {"berth_certificate_reload_failures_total",
       "Certificate files that were refused; the old pair stays in force", "", "",
       [&server] { return static_cast<double>(server.certificates.stats().failures.load()); }});
  return base::Done{};
}

struct Step {
  const char* name;
  base::Status (*run)(Server&);
};

constexpr Step kStart[] = {
    {"rules", start_rules},       {"cluster", start_cluster}, {"certificates", start_certificates},
    {"listener", start_listener}, {"metrics", start_metrics}, {"admin port", start_admin},
    {"workers", start_workers},
};

// ------------------------------------------------------------------ stop

// SIGTERM comes from a cluster, whose endpoints lag behind; SIGINT from a person, who does not want
// to wait.
void stop(Server& server, int signal) {
  base::log(LogLevel::kInfo, "draining",
            {{"seconds_at_most", static_cast<std::int64_t>(server.options.drain_seconds)}});
  server.draining = true;
  webhook::DrainPlan plan;
  plan.latest = std::chrono::seconds(server.options.drain_seconds);
  plan.quiet = std::chrono::seconds(server.options.drain_quiet_seconds);
  plan.grace = signal == SIGINT ? std::chrono::milliseconds(0) : std::min(plan.grace, plan.latest);
  if (signal == SIGINT) plan.quiet = std::chrono::milliseconds(0);
  plan.deadline = plan.latest + std::chrono::seconds(5);
  server.listener->begin_drain(plan);
  server.listener->wait();
  server.rule_worker.reset();
  server.certificate_worker.reset();
  if (server.feed != nullptr) server.feed->stop();
  server.admin.reset();
  base::log(LogLevel::kInfo, "stopped");
  base::flush_log();
}

sigset_t handled_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  return signals;
}

// Until SIGTERM or SIGINT, and gives which. SIGHUP reloads rules and certificates at once.
int wait_for_the_end(Server& server, const sigset_t& signals) {
  for (;;) {
    int signal = 0;
    if (sigwait(&signals, &signal) != 0) continue;
    if (signal != SIGHUP) return signal;
    base::log(LogLevel::kInfo, "reloading on SIGHUP");
    server.rule_worker->wake();
    server.certificate_worker->wake();
  }
}

int run_serve(const ServeLine& line) {
  base::Problems problems;
  webhook::Options options = options_from(line.common, problems);
  if (!line.kubeconfig.empty()) options.kubeconfig = line.kubeconfig;
  kube::add_owner_kinds(options.owner_kinds);
  if (!line.listen.empty()) options.listen = line.listen;
  if (!line.admin.empty()) options.admin = line.admin;
  if (!line.cert.empty()) options.cert = line.cert;
  if (!line.key.empty()) options.key = line.key;
  if (!line.self_signed_for.empty()) options.self_signed_for = line.self_signed_for;
  if (!line.log_format.empty()) {
    options.log_format =
        line.log_format == "text" ? base::LogFormat::kText : base::LogFormat::kJson;
  }
  problems.append(validate(options));
  print_problems(problems);
  if (problems.has_errors()) return kCouldNotTry;
  base::configure_logging(options.log_format, options.log_level);
  const sigset_t signals = handled_signals();
  pthread_sigmask(SIG_BLOCK, &signals,
                  nullptr);  // before the first thread: only the main thread hears them

  Server server(std::move(options), line.write_ca);
  for (const Step& step : kStart) {
    const base::Status status = step.run(server);
    if (status) continue;
    base::log(LogLevel::kError, "cannot start",
              {{"step", step.name}, {"problem", status.error().text}});
    base::flush_log();
    return status.error().code == base::ErrorCode::kInvalid ? kWrongInput : kCouldNotTry;
  }
  const auto listen = webhook::parse_address(server.options.listen)->host + ":" +
                      std::to_string(server.listener->port());
  const auto admin = webhook::parse_address(server.options.admin)->host + ":" +
                     std::to_string(server.admin->port());
  base::log(LogLevel::kInfo, "serving",
            {{"listen", listen}, {"admin", admin}, {"version", BERTH_VERSION}});
  stop(server, wait_for_the_end(server, signals));
  return kWell;
}

}  // namespace

Run add_serve(CLI::App& app) {
  auto line = std::make_shared<ServeLine>();
  add_common_options(app, line->common);
  app.add_option("--kubeconfig", line->kubeconfig,
                 "watch this cluster instead of reading --cluster files; in a pod its own");
  app.add_option("--listen", line->listen, "HOST:PORT of the TLS port (0.0.0.0:8443)");
  app.add_option("--admin", line->admin, "HOST:PORT of the plain admin port (127.0.0.1:8080)");
  app.add_option("--cert", line->cert,
                 "PEM certificate chain, leaf first; read again when its content changes");
  app.add_option("--key", line->key, "PEM private key");
  app.add_option("--self-signed-for", line->self_signed_for,
                 "make a certificate for these names (a first try)")
      ->delimiter(',');
  app.add_option("--write-ca", line->write_ca,
                 "write the self-made authority's certificate to this file");
  app.add_option("--log-format", line->log_format, "json or text")
      ->check(CLI::IsMember({"json", "text"}));
  return [line] { return run_serve(*line); };
}

}  // namespace berth::cli
