#include "topology/hint.h"

#include <algorithm>

namespace berth::topology {
namespace {

using kube::Json;

constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";

bool speaks_of_hosts(Json term) {
  const auto expressions = term["matchExpressions"].items();
  return term["matchFields"].size() > 0 ||
         std::any_of(expressions.begin(), expressions.end(), [](Json expression) {
           return expression["key"].string_or_empty() == kHostLabel;
         });
}

// The host name of a preferred scheduling term that asks for just one; empty for any other.
std::string_view host_of_term(Json term) {
  const Json preference = term["preference"];
  const Json expressions = preference["matchExpressions"];
  if (expressions.size() != 1 || preference["matchFields"].size() > 0) return {};
  const Json expression = expressions.at(0);
  const bool one = expression["key"].string_or_empty() == kHostLabel &&
                   expression["operator"].string_or_empty() == "In" &&
                   expression["values"].size() == 1;
  return one ? expression["values"].at(0).string_or_empty() : std::string_view();
}

}  // namespace

std::vector<std::string_view> hinted_nodes(Json pod_spec) {
  std::vector<std::string_view> out;
  for (const Json& term : pod_spec["affinity"]["nodeAffinity"][kPreferred].items()) {
    if (const std::string_view host = host_of_term(term); !host.empty()) out.push_back(host);
  }
  return out;
}

bool names_hosts(Json pod_spec) {
  if (pod_spec["nodeSelector"].has(kHostLabel)) return true;
  const Json of_nodes = pod_spec["affinity"]["nodeAffinity"];
  const auto required = of_nodes[kRequired]["nodeSelectorTerms"].items();
  const auto preferred = of_nodes[kPreferred].items();
  return std::any_of(required.begin(), required.end(), speaks_of_hosts) ||
         std::any_of(preferred.begin(), preferred.end(),
                     [](Json term) { return speaks_of_hosts(term["preference"]); });
}

}  // namespace berth::topology
