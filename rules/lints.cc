#include "rules/lints.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "rules/action_text.h"
#include "rules/region.h"

namespace berth::rules {
namespace {

/// One look over a set.
class Lint {
 public:
  Lint(const RuleSet& set, const std::vector<bool>& sound,
       std::span<const base::SourceText> sources, base::Problems& problems)
      : set_(set), sources_(sources), problems_(problems) {
    for (std::size_t i = 0; i < set.rules.size(); ++i) {
      if (sound[i] && set.rules[i].mode != Mode::kDisabled) rules_.push_back(&set.rules[i]);
    }
  }

  void run() {
    for (const Rule* rule : rules_) {
      if (!is_empty_match(*rule)) {
        find_careless_share(*rule);
        find_cover(*rule);
      }
    }
    find_two_schedulers();
  }

 private:
  bool is_empty_match(const Rule& rule);
  void find_careless_share(const Rule& rule);
  void find_cover(const Rule& rule);
  bool covers(const Rule& earlier, const Rule& rule) const;
  void find_two_schedulers();
  void warn(const base::Place& place, std::string code, std::string text, std::string hint);

  const RuleSet& set_;
  std::span<const base::SourceText> sources_;
  base::Problems& problems_;
  std::vector<const Rule*> rules_;
};

void Lint::warn(const base::Place& place, std::string code, std::string text, std::string hint) {
  base::Problem problem;
  problem.severity = base::Severity::kWarning;
  problem.code = std::move(code);
  problem.place = place;
  problem.text = std::move(text);
  problem.hint = std::move(hint);
  for (const base::SourceText& source : sources_) {
    if (source.name() == place.file) problem.snippet = std::string(source.line(place.line));
  }
  problems_.add(std::move(problem));
}

bool Lint::is_empty_match(const Rule& rule) {
  const auto regions = regions_of(rule, set_);
  const auto except = exclusions_of(rule);
  std::vector<std::size_t> empty;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    if (!find_outside(regions[i], except)) empty.push_back(i);
  }
  const auto place_of = [&](std::size_t entry) {
    return entry < rule.match.size() ? rule.match[entry].place : rule.place;
  };
  if (empty.size() == regions.size()) {
    warn(place_of(0), "empty-match", "rule " + rule.id + " can never apply: no pod matches it",
         "see that its match, except and when leave room for some pod");
    return true;
  }
  for (const std::size_t entry : empty) {
    warn(place_of(entry), "empty-match", "this entry of rule " + rule.id + " matches no pod", "");
  }
  return false;
}

void Lint::find_careless_share(const Rule& rule) {
  for (const Assignment& assignment : rule.assignments) {
    const auto* share = std::get_if<GpuShare>(&assignment.value);
    if (share == nullptr || share->share == Share::kWhole || share->share == Share::kAuto) continue;
    const auto regions = regions_of(rule, set_);
    const bool several = std::any_of(regions.begin(), regions.end(),
                                     [](const Region& r) { return r.has_several_gpus(); });
    if (!several) continue;
    warn(assignment.place, "careless-share",
         "rule " + rule.id + " asks for a part of a GPU (" + std::string(to_text(share->share)) +
             ") also for pods that want several GPUs; those are left as they are",
         "say in its match which pods are meant, for example gpus: 1");
  }
}

bool Lint::covers(const Rule& earlier, const Rule& rule) const {
  if (!earlier.when.empty() || earlier.mode != Mode::kEnforce || earlier.rollout.percent < 100)
    return false;
  static const Match kEveryGpuPod;
  std::vector<Exclusion> outside = exclusions_of(rule);
  for (const Match& match : earlier.match) outside.push_back({&match, Region::Keys::kOfMatch});
  if (earlier.match.empty()) outside.push_back({&kEveryGpuPod, Region::Keys::kOfMatch});
  const auto except = exclusions_of(rule);
  for (const Region& region : regions_of(rule, set_)) {
    if (find_outside(region, outside)) return false;
    for (const Match& excepted : earlier.except) {
      if (find_outside(region.within(excepted, Region::Keys::kOfExcept), except)) return false;
    }
  }
  return true;
}

void Lint::find_cover(const Rule& rule) {
  if (!set_.files[static_cast<std::size_t>(rule.file)].first) return;
  for (const Rule* earlier : rules_) {
    if (earlier == &rule) return;
    if (earlier->file != rule.file || !covers(*earlier, rule)) continue;
    warn(rule.place, "covered-rule",
         "rule " + rule.id + " is never reached: " + earlier->id + " (line " +
             std::to_string(earlier->place.line) + ") takes every pod that it matches",
         "move it up, or narrow the rule above it");
    return;
  }
}

/// What a rule says about scheduler and nodes.
struct SchedulerUse {
  const Rule* rule = nullptr;
  const Assignment* assignment = nullptr;
  std::string scheduler;
  std::vector<std::string> products;  // empty: any
  bool priority = false;
};

SchedulerUse scheduler_use(const Rule& rule) {
  SchedulerUse use;
  use.rule = &rule;
  for (const Assignment& assignment : rule.assignments) {
    switch (assignment.slot.kind) {
      case SlotKind::kScheduler:
        use.assignment = &assignment;
        use.scheduler = constant_text(assignment, rule).value_or("");
        break;
      case SlotKind::kPriorityClass:
        use.priority = true;
        break;
      case SlotKind::kProducts:
        use.products = std::get<Products>(assignment.value).names;
        break;
      case SlotKind::kGpu:
      case SlotKind::kNodeSelector:
      case SlotKind::kPreferProducts:
      case SlotKind::kPlacement:
      case SlotKind::kSpread:
      case SlotKind::kTolerate:
      case SlotKind::kGang:
      case SlotKind::kQueue:
      case SlotKind::kRuntimeClass:
      case SlotKind::kEnv:
      case SlotKind::kShm:
      case SlotKind::kVolume:
      case SlotKind::kLabel:
      case SlotKind::kAnnotation:
      case SlotKind::kSet:
      case SlotKind::kPack:
        break;
    }
  }
  return use;
}

bool same_nodes(const SchedulerUse& a, const SchedulerUse& b) {
  if (a.products.empty() || b.products.empty()) return true;
  return std::find_first_of(a.products.begin(), a.products.end(), b.products.begin(),
                            b.products.end()) != a.products.end();
}

void Lint::find_two_schedulers() {
  std::vector<SchedulerUse> uses;
  for (const Rule* rule : rules_) {
    SchedulerUse use = scheduler_use(*rule);
    if (!use.scheduler.empty()) uses.push_back(std::move(use));
  }
  std::set<std::pair<std::string, std::string>> told;
  for (std::size_t j = 1; j < uses.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      const SchedulerUse& a = uses[i];
      const SchedulerUse& b = uses[j];
      if (a.scheduler == b.scheduler || !(a.priority || b.priority) || !same_nodes(a, b)) continue;
      if (!told.insert(std::minmax(a.scheduler, b.scheduler)).second) continue;
      warn(b.assignment->place, "two-schedulers",
           "rules " + a.rule->id + " (scheduler " + a.scheduler + ") and " + b.rule->id +
               " (scheduler " + b.scheduler +
               ") can send pods to the same nodes; priorities do not act across schedulers",
           "keep them on different nodes, or use one scheduler for both");
    }
  }
}

}  // namespace

void report_lints(const RuleSet& set, const std::vector<bool>& sound,
                  std::span<const base::SourceText> sources, base::Problems& problems) {
  Lint(set, sound, sources, problems).run();
}

}  // namespace berth::rules
