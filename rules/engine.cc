#include "rules/engine.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <span>

#include "base/problem.h"
#include "rules/activation.h"
#include "rules/index.h"
#include "rules/intent.h"
#include "rules/judge.h"
#include "rules/merge.h"
#include "rules/resolve.h"
#include "rules/standing.h"

namespace berth::rules {
namespace {

// One request on its way through the rules.
struct Run {
  Judging& judging;
  Decision& decision;
  std::span<Holding> holdings;  // room for all candidates
  std::size_t held = 0;
  std::span<const Rule*> first_of_file;  // strategy first: the rule that applied, by file
};

// `request` for conditions, also where there was no review.
kube::Json request_json(const Request& request, base::Arena& arena) {
  if (request.json.is_object()) return request.json;
  return kube::make_object(arena, {{"operation", kube::Json::string(request.operation)},
                                   {"namespace", kube::Json::string(request.namespace_name)}});
}

// Tolerations that rules in force may add: conditions ask what the workload could use with them.
kube::Json likely_tolerations(const RuleSet& rules, const RuleIndex& index, const Facts& facts,
                              base::Arena& arena) {
  kube::Json list = usual_toleration(facts, arena);
  for (const std::size_t i : index.tolerating()) {
    const Rule& rule = rules.rules[i];
    if (!any_match(rule, facts)) continue;
    for (const Assignment& assignment : rule.assignments) {
      if (const auto* toleration = std::get_if<Toleration>(&assignment.value)) {
        list = with_toleration(list, *toleration, arena);
      }
    }
  }
  return list;
}

void add_not_applied(Run& run, const Rule& rule, std::string reason) {
  if (run.judging.options.reasons == DecideOptions::Reasons::kAll) {
    run.decision.not_applied.push_back({&rule, std::move(reason)});
  }
}

void apply(Run& run, const Rule& rule, const Verdict& verdict) {
  run.decision.applied.push_back(&rule);
  run.holdings[run.held++] = {&rule, verdict.rendered};
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
void check_intent(const RuleIndex& index, const Facts& facts, Decision& decision) {
  if (facts.intent.empty()) return;
  const auto known = index.known_intents();
  if (std::binary_search(known.begin(), known.end(), facts.intent)) return;
  const std::string_view near = base::nearest(facts.intent, known);
  if (near.empty()) return;
  decision.warnings.push_back({nullptr, "no rule knows the intent " + quoted(facts.intent) +
                                            "; did you mean " + quoted(near) + '?'});
}

// Every rule, so that each says why it does not apply.
void visit_all(Run& run) {
  const auto& rules = run.judging.rules.rules;
  run.holdings = run.judging.arena.make_array<Holding>(rules.size());
  for (const Rule& rule : rules) visit(run, rule);
}

// The rules that can match, in their order.
void visit_candidates(Run& run, const RuleIndex& index) {
  const auto& rules = run.judging.rules.rules;
  const auto words = index.candidates(run.judging.facts, run.judging.arena);
  std::size_t count = 0;
  for (const std::uint64_t word : words) count += static_cast<std::size_t>(std::popcount(word));
  run.holdings = run.judging.arena.make_array<Holding>(count);
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (std::uint64_t word = words[i]; word != 0; word &= word - 1) {
      visit(run, rules[i * 64 + static_cast<std::size_t>(std::countr_zero(word))]);
    }
  }
}

void visit_rules(Run& run, const RuleIndex& index) {
  run.first_of_file = run.judging.arena.make_array<const Rule*>(run.judging.rules.files.size());
  if (run.judging.options.reasons == DecideOptions::Reasons::kAll) {
    visit_all(run);
  } else {
    visit_candidates(run, index);
  }
}

void clear(Decision& decision) {
  decision.applied.clear();
  decision.audited.clear();
  decision.settings.clear();
  decision.warnings.clear();
  decision.denials.clear();
  decision.failed.clear();
  decision.not_applied.clear();
  decision.overruled.clear();
}

void nothing_applies(const Facts& facts, const RuleSet& rules, const DecideOptions& options,
                     Decision& decision) {
  if (options.reasons == DecideOptions::Reasons::kNone) return;
  for (const Rule& rule : rules.rules) {
    decision.not_applied.push_back({&rule, "the pod: " + std::string(facts.hands_off)});
  }
}

}  // namespace

Decision decide(const Subject& subject, const Request& request, const Facts& facts,
                const RuleSet& rules, const topology::Snapshot& cluster, base::Arena& arena,
                const DecideOptions& options) {
  Decision decision;
  decide_into(decision, subject, request, facts, rules, cluster, arena, options);
  return decision;
}

void decide_into(Decision& decision, const Subject& subject, const Request& request,
                 const Facts& facts, const RuleSet& rules, const topology::Snapshot& cluster,
                 base::Arena& arena, const DecideOptions& options) {
  clear(decision);
  if (!facts.hands_off.empty()) return nothing_applies(facts, rules, options, decision);
  const std::shared_ptr<const RuleIndex> made =
      rules.index == nullptr ? std::make_shared<const RuleIndex>(rules) : nullptr;
  const RuleIndex& index = made != nullptr ? *made : *rules.index;

  topology::Demand demand;
  demand.pod_spec = subject.pod.spec();
  if (index.asks_topology()) {
    demand.extra_tolerations = likely_tolerations(rules, index, facts, arena);
  }
  demand.gpus = facts.gpus;
  demand.pods = facts.gpu_pods;
  demand.vendor = facts.vendor;
  demand.product = facts.gpu_product;
  demand.own = cluster.booked_for(facts.namespace_name, facts.kind, facts.name);
  const TopologyView view(cluster, demand);
  const Request seen{request.operation, request.namespace_name, request_json(request, arena)};
  cel::Activation activation;
  activation.memo = arena.make_array<cel::Memo>(rules.variables.size());
  bind(activation, {subject.pod.object(), seen, facts, view});

  Judging judging{rules, facts, activation, arena, options, {}};
  Run run{judging, decision, {}, 0, {}};
  visit_rules(run, index);
  merge(run.holdings.first(run.held), decision, arena);
  respect_standing(subject, facts, cluster, decision);
  resolve(subject, facts, cluster, arena, decision);
  check_intent(index, facts, decision);
}

}  // namespace berth::rules
