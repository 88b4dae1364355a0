#include "rules/environment.h"

#include <array>
#include <cassert>
#include <string_view>
#include <vector>

#include "rules/activation.h"
#include "rules/cel/pod_schema.h"
#include "topology/catalog.h"

namespace berth::rules {
namespace {

using cel::JsonField;
using cel::JsonShape;
using cel::Openness;

constexpr std::array kUserInfo = {
    JsonField{"username", "string"},
    JsonField{"uid", "string"},
    JsonField{"groups", "list(string)"},
    JsonField{"extra", "map(string, list(string))"},
};
constexpr std::array kGroupKind = {
    JsonField{"group", "string"},
    JsonField{"version", "string"},
    JsonField{"kind", "string"},
};
constexpr std::array kGroupResource = {
    JsonField{"group", "string"},
    JsonField{"version", "string"},
    JsonField{"resource", "string"},
};
constexpr std::array kRequest = {
    JsonField{"uid", "string"},
    JsonField{"kind", "RequestKind"},
    JsonField{"resource", "RequestResource"},
    JsonField{"subResource", "string"},
    JsonField{"requestKind", "RequestKind"},
    JsonField{"requestResource", "RequestResource"},
    JsonField{"requestSubResource", "string"},
    JsonField{"name", "string"},
    JsonField{"namespace", "string"},
    JsonField{"operation", "string"},
    JsonField{"userInfo", "UserInfo"},
    JsonField{"dryRun", "bool"},
    JsonField{"options", "dyn"},
};
constexpr std::array kNamespaceMetadata = {
    JsonField{"name", "string"},
    JsonField{"generateName", "string"},
    JsonField{"uid", "string"},
    JsonField{"resourceVersion", "string"},
    JsonField{"generation", "int"},
    JsonField{"creationTimestamp", "string"},
    JsonField{"labels", "map(string, string)"},
    JsonField{"annotations", "map(string, string)"},
    JsonField{"finalizers", "list(string)"},
};
constexpr std::array kNamespaceSpec = {JsonField{"finalizers", "list(string)"}};
constexpr std::array kNamespaceStatus = {JsonField{"phase", "string"}};
constexpr std::array kNamespace = {
    JsonField{"apiVersion", "string"},          JsonField{"kind", "string"},
    JsonField{"metadata", "NamespaceMetadata"}, JsonField{"spec", "NamespaceSpec"},
    JsonField{"status", "NamespaceStatus"},
};

constexpr std::array kShapes = {
    JsonShape{"UserInfo", Openness::kClosed, kUserInfo},
    JsonShape{"RequestKind", Openness::kClosed, kGroupKind},
    JsonShape{"RequestResource", Openness::kClosed, kGroupResource},
    JsonShape{"Request", Openness::kClosed, kRequest},
    JsonShape{"NamespaceMetadata", Openness::kClosed, kNamespaceMetadata},
    JsonShape{"NamespaceSpec", Openness::kClosed, kNamespaceSpec},
    JsonShape{"NamespaceStatus", Openness::kClosed, kNamespaceStatus},
    JsonShape{"Namespace", Openness::kClosed, kNamespace},
};

struct Declaration {
  ConditionVariable variable;
  std::string_view name;
  std::string_view type;
};

// In the order of ConditionVariable: its numbers are the slots.
constexpr std::array kDeclarations = {
    Declaration{ConditionVariable::kObject, "object", "Pod"},
    Declaration{ConditionVariable::kOldObject, "oldObject", "Pod"},
    Declaration{ConditionVariable::kRequest, "request", "Request"},
    Declaration{ConditionVariable::kNamespaceObject, "namespaceObject", "Namespace"},
    Declaration{ConditionVariable::kWorkload, "workload", "Workload"},
    Declaration{ConditionVariable::kTopology, "topology", "Topology"},
};

}  // namespace

cel::Environment rule_environment(std::span<const std::string> levels) {
  cel::Environment environment;
  const auto families = topology::product_families();
  environment.add(cel::WordType{"level", {levels.begin(), levels.end()}});
  environment.add(cel::WordType{"product",
                                {families.begin(), families.end()},
                                cel::Openness::kOpen,
                                topology::is_known_product,
                                "unknown-product"});
  environment.add(
      cel::WordType{"profile",
                    {topology::known_profiles().begin(), topology::known_profiles().end()},
                    cel::Openness::kOpen,
                    topology::is_known_profile,
                    "unknown-profile"});
  environment.add(domain_type());
  environment.add(workload_type());
  environment.add(topology_type());
  environment.add(cel::pod_shapes());
  environment.add(kShapes);
  for (const Declaration& declaration : kDeclarations) {
    const int slot = environment.declare(declaration.name, declaration.type);
    assert(slot == static_cast<int>(declaration.variable));
    static_cast<void>(slot);
  }
  return environment;
}

}  // namespace berth::rules
