#include "mutate/apply.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "mutate/env.h"
#include "mutate/metadata.h"
#include "mutate/packing.h"
#include "mutate/placement.h"
#include "mutate/queue.h"
#include "mutate/record.h"
#include "mutate/resources.h"
#include "mutate/scalar.h"
#include "mutate/scheduling.h"
#include "mutate/tolerations.h"
#include "mutate/volumes.h"
#include "mutate/writing.h"

namespace berth::mutate {
namespace {

using rules::SlotKind;

constexpr std::string_view kPrebuiltWorkload = "kueue.x-k8s.io/prebuilt-workload-name";

void write(Writing& writing, const rules::Setting& setting) {
  switch (setting.assignment->slot.kind) {
    case SlotKind::kGpu:
      return write_gpu(writing, setting);
    case SlotKind::kNodeSelector:
      return write_node_selector(writing, setting);
    case SlotKind::kProducts:
      return write_products(writing, setting);
    case SlotKind::kPreferProducts:
      return write_preferred_products(writing, setting);
    case SlotKind::kPlacement:
      return write_level(writing, setting);
    case SlotKind::kSpread:
      return write_spread(writing, setting);
    case SlotKind::kTolerate:
      return write_toleration(writing, setting);
    case SlotKind::kGang:
      return;  // written once for all templates, by mutate/gang
    case SlotKind::kQueue:
      return write_queue(writing, setting);
    case SlotKind::kScheduler:
      return write_scheduler(writing, setting);
    case SlotKind::kPriorityClass:
      return write_priority_class(writing, setting);
    case SlotKind::kRuntimeClass:
      return write_runtime_class(writing, setting);
    case SlotKind::kEnv:
      return write_env(writing, setting);
    case SlotKind::kShm:
      return write_shm(writing, setting);
    case SlotKind::kVolume:
      return write_volume(writing, setting);
    case SlotKind::kLabel:
      return write_label(writing, setting);
    case SlotKind::kAnnotation:
      return write_annotation(writing, setting);
    case SlotKind::kSet:
      return write_scalar(writing, setting);
    case SlotKind::kPack:
      return write_pack(writing, setting);
  }
}

bool is_frozen(const Writing& writing) {
  return writing.at_owner() && has_prebuilt_workload(writing.subject.object);
}

bool for_the_pods_door(const Writing& writing, SlotKind kind) {
  switch (kind) {
    case SlotKind::kProducts:
    case SlotKind::kPreferProducts:
    case SlotKind::kPlacement:
    case SlotKind::kSpread:
      return writing.long_lived();
    case SlotKind::kPack:
      return writing.at_owner();
    case SlotKind::kGpu:
    case SlotKind::kNodeSelector:
    case SlotKind::kTolerate:
    case SlotKind::kGang:
    case SlotKind::kQueue:
    case SlotKind::kScheduler:
    case SlotKind::kPriorityClass:
    case SlotKind::kRuntimeClass:
    case SlotKind::kEnv:
    case SlotKind::kShm:
    case SlotKind::kVolume:
    case SlotKind::kLabel:
    case SlotKind::kAnnotation:
    case SlotKind::kSet:
      return false;
  }
  return false;
}

// The order of writing is that of the slots, with two exceptions: the queue depends on the
// scheduler, and whether a GPU is renamed depends on all that is required of nodes.
std::pair<SlotKind, int> rank(const rules::Setting& setting) {
  const SlotKind kind = setting.assignment->slot.kind;
  if (kind == SlotKind::kQueue) return {SlotKind::kScheduler, 1};
  if (kind == SlotKind::kGpu) return {SlotKind::kSpread, 1};
  return {kind, 0};
}

// What is written here, in order.
std::vector<const rules::Setting*> settings_of(Writing& writing) {
  const bool frozen = is_frozen(writing);
  std::vector<const rules::Setting*> out;
  out.reserve(writing.decision.settings.size());
  for (const rules::Setting& setting : writing.decision.settings) {
    const SlotKind kind = setting.assignment->slot.kind;
    if (for_the_pods_door(writing, kind)) continue;
    if (frozen && kind != SlotKind::kQueue) {
      warn(writing, setting.rule,
           "template left as it is: Kueue compares it with the Workload it was built for");
    } else {
      out.push_back(&setting);
    }
  }
  // A slot has one setting, so there are no ties.
  std::sort(out.begin(), out.end(), [](const rules::Setting* a, const rules::Setting* b) {
    return std::pair(rank(*a), std::string_view(a->assignment->slot.key)) <
           std::pair(rank(*b), std::string_view(b->assignment->slot.key));
  });
  return out;
}

void write_all(Writing& writing) {
  if (!is_frozen(writing)) write_intent_of_owner(writing);
  const std::vector<const rules::Setting*> settings = settings_of(writing);
  const auto for_each = [&](void (*step)(Writing&, const rules::Setting&)) {
    for (const rules::Setting* setting : settings) {
      writing.editor.attribute_to(setting->rule, &setting->assignment->place);
      step(writing, *setting);
    }
  };
  for_each(replace_selection);
  writing.author = writing.pod().spec();
  for_each(write);
  write_record(writing);
}

}  // namespace

bool has_prebuilt_workload(kube::Json owner) {
  const kube::Json metadata = owner["metadata"];
  return metadata["labels"].has(kPrebuiltWorkload) ||
         metadata["annotations"].has(kPrebuiltWorkload);
}

Outcome apply(const rules::Decision& decision, const rules::Subject& subject,
              const rules::Facts& facts, const topology::Snapshot& cluster, base::Arena& arena,
              const ApplyOptions& options) {
  Outcome outcome;
  Editor editor(subject.object, subject.pod_pointer, arena);
  Writing writing{editor, decision, subject, facts, cluster, options, outcome, {}};
  write_all(writing);
  outcome.object = subject.object;
  if (!outcome.denials.empty()) return outcome;
  outcome.object = editor.object();
  outcome.changes = editor.take_changes();
  return outcome;
}

}  // namespace berth::mutate
