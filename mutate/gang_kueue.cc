// Kueue: the queue on the object that Kueue manages, the topology request on its pod templates, and
// pod groups for pods without such an owner. Keys: kubernetes-sigs/kueue pkg/controller/constants,
// apis/kueue/v1beta2/topology_types.go, pkg/controller/jobs/pod/constants.
#include <algorithm>
#include <array>

#include "kube/pointer.h"
#include "mutate/gang_backend.h"
#include "mutate/kueue_queues.h"
#include "topology/services.h"

namespace berth::mutate {
namespace {

using kube::Json;

constexpr std::string_view kQueue = "kueue.x-k8s.io/queue-name";
constexpr std::string_view kGroup = "kueue.x-k8s.io/pod-group-name";
constexpr std::string_view kCount = "kueue.x-k8s.io/pod-group-total-count";
constexpr std::string_view kRequired = "kueue.x-k8s.io/podset-required-topology";
constexpr std::string_view kPreferred = "kueue.x-k8s.io/podset-preferred-topology";
constexpr std::string_view kAnywhere = "kueue.x-k8s.io/podset-unconstrained-topology";
constexpr std::string_view kSliceLevel = "kueue.x-k8s.io/podset-slice-required-topology";
constexpr std::string_view kSliceSize = "kueue.x-k8s.io/podset-slice-size";
constexpr std::string_view kSlices = "kueue.x-k8s.io/podset-slice-required-topology-constraints";
constexpr std::string_view kPodSets = "kueue.x-k8s.io/podset-group-name";
constexpr std::string_view kLeast = "kueue.x-k8s.io/job-min-parallelism";

constexpr std::size_t kMostShapes = 18;  // pkg/controller/jobframework/constants.go

bool has_level(Json topology, std::string_view label) {
  const auto levels = topology["spec"]["levels"].items();
  return std::any_of(levels.begin(), levels.end(), [&](const Json& level) {
    return level["nodeLabel"].string_or_empty() == label;
  });
}

// Some flavor with a Topology that has the level; a picture without Kueue's objects says nothing.
bool serves_level(const GangView& view, std::string_view label) {
  const auto flavors = view.cluster.objects_of("ResourceFlavor", "kueue.x-k8s.io");
  const auto topologies = view.cluster.objects_of("Topology", "kueue.x-k8s.io");
  if (flavors.empty() && topologies.empty()) return true;
  return std::any_of(flavors.begin(), flavors.end(), [&](const Json& flavor) {
    const std::string_view name = flavor["spec"]["topologyName"].string_or_empty();
    return !name.empty() &&
           has_level(view.cluster.object("Topology.kueue.x-k8s.io", "", name), label);
  });
}

void plan_level(const GangView& view, GangPlan& plan) {
  const rules::GangAnswer& answer = *plan.answer;
  // The request stands on templates; those of a TrainJob are in its runtime.
  if (answer.label.empty() || is_kind(view, "trainer.kubeflow.org", "TrainJob")) return;
  if (serves_level(view, answer.label)) {
    plan.holds_level = true;
    return;
  }
  plan.warnings.push_back(
      {plan.rule, "Kueue has no flavor with a Topology of level " + std::string(answer.level) +
                      " (" + std::string(answer.label) + "): affinity is used instead"});
}

// Which queue the workload goes to; empty where it can go to none.
std::string plan_queue(const GangView& view, GangPlan& plan) {
  const KueueQueues queues = kueue_queues(view.cluster, view.facts.namespace_name);
  const std::string_view there = view.object["metadata"]["labels"][kQueue].string_or_empty();
  if (!there.empty()) return std::string(there);
  if (!view.queue.empty()) {
    if (!queues.known || queues.is_open(view.queue)) return std::string(view.queue);
    if (!queues.has("default")) return {};
  }
  if (queues.has("default")) return "default";
  if (queues.open.size() != 1) return {};
  plan.queue = queues.open.front();
  return plan.queue;
}

std::string no_queue(const GangView& view) {
  // A queue that a rule names and that is not there has been warned of.
  if (!view.queue.empty()) return {};
  const KueueQueues queues = kueue_queues(view.cluster, view.facts.namespace_name);
  const std::string space(view.facts.namespace_name);
  if (!queues.known) return "Kueue needs a queue: a rule names none";
  if (queues.open.empty()) return "namespace " + space + " has no LocalQueue of Kueue";
  return "namespace " + space + " has several LocalQueues: a rule or the label must name one";
}

std::string plan_owner(const GangView& view, GangPlan& plan) {
  if (!is_managed_by_kueue(view.kind)) {
    return "Kueue does not manage kind " + std::string(view.kind);
  }
  if (view.members.size() > kMostShapes) {
    return "Kueue takes " + std::to_string(kMostShapes) + " pod templates a workload, " +
           workload_name(view) + " has " + std::to_string(view.members.size()) + ": use fewer";
  }
  if (plan_queue(view, plan).empty()) return no_queue(view);
  plan.means = GangMeans::kKeys;
  plan_level(view, plan);
  return {};
}

std::string plan_pod(const GangView& view, GangPlan& plan) {
  // Kueue ignores the pods of what it manages: the owner's door has set it up, or nobody.
  if (is_managed_by_kueue(view.facts.kind)) return {};
  const Countable count = countable(view, plan);
  if (!count.is_group) return count.reason;
  plan.name = group_name(view);
  if (plan.name.empty()) {
    return "nothing tells the pods of this group apart: say " + std::string(view.prefix) + "/gang";
  }
  if (plan_queue(view, plan).empty()) return no_queue(view);
  plan.means = GangMeans::kKeys;
  plan_level(view, plan);
  return {};
}

std::string plan(const GangView& view, GangPlan& plan) {
  return view.at_owner() ? plan_owner(view, plan) : plan_pod(view, plan);
}

std::string constraints_of(const std::vector<rules::GangSlice>& slices) {
  std::string out = "[";
  for (const rules::GangSlice& slice : slices) {
    if (out.size() > 1) out += ',';
    out += R"({"topology":)";
    kube::append_json_string(out, slice.label);
    out += R"(,"size":)" + std::to_string(slice.pods) + '}';
  }
  return out + ']';
}

// True where slices were written.
bool write_slices(GangWriting& writing, const GangMember& member) {
  const auto& slices = writing.answer().slices;
  if (slices.empty() || !member.asks_for_gpus) return false;
  const bool even = std::all_of(slices.begin(), slices.end(), [&](const rules::GangSlice& slice) {
    return slice.pods <= member.pods && member.pods % slice.pods == 0;
  });
  if (!even) {
    writing.warn("parallel groups do not come out even with the " + std::to_string(member.pods) +
                 " pods of " + (member.role.empty() ? "the template" : member.role));
    return false;
  }
  if (slices.size() > 1 && writing.view.cluster.services().has_feature("TASMultiLayerTopology")) {
    writing.annotate(member, kSlices, constraints_of(slices));
    return true;
  }
  writing.annotate(member, kSliceLevel, slices.back().label);
  writing.annotate(member, kSliceSize, std::to_string(slices.back().pods));
  return true;
}

bool has_own_request(GangWriting& writing, const GangMember& member) {
  const Json annotations = writing.pod(member).annotations();
  for (const std::string_view key : {kRequired, kPreferred, kAnywhere}) {
    const std::string_view there = annotations[key].string_or_empty();
    const std::string_view ours = writing.answer().required ? kRequired : kPreferred;
    if (there.empty() || (key == ours && there == writing.answer().label)) continue;
    if (writing.plan.ours) continue;
    std::string path = member.pointer + "/metadata/annotations";
    kube::append_segment(path, key);
    writing.outcome.kept.push_back({writing.plan.rule,
                                    {rules::SlotKind::kGang, {}},
                                    std::move(path),
                                    std::string(writing.answer().label),
                                    std::string(there)});
    return true;
  }
  return false;
}

// Two roles of which one is a single pod (a master with its workers) are placed as one.
bool one_and_others(const GangWriting& writing) {
  const auto members = writing.view.members;
  return members.size() == 2 && members[0].asks_for_gpus && members[1].asks_for_gpus &&
         (members[0].pods == 1) != (members[1].pods == 1);
}

// Parallel groups, the whole of which may be anywhere.
void write_slices_alone(GangWriting& writing, const GangMember& member) {
  const rules::GangAnswer& answer = writing.answer();
  if (!answer.label.empty() || answer.slices.empty() ||
      !serves_level(writing.view, answer.slices.back().label)) {
    return;
  }
  if (write_slices(writing, member)) writing.annotate(member, kAnywhere, "true");
}

void write_level(GangWriting& writing, const GangMember& member) {
  const bool asks = writing.plan.holds_level || !writing.answer().slices.empty();
  if (!asks || has_own_request(writing, member)) return;
  if (!writing.plan.holds_level) return write_slices_alone(writing, member);
  writing.annotate(member, writing.answer().required ? kRequired : kPreferred,
                   writing.answer().label);
  const bool sliced = write_slices(writing, member);
  if (!sliced && one_and_others(writing)) writing.annotate(member, kPodSets, "gang");
}

void write(GangWriting& writing) {
  const GangView& view = writing.view;
  const rules::GangAnswer& answer = writing.answer();
  if (!writing.plan.queue.empty()) writing.label_owner(kQueue, writing.plan.queue);
  if (!view.at_owner()) {
    writing.label(view.members.front(), kGroup, writing.plan.name);
    writing.annotate(view.members.front(), kCount, std::to_string(answer.size));
  }
  if (is_kind(view, "batch", "Job") && answer.min_member > 0 && answer.min_member < answer.size) {
    writing.annotate_owner(kLeast, std::to_string(answer.min_member));
  }
  for (const GangMember& member : view.members) write_level(writing, member);
}

}  // namespace

const GangBackendRow& kueue_gangs() {
  static constexpr GangBackendRow kRow{rules::GangBackend::kKueue, plan, write};
  return kRow;
}

}  // namespace berth::mutate
