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

// The layer of the one network topology that is read from the label, or empty.
std::string_view layer_of(const GangView& view, std::string_view wanted) {
  const Json topology = view.cluster.object("ClusterNetworkTopology", "", "default");
  for (const Json layer : topology["spec"]["networkTopologySpec"].items()) {
    for (const Json label : layer["labelKey"].items()) {
      if (label.string_or_empty() == wanted) return layer["topologyLayer"].string_or_empty();
    }
  }
  return {};
}

void plan_level(const GangView& view, GangPlan& plan) {
  if (plan.answer->label.empty()) return;
  plan.topology = layer_of(view, plan.answer->label);
  plan.holds_level = !plan.topology.empty();
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

void append_layer(std::string& out, std::string_view layer, std::string_view strategy,
                  std::int64_t multiple) {
  out += out.ends_with('[') ? R"({"layer":)" : R"(,{"layer":)";
  kube::append_json_string(out, layer);
  out.append(R"(,"strategy":")").append(strategy).append("\"");
  if (multiple > 1) out += R"(,"podCountMultiple":)" + std::to_string(multiple);
  out += '}';
}

// The level of the whole, and the layers in which parallel groups stay unbroken.
std::string level_text(const GangView& view, const GangPlan& plan) {
  std::string out = R"({"gatherStrategy":[)";
  if (plan.holds_level) {
    append_layer(out, plan.topology, plan.answer->required ? "MustGather" : "PreferGather", 1);
  }
  for (const rules::GangSlice& slice : plan.answer->slices) {
    const std::string_view layer = layer_of(view, slice.label);
    if (!layer.empty()) append_layer(out, layer, "MustGather", slice.pods);
  }
  return out.ends_with('[') ? std::string() : out + "]}";
}

void write(GangWriting& writing) {
  const GangPlan& plan = writing.plan;
  const rules::GangAnswer& answer = writing.answer();
  const std::string levels = level_text(writing.view, plan);
  for (const GangMember& member : writing.view.members) {
    if (!plan.name.empty()) writing.annotate(member, kName, plan.name);
    writing.annotate(member, kLeast, std::to_string(answer.min_member));
    writing.annotate(member, kTotal, std::to_string(answer.size));
    writing.annotate(member, kMode, answer.mode == rules::GangMode::kHard ? "Strict" : "NonStrict");
    if (answer.timeout_seconds > 0) {
      writing.annotate(member, kWait, std::to_string(answer.timeout_seconds) + "s");
    }
    if (!levels.empty()) writing.annotate(member, kLevel, levels);
    if (!writing.view.queue.empty()) writing.label(member, kQuota, writing.view.queue);
  }
}

}  // namespace

const GangBackendRow& koordinator_gangs() {
  static constexpr GangBackendRow kRow{rules::GangBackend::kKoordinator, plan, write};
  return kRow;
}

}  // namespace berth::mutate
