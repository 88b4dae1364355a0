#include "tests/e2e/registration.h"

#include "tests/e2e/process.h"

namespace berth::e2e {
namespace {

using base::Done;
using base::Error;
using base::ErrorCode;
using base::Status;
using nlohmann::json;

constexpr char kNamespace[] = "webhooks";
constexpr auto kInForceLimit = std::chrono::seconds(30);

json service_for(const std::string& name) {
  return {{"apiVersion", "v1"},
          {"kind", "Service"},
          {"metadata", {{"name", name}, {"namespace", kNamespace}}},
          {"spec", {{"type", "ExternalName"}, {"externalName", "localhost"}}}};
}

json configuration_for(const Registration& registration, const Authority& authority) {
  json rules = json::array();
  for (const Resource& resource : registration.resources) {
    rules.push_back({{"apiGroups", {resource.group}},
                     {"apiVersions", {"v1"}},
                     {"operations", {"CREATE", "UPDATE"}},
                     {"resources", {resource.name}}});
  }
  const json service = {{"name", registration.name},
                        {"namespace", kNamespace},
                        {"port", registration.port},
                        {"path", "/mutate"}};
  const json webhook = {{"name", registration.name + ".berth.dev"},
                        {"clientConfig", {{"service", service}, {"caBundle", authority.bundle()}}},
                        {"rules", rules},
                        {"failurePolicy", registration.failure_policy},
                        {"matchPolicy", "Equivalent"},
                        {"reinvocationPolicy", registration.reinvocation_policy},
                        {"sideEffects", "None"},
                        {"timeoutSeconds", registration.timeout_seconds},
                        {"admissionReviewVersions", {"v1"}}};
  return {{"apiVersion", "admissionregistration.k8s.io/v1"},
          {"kind", "MutatingWebhookConfiguration"},
          {"metadata", {{"name", registration.name}}},
          {"webhooks", {webhook}}};
}

/// Creates a pod in a dry run, for the webhooks to see.
Answer probe(const Kubectl& kubectl) {
  const json container = {{"name", "probe"}, {"image", "probe"}};
  const json pod = {{"apiVersion", "v1"},
                    {"kind", "Pod"},
                    {"metadata", {{"name", "probe"}, {"namespace", "default"}}},
                    {"spec", {{"containers", {container}}}}};
  return kubectl.create(pod, {"--dry-run=server"});
}

}  // namespace

std::vector<std::string> hosts_of(const std::string& registration_name) {
  return {"DNS:" + registration_name + "." + kNamespace + ".svc"};
}

Status register_webhook(const Kubectl& kubectl, const Authority& authority,
                        const Registration& registration, const CallCount& calls) {
  const json space = {
      {"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", kNamespace}}}};
  kubectl.create(space);  // there already, from the second registration on
  for (const json& object :
       {service_for(registration.name), configuration_for(registration, authority)}) {
    const Answer created = kubectl.create(object);
    if (!created.ok()) return Error{ErrorCode::kInternal, created.err};
  }
  Answer last;
  const bool in_force = wait_until(kInForceLimit, [&] {
    const double before = calls();
    last = probe(kubectl);
    return calls() > before;
  });
  if (!in_force) {
    return Error{ErrorCode::kUnavailable, "the API server never called the webhook '" +
                                              registration.name + "': " + last.err};
  }
  return Done{};
}

Status unregister_webhook(const Kubectl& kubectl, const std::string& name, const CallCount& calls) {
  kubectl({"delete", "mutatingwebhookconfiguration", name});
  kubectl({"delete", "service", name, "-n", kNamespace});
  const bool gone = wait_until(kInForceLimit, [&] {
    const double before = calls();
    return probe(kubectl).ok() && calls() <= before;
  });
  if (!gone) {
    return Error{ErrorCode::kUnavailable, "the webhook '" + name + "' is called after its removal"};
  }
  return Done{};
}

}  // namespace berth::e2e
