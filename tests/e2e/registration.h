// A webhook made known to the API server the way a real cluster does it: by a Service, so that it
// is called over HTTP/1.1 with the Service's name in SNI and Host. The Service is an ExternalName
// for localhost, which needs no kube-proxy.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "tests/e2e/certificates.h"
#include "tests/e2e/kubectl.h"

namespace berth::e2e {

struct Resource {
  std::string group;  ///< "" for pods
  std::string name;   ///< plural, as in "deployments"
};

struct Registration {
  std::string name;  ///< of Service and configuration; configurations act in the order of names
  int port = 0;
  std::string failure_policy = "Fail";
  std::string reinvocation_policy = "IfNeeded";
  int timeout_seconds = 10;
  std::vector<Resource> resources = {{"", "pods"}};
};

/// What a server certificate must name to be called under this registration.
std::vector<std::string> hosts_of(const std::string& registration_name);

/// How many calls the webhook has had so far.
using CallCount = std::function<double()>;

/// Registers a webhook for CREATE and UPDATE; returns once the API server calls it, which is tried
/// with pods in a dry run.
base::Status register_webhook(const Kubectl& kubectl, const Authority& authority,
                              const Registration& registration, const CallCount& calls);

/// Removes it; returns once the API server calls it no more.
base::Status unregister_webhook(const Kubectl& kubectl, const std::string& name,
                                const CallCount& calls);

}  // namespace berth::e2e
