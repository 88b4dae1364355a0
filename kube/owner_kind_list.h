// The owner kinds that keep pod templates, as the resources of the API: for those who must name
// them to an API server.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace berth::kube {

struct OwnerResource {
  std::string group;  ///< "batch"; empty for core
  std::string kind;   ///< "Job"
  std::string name;   ///< "jobs"
  bool starts_together = true;
};

/// All rows with a template, built-in and added, sorted by group and name.
std::vector<OwnerResource> owner_resources();

/// The name under which the API serves a kind, as Kubernetes itself makes it: "Job" -> "jobs",
/// "Policy" -> "policies", "Ingress" -> "ingresses".
std::string plural_of(std::string_view kind);

}  // namespace berth::kube
