#include "rules/engine.h"

#include <algorithm>

#include "base/problem.h"
#include "rules/activation.h"
#include "rules/intent.h"
#include "rules/judge.h"
#include "rules/match.h"
#include "rules/merge.h"
#include "rules/resolve.h"
#include "rules/standing.h"

namespace berth::rules {
namespace {

// One request on its way through all rules.
struct Run {
  Judging& judging;
  Decision& decision;
  std::vector<Holding> holdings;
  std::vector<const Rule*> first_of_file;  // strategy first: the rule that applied, by file
};

// `request` for conditions, also where there was no review.
kube::Json request_json(const Request& request, base::Arena& arena) {
  if (request.json.is_object()) return request.json;
  return kube::make_object(arena, {{"operation", kube::Json::string(request.operation)},
                                   {"namespace", kube::Json::string(request.namespace_name)}});
}

// Tolerations that rules in force may add: conditions ask what the workload could use with them.
kube::Json likely_tolerations(const RuleSet& rules, const Facts& facts, base::Arena& arena) {
  Decision likely;
  for (const Rule& rule : rules.rules) {
    if (rule.mode != Mode::kEnforce || !rule.when.empty()) continue;
    const bool matched = rule.match.empty()
                             ? facts.wants_gpu
                             : std::any_of(rule.match.begin(), rule.match.end(),
                                           [&](const Match& m) { return holds(m, facts); });
    if (!matched) continue;
    for (const Assignment& assignment : rule.assignments) {
      if (assignment.slot.kind == SlotKind::kTolerate) {
        likely.settings.push_back({&assignment, &rule, {}, {}, {}});
      }
    }
  }
  return tolerations_in_force(likely, facts, arena);
}

void add_not_applied(Run& run, const Rule& rule, std::string reason) {
  if (run.judging.options.reasons == DecideOptions::Reasons::kAll) {
    run.decision.not_applied.push_back({&rule, std::move(reason)});
  }
}

void apply(Run& run, const Rule& rule, const Verdict& verdict) {
  run.decision.applied.push_back(&rule);
  run.holdings.push_back({&rule, verdict.rendered});
  if (!rule.warn.is_absent()) {
    run.decision.warnings.push_back({&rule, render_message(rule.warn, run.judging)});
  }
  if (!rule.deny.is_absent()) {
    run.decision.denials.push_back({&rule, render_message(rule.deny, run.judging)});
  }
}

void fail(Run& run, const Rule& rule, const Verdict& verdict) {
  run.decision.failed.push_back({&rule, verdict.reason});
  if (rule.on_error == OnError::kDeny && rule.mode == Mode::kEnforce) {
    run.decision.denials.push_back(
        {&rule, "rule " + rule.id + " cannot be evaluated: " + verdict.reason});
  }
}

void visit(Run& run, const Rule& rule) {
  if (rule.mode == Mode::kDisabled) {
    add_not_applied(run, rule, "mode: disabled");
    return;
  }
  const bool audit = rule.mode == Mode::kAudit;
  if (audit && run.judging.options.effort == DecideOptions::Effort::kReduced) return;
  const auto file = static_cast<std::size_t>(rule.file);
  const RuleFile& set = run.judging.rules.files[file];
  if (set.first && run.first_of_file[file] != nullptr) {
    add_not_applied(run, rule, "strategy: " + run.first_of_file[file]->id + " applies");
    return;
  }
  Verdict verdict = judge(rule, run.judging);
  switch (verdict.kind) {
    case Verdict::Kind::kNo:
      add_not_applied(run, rule, std::move(verdict.reason));
      return;
    case Verdict::Kind::kFailed:
      fail(run, rule, verdict);
      return;
    case Verdict::Kind::kHolds:
      break;
  }
  if (audit) {
    run.decision.audited.push_back(&rule);
    return;
  }
  if (set.first) run.first_of_file[file] = &rule;
  apply(run, rule, verdict);
}

// An intent that no rule knows, though one knows a word like it: most likely a slip.
void check_intent(const RuleSet& rules, const Facts& facts, Decision& decision) {
  if (facts.intent.empty()) return;
  std::vector<std::string_view> known;
  for (const Rule& rule : rules.rules) {
    for (const Match& match : rule.match) {
      known.insert(known.end(), match.intents.begin(), match.intents.end());
    }
  }
  if (std::find(known.begin(), known.end(), facts.intent) != known.end()) return;
  std::sort(known.begin(), known.end());
  const std::string_view near = base::nearest(facts.intent, known);
  if (near.empty() || near == "*") return;
  decision.warnings.push_back({nullptr, "no rule knows the intent " + quoted(facts.intent) +
                                            "; did you mean " + quoted(near) + '?'});
}

void judge_all(Run& run) {
  run.first_of_file.resize(run.judging.rules.files.size());
  for (const Rule& rule : run.judging.rules.rules) visit(run, rule);
}

}  // namespace

Decision decide(const Subject& subject, const Request& request, const Facts& facts,
                const RuleSet& rules, const topology::Snapshot& cluster, base::Arena& arena,
                const DecideOptions& options) {
  Decision decision;
  if (!facts.hands_off.empty()) {
    if (options.reasons == DecideOptions::Reasons::kAll) {
      for (const Rule& rule : rules.rules) {
        decision.not_applied.push_back({&rule, "the pod: " + std::string(facts.hands_off)});
      }
    }
    return decision;
  }
  const Request seen{request.operation, request.namespace_name, request_json(request, arena)};
  topology::Demand demand;
  demand.pod_spec = subject.pod.spec();
  demand.extra_tolerations = likely_tolerations(rules, facts, arena);
  demand.gpus = facts.gpus;
  demand.pods = facts.pods;
  demand.vendor = facts.vendor;
  demand.product = facts.gpu_product;
  const TopologyView view(cluster, demand);
  cel::Activation activation;
  activation.memo = arena.make_array<cel::Memo>(rules.variables.size());
  bind(activation, {subject.pod.object(), seen, facts, view});

  Judging judging{rules, facts, activation, arena, options, {}};
  Run run{judging, decision, {}, {}};
  judge_all(run);
  merge(run.holdings, decision);
  respect_standing(subject, facts, cluster, decision);
  resolve(subject, facts, cluster, arena, decision);
  check_intent(rules, facts, decision);
  return decision;
}

}  // namespace berth::rules
