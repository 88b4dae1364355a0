// Options: everything a berth process can be told, with defaults. Read from a configuration file
// (YAML, the command line's names in camelCase) and from the command line, which wins.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/problem.h"
#include "base/source_text.h"
#include "kube/workload.h"
#include "rules/loader.h"
#include "topology/builder.h"
#include "webhook/admit.h"

namespace berth::webhook {

struct Options {
  std::vector<std::string> rules;    ///< files or folders
  std::vector<std::string> cluster;  ///< files
  std::string kubeconfig;            ///< of the cluster to watch; excludes cluster files
  std::string listen = "0.0.0.0:8443";
  std::string admin = "127.0.0.1:8080";
  std::string cert;                          ///< PEM chain, leaf first
  std::string key;                           ///< PEM private key
  std::vector<std::string> self_signed_for;  ///< DNS names or addresses of a self-made certificate
  std::string label_prefix = "berth.dev";
  base::LogFormat log_format = base::LogFormat::kJson;
  base::LogLevel log_level = base::LogLevel::kInfo;
  int loops = 0;                ///< event loops; 0: one a core
  int drain_seconds = 25;       ///< longest time between SIGTERM and the end of the last request
  int drain_quiet_seconds = 2;  ///< without a request for so long, draining ends early
  std::vector<topology::Level> levels = topology::default_levels();
  std::vector<std::string> excluded_namespaces = Limits().excluded_namespaces;
  std::vector<std::string> opt_out_namespaces = Limits().opt_out_namespaces;
  std::vector<rules::PrecedenceBand> bands;  ///< by directory of the rule files
  topology::StatedServices services;         ///< gang and queue systems
  std::vector<kube::AddedKind> owner_kinds;  ///< beyond the built-in table
};

/// Overlays what the text says. Unknown keys, wrong types and wrong words are problems with their
/// place.
void read_config(const base::SourceText& text, Options& options, base::Problems& problems);

/// All keys of a configuration file.
std::vector<std::string_view> config_keys();

/// What is wrong with a prefix of intent keys, or empty: it is the part of a label key before '/'.
std::string label_prefix_fault(const std::string& prefix);

/// What only the whole can tell: a certificate without its key, no listen address, ... The places
/// name options.
base::Problems validate(const Options& options);

/// The limits of a server with these options.
Limits limits_of(const Options& options);

/// How rule files are loaded, and cluster files read, with these options.
rules::LoadOptions load_options_of(const Options& options);
topology::BuildOptions build_options_of(const Options& options);

/// Host and port of "127.0.0.1:8443", ":8443" (all addresses) or "[::1]:8443". Port 0 lets the
/// system choose.
struct Address {
  std::string host;
  int port = 0;
};
base::Result<Address> parse_address(std::string_view text);

}  // namespace berth::webhook
