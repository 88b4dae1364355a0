#include "mutate/packing.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kube/gpu_resource.h"
#include "kube/selector.h"
#include "mutate/gang.h"
#include "mutate/gang_keys.h"
#include "rules/resolve.h"
#include "rules/standing.h"
#include "topology/hint.h"
#include "topology/node_reader.h"
#include "topology/packing.h"

namespace berth::mutate {
namespace {

using kube::Json;
using topology::NodeSet;
using topology::Packing;

constexpr std::size_t kMostNodes = 16;  // more are of no use
constexpr std::size_t kNodesExplained = 4;
constexpr int kHighestWeight = 100;
constexpr double kFall = 0.7;  // from rank to rank: slow enough for pods that come in a burst
constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kList =
    "/spec/affinity/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kDefaultScheduler = "default-scheduler";

// Labels by which a queue system takes a pod over, or an older coscheduling; beside gang keys.
constexpr std::array<std::string_view, 3> kTakenOver = {
    "kueue.x-k8s.io/queue-name", "pod-group.scheduling.sigs.k8s.io/name", "kai.scheduler/queue"};

// Services are spread by the scheduler, and what scales them adds and removes pods.
bool is_service(std::string_view kind) {
  return rules::is_long_lived(kind) && kind != "Pod" && kind != "CronJob" && kind != "Notebook";
}

bool is_grouped(const Writing& writing, const kube::Pod& pod) {
  if (writing.options.gang != nullptr &&
      (writing.options.gang->active() || writing.options.gang->completing))
    return true;
  if (gang_key_on_pod(pod.object(), "")) return true;
  return std::any_of(kTakenOver.begin(), kTakenOver.end(),
                     [&](std::string_view label) { return pod.labels().has(label); });
}

// The GPU resource that the pod asks for; kNone: it asks for none.
struct Wanted {
  std::string_view resource;
  kube::GpuForm form = kube::GpuForm::kNone;
};

// Nothing where the pod asks for GPUs in a form of which the model does not know what is free on a
// node: slices, measures of memory or cores, claims, several resources.
std::optional<Wanted> read_wanted(const kube::Pod& pod) {
  Wanted out;
  if (pod.spec()["resourceClaims"].size() > 0) return std::nullopt;
  for (const std::string_view name : pod.resource_names()) {
    if (kube::classify_gpu_resource(name).form == kube::GpuForm::kNone) continue;
    const kube::GpuForm form = topology::counts_as(name).form;
    const bool counted = form == kube::GpuForm::kWhole || form == kube::GpuForm::kShare;
    if (!counted || !out.resource.empty()) return std::nullopt;
    out = {name, form};
  }
  return out;
}

// Why no node is named whatever the cluster looks like; empty: nothing stands against it.
std::string_view reason_against(const Writing& writing, const kube::Pod& pod,
                                const std::optional<Wanted>& wanted) {
  const Json spec = pod.spec();
  const Json affinity = spec["affinity"];
  if (is_service(writing.facts.kind)) return "pods of a service are left to be spread";
  if (is_grouped(writing, pod)) return "the pod is a member of a group";
  if (spec["schedulingGates"].size() > 0) return "the pod is held back by a scheduling gate";
  const std::string_view scheduler = spec["schedulerName"].string_or(kDefaultScheduler);
  if (!scheduler.empty() && scheduler != kDefaultScheduler) return "another scheduler places it";
  if (topology::names_hosts(spec)) return "the pod names nodes already";
  if (affinity["podAffinity"].size() > 0 || affinity["podAntiAffinity"].size() > 0)
    return "the pod has terms on other pods";
  if (spec["topologySpreadConstraints"].size() > 0) return "the pod is to be spread";
  if (!wanted) return "the pod asks for slices of GPUs, or for GPUs in several ways";
  return {};
}

// ------------------------------------------------------------------ where it may go

bool repels(const topology::Node& node, Json tolerations) {
  const auto taints = node.taints.items();
  const auto own = tolerations.items();
  return std::any_of(taints.begin(), taints.end(), [&](const Json& taint) {
    return taint["effect"].string_or_empty() == "PreferNoSchedule" &&
           std::none_of(own.begin(), own.end(), [&](const Json& toleration) {
             return kube::toleration_covers_taint(toleration, taint);
           });
  });
}

// The nodes that show this card have GPUs in the form that the pod asks for.
bool offers(const topology::Node& sample, const Wanted& wanted) {
  const topology::Sharing sharing = sample.sharing;
  const bool shared =
      sharing == topology::Sharing::kTimeSlicing || sharing == topology::Sharing::kMps;
  if (wanted.form == kube::GpuForm::kShare) return shared;
  if (wanted.form != kube::GpuForm::kWhole) return true;
  return sample.resource == wanted.resource && !shared && sharing != topology::Sharing::kMigSingle;
}

// What the selector, the required affinity, taints, cordons and the GPU's form leave.
NodeSet usable(const Writing& writing, Json spec, const Wanted& wanted) {
  const topology::NodeIndex& index = writing.cluster.index();
  NodeSet out = index.ready();
  out &= index.admitted(spec);
  out &=
      index.tolerated(spec["tolerations"], rules::usual_toleration(writing.facts, writing.arena()));
  for (const topology::NodeKind& kind : index.kinds()) {
    const topology::Node& sample = *index.cards()[kind.card].sample;
    const auto first = kind.nodes.find([](std::size_t) { return true; });
    if (!first) continue;
    if (!offers(sample, wanted) || repels(writing.cluster.nodes()[*first], spec["tolerations"]))
      out -= kind.nodes;
  }
  return out;
}

bool matches_pods_without_gpus(const rules::Rule& rule) {
  return std::any_of(rule.match.begin(), rule.match.end(), [](const rules::Match& match) {
    return match.gpus.has_value() && match.gpus->low <= 0;
  });
}

// Why naming nodes would do harm on those that the pod may use; empty: it would not.
std::string_view harm_of(const Writing& writing, const rules::Setting& setting,
                         const Wanted& wanted, const NodeSet& among) {
  const topology::NodeIndex& index = writing.cluster.index();
  NodeSet with_gpus = among;
  with_gpus -= index.of_vendor("");
  if (wanted.resource.empty())
    return with_gpus.empty() ? "no node with GPUs is open to the pod" : std::string_view();
  if (matches_pods_without_gpus(*setting.rule)) return {};
  if (with_gpus.meets(index.tolerated(Json(), Json())))
    return "pods without GPUs may take the CPU of these nodes and the rule does not match them "
           "(match: {gpus: \">=0\"} does)";
  return {};
}

// The nodes that one preferred term speaks for.
NodeSet preferred_by(const Writing& writing, Json term) {
  const topology::NodeIndex& index = writing.cluster.index();
  const Json preference = term["preference"];
  if (preference["matchExpressions"].size() == 0 && preference["matchFields"].size() == 0)
    return index.none();
  base::Arena& arena = writing.arena();
  const Json selector =
      kube::make_object(arena, {{"nodeSelectorTerms", kube::make_array(arena, {preference})}});
  const Json of_nodes =
      kube::make_object(arena, {{"requiredDuringSchedulingIgnoredDuringExecution", selector}});
  const Json affinity = kube::make_object(arena, {{"nodeAffinity", of_nodes}});
  return index.admitted(kube::make_object(arena, {{"affinity", affinity}}));
}

// Nodes that the pod's own preferences value alike.
struct Class {
  std::int64_t sum = 0;  // of weights
  NodeSet nodes;
};

// Highest sum first.
std::vector<Class> classes_of(const Writing& writing, Json spec, const NodeSet& among) {
  std::vector<Class> out = {{0, among}};
  for (const Json& term : spec["affinity"]["nodeAffinity"][kPreferred].items()) {
    const NodeSet liked = preferred_by(writing, term);
    const std::int64_t weight = term["weight"].as_int().value_or(0);
    std::vector<Class> parted;
    for (const Class& one : out) {
      Class with{one.sum + weight, one.nodes};
      with.nodes &= liked;
      Class without{one.sum, one.nodes};
      without.nodes -= liked;
      for (Class& part : std::array{std::move(with), std::move(without)}) {
        if (part.nodes.empty()) continue;
        const auto at = std::find_if(parted.begin(), parted.end(),
                                     [&](const Class& have) { return have.sum == part.sum; });
        if (at == parted.end()) {
          parted.push_back(std::move(part));
        } else {
          at->nodes |= part.nodes;
        }
      }
    }
    out = std::move(parted);
  }
  std::sort(out.begin(), out.end(), [](const Class& a, const Class& b) { return a.sum > b.sum; });
  return out;
}

// ------------------------------------------------------------------ what is written

std::string signed_text(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%+.2f", value);
  return text.data();
}

// "3", and "2.7" where a shared one is left in part.
std::string gpus_text(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", value);
  const std::string_view all = text.data();
  return std::string(all.ends_with(".0") ? all.substr(0, all.size() - 2) : all);
}

void note(Writing& writing, const rules::Setting& setting, std::string text) {
  writing.outcome.notes.push_back({setting.rule, std::move(text)});
}

void explain(Writing& writing, const rules::Setting& setting,
             const std::vector<Packing::Choice>& choices) {
  std::string text = std::to_string(choices.size()) + " nodes named: ";
  for (std::size_t i = 0; i < std::min(choices.size(), kNodesExplained); ++i) {
    const Packing::Choice& choice = choices[i];
    text += (i == 0 ? "" : "; ") + writing.cluster.nodes()[choice.node].name + " (" +
            gpus_text(choice.gpus_left) + " GPUs left, wasted " + signed_text(choice.waste_growth);
    if (choice.scarcity > 0) text += ", scarcity " + signed_text(choice.scarcity);
    text += ')';
  }
  if (choices.size() > kNodesExplained) text += "; ...";
  note(writing, setting, std::move(text));
}

void write_hint(Writing& writing, const rules::Setting& setting,
                const std::vector<Packing::Choice>& choices, std::int64_t highest) {
  base::Arena& arena = writing.arena();
  double falling = static_cast<double>(highest);
  for (std::size_t rank = 0; rank < choices.size(); ++rank, falling *= kFall) {
    const Json host = writing.cluster.nodes()[choices[rank].node].labels[topology::kHostLabel];
    const Json expression = kube::make_object(arena, {{"key", Json::string(topology::kHostLabel)},
                                                      {"operator", Json::string("In")},
                                                      {"values", kube::make_array(arena, {host})}});
    const Json preference =
        kube::make_object(arena, {{"matchExpressions", kube::make_array(arena, {expression})}});
    const std::int64_t weight = std::max<std::int64_t>(1, static_cast<std::int64_t>(falling));
    append_or_warn(writing, setting, kList,
                   kube::make_object(arena, {{"weight", kube::make_int(arena, weight)},
                                             {"preference", preference}}));
  }
  writing.outcome.nodes_named = choices.size();
}

}  // namespace

void write_pack(Writing& writing, const rules::Setting& setting) {
  const auto* wish = std::get_if<rules::Pack>(&setting.assignment->value);
  if (wish == nullptr || !wish->on) return;
  const kube::Pod pod = writing.pod();
  const auto wanted = read_wanted(pod);
  if (const std::string_view reason = reason_against(writing, pod, wanted); !reason.empty())
    return note(writing, setting, "no node is named: " + std::string(reason));
  if (!writing.cluster.knows(topology::Kind::kNodes) || !writing.cluster.fresh()) {
    warn(
        writing, setting.rule,
        writing.cluster.fresh()
            ? "placement.pack: nodes are not known, so none is preferred"
            : "placement.pack: the picture of the cluster is out of date, so no node is preferred");
    return;
  }
  const Json spec = pod.spec();
  NodeSet among = usable(writing, spec, *wanted);
  among &= writing.cluster.index().labelled(topology::kHostLabel);
  if (const std::string_view harm = harm_of(writing, setting, *wanted, among); !harm.empty())
    return note(writing, setting, "no node is named: " + std::string(harm));
  const topology::PodShape shape = topology::shape_of(pod);
  const std::vector<Class> classes = classes_of(writing, spec, among);
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const std::int64_t highest =
        c == 0 ? kHighestWeight
               : std::min<std::int64_t>(kHighestWeight, classes[c - 1].sum - classes[c].sum - 1);
    const auto choices = writing.cluster.packing().best(classes[c].nodes, writing.cluster.nodes(),
                                                        shape, kMostNodes);
    if (choices.empty()) continue;
    if (highest < 1) return note(writing, setting, "no node is named: preferences leave no weight");
    explain(writing, setting, choices);
    return write_hint(writing, setting, choices, highest);
  }
  note(writing, setting, "no node is named: none has room for the pod now");
}

}  // namespace berth::mutate
