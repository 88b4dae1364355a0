#include "webhook/registration.h"

#include <algorithm>
#include <map>

#include "base/base64.h"

namespace berth::webhook {
namespace {

constexpr std::string_view kNoMirrorPod =
    "!has(object.metadata.annotations) || !('kubernetes.io/config.mirror' in "
    "object.metadata.annotations)";
// A made owner (a ReplicaSet below a Deployment, a Job below a CronJob) is its maker's business.
constexpr std::string_view kNotMade =
    "!has(object.metadata.ownerReferences) || !object.metadata.ownerReferences.exists(o, "
    "has(o.controller) && o.controller)";
constexpr std::string_view kOnItsWayOut = "!has(object.metadata.deletionTimestamp)";

enum class Policy : std::uint8_t { kLenient, kStrict };

// One entry of `webhooks`.
struct Entry {
  std::string name;
  std::string rules;       // the lines below `rules:`
  std::string conditions;  // the lines below `matchConditions:`
};

std::string rule_lines(std::string_view operations, std::string_view group,
                       std::string_view versions, std::string_view resources) {
  std::string out = "  - operations: [" + std::string(operations) + "]\n";
  out += "    apiGroups: [" + (group.empty() ? "\"\"" : std::string(group)) + "]\n";
  out += "    apiVersions: [" + std::string(versions) + "]\n";
  out += "    resources: [" + std::string(resources) + "]\n";
  return out + "    scope: Namespaced\n";
}

// The expression as a block, a line a term.
std::string condition_lines(std::string_view name, std::string_view expression) {
  std::string out = "  - name: " + std::string(name) + "\n    expression: >-\n      ";
  for (const char c : expression) out += c == '\n' ? std::string("\n      ") : std::string(1, c);
  return out + '\n';
}

std::string operations_of(const Concern& concern) {
  return concern.updates ? "CREATE, UPDATE" : "CREATE";
}

std::string common_conditions(const Concern& concern) {
  return concern.updates ? condition_lines("not-on-its-way-out", kOnItsWayOut) : std::string{};
}

Entry pod_entry(const Concern& concern) {
  Entry entry;
  entry.name = "pods";
  entry.rules = rule_lines(operations_of(concern), "", "v1", "pods");
  entry.conditions = condition_lines("not-a-mirror-pod", kNoMirrorPod) + common_conditions(concern);
  if (!concern.pods.empty()) {
    entry.conditions += condition_lines("of-concern-to-the-rules", concern.pods);
  } else {
    entry.conditions += "  # every pod: rule " + concern.wide_rule +
                        " matches pods without GPUs whatever their labels\n";
  }
  return entry;
}

Entry owner_entry(const Concern& concern) {
  Entry entry;
  entry.name = "owners";
  std::map<std::string, std::string> by_group;
  for (const kube::OwnerResource& owner : concern.owners) {
    std::string& list = by_group[owner.group];
    list += (list.empty() ? "" : ", ") + owner.name;
  }
  for (const auto& [group, resources] : by_group) {
    const bool built_in = group.find('.') == std::string::npos;
    entry.rules += rule_lines(operations_of(concern), group, built_in ? "v1" : "\"*\"", resources);
  }
  entry.conditions =
      condition_lines("not-made-by-a-controller", kNotMade) + common_conditions(concern);
  return entry;
}

std::string excluded(const Registration& registration) {
  std::vector<std::string> names = {registration.service_namespace};
  for (const std::string& name : registration.excluded_namespaces) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

// Namespaces that hosted clusters manage themselves are named as well: their operators would add
// these lines, and be overruled by whoever applies this file again.
std::string namespace_lines(const Registration& registration, Policy policy) {
  std::string out = "    - {key: kubernetes.io/metadata.name, operator: NotIn, values: [" +
                    excluded(registration) + "]}\n" +
                    "    - {key: control-plane, operator: NotIn, values: [\"true\"]}\n"
                    "    - {key: kubernetes.azure.com/managedby, operator: NotIn, values: [aks]}\n";
  if (registration.strict_label.empty()) return out;
  out += "    - {key: " + registration.strict_label +
         (policy == Policy::kStrict ? ", operator: In" : ", operator: NotIn") + ", values: [\"" +
         registration.strict_value + "\"]}\n";
  return out;
}

std::string client_lines(const Registration& registration) {
  std::string out = "  clientConfig:\n    service: {namespace: " + registration.service_namespace +
                    ", name: " + registration.service_name +
                    ", path: /mutate, port: " + std::to_string(registration.service_port) + "}\n";
  if (registration.ca_bundle.empty()) return out;
  out += "    caBundle: ";
  base::append_base64(out, registration.ca_bundle);
  return out + '\n';
}

std::string entry_lines(const Registration& registration, const Entry& entry, Policy policy) {
  const bool fail =
      policy == Policy::kStrict || registration.failure_policy == FailurePolicy::kFail;
  std::string out = "- name: " + entry.name + (policy == Policy::kStrict ? "-strict" : "") +
                    ".berth.dev\n  admissionReviewVersions: [v1]\n";
  out += client_lines(registration) + "  rules:\n" + entry.rules;
  out += "  matchPolicy: Equivalent\n  sideEffects: None\n  timeoutSeconds: " +
         std::to_string(registration.timeout_seconds) +
         "\n  failurePolicy: " + (fail ? "Fail" : "Ignore") + "\n  reinvocationPolicy: IfNeeded\n";
  out += "  namespaceSelector:\n    matchExpressions:\n" + namespace_lines(registration, policy);
  out += "  objectSelector:\n    matchExpressions:\n    - {key: " + registration.label_prefix +
         "/ignore, operator: NotIn, values: [\"true\"]}\n";
  return out + "  matchConditions:\n" + entry.conditions;
}

}  // namespace

std::string to_yaml(const Registration& registration, const Concern& concern) {
  std::vector<Entry> entries = {pod_entry(concern)};
  if (!concern.owners.empty()) entries.push_back(owner_entry(concern));
  std::string out =
      "# Written by `berth webhook-config` from the rules: the conditions let through at least "
      "what "
      "they can match.\n"
      "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingWebhookConfiguration\n"
      "metadata:\n  name: " +
      registration.name + "\nwebhooks:\n";
  for (const Entry& entry : entries) {
    out += entry_lines(registration, entry, Policy::kLenient);
    if (!registration.strict_label.empty())
      out += entry_lines(registration, entry, Policy::kStrict);
  }
  return out;
}

}  // namespace berth::webhook
