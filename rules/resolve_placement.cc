// Levels and products: names of rule files to node labels and values of this cluster.
#include <algorithm>
#include <map>
#include <span>
#include <tuple>

#include "kube/affinity.h"
#include "kube/selector.h"
#include "rules/intent.h"
#include "rules/resolve.h"

namespace berth::rules {
namespace {

constexpr std::string_view kHostname = "kubernetes.io/hostname";
constexpr std::size_t kMostValues = 256;  // in one requirement; more would bloat every pod
constexpr int kHighestWeight = 100;
constexpr int kWeightStep = 20;
constexpr int kLowestWeight = 10;
constexpr int kTieStep = 5;

int weight_at(std::size_t rank) {
  return std::max(kLowestWeight, kHighestWeight - kWeightStep * static_cast<int>(rank));
}

struct LevelHere {
  std::string_view name;
  std::size_t index = 0;
  std::string_view label;
};

std::optional<LevelHere> find_level(const Resolving& resolving, std::string_view name) {
  const auto index = resolving.cluster().level_index(name);
  if (!index) return std::nullopt;
  return LevelHere{name, *index, label_of_level(resolving.cluster(), *index)};
}

// Better for the workload is the domain in which it leaves least of whole nodes unusable for larger
// ones, then the one with least room left for more of its like.
bool leaves_less(const topology::DomainRoom& a, const topology::DomainRoom& b) {
  return std::tie(a.splinters, a.places, a.free) < std::tie(b.splinters, b.places, b.free);
}

// Domains of a level that hold the workload now, the best first.
std::vector<topology::DomainRoom> fitting_now(Resolving& resolving, const LevelHere& level) {
  std::vector<topology::DomainRoom> rooms = resolving.rooms(level.index);
  std::erase_if(rooms, [](const topology::DomainRoom& room) { return !room.fits_now; });
  std::stable_sort(rooms.begin(), rooms.end(), leaves_less);
  return rooms;
}

// Of domains that are alike, the pods of a gang prefer one: it is booked for them, and so the next
// gang prefers another. `first` is one of the best.
void break_tie(std::string_view first, LevelAnswer& answer, std::size_t best) {
  LabelValues& alike = answer.prefer[best];
  if (alike.values.size() < 2) return;
  std::erase(alike.values, first);
  LabelValues one{alike.label, {first}, alike.weight};
  alike.weight = std::max(1, alike.weight - kTieStep);
  answer.prefer.insert(answer.prefer.begin() + static_cast<std::ptrdiff_t>(best), std::move(one));
}

// Adds preferences for the domains with room, by what the workload leaves behind there: one weight
// for the best and those that are like it, one for those that splinter no more, one for the rest.
void rank(Resolving& resolving, const LevelHere& level, int weight, LevelAnswer& answer) {
  if (!resolving.fresh() || level.label.empty() || resolving.gpus() == 0) return;
  auto rooms = fitting_now(resolving, level);
  if (rooms.size() > kMostValues) rooms.resize(kMostValues);
  const std::size_t best = answer.prefer.size();
  const auto rank_of = [&](const topology::DomainRoom& room) {
    if (!leaves_less(rooms.front(), room)) return 0;
    return room.splinters == rooms.front().splinters ? 1 : 2;
  };
  for (auto at = rooms.begin(); at != rooms.end();) {
    const int rank = rank_of(*at);
    LabelValues values{level.label, {}, std::max(1, weight - rank * kWeightStep / 2)};
    for (; at != rooms.end() && rank_of(*at) == rank; ++at) values.values.push_back(at->name);
    std::sort(values.values.begin(), values.values.end());
    answer.prefer.push_back(std::move(values));
  }
  const bool is_gang = answer.together && resolving.subject().door == Door::kOwner;
  if (is_gang && !rooms.empty()) break_tie(rooms.front().name, answer, best);
}

// Leaves only domains that could hold the workload if they were empty.
void require_holders(Resolving& resolving, const Setting& setting, const LevelHere& level,
                     LevelAnswer& answer) {
  const Facts& facts = resolving.facts();
  if (!resolving.fresh() || level.label.empty() || resolving.gpus() == 0 || facts.pods < 2) return;
  const auto& rooms = resolving.rooms(level.index);
  LabelValues holders{level.label, {}, 0};
  std::int64_t most = 0;
  for (const topology::DomainRoom& room : rooms) {
    most = std::max(most, room.places_ever);
    if (room.fits_ever) holders.values.push_back(room.name);
  }
  std::sort(holders.values.begin(), holders.values.end());
  holders.values.erase(std::unique(holders.values.begin(), holders.values.end()),
                       holders.values.end());
  if (holders.values.empty()) {
    const std::string gpus = std::to_string(facts.gpus) + " GPUs";
    resolving.warn(setting, "no " + std::string(level.name) + " can ever hold " +
                                std::to_string(facts.gpu_pods) + " pods of " + gpus +
                                (most > 0 ? " (most: " + std::to_string(most) + " pods)"
                                          : ": no node in it holds a pod of " + gpus));
    answer.possible = false;
    return;
  }
  const bool all = holders.values.size() == resolving.cluster().domains(level.index).size();
  if (!all && holders.values.size() <= kMostValues) answer.require.push_back(std::move(holders));
}

void advise_nvlink(Resolving& resolving, const Setting& setting, const LevelAnswer& answer) {
  const Facts& facts = resolving.facts();
  if (answer.label != kHostname || facts.pods < 2 || resolving.gpus() == 0) return;
  resolving.warn(setting, std::to_string(facts.pods) + " pods of " + std::to_string(facts.gpus) +
                              " GPU on one node may not use NVLink between them; one pod with " +
                              std::to_string(facts.total_gpus) + " does");
}

LevelAnswer answer_at(const Resolving& resolving, const LevelHere& level, bool required) {
  LevelAnswer answer;
  answer.level = level.name;
  answer.label = level.label;
  answer.required = required;
  answer.together = resolving.facts().pods > 1;
  return answer;
}

void warn_of_label(Resolving& resolving, const Setting& setting, std::string_view level) {
  resolving.warn(setting, (resolving.knows_nodes() ? "no node has a label for the level "
                                                   : "nodes are not known, nor the label of the "
                                                     "level ") +
                              std::string(level) + ": pods are not drawn together");
}

LevelAnswer require_level(Resolving& resolving, const Setting& setting, std::string_view name) {
  const auto level = find_level(resolving, name);
  if (!level || level->label.empty()) {
    warn_of_label(resolving, setting, name);
    LevelAnswer answer;
    answer.level = name;
    answer.required = true;
    return answer;
  }
  LevelAnswer answer = answer_at(resolving, *level, true);
  require_holders(resolving, setting, *level, answer);
  rank(resolving, *level, kHighestWeight, answer);
  return answer;
}

LevelAnswer prefer_levels(Resolving& resolving, const Setting& setting,
                          std::span<const std::string> names) {
  LevelAnswer answer;
  answer.level = names.front();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto level = find_level(resolving, names[i]);
    if (!level || level->label.empty()) continue;
    if (answer.label.empty()) answer = answer_at(resolving, *level, false);
    rank(resolving, *level, weight_at(i), answer);
  }
  if (answer.label.empty() && resolving.facts().pods > 1) {
    warn_of_label(resolving, setting, names.front());
  }
  return answer;
}

// The first level that has room now. Whether it becomes a requirement: at the owner's door the
// answer goes to all pods alike; a pod that comes alone may find the room taken.
LevelAnswer narrowest_level(Resolving& resolving, const Setting& setting,
                            std::span<const std::string> names) {
  if (resolving.fresh() && resolving.gpus() > 0) {
    for (const std::string& name : names) {
      const auto level = find_level(resolving, name);
      if (!level || level->label.empty() || !resolving.capacity().fits(level->index)) continue;
      if (resolving.subject().door == Door::kOwner) return require_level(resolving, setting, name);
      return prefer_levels(resolving, setting, std::span(&name, 1));
    }
  }
  return prefer_levels(resolving, setting, names.last(1));
}

}  // namespace

