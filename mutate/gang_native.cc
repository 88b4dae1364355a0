// The scheduler's own groups (scheduling.k8s.io): fields of a Job where its controller makes the
// group, else the name of one that our companion makes. Fields: kubernetes/api batch/v1 and
// core/v1 types.go, KEPs 4671 and 5547.
#include "mutate/gang_backend.h"

namespace berth::mutate {
namespace {

using kube::Json;

constexpr std::string_view kBeta = "scheduling.k8s.io/v1beta1";
constexpr std::string_view kAlpha = "scheduling.k8s.io/v1alpha2";

bool is_job(const GangView& view) {
  return is_kind(view, "batch", "Job");
}

bool controller_makes_groups(const GangView& view) {
  return is_job(view) && view.cluster.services().has_feature("WorkloadWithJob");
}

// In 1.36 the controller makes groups of Indexed Jobs of which all pods run at once, without being
// asked.
bool is_asked_for(const GangView& view, std::int64_t size) {
  const Json spec = view.object["spec"];
  return spec["completionMode"].string_or_empty() == "Indexed" &&
         spec["completions"].as_int() == size && spec["parallelism"].as_int() == size;
}

std::string plan(const GangView& view, GangPlan& plan) {
  const Countable count = countable(view, plan);
  if (!count.is_group) return count.reason;
  if (std::string conflict = priority_conflict(view); !conflict.empty()) return conflict;
  const topology::Services& services = view.cluster.services();
  if (controller_makes_groups(view) && services.serves(kBeta)) {
    plan.means = GangMeans::kKeys;
    plan.holds_level = plan.answer->required && !plan.answer->label.empty();
    return {};
  }
  if (controller_makes_groups(view) && services.serves(kAlpha) &&
      is_asked_for(view, plan.answer->size)) {
    plan.means = GangMeans::kOperator;
    return {};
  }
  const std::string gap =
      plan_companion(view, plan, "the built-in groups",
                     is_job(view) ? "berth's companion, or the feature gate WorkloadWithJob,"
                                  : "berth's companion");
  // One level, required: a preferred one stays a matter of affinity.
  plan.holds_level =
      plan.active() && plan.answer->required && !plan.answer->label.empty();
  return gap;
}

void write_job(GangWriting& writing) {
  base::Arena& arena = writing.arena();
  const rules::GangAnswer& answer = writing.answer();
  const Json gang =
      kube::make_object(arena, {{"minCount", kube::make_int(arena, answer.min_member)}});
  writing.set("/spec/scheduling/schedulingPolicy", kube::make_object(arena, {{"gang", gang}}));
  if (!writing.plan.holds_level) return;
  const Json key = kube::make_object(arena, {{"key", kube::make_string(arena, answer.label)}});
  writing.set("/spec/scheduling/schedulingConstraints/topology", kube::make_array(arena, {key}));
}

void write(GangWriting& writing) {
  if (writing.plan.means == GangMeans::kKeys) return write_job(writing);
  if (writing.plan.means != GangMeans::kCompanion || writing.plan.name.empty()) return;
  for (const GangMember& member : writing.view.members) {
    writing.set(member.pointer + "/spec/schedulingGroup/podGroupName",
                kube::make_string(writing.arena(), writing.plan.name));
  }
}

}  // namespace

const GangBackendRow& native_gangs() {
  static constexpr GangBackendRow kRow{rules::GangBackend::kNative, plan, write};
  return kRow;
}

}  // namespace berth::mutate
