#include "mutate/gang.h"

#include <algorithm>
#include <array>

#include "kube/gang_identity.h"
#include "kube/pointer.h"
#include "mutate/decision_record.h"
#include "mutate/gang_backend.h"
#include "mutate/gang_keys.h"
#include "mutate/writing.h"

namespace berth::mutate {
namespace {

using kube::Json;
using rules::GangBackend;

const GangBackendRow* row_of(GangBackend backend) {
  switch (backend) {
    case GangBackend::kKueue:
      return &kueue_gangs();
    case GangBackend::kVolcano:
      return &volcano_gangs();
    case GangBackend::kCoscheduling:
      return &coscheduling_gangs();
    case GangBackend::kKai:
      return &kai_gangs();
    case GangBackend::kYunikorn:
      return &yunikorn_gangs();
    case GangBackend::kKoordinator:
      return &koordinator_gangs();
    case GangBackend::kNative:
      return &native_gangs();
    case GangBackend::kAuto:
    case GangBackend::kNone:
      return nullptr;
  }
  return nullptr;
}

kube::Pod pod_of(const GangView& view, const GangMember& member) {
  const Json* found = kube::find_at(view.object, member.pointer);
  return kube::Pod(found != nullptr ? *found : Json());
}

// The record that an earlier call of ours left, on the object or on a template.
bool written_by_us(const GangView& view, GangBackend backend) {
  if (recorded_backend(view.object, view.prefix) == to_text(backend)) return true;
  return std::any_of(view.members.begin(), view.members.end(), [&](const GangMember& member) {
    return recorded_backend(pod_of(view, member).object(), view.prefix) == to_text(backend);
  });
}

void add_kept(GangPlan& plan, rules::Slot slot, std::string path, std::string_view wanted,
              std::string_view found) {
  plan.kept.push_back(
      {plan.rule, std::move(slot), std::move(path), std::string(wanted), std::string(found)});
}

// A gang that the author or an operator has set up: there is no second one. True where there is.
bool keeps_own_gang(const GangView& view, GangPlan& plan) {
  const auto keep = [&](const FoundKey& found) {
    add_kept(plan, {rules::SlotKind::kGang, {}}, found.path, to_text(plan.answer->backend),
             found.value);
  };
  if (const auto found = gang_key_on_owner(view.object, plan.answer->backend)) {
    keep(*found);
    return true;
  }
  for (const GangMember& member : view.members) {
    if (const auto found = gang_key_on_pod(pod_of(view, member).object(), member.pointer)) {
      keep(*found);
      return true;
    }
  }
  return false;
}

bool is_default_scheduler(std::string_view name) {
  return name.empty() || name == "default-scheduler";
}

// Volcano's Job names the scheduler of its pods itself.
std::string_view scheduler_of_owner(const GangView& view) {
  if (!is_kind(view, "batch.volcano.sh", "Job")) return {};
  return view.object["spec"]["schedulerName"].string_or_empty();
}

// All members need the scheduler of the backend; another one that somebody chose stays, and then
// there is no gang.
bool scheduler_agrees(const GangView& view, GangPlan& plan) {
  const bool needs_default = plan.backend == GangBackend::kNative;
  if (plan.scheduler.empty() && !needs_default) return true;
  const std::string_view wanted =
      needs_default ? std::string_view("default-scheduler") : std::string_view(plan.scheduler);
  const auto agrees = [&](std::string_view there) {
    return is_default_scheduler(there) || there == wanted;
  };
  for (const GangMember& member : view.members) {
    const rules::Setting* other = member.scheduler;
    if (other == nullptr || other->text.empty() || other->text == wanted) continue;
    plan.warnings.push_back({plan.rule, "no gang: " + std::string(to_text(plan.backend)) +
                                            " needs scheduler " + std::string(wanted) + ", rule " +
                                            other->rule->id + " sets " + std::string(other->text)});
    return false;
  }
  const bool replace = plan.rule->existing == rules::Existing::kReplace;
  const std::string_view of_owner = scheduler_of_owner(view);
  if (!agrees(of_owner) && !replace) {
    add_kept(plan, {rules::SlotKind::kScheduler, {}}, "/spec/schedulerName", wanted, of_owner);
    return false;
  }
  for (const GangMember& member : view.members) {
    const std::string_view there = pod_of(view, member).spec()["schedulerName"].string_or_empty();
    if (agrees(there) || replace) continue;
    add_kept(plan, {rules::SlotKind::kScheduler, {}}, member.pointer + "/spec/schedulerName",
             wanted, there);
    return false;
  }
  return true;
}

void stand_down(GangPlan& plan) {
  plan.means = GangMeans::kNone;
  plan.backend = GangBackend::kNone;
  plan.holds_level = false;
}

void write_schedulers(GangWriting& writing) {
  if (writing.plan.scheduler.empty()) return;
  for (const GangMember& member : writing.view.members) {
    const std::string path = member.pointer + "/spec/schedulerName";
    const std::string_view name = writing.pod(member).spec()["schedulerName"].string_or_empty();
    if (name == writing.plan.scheduler) continue;
    writing.editor.set(path, kube::make_string(writing.arena(), writing.plan.scheduler));
  }
}

}  // namespace

std::string_view to_text(GangMeans means) {
  switch (means) {
    case GangMeans::kNone:
      return "none";
    case GangMeans::kKeys:
      return "keys";
    case GangMeans::kOperator:
      return "operator";
    case GangMeans::kCompanion:
      return "companion";
  }
  return {};
}

GangPlan plan_gang(const GangView& view) {
  GangPlan plan;
  if (view.gang == nullptr || view.members.empty()) return plan;
  plan.rule = view.gang->rule;
  plan.answer = std::get_if<rules::GangAnswer>(&view.gang->answer);
  const GangBackendRow* row = plan.answer != nullptr ? row_of(plan.answer->backend) : nullptr;
  if (row == nullptr) return plan;
  // Only its pods show whether the runtime of a TrainJob has set up a gang, and carry a scheduler.
  if (row->backend != GangBackend::kKueue && is_kind(view, "trainer.kubeflow.org", "TrainJob")) {
    return plan;
  }
  plan.backend = row->backend;
  plan.ours = written_by_us(view, plan.backend);
  if (!plan.ours && keeps_own_gang(view, plan)) {
    stand_down(plan);
    return plan;
  }
  if (const auto system = topology::gang_system(to_text(plan.backend))) {
    plan.scheduler = view.cluster.services().scheduler(*system);
  }
  const std::string gap = row->plan(view, plan);
  if (!gap.empty()) plan.warnings.push_back({plan.rule, "no gang: " + gap});
  if (!plan.active() || !scheduler_agrees(view, plan)) stand_down(plan);
  return plan;
}

Outcome write_gang(const GangPlan& plan, const GangView& view, Json object, base::Arena& arena) {
  Outcome outcome;
  outcome.object = object;
  if (!plan.active()) return outcome;
  Editor editor(object, "", arena);
  editor.attribute_to(plan.rule, &view.gang->assignment->place);
  GangWriting writing{plan, view, editor, outcome};
  write_schedulers(writing);
  row_of(plan.backend)->write(writing);
  outcome.object = editor.object();
  outcome.changes = editor.take_changes();
  return outcome;
}

// ---------------------------------------------------------------- edits

void GangWriting::warn(std::string text) {
  outcome.warnings.push_back({plan.rule, std::move(text)});
}

kube::Pod GangWriting::pod(const GangMember& member) const {
  const Json whole = editor.object();
  const Json* found = kube::find_at(whole, member.pointer);
  return kube::Pod(found != nullptr ? *found : Json());
}

void GangWriting::set(std::string path, Json value) {
  const Json edited = editor.object();
  const Json* there = kube::find_at(edited, path);
  const bool is_set = there != nullptr && !there->is_null() &&
                      !(there->is_string() && there->string_or_empty().empty());
  if (is_set && kube::equal(*there, value)) return;
  // The pods of a decided owner follow what it got; their plan has no rule.
  const bool replace = plan.completing || plan.rule->existing == rules::Existing::kReplace;
  if (is_set && !replace) {
    outcome.kept.push_back({plan.rule,
                            {rules::SlotKind::kGang, {}},
                            std::move(path),
                            as_text(value),
                            as_text(*there)});
    return;
  }
  if (!editor.set(path, value)) warn("gang: " + path + " cannot be written");
}

void GangWriting::put(std::string path, std::string_view key, std::string_view value) {
  kube::append_segment(path, key);
  set(std::move(path), kube::make_string(arena(), value));
}

void GangWriting::label_owner(std::string_view key, std::string_view value) {
  put(std::string(owner_pointer(view.group, view.kind)) + "/metadata/labels", key, value);
}
void GangWriting::annotate_owner(std::string_view key, std::string_view value) {
  put(std::string(owner_pointer(view.group, view.kind)) + "/metadata/annotations", key, value);
}
void GangWriting::label(const GangMember& member, std::string_view key, std::string_view value) {
  put(member.pointer + "/metadata/labels", key, value);
}
void GangWriting::annotate(const GangMember& member, std::string_view key, std::string_view value) {
  put(member.pointer + "/metadata/annotations", key, value);
}

// ---------------------------------------------------------------- shared questions

std::string_view owner_pointer(std::string_view group, std::string_view kind) {
  return group == "batch" && kind == "CronJob" ? "/spec/jobTemplate" : "";
}

std::string priority_conflict(const GangView& view) {
  const std::string& first = view.members.front().priority;
  for (const GangMember& member : view.members) {
    if (member.priority == first) continue;
    return "roles differ in priority class ('" + first + "', '" + member.priority +
           "'), so the group would never be complete: make them equal";
  }
  return {};
}

bool is_kind(const GangView& view, std::string_view group, std::string_view kind) {
  return view.at_owner() && view.group == group && view.kind == kind;
}

bool is_training_kind(const GangView& view) {
  constexpr std::array<std::string_view, 5> kKinds = {"PyTorchJob", "TFJob", "XGBoostJob", "JAXJob",
                                                      "PaddleJob"};
  return view.at_owner() && view.group == "kubeflow.org" &&
         std::find(kKinds.begin(), kKinds.end(), view.kind) != kKinds.end();
}

bool operator_makes_groups(const GangView& view, topology::GangSystem system) {
  using topology::GangOperator;
  const topology::Services& services = view.cluster.services();
  if (is_training_kind(view)) return services.gangs_of(GangOperator::kTraining) == system;
  if (is_kind(view, "kubeflow.org", "MPIJob")) {
    return services.gangs_of(GangOperator::kMpi) == system ||
           services.gangs_of(GangOperator::kTraining) == system;
  }
  if (view.at_owner() && view.group == "ray.io") {
    return services.gangs_of(GangOperator::kRay) == system;
  }
  if (is_kind(view, "leaderworkerset.x-k8s.io", "LeaderWorkerSet")) {
    return services.gangs_of(GangOperator::kLws) == system;
  }
  return false;
}

std::string workload_name(const GangView& view) {
  std::string out(view.facts.kind);
  if (!view.facts.name.empty()) out += ' ' + std::string(view.facts.name);
  return out;
}

std::string group_name(const GangView& view) {
  if (view.at_owner()) return {};
  const kube::Pod pod = pod_of(view, view.members.front());
  return kube::gang_name_of(
      pod, rules::intent_value(pod.labels(), pod.annotations(), view.prefix, "gang"));
}

Countable countable(const GangView& view, const GangPlan& plan) {
  if (plan.answer->size >= 2) return {true, {}};
  if (plan.answer->size == 1) return {};
  // A bare pod, and the pods of a Deployment, come one by one.
  const bool single = view.facts.kind == "Pod" && group_name(view).empty();
  const bool one_by_one = view.facts.kind == "Deployment" || view.facts.kind == "ReplicaSet" ||
                          view.facts.kind == "StatefulSet" || view.facts.kind == "CronJob" ||
                          view.facts.kind == "Notebook" || view.facts.kind == "InferenceService";
  if (single || one_by_one) return {};
  return {false, "how many pods " + workload_name(view) + " has is not known: say " +
                     std::string(view.prefix) + "/gang-size"};
}

std::string nobody_makes(const GangView& view, std::string_view system,
                         std::string_view who_could) {
  std::string out = "nobody makes the PodGroup of " + workload_name(view) + " for ";
  out.append(system).append("; ").append(who_could).append(" could");
  return out;
}

std::string plan_companion(const GangView& view, GangPlan& plan, std::string_view system,
                           std::string_view who_could) {
  const Countable count = countable(view, plan);
  if (!count.is_group) return count.reason;
  if (!view.cluster.services().has_companion()) return nobody_makes(view, system, who_could);
  plan.name = group_name(view);
  if (!view.at_owner() && plan.name.empty()) {
    return "nothing tells the pods of this group apart: say " + std::string(view.prefix) + "/gang";
  }
  plan.means = GangMeans::kCompanion;
  return {};
}

void write_run_policy(GangWriting& writing, const RunPolicy& policy) {
  const std::string base = "/spec/runPolicy/schedulingPolicy";
  const rules::GangAnswer& answer = writing.answer();
  if (answer.min_member > 0) {
    writing.set(base + "/minAvailable", kube::make_int(writing.arena(), answer.min_member));
  }
  if (!policy.queue.empty()) {
    writing.set(base + "/queue", kube::make_string(writing.arena(), policy.queue));
  }
  if (policy.timeout && answer.timeout_seconds > 0) {
    writing.set(base + "/scheduleTimeoutSeconds",
                kube::make_int(writing.arena(), answer.timeout_seconds));
  }
  if (!policy.priority_class) return;
  const std::string_view priority =
      writing.pod(writing.view.members.front()).spec()["priorityClassName"].string_or_empty();
  if (!priority.empty()) writing.set(base + "/priorityClass", Json::string(priority));
}

}  // namespace berth::mutate
