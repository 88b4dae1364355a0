// scheduler-plugins: a label that names a PodGroup, which operators make when they are told to, else
// our companion. Keys: kubernetes-sigs/scheduler-plugins apis/scheduling/v1alpha1/types.go. It knows
// neither queues nor levels.
#include "mutate/gang_backend.h"

namespace berth::mutate {
namespace {

using topology::GangSystem;

constexpr std::string_view kGroup = "scheduling.x-k8s.io/pod-group";

std::string plan(const GangView& view, GangPlan& plan) {
  const Countable count = countable(view, plan);
  if (!count.is_group) return count.reason;
  if (std::string conflict = priority_conflict(view); !conflict.empty()) return conflict;
  if (operator_makes_groups(view, GangSystem::kCoscheduling)) {
    plan.means = GangMeans::kOperator;
    return {};
  }
  return plan_companion(view, plan, "scheduler-plugins",
                        "berth's companion, or the operator of the kind with its gang setting,");
}

void write(GangWriting& writing) {
  const GangView& view = writing.view;
  if (writing.plan.means == GangMeans::kOperator) {
    if (view.group == "ray.io") writing.label_owner("ray.io/gang-scheduling-enabled", "true");
    if (view.group == "kubeflow.org") write_run_policy(writing, {{}, false, true});
    return;
  }
  if (writing.plan.name.empty()) return;
  for (const GangMember& member : view.members) writing.label(member, kGroup, writing.plan.name);
}

}  // namespace

const GangBackendRow& coscheduling_gangs() {
  static constexpr GangBackendRow kRow{rules::GangBackend::kCoscheduling, plan, write};
  return kRow;
}

}  // namespace berth::mutate
