// Gangs: backend, size, level and slices of a group, and what speaks against them. What could never
// start is not asked for; each finding says what to change.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "kube/gang_shape.h"
#include "kube/workload.h"
#include "rules/forms.h"
#include "rules/parallelism.h"
#include "rules/resolve.h"

namespace berth::rules {
namespace {

using topology::GangSystem;
using topology::Presence;
using topology::Services;

GangBackend backend_of(GangSystem system) {
  switch (system) {
    case GangSystem::kKueue:
      return GangBackend::kKueue;
    case GangSystem::kVolcano:
      return GangBackend::kVolcano;
    case GangSystem::kCoscheduling:
      return GangBackend::kCoscheduling;
    case GangSystem::kKai:
      return GangBackend::kKai;
    case GangSystem::kYunikorn:
      return GangBackend::kYunikorn;
    case GangSystem::kKoordinator:
      return GangBackend::kKoordinator;
    case GangSystem::kNative:
      return GangBackend::kNative;
  }
  return GangBackend::kNone;
}

constexpr std::string_view kQueueLabel = "kueue.x-k8s.io/queue-name";

// ------------------------------------------------------------------ which backend

// What the author or another rule has chosen already.
std::optional<GangSystem> chosen_already(const Resolving& resolving) {
  const Services& services = resolving.cluster().services();
  const Subject& subject = resolving.subject();
  if (subject.object["metadata"]["labels"].has(kQueueLabel)) return GangSystem::kKueue;
  const std::string_view own = subject.pod.spec()["schedulerName"].string_or_empty();
  if (const auto system = services.system_of_scheduler(own)) return system;
  for (const Setting& setting : resolving.decision().settings) {
    if (setting.assignment->slot.kind != SlotKind::kScheduler) continue;
    if (const auto system = services.system_of_scheduler(setting.text)) return system;
  }
  return std::nullopt;
}

// Kueue first where the namespace has a queue, since it may sit above any scheduler.
std::optional<GangSystem> first_there(const Resolving& resolving) {
  const Services& services = resolving.cluster().services();
  const bool has_queue =
      !resolving.cluster().local_queues(resolving.facts().namespace_name).empty();
  std::optional<GangSystem> found;
  for (const GangSystem system : topology::all_gang_systems()) {
    if (services.presence(system) != Presence::kPresent) continue;
    if (system == GangSystem::kKueue && has_queue) return system;
    const bool better = !found || *found == GangSystem::kKueue;
    if (better) found = system;
  }
  return found;
}

GangBackend automatic(Resolving& resolving, const Setting& setting) {
  const Services& services = resolving.cluster().services();
  if (services.no_gangs()) return GangBackend::kNone;
  if (const auto chosen = chosen_already(resolving)) return backend_of(*chosen);
  if (services.preferred()) return backend_of(*services.preferred());
  if (const auto found = first_there(resolving)) return backend_of(*found);
  if (services.knows_apis()) {
    resolving.warn(setting,
                   "no gang: the cluster has no scheduler or queue that starts pods together");
  }
  return GangBackend::kNone;
}

GangBackend definite_backend(Resolving& resolving, const Setting& setting, const Gang& gang) {
  if (gang.backend == GangBackend::kNone) return GangBackend::kNone;
  if (gang.backend == GangBackend::kAuto) return automatic(resolving, setting);
  const auto system = topology::gang_system(to_text(gang.backend));
  if (system && resolving.cluster().services().presence(*system) == Presence::kAbsent) {
    resolving.warn(setting, "no gang: " + std::string(to_text(gang.backend)) +
                                " is not installed on this cluster");
    return GangBackend::kNone;
  }
  return gang.backend;
}

// ------------------------------------------------------------------ how many

kube::GangShape shape_of(const Resolving& resolving) {
  const Subject& subject = resolving.subject();
  if (subject.door == Door::kPod) return {};
  return kube::gang_shape_of(subject.group, subject.kind, subject.object);
}

// Of a pod that came with an owner: what the owner makes, as far as the cluster knows it. A group
// that the author named may be larger than one owner.
std::optional<std::int64_t> pods_of_known_owner(const Resolving& resolving) {
  const Facts& facts = resolving.facts();
  const bool known_by_owner = facts.pods_known && facts.kind != "Pod" &&
                              facts.kind != "StatefulSet" && facts.kind != "Deployment";
  return known_by_owner ? std::optional(facts.pods) : std::nullopt;
}

// Pods that the owner makes, where the owner is here to be read.
std::optional<std::int64_t> pods_that_will_exist(const Resolving& resolving) {
  const Subject& subject = resolving.subject();
  if (subject.door == Door::kPod) return pods_of_known_owner(resolving);
  const auto templates = kube::templates_of(subject.group, subject.kind, subject.object);
  if (templates.empty()) return std::nullopt;
  std::int64_t pods = 0;
  for (const kube::TemplatePath& path : templates) {
    if (path.comes_after) continue;
    pods += std::clamp<std::int64_t>(kube::pods_of_template(path, subject.object), 0, 10'000'000);
  }
  return pods;
}

void answer_size(Resolving& resolving, const Setting& setting, const Gang& gang,
                 GangAnswer& answer) {
  const Facts& facts = resolving.facts();
  const auto stated = parse_count(setting.text);
  if (stated) answer.size = *stated;
  if (!stated && facts.pods_known) answer.size = facts.pods;
  const auto real = pods_that_will_exist(resolving);
  if (real && *real > 0 && answer.size > *real) {
    resolving.warn(setting, "gang size " + std::to_string(answer.size) + ", but the " +
                                std::string(facts.kind) + " makes " + std::to_string(*real) +
                                " pods: " + std::to_string(*real) + " is taken");
    answer.size = *real;
  }
  if (stated && answer.size < 2) {
    resolving.warn(setting, "gang size " + std::to_string(answer.size) +
                                " is no group: two pods or more can start together");
  }
  answer.min_member = gang.min_member > 0 ? std::min(gang.min_member, answer.size) : answer.size;
  if (gang.min_member > answer.size && answer.size > 0) {
    resolving.warn(setting, "minMember " + std::to_string(gang.min_member) +
                                " is more than the group has: " + std::to_string(answer.size) +
                                " is taken");
  }
  const auto least = shape_of(resolving).least;
  if (least && gang.min_member == 0 && *least < answer.min_member) answer.min_member = *least;
}

// ------------------------------------------------------------------ parallelism

// How many pods one run of GPUs takes; nothing, with a warning, where they do not come out even.
std::optional<std::int64_t> pods_of_run(Resolving& resolving, const Setting& setting,
                                        std::string_view what, std::int64_t gpus) {
  const std::int64_t per_pod = resolving.facts().gpus;
  if (gpus <= per_pod ? per_pod % gpus == 0 : gpus % per_pod == 0) {
    return std::max<std::int64_t>(1, gpus / per_pod);
  }
  resolving.warn(setting, std::string(what) + " of " + std::to_string(gpus) +
                              " GPUs does not come out even with " + std::to_string(per_pod) +
                              " GPUs a pod");
  return std::nullopt;
}

// Members that compute: a launcher or head without GPUs is none.
std::int64_t pods_with_gpus(const Resolving& resolving, const GangAnswer& answer) {
  const Facts& facts = resolving.facts();
  return std::max<std::int64_t>(1, answer.size - (facts.pods - facts.gpu_pods));
}

bool counts_agree(Resolving& resolving, const Setting& setting, const Parallelism& parallelism,
                  const GangAnswer& answer) {
  const auto wanted = product_of(parallelism);
  const std::int64_t pods = pods_with_gpus(resolving, answer);
  const std::int64_t have = pods * resolving.facts().gpus;
  if (wanted && *wanted == have) return true;
  resolving.warn(setting, to_text(parallelism) + " is " +
                              (wanted ? std::to_string(*wanted) : std::string("too many")) +
                              " GPUs, the group has " + std::to_string(pods) + " pods of " +
                              std::to_string(resolving.facts().gpus) + " = " +
                              std::to_string(have));
  return false;
}

std::optional<std::size_t> index_of_label(const topology::Snapshot& cluster,
                                          std::string_view label) {
  for (std::size_t i = 0; i < cluster.levels().size(); ++i) {
    if (!label.empty() && label_of_level(cluster, i) == label) return i;
  }
  return std::nullopt;
}

// The nearest level from `first` on, nearer than the group's own, some domain of which could hold
// the run.
std::optional<GangSlice> slice_from(const Resolving& resolving, std::size_t first,
                                    std::int64_t pods, const GangAnswer& answer) {
  const topology::Snapshot& cluster = resolving.cluster();
  const std::size_t end = index_of_label(cluster, answer.label).value_or(cluster.levels().size());
  const topology::Capacity capacity = resolving.capacity_of_group(pods);
  for (std::size_t i = first; i < end; ++i) {
    const std::string_view label = label_of_level(cluster, i);
    if (label.empty()) continue;
    const auto rooms = capacity.domains(i);
    const bool holds = std::any_of(rooms.begin(), rooms.end(),
                                   [](const topology::DomainRoom& room) { return room.fits_ever; });
    if (holds) return GangSlice{cluster.levels()[i].name, label, pods};
  }
  return std::nullopt;
}

// Tensor groups inside an NVLink domain (inside a pod they need nothing), pipelines of them in the
// nearest level that holds one.
void answer_slices(Resolving& resolving, const Setting& setting, const Parallelism& parallelism,
                   GangAnswer& answer) {
  if (resolving.gpus() == 0 || answer.size < 2) return;
  if (!counts_agree(resolving, setting, parallelism, answer)) return;
  const auto tensor = pods_of_run(resolving, setting, "a tensor group", parallelism.tp);
  const auto pipeline =
      pods_of_run(resolving, setting, "a pipeline", parallelism.tp * parallelism.pp);
  if (!tensor || !pipeline || !resolving.knows_nodes()) return;
  std::size_t next = resolving.cluster().level_index("nvlink").value_or(1);
  if (*tensor > 1) {
    const auto slice = slice_from(resolving, next, *tensor, answer);
    if (!slice || slice->level != resolving.cluster().levels()[next].name) {
      resolving.warn(setting, "no NVLink domain holds a tensor group of " +
                                  std::to_string(*tensor) + " pods: make tp smaller");
    }
    if (!slice) return;
    next = resolving.cluster().level_index(slice->level).value_or(next) + 1;
    answer.slices.push_back(*slice);
  }
  if (*pipeline <= std::max<std::int64_t>(1, *tensor) ||
      *pipeline >= pods_with_gpus(resolving, answer)) {
    return;
  }
  const auto slice = slice_from(resolving, next, *pipeline, answer);
  if (slice) answer.slices.insert(answer.slices.begin(), *slice);
}

// ------------------------------------------------------------------ level

const LevelAnswer* answer_of_placement(const Resolving& resolving) {
  for (const Setting& setting : resolving.decision().settings) {
    if (const auto* answer = std::get_if<LevelAnswer>(&setting.answer)) {
      if (setting.assignment->slot.kind == SlotKind::kPlacement) return answer;
    }
  }
  return nullptr;
}

void take_level(const LevelAnswer& from, GangAnswer& answer) {
  if (from.label.empty()) return;
  answer.level = from.level;
  answer.label = from.label;
  // What can never be is only wished for: the warning has been given.
  answer.required = from.required && from.possible;
}

void answer_level(Resolving& resolving, const Setting& setting, const Gang& gang,
                  GangAnswer& answer) {
  if (!gang.level.require.empty() || !gang.level.prefer.empty()) {
    take_level(answer_levels(resolving, setting, gang.level), answer);
  } else if (const LevelAnswer* placement = answer_of_placement(resolving)) {
    take_level(*placement, answer);
  }
}

// Members that come only after others run: a group of all of them would never be complete. Kueue
// counts quota, not pods, and does not mind.
bool is_staggered(Resolving& resolving, const Setting& setting, const GangAnswer& answer) {
  const std::string why = shape_of(resolving).staggered;
  if (why.empty() || answer.backend == GangBackend::kKueue) return false;
  resolving.warn(setting, "no gang: " + why + ", so not all pods exist before the first one runs");
  return true;
}

}  // namespace

void resolve_gang(Resolving& resolving, Setting& setting) {
  const auto* gang = std::get_if<Gang>(&setting.assignment->value);
  if (gang == nullptr) return;
  GangAnswer answer;
  answer.backend = definite_backend(resolving, setting, *gang);
  answer.mode = gang->mode;
  if (answer.backend != GangBackend::kNone && is_staggered(resolving, setting, answer)) {
    answer.backend = GangBackend::kNone;
  }
  if (answer.backend != GangBackend::kNone) {
    if (const auto seconds = parse_duration(gang->timeout)) {
      answer.timeout_seconds = static_cast<std::int64_t>(std::ceil(*seconds));
    }
    answer_size(resolving, setting, *gang, answer);
    answer_level(resolving, setting, *gang, answer);
    const auto& parallelism = gang->parallelism ? gang->parallelism : resolving.facts().parallelism;
    if (parallelism) answer_slices(resolving, setting, *parallelism, answer);
  }
  setting.answer = std::move(answer);
}

}  // namespace berth::rules
