#include "tests/e2e/webhook_server.h"

#include <cstdlib>
#include <sstream>

#include <httplib.h>

namespace berth::e2e {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;

constexpr auto kStartLimit = std::chrono::seconds(60);

std::filesystem::path berth_program() {
  const std::string chosen = environment_value("BERTH_BIN");
  return chosen.empty() ? BERTH_BIN : chosen;
}

std::vector<std::string> plain_environment() {
  return {"PATH=/usr/bin:/bin", "HOME=/", "NO_COLOR=1"};
}

std::string loopback(int port) {
  return "127.0.0.1:" + std::to_string(port);
}

}  // namespace

Result<std::unique_ptr<WebhookServer>> WebhookServer::start(const BerthInput& input,
                                                            const KeyPair& pair,
                                                            const std::filesystem::path& folder) {
  std::unique_ptr<WebhookServer> server(new WebhookServer);
  const std::vector<int> ports = free_ports(2);
  server->port_ = ports[0];
  server->admin_port_ = ports[1];
  const std::string name = "berth-" + std::to_string(server->port_);
  server->rules_ = folder / (name + "-rules");
  server->cluster_ = input.cluster;
  server->config_ = input.config;
  server->log_ = folder / (name + ".log");
  std::filesystem::create_directory(server->rules_);
  for (const auto& rule : input.rules) {
    std::error_code failure;
    std::filesystem::copy_file(rule, server->rules_ / rule.filename(), failure);
    if (failure) return Error{ErrorCode::kNotFound, "no rule file '" + rule.string() + "'"};
  }
  std::vector<std::string> arguments = {"serve"};
  for (const std::string& flag : server->world_flags()) arguments.push_back(flag);
  if (!input.kubeconfig.empty()) {
    arguments.insert(arguments.end(), {"--kubeconfig", input.kubeconfig.string()});
  }
  arguments.insert(arguments.end(),
                   {"--listen", loopback(server->port_), "--admin", loopback(server->admin_port_),
                    "--cert", pair.certificate.string(), "--key", pair.key.string()});
  auto process =
      Process::start({berth_program(), std::move(arguments), plain_environment()}, server->log_);
  if (!process) return process.error();
  server->process_.emplace(std::move(*process));
  bool ready = false;
  wait_until(kStartLimit, [&] {
    ready = server->is_ready();
    return ready || !server->process_->is_running();
  });
  if (!ready) {
    return Error{ErrorCode::kUnavailable,
                 "berth did not become ready; its log ends:\n" + server->log_tail()};
  }
  return server;
}

std::vector<std::string> WebhookServer::world_flags() const {
  std::vector<std::string> flags = {"--rules", rules_.string()};
  if (!cluster_.empty()) flags.insert(flags.end(), {"--cluster", cluster_.string()});
  if (!config_.empty()) flags.insert(flags.end(), {"--config", config_.string()});
  return flags;
}

bool WebhookServer::is_ready() const {
  httplib::Client client("127.0.0.1", admin_port_);
  const auto answer = client.Get("/readyz");
  return answer && answer->status == 200;
}

double WebhookServer::metric(const std::string& name) const {
  httplib::Client client("127.0.0.1", admin_port_);
  const auto answer = client.Get("/metrics");
  if (!answer || answer->status != 200) return -1;
  double sum = 0;
  bool found = false;
  std::istringstream lines(answer->body);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(name + "{") && !line.starts_with(name + " ")) continue;
    sum += std::strtod(line.c_str() + line.rfind(' '), nullptr);
    found = true;
  }
  return found ? sum : -1;
}

std::string WebhookServer::admin(const std::string& path) const {
  httplib::Client client("127.0.0.1", admin_port_);
  client.set_read_timeout(std::chrono::seconds(30));
  const auto answer = client.Get(path);
  return answer && answer->status == 200 ? answer->body : std::string();
}

double WebhookServer::requests() const {
  return metric("berth_admission_requests_total");
}

double WebhookServer::resident_mib() const {
  std::istringstream lines(read_file("/proc/" + std::to_string(process_->pid()) + "/status"));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("VmRSS:")) return std::strtod(line.c_str() + 6, nullptr) / 1024;
  }
  return 0;
}

Result<nlohmann::json> WebhookServer::explain(const std::string& review,
                                              const std::string& format) const {
  std::vector<std::string> arguments = {"explain", "--format", format};
  for (const std::string& flag : world_flags()) arguments.push_back(flag);
  arguments.push_back("-");
  const auto finished = run({berth_program(), std::move(arguments), plain_environment(), review});
  if (!finished) return finished.error();
  // Status 1 says that the answer is a denial, which has its line of JSON all the same.
  nlohmann::json result = nlohmann::json::parse(finished->out, nullptr, false);
  if (finished->status > 1 || result.is_discarded()) {
    return Error{ErrorCode::kInvalid, "berth explain --format " + format + " ended with status " +
                                          std::to_string(finished->status) + ": " + finished->err +
                                          finished->out.substr(0, 500)};
  }
  return result;
}

}  // namespace berth::e2e
