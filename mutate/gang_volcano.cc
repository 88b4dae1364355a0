// Volcano: the size on owners that its PodGroup controller reads, fields of its own Job, the
// operators that make PodGroups, else the name of a PodGroup that our companion makes. Keys:
// volcano-sh/volcano staging/src/volcano.sh/apis/pkg/apis/scheduling/v1beta1/labels.go,
// pkg/controllers/podgroup/pg_controller_handler.go.
#include <algorithm>
#include <optional>

#include "kube/pointer.h"
#include "mutate/gang_backend.h"

namespace berth::mutate {
namespace {

using kube::Json;
using topology::GangSystem;

constexpr std::string_view kGroup = "scheduling.k8s.io/group-name";
constexpr std::string_view kLeast = "scheduling.volcano.sh/group-min-member";
constexpr std::string_view kQueue = "scheduling.volcano.sh/queue-name";
constexpr std::string_view kMode = "volcano.sh/network-topology-mode";
constexpr std::string_view kTier = "volcano.sh/network-topology-highest-tier";

// Owners of which the PodGroup controller reads the size: on a Deployment it is handed down to the
// ReplicaSet, in a CronJob to its Jobs.
bool is_read_by_controller(const GangView& view) {
  return is_kind(view, "batch", "Job") || is_kind(view, "batch", "CronJob") ||
         is_kind(view, "apps", "StatefulSet") || is_kind(view, "apps", "ReplicaSet") ||
         is_kind(view, "apps", "Deployment");
}

bool is_own_job(const GangView& view) {
  return is_kind(view, "batch.volcano.sh", "Job");
}

// A HyperNode that selects its nodes by the label, or is of a tier with the level's name.
bool is_of_level(Json hyper_node, std::string_view level, std::string_view label) {
  const Json spec = hyper_node["spec"];
  if (spec["tierName"].string_or_empty() == level) return true;
  const auto members = spec["members"].items();
  return std::any_of(members.begin(), members.end(), [&](const Json& member) {
    return member["selector"]["labelMatch"]["matchLabels"].has(label);
  });
}

std::optional<std::int64_t> tier_of(const GangView& view, std::string_view level,
                                    std::string_view label) {
  for (const Json node : view.cluster.objects_of("HyperNode", "topology.volcano.sh")) {
    if (is_of_level(node, level, label)) return node["spec"]["tier"].as_int();
  }
  return std::nullopt;
}

// Without HyperNodes a hard request would leave the gang waiting for ever.
void plan_level(const GangView& view, GangPlan& plan) {
  if (plan.answer->label.empty()) return;
  const auto tier = tier_of(view, plan.answer->level, plan.answer->label);
  if (!tier) return;
  plan.holds_level = true;
  plan.topology = std::to_string(*tier);
}

std::string closed_queue(const GangView& view) {
  if (view.queue.empty() || !view.cluster.knows(topology::Kind::kQueues)) return {};
  const Json queue = view.cluster.object("Queue.scheduling.volcano.sh", "", view.queue);
  if (queue["status"]["state"].string_or_empty() != "Closed") return {};
  return "Volcano refuses the PodGroup: queue " + std::string(view.queue) + " is closed";
}

std::string plan(const GangView& view, GangPlan& plan) {
  const Countable count = countable(view, plan);
  if (!count.is_group && !is_own_job(view)) return count.reason;
  if (const std::string closed = closed_queue(view); !closed.empty()) return closed;
  if (is_read_by_controller(view) || is_own_job(view)) {
    plan.means = GangMeans::kKeys;
  } else if (operator_makes_groups(view, GangSystem::kVolcano)) {
    plan.means = GangMeans::kOperator;
  } else {
    const std::string gap =
        plan_companion(view, plan, "Volcano",
                       "berth's companion, or the operator of the kind with its gang setting,");
    if (!gap.empty()) return gap;
  }
  plan_level(view, plan);
  return {};
}

// Parallel groups of a task, each inside of one HyperNode of its level; the innermost, since a task
// has one partition policy.
void write_partitions(GangWriting& writing, const GangMember& member) {
  const auto& slices = writing.answer().slices;
  const std::string task = member.pointer.substr(0, member.pointer.rfind('/'));
  if (slices.empty() || !member.asks_for_gpus) return;
  const rules::GangSlice& slice = slices.back();
  const auto tier = tier_of(writing.view, slice.level, slice.label);
  if (!tier || slice.pods < 2 || member.pods % slice.pods != 0) return;
  base::Arena& arena = writing.arena();
  const Json topology = kube::make_object(
      arena,
      {{"mode", Json::string("hard")}, {"highestTierAllowed", kube::make_int(arena, *tier)}});
  writing.set(task + "/partitionPolicy",
              kube::make_object(
                  arena, {{"totalPartitions", kube::make_int(arena, member.pods / slice.pods)},
                          {"partitionSize", kube::make_int(arena, slice.pods)},
                          {"networkTopology", topology}}));
}

void write_own_job(GangWriting& writing) {
  const rules::GangAnswer& answer = writing.answer();
  if (answer.min_member > 0) {
    writing.set("/spec/minAvailable", kube::make_int(writing.arena(), answer.min_member));
  }
  writing.set("/spec/schedulerName", kube::make_string(writing.arena(), writing.plan.scheduler));
  if (!writing.view.queue.empty()) {
    writing.set("/spec/queue", kube::make_string(writing.arena(), writing.view.queue));
  }
  for (const GangMember& member : writing.view.members) write_partitions(writing, member);
  if (!writing.plan.holds_level) return;
  writing.set("/spec/networkTopology/mode", Json::string(answer.required ? "hard" : "soft"));
  writing.set("/spec/networkTopology/highestTierAllowed", Json::number(writing.plan.topology));
}

// KubeRay reads labels of the cluster or job: ray-operator/controllers/ray/batchscheduler/volcano.
void write_ray(GangWriting& writing) {
  writing.label_owner("ray.io/gang-scheduling-enabled", "true");
  if (!writing.view.queue.empty()) {
    writing.label_owner("volcano.sh/queue-name", writing.view.queue);
  }
  if (!writing.plan.holds_level) return;
  writing.label_owner(kMode, writing.answer().required ? "hard" : "soft");
  writing.label_owner("volcano.sh/network-topology-highest-tier-allowed", writing.plan.topology);
}

void write_operator(GangWriting& writing) {
  const GangView& view = writing.view;
  if (view.group == "ray.io") return write_ray(writing);
  if (view.group == "kubeflow.org") write_run_policy(writing, {view.queue, true, false});
  if (is_kind(view, "leaderworkerset.x-k8s.io", "LeaderWorkerSet") && !view.queue.empty()) {
    writing.annotate_owner(kQueue, view.queue);
  }
}

void write_member(GangWriting& writing, const GangMember& member) {
  const GangPlan& plan = writing.plan;
  if (plan.means == GangMeans::kCompanion && !plan.name.empty()) {
    writing.annotate(member, kGroup, plan.name);
  }
  if (!writing.view.queue.empty()) writing.annotate(member, kQueue, writing.view.queue);
  if (!plan.holds_level) return;
  writing.annotate(member, kMode, writing.answer().required ? "hard" : "soft");
  writing.annotate(member, kTier, plan.topology);
}

void write(GangWriting& writing) {
  if (is_own_job(writing.view)) return write_own_job(writing);
  if (writing.plan.means == GangMeans::kOperator) write_operator(writing);
  if (writing.plan.means == GangMeans::kKeys) {
    writing.annotate_owner(kLeast, std::to_string(writing.answer().min_member));
  }
  for (const GangMember& member : writing.view.members) write_member(writing, member);
}

}  // namespace

const GangBackendRow& volcano_gangs() {
  static constexpr GangBackendRow kRow{rules::GangBackend::kVolcano, plan, write};
  return kRow;
}

}  // namespace berth::mutate
