#include "tests/e2e/control_plane.h"

#include <random>
#include <utility>

#include <httplib.h>

namespace berth::e2e {
namespace {

using base::Done;
using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;

constexpr char kAdministrator[] = "platform-admin";
constexpr char kControllers[] = "system:kube-controller-manager";
constexpr char kScheduler[] = "system:kube-scheduler";
constexpr char kBerth[] = "berth";
constexpr char kServiceRange[] = "10.0.0.0/24";
constexpr auto kStartLimit = std::chrono::seconds(120);  // other builds may hold the processors

std::string random_token() {
  std::random_device source;
  std::string token;
  for (int i = 0; i < 4; ++i) token += std::to_string(source());
  return token;
}

std::string local_url(const std::string& scheme, int port) {
  return scheme + "://127.0.0.1:" + std::to_string(port);
}

/// The file name of a user's kubeconfig: "system:kube-scheduler" -> "kube-scheduler.kubeconfig".
std::string kubeconfig_name(const std::string& user) {
  return user.substr(user.rfind(':') + 1) + ".kubeconfig";
}

Error ended_early(const std::string& name, const std::filesystem::path& folder) {
  return {ErrorCode::kUnavailable,
          name + " did not become ready; its log ends:\n" + tail_of(folder / (name + ".log"))};
}

/// Empty where no folder was given and none was built.
std::filesystem::path chosen_folder() {
  for (const char* variable : {"BERTH_KUBE_BIN", "KUBEBUILDER_ASSETS"}) {
    const std::string folder = environment_value(variable);
    if (!folder.empty()) return folder;
  }
  std::vector<std::string> environment = {"PATH=/usr/bin:/bin"};
  for (const char* variable : {"HOME", "XDG_CACHE_HOME", "BERTH_KUBE_CACHE"}) {
    const std::string value = environment_value(variable);
    if (!value.empty()) environment.push_back(std::string(variable) + "=" + value);
  }
  const auto built = run({BERTH_SOURCE_DIR "/tools/kube-bin", {"--check"}, environment});
  if (!built || built->status != 0) return {};
  return built->out.substr(0, built->out.find('\n'));
}

}  // namespace

Result<std::filesystem::path> find_kube_binaries(const std::vector<std::string>& programs) {
  static const std::filesystem::path folder = chosen_folder();
  constexpr char kAdvice[] =
      "run tools/kube-bin and set BERTH_KUBE_BIN to the folder that it prints";
  if (folder.empty()) {
    return Error{ErrorCode::kNotFound, std::string("no Kubernetes control plane here: ") + kAdvice};
  }
  for (const std::string& program : programs) {
    if (!std::filesystem::exists(folder / program)) {
      return Error{ErrorCode::kNotFound,
                   "no '" + program + "' in '" + folder.string() + "': " + kAdvice};
    }
  }
  return folder;
}

ControlPlane::ControlPlane(std::filesystem::path binaries)
    : folder_("e2e"), binaries_(std::move(binaries)) {}

Result<std::unique_ptr<ControlPlane>> ControlPlane::start(const std::filesystem::path& binaries) {
  std::unique_ptr<ControlPlane> plane(new ControlPlane(binaries));
  if (auto done = plane->make_files(); !done) return done.error();
  if (auto done = plane->start_etcd(); !done) return done.error();
  if (auto done = plane->start_api_server(); !done) return done.error();
  return plane;
}

ControlPlane::~ControlPlane() {
  for (auto* part : {&scheduler_, &controllers_, &api_server_, &etcd_}) {
    if (part->has_value()) (*part)->stop();
  }
}

Status ControlPlane::make_files() {
  const std::vector<int> ports = free_ports(2);
  api_port_ = ports[0];
  etcd_port_ = ports[1];
  auto authority = Authority::make(folder());
  if (!authority) return authority.error();
  authority_.emplace(*authority);
  const auto serving = authority_->issue(
      "apiserver", {"IP:127.0.0.1", "IP:10.0.0.1", "DNS:localhost", "DNS:kubernetes.default.svc"});
  if (!serving) return serving.error();
  if (auto keys = make_signing_keys(folder(), "accounts"); !keys) return keys.error();

  const std::pair<const char*, const char*> users[] = {
      {kAdministrator, "\"system:masters\""}, {kControllers, ""}, {kScheduler, ""}, {kBerth, ""}};
  port_of_berth_ = api_port_;
  for (const auto& [user, groups] : users) make_token(user, groups);
  kubectl_.emplace(binaries_ / "kubectl", folder() / kubeconfig_name(kAdministrator), folder());
  return Done{};
}

void ControlPlane::make_token(const std::string& user, const std::string& groups) {
  const std::string token = random_token();
  tokens_[user] = token + "," + user + ",uid-" + user + "," + groups + "\n";
  if (user == kAdministrator) administrator_token_ = token;
  write_kubeconfig(user, token, user == kBerth ? port_of_berth_ : api_port_);
  std::string all;
  for (const auto& [name, line] : tokens_) all += line;
  write_file(folder() / "tokens.csv", all);
}

void ControlPlane::rotate_token_of_berth() {
  make_token(kBerth, "");
}

void ControlPlane::write_berth_kubeconfig(int port) {
  port_of_berth_ = port;
  const std::string& line = tokens_[kBerth];
  write_kubeconfig(kBerth, line.substr(0, line.find(',')), port);
}

void ControlPlane::write_kubeconfig(const std::string& user, const std::string& token,
                                    int port) const {
  const nlohmann::json config = {
      {"apiVersion", "v1"},
      {"kind", "Config"},
      {"current-context", "e2e"},
      {"clusters",
       {{{"name", "e2e"},
         {"cluster",
          {{"server", local_url("https", port)},
           {"certificate-authority", authority_->certificate().string()}}}}}},
      {"users", {{{"name", user}, {"user", {{"token", token}}}}}},
      {"contexts", {{{"name", "e2e"}, {"context", {{"cluster", "e2e"}, {"user", user}}}}}}};
  write_file(folder() / kubeconfig_name(user), config.dump(2));
}

Result<Process> ControlPlane::start_part(const std::string& name,
                                         std::vector<std::string> flags) const {
  return Process::start({binaries_ / name, std::move(flags), {"PATH=/usr/bin:/bin", "HOME=/"}},
                        folder() / (name + ".log"));
}

Status ControlPlane::start_etcd() {
  const std::string clients = local_url("http", etcd_port_);
  const std::string peers = local_url("http", free_ports(1)[0]);
  auto etcd = start_part(
      "etcd", {"--name=e2e", "--data-dir=" + (folder() / "etcd").string(),
               "--listen-client-urls=" + clients, "--advertise-client-urls=" + clients,
               "--listen-peer-urls=" + peers, "--initial-advertise-peer-urls=" + peers,
               "--initial-cluster=e2e=" + peers, "--unsafe-no-fsync", "--log-level=warn"});
  if (!etcd) return etcd.error();
  etcd_.emplace(std::move(*etcd));
  return Done{};
}

Status ControlPlane::compact_etcd() const {
  httplib::Client client("127.0.0.1", etcd_port_);
  const auto post = [&](const char* path, const nlohmann::json& body) {
    const auto answer = client.Post(path, body.dump(), "application/json");
    return answer && answer->status == 200 ? nlohmann::json::parse(answer->body, nullptr, false)
                                           : nlohmann::json();
  };
  const nlohmann::json now = post("/v3/kv/range", {{"key", base64("/")}});
  if (!now.is_object()) return Error{ErrorCode::kUnavailable, "etcd does not say its revision"};
  const nlohmann::json done =
      post("/v3/kv/compaction", {{"revision", now["header"]["revision"]}, {"physical", true}});
  if (!done.is_object()) return Error{ErrorCode::kUnavailable, "etcd does not compact"};
  return Done{};
}

Status ControlPlane::start_api_server() {
  auto file = [this](const char* name) { return (folder() / name).string(); };
  auto server = start_part(
      "kube-apiserver",
      {"--etcd-servers=" + local_url("http", etcd_port_), "--bind-address=127.0.0.1",
       "--advertise-address=127.0.0.1", "--secure-port=" + std::to_string(api_port_),
       "--endpoint-reconciler-type=none", "--tls-cert-file=" + file("apiserver.crt"),
       "--tls-private-key-file=" + file("apiserver.key"), "--client-ca-file=" + file("ca.crt"),
       "--token-auth-file=" + file("tokens.csv"), "--authorization-mode=Node,RBAC",
       "--enable-admission-plugins=NodeRestriction",
       // A new Node would stay tainted as not ready: nobody plays its kubelet.
       "--disable-admission-plugins=TaintNodesByCondition",
       "--service-account-issuer=https://kubernetes.default.svc",
       "--service-account-key-file=" + file("accounts.pub"),
       "--service-account-signing-key-file=" + file("accounts.key"),
       std::string("--service-cluster-ip-range=") + kServiceRange, "--allow-privileged=true"});
  if (!server) return server.error();
  api_server_.emplace(std::move(*server));
  bool ready = false;
  wait_until(kStartLimit, [&] {
    ready = kubectl()({"get", "--raw", "/readyz"}).ok();
    return ready || !api_server_->is_running();
  });
  if (!ready) return ended_early("kube-apiserver", folder());
  return Done{};
}

std::vector<std::string> ControlPlane::client_flags(const std::string& user, int port) const {
  return {"--kubeconfig=" + (folder() / kubeconfig_name(user)).string(),
          "--bind-address=127.0.0.1",
          "--secure-port=" + std::to_string(port),
          "--leader-elect=false",
          "--authentication-skip-lookup=true",
          "--cert-dir=" + folder().string()};
}

Status ControlPlane::start_controllers(const std::string& which) {
  std::vector<std::string> flags = client_flags(kControllers, free_ports(1)[0]);
  flags.insert(flags.end(),
               {"--controllers=" + which, "--use-service-account-credentials=true",
                "--service-account-private-key-file=" + (folder() / "accounts.key").string(),
                "--root-ca-file=" + authority_->certificate().string()});
  auto controllers = start_part("kube-controller-manager", std::move(flags));
  if (!controllers) return controllers.error();
  controllers_.emplace(std::move(*controllers));
  const bool acting = wait_until(
      kStartLimit, [&] { return kubectl().get("serviceaccount", "default", "default").ok(); });
  if (!acting) return ended_early("kube-controller-manager", folder());
  return Done{};
}

Status ControlPlane::start_scheduler() {
  auto scheduler = start_part("kube-scheduler", client_flags(kScheduler, free_ports(1)[0]));
  if (!scheduler) return scheduler.error();
  scheduler_.emplace(std::move(*scheduler));
  return Done{};
}

void ControlPlane::stop_scheduler() {
  scheduler_.reset();
}

}  // namespace berth::e2e
