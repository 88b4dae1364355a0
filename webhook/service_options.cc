#include "webhook/service_options.h"

#include <array>
#include <string>

namespace berth::webhook {

using base::YamlMember;
using base::YamlNode;

namespace {

const std::string kMostBackends = "kueue, volcano, kai, coscheduling, native, yunikorn";
const std::string kBackends = kMostBackends + " or koordinator";

}  // namespace

std::string read_gang_backend(const YamlNode& node, Options& options) {
  options.services.preferred.reset();
  options.services.no_gangs = node.text == "none";
  if (node.text == "auto" || node.text == "none") return {};
  options.services.preferred = topology::gang_system(node.text);
  if (options.services.preferred) return {};
  return "auto, " + kMostBackends + ", koordinator or none";
}

std::string read_companion(const YamlNode& node, Options& options) {
  if (!node.plain || (node.text != "true" && node.text != "false")) return "true or false";
  options.services.companion = node.text == "true";
  return {};
}

std::string read_schedulers(const YamlNode& node, Options& options) {
  const std::string expected =
      "a map of backend (" + kBackends + ") to schedulerName, such as {volcano: volcano}";
  if (!node.is_mapping()) return expected;
  for (const YamlMember& member : node.members) {
    const auto system = topology::gang_system(member.key);
    if (!system || !member.value.is_scalar() || member.value.text.empty()) return expected;
    options.services.schedulers[*system] = member.value.text;
  }
  return {};
}

std::string read_gang_operators(const YamlNode& node, Options& options) {
  const std::string expected =
      "a map of training-operator, mpi-operator, kuberay or lws to the backend that it makes "
      "groups for: " +
      kBackends;
  if (!node.is_mapping()) return expected;
  for (const YamlMember& member : node.members) {
    const auto one = topology::gang_operator(member.key);
    const auto system = topology::gang_system(member.value.text);
    if (!one || !system) return expected;
    options.services.operators[*one] = *system;
  }
  return {};
}

std::string read_feature_gates(const YamlNode& node, Options& options) {
  if (!node.is_sequence()) return "a list of feature gates of Kubernetes that are on";
  for (const YamlNode& item : node.items) {
    if (!item.is_scalar()) return "a list of feature gates of Kubernetes that are on";
    options.services.feature_gates.insert(item.text);
  }
  return {};
}

namespace {

constexpr const char* kKindExpected =
    "a list of {group, kind, template, count, each, role, longLived}; template, count and each are "
    "paths such as /spec/template";

struct TextField {
  std::string_view key;
  std::string kube::AddedKind::*field;
  bool is_path;
};
constexpr std::array kKindFields = {
    TextField{"group", &kube::AddedKind::group, false},
    TextField{"kind", &kube::AddedKind::kind, false},
    TextField{"template", &kube::AddedKind::path, true},
    TextField{"count", &kube::AddedKind::count, true},
    TextField{"each", &kube::AddedKind::list, true},
    TextField{"role", &kube::AddedKind::role, false},
};

bool read_kind_key(const YamlMember& member, kube::AddedKind& kind) {
  if (member.key == "longLived") {
    kind.long_lived = member.value.text == "true";
    return kind.long_lived || member.value.text == "false";
  }
  for (const TextField& row : kKindFields) {
    if (row.key != member.key) continue;
    if (!member.value.is_scalar() || (row.is_path && !member.value.text.starts_with('/'))) {
      return false;
    }
    kind.*(row.field) = member.value.text;
    return true;
  }
  return false;
}

}  // namespace

std::string read_owner_kinds(const YamlNode& node, Options& options) {
  if (!node.is_sequence()) return kKindExpected;
  for (const YamlNode& item : node.items) {
    kube::AddedKind kind;
    if (!item.is_mapping()) return kKindExpected;
    for (const YamlMember& member : item.members) {
      if (!read_kind_key(member, kind)) return kKindExpected;
    }
    if (kind.kind.empty() || kind.path.empty()) return kKindExpected;
    options.owner_kinds.push_back(std::move(kind));
  }
  return {};
}

}  // namespace berth::webhook
