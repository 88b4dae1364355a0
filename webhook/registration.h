// Registration: the MutatingWebhookConfiguration that makes an API server call berth for what a
// rule set concerns. Every field that the server would default is written out, so that tools which
// compare see no drift. Pure.
#pragma once

#include <string>
#include <vector>

#include "webhook/concern.h"

namespace berth::webhook {

enum class FailurePolicy : std::uint8_t { kIgnore, kFail };

struct Registration {
  std::string name = "00-berth";  ///< starts with a digit: called before its neighbours
  std::string service_namespace = "berth";
  std::string service_name = "berth";
  int service_port = 443;
  int timeout_seconds = 3;
  FailurePolicy failure_policy = FailurePolicy::kIgnore;
  std::string ca_bundle;                         ///< PEM; empty: left out, filled at run time
  std::string strict_label;                      ///< namespaces with it get Fail; empty: none
  std::string strict_value;                      ///< of that label
  std::vector<std::string> excluded_namespaces;  ///< the service's own is added
  std::string label_prefix = "berth.dev";
};

/// The configuration as YAML.
std::string to_yaml(const Registration& registration, const Concern& concern);

}  // namespace berth::webhook
