#include "topology/services.h"

#include <algorithm>

namespace berth::topology {
namespace {

using kube::Json;

constexpr std::array<GangSystem, kGangSystems> kSystems = {
    GangSystem::kKueue,    GangSystem::kVolcano,     GangSystem::kCoscheduling, GangSystem::kKai,
    GangSystem::kYunikorn, GangSystem::kKoordinator, GangSystem::kNative};

constexpr std::array<GangOperator, kGangOperators> kOperators = {
    GangOperator::kTraining, GangOperator::kMpi, GangOperator::kRay, GangOperator::kLws};

// API groups that only come with a system.
struct GroupRow {
  std::string_view group;
  GangSystem system;
};
constexpr std::array kGroups = {
    GroupRow{"kueue.x-k8s.io", GangSystem::kKueue},
    GroupRow{"scheduling.volcano.sh", GangSystem::kVolcano},
    GroupRow{"scheduling.x-k8s.io", GangSystem::kCoscheduling},
    GroupRow{"scheduling.run.ai", GangSystem::kKai},
    GroupRow{"scheduling.koordinator.sh", GangSystem::kKoordinator},
};

// The built-in groups: kubernetes/api scheduling/v1alpha2 and v1beta1.
bool is_native(std::string_view group_version) {
  return group_version == "scheduling.k8s.io/v1alpha2" ||
         group_version == "scheduling.k8s.io/v1beta1";
}

// Workloads that run an operator or a scheduler, by a word in the image of a container.
struct OperatorRow {
  std::string_view image;
  GangOperator one;
  std::string_view flag;  // that names the system or its scheduler
};
constexpr std::array kOperatorImages = {
    OperatorRow{"training-operator", GangOperator::kTraining, "--gang-scheduler-name"},
    OperatorRow{"mpi-operator", GangOperator::kMpi, "--gang-scheduling"},
    OperatorRow{"kuberay", GangOperator::kRay, "--batch-scheduler"},
};

// The value of a flag, written "--flag=value" or in two arguments.
std::string_view flag_value(Json container, std::string_view flag) {
  for (const char* list : {"command", "args"}) {
    const auto words = container[list].items();
    for (std::size_t i = 0; i < words.size(); ++i) {
      std::string_view word = words[i].string_or_empty();
      if (!word.starts_with(flag)) continue;
      word.remove_prefix(flag.size());
      if (word.starts_with('=')) return word.substr(1);
      if (word.empty() && i + 1 < words.size()) return words[i + 1].string_or_empty();
    }
  }
  return {};
}

}  // namespace

std::string_view to_text(GangSystem system) {
  switch (system) {
    case GangSystem::kKueue:
      return "kueue";
    case GangSystem::kVolcano:
      return "volcano";
    case GangSystem::kCoscheduling:
      return "coscheduling";
    case GangSystem::kKai:
      return "kai";
    case GangSystem::kYunikorn:
      return "yunikorn";
    case GangSystem::kKoordinator:
      return "koordinator";
    case GangSystem::kNative:
      return "native";
  }
  return {};
}

std::optional<GangSystem> gang_system(std::string_view word) {
  for (const GangSystem system : kSystems) {
    if (to_text(system) == word) return system;
  }
  return std::nullopt;
}

std::span<const GangSystem, kGangSystems> all_gang_systems() {
  return kSystems;
}

std::string_view to_text(GangOperator one) {
  switch (one) {
    case GangOperator::kTraining:
      return "training-operator";
    case GangOperator::kMpi:
      return "mpi-operator";
    case GangOperator::kRay:
      return "kuberay";
    case GangOperator::kLws:
      return "lws";
  }
  return {};
}

std::optional<GangOperator> gang_operator(std::string_view word) {
  for (const GangOperator one : kOperators) {
    if (to_text(one) == word) return one;
  }
  return std::nullopt;
}

Services::Services(const StatedServices& stated) : stated_(stated) {
  if (stated_.preferred) see(*stated_.preferred);
  for (const auto& [one, system] : stated_.operators) see(system);
}

std::string_view Services::scheduler(GangSystem system) const {
  const auto stated = stated_.schedulers.find(system);
  if (stated != stated_.schedulers.end()) return stated->second;
  switch (system) {
    case GangSystem::kKueue:
    case GangSystem::kNative:
      return {};
    case GangSystem::kVolcano:
      return "volcano";
    case GangSystem::kCoscheduling:
      return "scheduler-plugins-scheduler";
    case GangSystem::kKai:
      return "kai-scheduler";
    case GangSystem::kYunikorn:
      return "yunikorn";
    case GangSystem::kKoordinator:
      return "koord-scheduler";
  }
  return {};
}

std::optional<GangSystem> Services::system_of_scheduler(std::string_view name) const {
  for (const GangSystem system : kSystems) {
    if (!name.empty() && scheduler(system) == name) return system;
  }
  return std::nullopt;
}

std::optional<GangSystem> Services::gangs_of(GangOperator one) const {
  for (const auto* map : {&stated_.operators, &operators_}) {
    const auto at = map->find(one);
    if (at != map->end()) return at->second;
  }
  return std::nullopt;
}

void Services::see_group(std::string_view group, std::string_view version) {
  for (const GroupRow& row : kGroups) {
    if (row.group == group) see(row.system);
  }
  if (version.empty()) return;
  std::string name(group);
  name.append("/").append(version);
  if (is_native(name)) see(GangSystem::kNative);
  served_.insert(std::move(name));
}

void Services::see_deployment(Json deployment) {
  deployments_known_ = true;
  const Json labels = deployment["metadata"]["labels"];
  if (labels["app.kubernetes.io/name"].string_or_empty() == "berth" &&
      labels["app.kubernetes.io/component"].string_or_empty() == "companion") {
    companion_seen_ = true;
  }
  for (const Json container : deployment["spec"]["template"]["spec"]["containers"].items()) {
    const std::string_view image = container["image"].string_or_empty();
    const auto in_image = [&](std::string_view word) {
      return image.find(word) != std::string_view::npos;
    };
    if (in_image("yunikorn")) see(GangSystem::kYunikorn);
    if (in_image("koord-scheduler")) see(GangSystem::kKoordinator);
    for (const OperatorRow& row : kOperatorImages) {
      if (!in_image(row.image)) continue;
      const std::string_view value = flag_value(container, row.flag);
      auto system = gang_system(value);
      if (!system) system = system_of_scheduler(value);
      if (!system && value == "scheduler-plugins") system = GangSystem::kCoscheduling;
      if (system) operators_[row.one] = *system;
    }
  }
}

void Services::observe(std::string_view group, std::string_view kind, Json object) {
  if (kind == "CustomResourceDefinition") {
    apis_known_ = true;
    const Json spec = object["spec"];
    for (const Json version : spec["versions"].items()) {
      if (!version["served"].bool_or(true)) continue;
      see_group(spec["group"].string_or_empty(), version["name"].string_or_empty());
    }
    return;
  }
  if (kind == "APIGroupList") {
    apis_known_ = true;
    for (const Json one : object["groups"].items()) {
      for (const Json version : one["versions"].items()) {
        see_group(one["name"].string_or_empty(), version["version"].string_or_empty());
      }
    }
    return;
  }
  if (kind == "Deployment" && group == "apps") return see_deployment(object);
  if (kind == "MutatingWebhookConfiguration" &&
      object["metadata"]["name"].string_or_empty().starts_with("yunikorn-admission-controller")) {
    return see(GangSystem::kYunikorn);
  }
  const bool built_in = group == "scheduling.k8s.io" && kind != "PodGroup" && kind != "Workload";
  if (group.empty() || built_in) return;
  const std::string_view both = object["apiVersion"].string_or_empty();
  const std::size_t slash = both.find('/');
  see_group(group, slash == std::string_view::npos ? std::string_view{} : both.substr(slash + 1));
}

void Services::settle() {
  for (const GangSystem system : kSystems) {
    Presence& presence = presence_[static_cast<std::size_t>(system)];
    if (presence != Presence::kUnknown) continue;
    // YuniKorn brings no custom resources: only its Deployments show it.
    const bool listed = system == GangSystem::kYunikorn ? deployments_known_ : apis_known_;
    if (listed) presence = Presence::kAbsent;
  }
}

}  // namespace berth::topology
