// Koordinator in annotation mode: the gang stands on its pods, no object is needed. Keys:
// koordinator-sh/koordinator apis/extension/coscheduling.go, network_topology.go, elastic_quota.go.
#include "mutate/gang_backend.h"

namespace berth::mutate {
namespace {

using kube::Json;

constexpr std::string_view kName = "gang.scheduling.koordinator.sh/name";
constexpr std::string_view kLeast = "gang.scheduling.koordinator.sh/min-available";
constexpr std::string_view kTotal = "gang.scheduling.koordinator.sh/total-number";
constexpr std::string_view kWait = "gang.scheduling.koordinator.sh/waiting-time";
constexpr std::string_view kMode = "gang.scheduling.koordinator.sh/mode";
constexpr std::string_view kLevel = "gang.scheduling.koordinator.sh/network-topology-spec";
constexpr std::string_view kQuota = "quota.scheduling.koordinator.sh/name";

// The layer of the one network topology that is read from the label.
void plan_level(const GangView& view, GangPlan& plan) {
  if (plan.answer->label.empty()) return;
  const Json topology = view.cluster.object("ClusterNetworkTopology", "", "default");
  for (const Json layer : topology["spec"]["networkTopologySpec"].items()) {
    for (const Json label : layer["labelKey"].items()) {
      if (label.string_or_empty() != plan.answer->label) continue;
      plan.topology = layer["topologyLayer"].string_or_empty();
      plan.holds_level = !plan.topology.empty();
      return;
    }
  }
}

std::string plan(const GangView& view, GangPlan& plan) {
  const Countable count = countable(view, plan);
  if (!count.is_group) return count.reason;
  plan.name = group_name(view);
  if (!view.at_owner() && plan.name.empty()) {
    return "nothing tells the pods of this group apart: say " + std::string(view.prefix) + "/gang";
  }
  plan.means = GangMeans::kKeys;
  plan_level(view, plan);
  return {};
}

std::string level_text(const GangPlan& plan) {
  std::string out = R"({"gatherStrategy":[{"layer":)";
  kube::append_json_string(out, plan.topology);
  out += R"(,"strategy":")";
  out += plan.answer->required ? "MustGather" : "PreferGather";
  return out + R"("}]})";
}

void write(GangWriting& writing) {
  const GangPlan& plan = writing.plan;
  const rules::GangAnswer& answer = writing.answer();
  for (const GangMember& member : writing.view.members) {
    if (!plan.name.empty()) writing.annotate(member, kName, plan.name);
    writing.annotate(member, kLeast, std::to_string(answer.min_member));
    writing.annotate(member, kTotal, std::to_string(answer.size));
    writing.annotate(member, kMode,
                     answer.mode == rules::GangMode::kHard ? "Strict" : "NonStrict");
    if (answer.timeout_seconds > 0) {
      writing.annotate(member, kWait, std::to_string(answer.timeout_seconds) + "s");
    }
    if (plan.holds_level) writing.annotate(member, kLevel, level_text(plan));
    if (!writing.view.queue.empty()) writing.label(member, kQuota, writing.view.queue);
  }
}

}  // namespace

const GangBackendRow& koordinator_gangs() {
  static constexpr GangBackendRow kRow{rules::GangBackend::kKoordinator, plan, write};
  return kRow;
}

}  // namespace berth::mutate
