#include "kube/credentials.h"

#include <charconv>
#include <string_view>
#include <utility>

#include "base/base64.h"
#include "base/problem.h"
#include "base/yaml.h"

namespace berth::kube {
namespace {

using base::YamlNode;

constexpr const char* kServiceAccount = "/var/run/secrets/kubernetes.io/serviceaccount/";

std::string_view text_at(const YamlNode* node, std::string_view key) {
  const YamlNode* found = node == nullptr ? nullptr : node->find(key);
  return found != nullptr && found->is_scalar() ? std::string_view(found->text)
                                                : std::string_view{};
}

bool is_set(const YamlNode* node, std::string_view key) {
  const YamlNode* found = node == nullptr ? nullptr : node->find(key);
  return found != nullptr && !found->is_null() &&
         !(found->is_scalar() && (found->text.empty() || found->text == "false"));
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

// One kubeconfig while it is read.
class Kubeconfig {
 public:
  Kubeconfig(std::string path, const ReadFile& read) : path_(std::move(path)), read_(read) {}

  base::Result<Credentials> credentials() {
    if (const auto parsed = parse(); !parsed) return parsed.error();
    const std::string_view context_name = text_at(&root_, "current-context");
    if (context_name.empty()) return fail("no current-context; kubectl config use-context sets it");
    const YamlNode* context = named("contexts", "context", context_name);
    if (context == nullptr)
      return fail("current-context '" + std::string(context_name) + "' is not among contexts");
    Credentials out;
    if (const auto read = read_cluster(text_at(context, "cluster"), out); !read)
      return read.error();
    if (const auto read = read_user(text_at(context, "user"), out); !read) return read.error();
    return out;
  }

 private:
  base::Error fail(const std::string& text) const {
    return base::invalid("kubeconfig " + path_ + ": " + text);
  }

  base::Status parse() {
    auto text = read_(path_);
    if (!text) return text.error();
    const base::SourceText source(path_, std::move(*text));
    base::Problems problems;
    auto documents = base::parse_yaml(source, problems);
    if (problems.has_errors()) return base::invalid(to_text(problems.list()[0]));
    if (documents.size() != 1 || !documents[0].is_mapping())
      return fail("expected one document with clusters, users and contexts");
    root_ = std::move(documents[0]);
    return base::Done{};
  }

  /// The `kind` part of the entry of a list with this name.
  const YamlNode* named(std::string_view list, std::string_view kind, std::string_view name) const {
    const YamlNode* found = root_.find(list);
    if (found == nullptr) return nullptr;
    for (const YamlNode& item : found->items) {
      if (text_at(&item, "name") == name) return item.find(kind);
    }
    return nullptr;
  }

  base::Result<std::string> read_beside(std::string_view path) const {
    if (path.starts_with('/')) return read_(std::string(path));
    const std::size_t slash = path_.rfind('/');
    const std::string folder = slash == std::string::npos ? "" : path_.substr(0, slash + 1);
    return read_(folder + std::string(path));
  }

  /// The PEM text of `key`-data, else of the file that `key` names; empty where neither is there.
  base::Result<std::string> pem(const YamlNode* node, const std::string& key) const {
    if (const std::string_view data = text_at(node, key + "-data"); !data.empty()) {
      auto bytes = base::decode_base64(data);
      if (!bytes) return fail("'" + key + "-data' is no Base64");
      return *std::move(bytes);
    }
    const std::string_view path = text_at(node, key);
    return path.empty() ? base::Result<std::string>(std::string()) : read_beside(path);
  }

  base::Status read_server(std::string_view server, Credentials& out) const {
    const auto bad = [&] {
      return fail("server '" + std::string(server) +
                  "' is no URL, expected such as https://10.0.0.1:6443");
    };
    std::string_view rest = server;
    if (rest.starts_with("https://")) {
      rest.remove_prefix(8);
    } else if (rest.starts_with("http://")) {
      rest.remove_prefix(7);
      out.scheme = Credentials::Scheme::kHttp;
      out.port = 80;
    } else {
      return bad();
    }
    const std::size_t slash = rest.find('/');
    if (slash != std::string_view::npos) {
      out.path_prefix = rest.substr(slash);
      while (out.path_prefix.ends_with('/')) out.path_prefix.pop_back();
      rest = rest.substr(0, slash);
    }
    const std::size_t bracket = rest.find(']');
    const std::size_t colon = rest.find(':', bracket == std::string_view::npos ? 0 : bracket);
    std::string_view host = rest.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    out.host = host;
    if (colon != std::string_view::npos) {
      const std::string_view port = rest.substr(colon + 1);
      const auto parsed = std::from_chars(port.data(), port.data() + port.size(), out.port);
      if (parsed.ec != std::errc() || parsed.ptr != port.data() + port.size()) return bad();
    }
    if (out.host.empty() || out.port < 1 || out.port > 65535) return bad();
    return base::Done{};
  }

  base::Status read_cluster(std::string_view name, Credentials& out) const {
    const YamlNode* cluster = named("clusters", "cluster", name);
    if (cluster == nullptr)
      return fail("cluster '" + std::string(name) + "' is not among clusters");
    if (is_set(cluster, "insecure-skip-tls-verify"))
      return fail("insecure-skip-tls-verify is refused; give certificate-authority instead");
    if (is_set(cluster, "proxy-url")) return fail("proxy-url is not supported");
    if (const auto read = read_server(text_at(cluster, "server"), out); !read) return read.error();
    auto ca = pem(cluster, "certificate-authority");
    if (!ca) return ca.error();
    out.ca = *std::move(ca);
    out.tls_name = text_at(cluster, "tls-server-name");
    return base::Done{};
  }

  base::Status refuse_foreign(std::string_view name, const YamlNode* user) const {
    const std::string who = "user '" + std::string(name) + "' ";
    const std::string instead = "; expected token, tokenFile or client-certificate with client-key";
    if (is_set(user, "exec")) {
      return fail(who + "gets its credentials from the program '" +
                  std::string(text_at(user->find("exec"), "command")) +
                  "' (exec), which berth does not run" + instead);
    }
    if (is_set(user, "auth-provider")) return fail(who + "uses an auth-provider" + instead);
    if (is_set(user, "username")) return fail(who + "has a name and a password" + instead);
    if (is_set(user, "as")) return fail(who + "impersonates another (as)" + instead);
    return base::Done{};
  }

  base::Status read_user(std::string_view name, Credentials& out) const {
    if (name.empty()) return base::Done{};
    const YamlNode* user = named("users", "user", name);
    if (user == nullptr) return fail("user '" + std::string(name) + "' is not among users");
    if (const auto fine = refuse_foreign(name, user); !fine) return fine.error();
    out.bearer_token = trimmed(text_at(user, "token"));
    if (const std::string_view file = text_at(user, "tokenFile"); !file.empty()) {
      const auto token = read_beside(file);
      if (!token) return token.error();
      out.bearer_token = trimmed(*token);
    }
    auto certificate = pem(user, "client-certificate");
    if (!certificate) return certificate.error();
    auto key = pem(user, "client-key");
    if (!key) return key.error();
    out.certificate = *std::move(certificate);
    out.key = *std::move(key);
    if (out.certificate.empty() != out.key.empty())
      return fail("client-certificate and client-key go together, only one of them is given");
    return base::Done{};
  }

  std::string path_;
  const ReadFile& read_;
  YamlNode root_;
};

}  // namespace

std::string url_of(const Credentials& credentials) {
  const bool is_v6 = credentials.host.find(':') != std::string::npos;
  std::string out = credentials.scheme == Credentials::Scheme::kHttps ? "https://" : "http://";
  out += is_v6 ? "[" + credentials.host + "]" : credentials.host;
  return out + ":" + std::to_string(credentials.port) + credentials.path_prefix;
}

base::Result<Credentials> read_kubeconfig(const std::string& path, const ReadFile& read) {
  return Kubeconfig(path, read).credentials();
}

bool is_in_cluster(const ReadVariable& variable) {
  return !variable("KUBERNETES_SERVICE_HOST").empty();
}

base::Result<Credentials> read_in_cluster(const ReadVariable& variable, const ReadFile& read) {
  Credentials out;
  out.host = variable("KUBERNETES_SERVICE_HOST");
  const std::string port = variable("KUBERNETES_SERVICE_PORT");
  const auto parsed = std::from_chars(port.data(), port.data() + port.size(), out.port);
  if (out.host.empty() || parsed.ec != std::errc() || parsed.ptr != port.data() + port.size()) {
    return base::invalid("KUBERNETES_SERVICE_HOST '" + out.host +
                         "' and KUBERNETES_SERVICE_PORT '" + port +
                         "' are no address, expected those of a pod");
  }
  auto ca = read(std::string(kServiceAccount) + "ca.crt");
  if (!ca) return ca.error();
  const auto token = read(std::string(kServiceAccount) + "token");
  if (!token) return token.error();
  out.ca = *std::move(ca);
  out.bearer_token = trimmed(*token);
  if (out.bearer_token.empty())
    return base::invalid(std::string(kServiceAccount) + "token is empty, expected a token");
  return out;
}

}  // namespace berth::kube
