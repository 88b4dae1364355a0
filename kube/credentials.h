// Credentials: where an API server is and how a client shows who it is, from a kubeconfig or from a
// pod's service account. Files are read through a function, each time anew, so rotated tokens and
// certificates are seen. Pure apart from that; any thread.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"

namespace berth::kube {

/// An API server and the proof that a client shows. Texts are PEM.
struct Credentials {
  enum class Scheme { kHttps, kHttp } scheme = Scheme::kHttps;
  std::string host;  ///< name or address, IPv6 without brackets
  int port = 443;
  std::string path_prefix;   ///< of a server behind a proxy ("/k8s/clusters/c1"); else empty
  std::string ca;            ///< authorities; empty: those of the system
  std::string tls_name;      ///< name that the server's certificate must have; empty: host
  std::string certificate;   ///< client certificate with its chain; empty: none
  std::string key;           ///< of the client certificate
  std::string bearer_token;  ///< empty: none

  bool operator==(const Credentials&) const = default;
};

/// "https://[::1]:6443/prefix".
std::string url_of(const Credentials& credentials);

/// The whole content of a file, or what the system said.
using ReadFile = std::function<base::Result<std::string>(const std::string& path)>;
/// A variable of the environment; empty where it is not set.
using ReadVariable = std::function<std::string(const char* name)>;

/// Reads the current context of a kubeconfig and the files that it names (relative to its folder).
/// What berth does not do - exec plugins, auth providers, passwords, servers that nobody checks -
/// is an error that says so.
base::Result<Credentials> read_kubeconfig(const std::string& path, const ReadFile& read);

/// True where the environment is that of a pod.
bool is_in_cluster(const ReadVariable& variable);

/// The service account that is mounted into a pod.
base::Result<Credentials> read_in_cluster(const ReadVariable& variable, const ReadFile& read);

/// Gives the credentials of now; called before each request.
using CredentialSource = std::function<base::Result<Credentials>()>;

}  // namespace berth::kube
