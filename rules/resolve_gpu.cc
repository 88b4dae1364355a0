// GPU: the form of the GPUs a pod asks for. Whole cards are kept off nodes where the name means a
// part of one; slices and shares are chosen among what nodes of this cluster offer, never invented.
#include <algorithm>

#include "rules/gpu_offers.h"
#include "rules/intent.h"
#include "rules/resolve.h"

namespace berth::rules {
namespace {

constexpr double kUsualFraction = 0.9;  // vllm/config/cache.py; sglang settles near it

// An answer, or why there is none.
struct Attempt {
  std::optional<GpuAnswer> answer;
  std::string problem;
};

GpuAnswer keep(Share share) {
  GpuAnswer answer;
  answer.share = share;
  answer.keep = true;
  return answer;
}

// ------------------------------------------------------------------ what the pod must not lose

std::int64_t whole_gpus_of(const kube::Container& container) {
  const auto quantity = kube::Quantity::parse(container.wanted(kube::kNvidiaGpu));
  return quantity ? quantity->rounded_up() : 0;
}

// A variable that goes round the device plugin, so that a part of a card would not be honoured.
std::string_view bypass(const kube::Container& container) {
  for (const kube::Json& variable : container.json["env"].items()) {
    const std::string_view name = variable["name"].string_or_empty();
    const std::string_view value = variable["value"].string_or_empty();
    const bool harmless = value == "void" || value == "none" || value.empty();
    if (name == "NVIDIA_VISIBLE_DEVICES" && (!harmless || variable.has("valueFrom"))) {
      return "NVIDIA_VISIBLE_DEVICES";
    }
    const bool by_uuid = value.find("GPU-") != std::string_view::npos ||
                         value.find("MIG-") != std::string_view::npos;
    if (name == "CUDA_VISIBLE_DEVICES" && by_uuid) return "CUDA_VISIBLE_DEVICES";
  }
  return {};
}

bool lacks_limit(const kube::Container& container) {
  const kube::Json resources = container.json["resources"];
  return resources["requests"].has(kube::kNvidiaGpu) && !resources["limits"].has(kube::kNvidiaGpu);
}

// Why the pod keeps its whole GPUs whatever the rule's orElse says; empty where nothing does.
std::string must_stay(const kube::Pod& pod) {
  for (const kube::Container& container : pod.containers()) {
    if (whole_gpus_of(container) == 0) continue;
    const std::string name = "container " + std::string(container.name());
    if (const std::string_view variable = bypass(container); !variable.empty()) {
      return name + " sets " + std::string(variable) + " itself: its whole GPU is kept";
    }
    if (lacks_limit(container)) {
      return name + " requests " + std::string(kube::kNvidiaGpu) +
             " without a limit: kept as it is";
    }
  }
  return {};
}

// Another system has counted the GPUs of the templates before this pod was made: under another name
// the pod would not be what quota, task group or PodGroup describe. Who has, or empty.
std::string counted_by(const Resolving& resolving) {
  const Subject& subject = resolving.subject();
  if (subject.door == Door::kOwner) return {};
  const kube::Pod& pod = subject.pod;
  if (!pod.annotation("yunikorn.apache.org/task-groups").empty()) return "YuniKorn's task groups";
  if (!pod.annotation("scheduling.k8s.io/group-name").empty()) return "Volcano's PodGroup";
  constexpr std::string_view kQueue = "kueue.x-k8s.io/queue-name";
  const Facts& facts = resolving.facts();
  const kube::Json top = resolving.cluster().owner(facts.kind, facts.namespace_name, facts.name);
  const auto controller = pod.controller();
  const kube::Json near = controller ? resolving.cluster().owner(
                                           controller->kind, facts.namespace_name, controller->name)
                                     : kube::Json();
  const bool queued = top["metadata"]["labels"].has(kQueue) ||
                      near["metadata"]["labels"].has(kQueue) ||
                      !pod.annotation("kueue.x-k8s.io/workload").empty();
  // These hand the queue down: Kueue counts their pods one by one, as they come.
  const bool hands_down = facts.kind == "Pod" || facts.kind == "Deployment" ||
                          facts.kind == "ReplicaSet" || facts.kind == "StatefulSet";
  return queued && !hands_down ? "Kueue's quota" : std::string();
}

// Parts of cards have no path to each other: several GPUs of one container never become several.
std::string several_gpus(const kube::Pod& pod) {
  for (const kube::Container& container : pod.containers()) {
    const std::int64_t gpus = whole_gpus_of(container);
    if (gpus < 2) continue;
    return "container " + std::string(container.name()) + " asks for " + std::to_string(gpus) +
           " GPUs, and parts of cards have no path to each other";
  }
  return {};
}

// ------------------------------------------------------------------ the forms

Attempt whole(const Resolving& resolving) {
  GpuAnswer answer;
  answer.share = Share::kWhole;
  answer.refuse = divided_nodes(resolving.cluster());
  return {answer, {}};
}

std::optional<kube::Quantity> memory_of(const Setting& setting) {
  if (setting.text.empty()) return std::nullopt;
  const auto quantity = kube::Quantity::parse(setting.text);
  if (!quantity || quantity->sign() <= 0) return std::nullopt;
  return *quantity;
}

Attempt slice(Resolving& resolving, const Setting& setting, const GpuShare& wish) {
  if (!resolving.knows_nodes()) {
    return {std::nullopt, "nodes are not known, so no MIG profile can be chosen"};
  }
  const SliceWish wanted{wish.profile, memory_of(setting), resolving.facts().gpus};
  SliceChoice choice = choose_slice(resolving, wanted);
  if (!choice.quota_note.empty()) resolving.warn(setting, choice.quota_note);
  if (choice.answer) return {std::move(choice.answer), {}};
  const std::string what =
      !wish.profile.empty() ? "no node offers MIG profile " + wish.profile
      : setting.text.empty()
          ? "no node offers a MIG profile"
          : "no MIG profile with " + std::string(setting.text) + " on nodes that the pod may use";
  return {std::nullopt, choice.quota_note.empty() ? what : what + " has quota left"};
}

// Engines that take a fraction of the whole card at start, of which a time slice knows nothing.
void warn_of_fraction(Resolving& resolving, const Setting& setting) {
  const Facts& facts = resolving.facts();
  if (facts.framework != "vllm" && facts.framework != "sglang") return;
  const double stated = facts.server.gpu_memory_fraction;
  const int percent = static_cast<int>((stated > 0 ? stated : kUsualFraction) * 100 + 0.5);
  if (percent <= 50) return;
  resolving.warn(setting, std::string(facts.framework) + " takes " + std::to_string(percent) +
                              " % of the whole card, whose memory time slices share: lower its "
                              "memory fraction");
}

Attempt share(Resolving& resolving, const Setting& setting, Share form) {
  if (!resolving.knows_nodes()) return {std::nullopt, "nodes are not known, nor who shares GPUs"};
  auto answer = choose_share(resolving, form, memory_of(setting));
  if (answer && form == Share::kTimeslice) warn_of_fraction(resolving, setting);
  if (answer) return {std::move(answer), {}};
  const std::string memory =
      setting.text.empty() ? std::string() : " with " + std::string(setting.text);
  return {std::nullopt, "no node shares GPUs by " + std::string(to_text(form)) + memory};
}

// What the rule says, else the workload, else the estimate from the model's name.
std::optional<kube::Quantity> needed_memory(const Resolving& resolving, const Setting& setting) {
  if (const auto stated = memory_of(setting)) return stated;
  const Facts& facts = resolving.facts();
  if (facts.gpu_memory.sign() > 0) return facts.gpu_memory;
  if (!facts.model_memory) return std::nullopt;
  return facts.model_memory->total();
}

// Tensor and pipeline parallel servers need a path between their GPUs.
bool is_parallel(const Facts& facts) {
  return facts.server.tensor_parallel > 1 || facts.server.pipeline_parallel > 1;
}

Attempt automatic(Resolving& resolving, const Setting& setting) {
  const Facts& facts = resolving.facts();
  if (is_parallel(facts) || !several_gpus(resolving.subject().pod).empty()) return whole(resolving);
  const auto memory = needed_memory(resolving, setting);
  if (!memory) {
    resolving.warn(setting,
                   "how much GPU memory it needs is not known: whole GPUs; state it as "
                   "gpu-memory for a part of one");
    return whole(resolving);
  }
  if (!resolving.knows_nodes()) return whole(resolving);
  SliceChoice slice = choose_slice(resolving, {{}, memory, facts.gpus});
  if (slice.answer) {
    if (!slice.quota_note.empty()) resolving.warn(setting, slice.quota_note);
    return {std::move(slice.answer), {}};
  }
  if (auto share = choose_share(resolving, Share::kMps, memory)) return {std::move(share), {}};
  return whole(resolving);
}

Attempt attempt(Resolving& resolving, const Setting& setting, const GpuShare& wish, Share form) {
  if (form != Share::kWhole && form != Share::kAuto) {
    if (std::string problem = several_gpus(resolving.subject().pod); !problem.empty()) {
      return {std::nullopt, std::move(problem)};
    }
  }
  switch (form) {
    case Share::kWhole:
      return whole(resolving);
    case Share::kMig:
      return slice(resolving, setting, wish);
    case Share::kMps:
    case Share::kTimeslice:
      return share(resolving, setting, form);
    case Share::kAuto:
      return automatic(resolving, setting);
  }
  return {};
}

std::optional<Share> form_of(OrElse or_else) {
  switch (or_else) {
    case OrElse::kKeep:
    case OrElse::kDeny:
      return std::nullopt;
    case OrElse::kWhole:
      return Share::kWhole;
    case OrElse::kMps:
      return Share::kMps;
    case OrElse::kTimeslice:
      return Share::kTimeslice;
  }
  return std::nullopt;
}

GpuAnswer fall_back(Resolving& resolving, const Setting& setting, const GpuShare& wish,
                    const std::string& problem) {
  if (wish.or_else == OrElse::kDeny) {
    resolving.deny(setting, problem);
    return keep(wish.share);
  }
  const auto form = form_of(wish.or_else);
  Attempt second = form ? attempt(resolving, setting, wish, *form) : Attempt{};
  if (second.answer) {
    resolving.warn(setting, problem + ": " + std::string(to_text(*form)) + " instead");
    return *std::move(second.answer);
  }
  resolving.warn(setting, problem + ": left as it is");
  return keep(wish.share);
}

// Only whole NVIDIA cards under their own name are ours to rename or to keep off other nodes.
bool is_ours(const Resolving& resolving) {
  return !resolving.facts().shared &&
         resolving.subject().pod.effective_request(kube::kNvidiaGpu).sign() > 0;
}

}  // namespace

void resolve_gpu(Resolving& resolving, Setting& setting) {
  const auto* wish = std::get_if<GpuShare>(&setting.assignment->value);
  if (wish == nullptr) return;
  if (!is_ours(resolving)) {
    setting.answer = keep(wish->share);
    return;
  }
  if (wish->share != Share::kWhole) {
    std::string reason = must_stay(resolving.subject().pod);
    if (const std::string counted = counted_by(resolving); reason.empty() && !counted.empty()) {
      reason = counted + " has counted whole GPUs: the " + std::string(resolving.facts().kind) +
               " must ask for the part, not its pods";
    }
    if (!reason.empty()) {
      resolving.warn(setting, std::move(reason));
      setting.answer = keep(wish->share);
      return;
    }
  }
  Attempt first = attempt(resolving, setting, *wish, wish->share);
  GpuAnswer answer =
      first.answer ? *std::move(first.answer) : fall_back(resolving, setting, *wish, first.problem);
  if (!answer.keep && answer.share != Share::kWhole) resolving.becomes_shared();
  setting.answer = std::move(answer);
}

}  // namespace berth::rules