std::string_view label_of_level(const topology::Snapshot& cluster, std::size_t level) {
  std::map<std::string_view, std::size_t> nodes;
  for (const topology::Domain& domain : cluster.domains(level)) {
    nodes[domain.label] += domain.nodes.size();
  }
  const auto most = std::max_element(
      nodes.begin(), nodes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most != nodes.end()) return most->first;
  const std::vector<std::string>& labels = cluster.levels()[level].labels;
  if (cluster.knows(topology::Kind::kNodes)) return {};
  if (labels.size() == 1) return labels.front();
  for (const std::string& label : labels) {
    if (label == kHostname || label == "topology.kubernetes.io/zone") return label;
  }
  return {};
}

LevelAnswer answer_levels(Resolving& resolving, const Setting& setting,
                          const LevelPlacement& wish) {
  if (!wish.require.empty()) return require_level(resolving, setting, wish.require);
  if (!wish.prefer.empty()) return prefer_levels(resolving, setting, wish.prefer);
  return narrowest_level(resolving, setting, wish.narrowest);
}

void resolve_level(Resolving& resolving, Setting& setting) {
  const auto* wish = std::get_if<LevelPlacement>(&setting.assignment->value);
  if (wish == nullptr) return;
  LevelAnswer answer = answer_levels(resolving, setting, *wish);
  advise_nvlink(resolving, setting, answer);
  setting.answer = std::move(answer);
}

void resolve_spread(Resolving& resolving, Setting& setting) {
  const auto* wish = std::get_if<Spread>(&setting.assignment->value);
  if (wish == nullptr) return;
  LevelAnswer answer;
  answer.level = wish->level;
  if (const auto level = find_level(resolving, wish->level)) answer.label = level->label;
  if (answer.label.empty()) {
    resolving.warn(setting, "no node has a label for the level " + wish->level +
                                ": pods are not spread over it");
  }
  setting.answer = std::move(answer);
}

}  // namespace berth::rules
