// KAI: its grouper reads size and levels from the top owner, queues from labels; groups for kinds
// that it does not know are made by our companion. Keys: kai-scheduler/KAI-Scheduler
// pkg/common/constants, pkg/podgrouper/podgrouper/plugins.
#include <algorithm>
#include <array>

#include "mutate/gang_backend.h"

namespace berth::mutate {
namespace {

using kube::Json;

constexpr std::string_view kQueue = "kai.scheduler/queue";
constexpr std::string_view kLeast = "kai.scheduler/batch-min-member";
constexpr std::string_view kTopology = "kai.scheduler/topology";
constexpr std::string_view kRequired = "kai.scheduler/topology-required-placement";
constexpr std::string_view kPreferred = "kai.scheduler/topology-preferred-placement";
constexpr std::string_view kSegment = "kai.scheduler/segment-size";
constexpr std::string_view kSegmentLevel = "kai.scheduler/segment-topology-required-placement";
constexpr std::string_view kGroup = "pod-group-name";
constexpr std::string_view kNotGrouped = "kai.scheduler/skip-podgrouper";
constexpr std::string_view kDefaultQueue = "default-queue";

// Owners of which the grouper knows the size itself, whichever door their pods come through.
bool is_grouped(const GangView& view) {
  struct Row {
    std::string_view group;
    std::string_view kind;
  };
  constexpr std::array kKinds = {
      Row{"jobset.x-k8s.io", "JobSet"},
      Row{"kubeflow.org", "PyTorchJob"},
      Row{"kubeflow.org", "TFJob"},
      Row{"kubeflow.org", "XGBoostJob"},
      Row{"kubeflow.org", "JAXJob"},
      Row{"kubeflow.org", "PaddleJob"},
      Row{"kubeflow.org", "MPIJob"},
      Row{"ray.io", "RayCluster"},
      Row{"ray.io", "RayJob"},
      Row{"ray.io", "RayService"},
      Row{"leaderworkerset.x-k8s.io", "LeaderWorkerSet"},
      Row{"trainer.kubeflow.org", "TrainJob"},
  };
  return std::any_of(kKinds.begin(), kKinds.end(), [&](const Row& row) {
    return view.at_owner() ? view.group == row.group && view.kind == row.kind
                           : view.facts.kind == row.kind;
  });
}

bool is_job(const GangView& view) {
  return is_kind(view, "batch", "Job") || is_kind(view, "batch", "CronJob");
}

// Why the queue cannot be used, or empty. Only leaves take pods.
std::string queue_fault(const GangView& view) {
  const auto queues = view.cluster.objects_of("Queue", "scheduling.run.ai");
  if (queues.empty()) return {};
  const std::string_view there = view.object["metadata"]["labels"][kQueue].string_or_empty();
  const std::string_view name =
      !there.empty() ? there : (!view.queue.empty() ? view.queue : kDefaultQueue);
  bool found = false;
  for (const Json queue : queues) {
    found = found || queue["metadata"]["name"].string_or_empty() == name;
    if (queue["spec"]["parentQueue"].string_or_empty() == name) {
      return "queue " + std::string(name) + " of KAI has queues below it, only leaves take pods";
    }
  }
  return found ? std::string() : "KAI has no queue " + std::string(name);
}

void plan_level(const GangView& view, GangPlan& plan) {
  if (!view.at_owner() || plan.answer->label.empty()) return;
  for (const Json topology : view.cluster.objects_of("Topology", "kai.scheduler")) {
    const auto levels = topology["spec"]["levels"].items();
    const bool has = std::any_of(levels.begin(), levels.end(), [&](const Json& level) {
      return level["nodeLabel"].string_or_empty() == plan.answer->label;
    });
    if (!has) continue;
    plan.topology = topology["metadata"]["name"].string_or_empty();
    plan.holds_level = true;
    return;
  }
}

std::string plan(const GangView& view, GangPlan& plan) {
  const Countable count = countable(view, plan);
  if (!count.is_group && !(is_grouped(view) && plan.answer->size == 0)) return count.reason;
  if (std::string fault = queue_fault(view); !fault.empty()) return fault;
  if (is_job(view) || is_grouped(view)) {
    plan.means = GangMeans::kKeys;
  } else {
    const std::string gap = plan_companion(view, plan, "KAI", "berth's companion");
    if (!gap.empty()) return gap;
  }
  plan_level(view, plan);
  return {};
}

// Only these two kinds have segments.
void write_segment(GangWriting& writing, const GangMember& member) {
  const auto& slices = writing.answer().slices;
  if (slices.empty() || member.role == "Master" || member.role == "leader") return;
  const bool known = is_kind(writing.view, "kubeflow.org", "PyTorchJob") ||
                     is_kind(writing.view, "leaderworkerset.x-k8s.io", "LeaderWorkerSet");
  const rules::GangSlice& slice = slices.back();
  if (!known || slice.pods < 2 || slice.pods > member.pods) return;
  writing.annotate(member, kSegment, std::to_string(slice.pods));
  writing.annotate(member, kSegmentLevel, slice.label);
}

void write_levels(GangWriting& writing) {
  if (!writing.plan.holds_level) return;
  writing.annotate_owner(kTopology, writing.plan.topology);
  writing.annotate_owner(writing.answer().required ? kRequired : kPreferred,
                         writing.answer().label);
}

void write_member(GangWriting& writing, const GangMember& member) {
  if (!writing.view.queue.empty()) writing.label(member, kQueue, writing.view.queue);
  if (writing.plan.means == GangMeans::kCompanion) {
    writing.annotate(member, kNotGrouped, "true");
    if (!writing.plan.name.empty()) writing.annotate(member, kGroup, writing.plan.name);
  }
  if (writing.plan.holds_level) write_segment(writing, member);
}

void write(GangWriting& writing) {
  const GangView& view = writing.view;
  const rules::GangAnswer& answer = writing.answer();
  if (view.at_owner()) {
    if (!view.queue.empty()) writing.label_owner(kQueue, view.queue);
    if (is_job(view)) writing.annotate_owner(kLeast, std::to_string(answer.min_member));
    if (view.group == "kubeflow.org" && answer.min_member < answer.size) {
      write_run_policy(writing, {});
    }
    write_levels(writing);
  }
  for (const GangMember& member : view.members) write_member(writing, member);
}

}  // namespace

const GangBackendRow& kai_gangs() {
  static constexpr GangBackendRow kRow{rules::GangBackend::kKai, plan, write};
  return kRow;
}

}  // namespace berth::mutate
