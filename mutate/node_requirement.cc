#include "mutate/node_requirement.h"

#include <algorithm>

#include "kube/pointer.h"
#include "kube/selector.h"

namespace berth::mutate {
namespace {

using kube::Json;
using kube::JsonMember;
using kube::Judgement;
using kube::NodeRequirement;
using kube::Standing;

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kTerms =
    "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms";

Json terms_of(Json spec) {
  return spec["affinity"]["nodeAffinity"][kRequired]["nodeSelectorTerms"];
}

bool is_empty(Json term) {
  return term["matchExpressions"].size() == 0 && term["matchFields"].size() == 0;
}

Json spec_with_terms(base::Arena& arena, Json terms) {
  const Json required = kube::make_object(arena, {{"nodeSelectorTerms", terms}});
  const Json node_affinity = kube::make_object(arena, {{kRequired, required}});
  const Json affinity = kube::make_object(arena, {{"nodeAffinity", node_affinity}});
  return kube::make_object(arena, {{"affinity", affinity}});
}

// The term by itself can match no node, whatever is required besides.
bool is_dead(Json term) {
  return kube::contradicts(term, {"any", kube::NodeOperator::kNotIn, {}});
}

bool implied_by(base::Arena& arena, Json term, const NodeRequirement& requirement) {
  const Json alone = spec_with_terms(arena, kube::make_array(arena, {term}));
  return kube::judge(alone, requirement).standing == Standing::kImplied;
}

// ---------------------------------------------------------------- what the author selects

// The requirements of this decision. Those that the received pod has already are ours of an earlier
// pass as likely as the author's, and are left out when the author's own choice is looked at: so
// both passes see the same author.
bool is_ours(const Writing& writing, Json expression) {
  const auto is = [&](const std::vector<rules::LabelValues>& list, kube::NodeOperator op) {
    return std::any_of(list.begin(), list.end(), [&](const rules::LabelValues& values) {
      return kube::equal(to_json(requirement_of(values, op), writing.arena()), expression);
    });
  };
  const auto& settings = writing.decision.settings;
  return std::any_of(settings.begin(), settings.end(), [&](const rules::Setting& setting) {
    if (const auto* gpu = std::get_if<rules::GpuAnswer>(&setting.answer)) {
      return is(gpu->require, kube::NodeOperator::kIn) ||
             is(gpu->refuse, kube::NodeOperator::kNotIn);
    }
    if (const auto* level = std::get_if<rules::LevelAnswer>(&setting.answer)) {
      return is(level->require, kube::NodeOperator::kIn);
    }
    if (const auto* products = std::get_if<rules::ProductAnswer>(&setting.answer)) {
      return is(products->choices, kube::NodeOperator::kIn);
    }
    return false;
  });
}

bool is_our_selector(const Writing& writing, const JsonMember& member) {
  const auto& settings = writing.decision.settings;
  return std::any_of(settings.begin(), settings.end(), [&](const rules::Setting& setting) {
    return setting.assignment->slot.kind == rules::SlotKind::kNodeSelector &&
           setting.assignment->slot.key == member.key &&
           setting.text == member.value.string_or_empty();
  });
}

Json selector_of_author(const Writing& writing, Json selector) {
  for (const JsonMember& member : selector.members()) {
    if (is_our_selector(writing, member)) {
      selector = kube::without_member(writing.arena(), selector, member.key);
    }
  }
  return selector;
}

// Null where the terms hold nothing but ours.
Json terms_of_author(const Writing& writing, Json terms) {
  std::vector<Json> out;
  for (Json term : terms.items()) {
    std::vector<Json> expressions;
    for (const Json expression : term["matchExpressions"].items()) {
      if (!is_ours(writing, expression)) expressions.push_back(expression);
    }
    if (expressions.empty() && term["matchFields"].size() == 0 && !is_empty(term)) return Json();
    out.push_back(
        kube::with_member(writing.arena(), term, "matchExpressions",
                          kube::make_array(writing.arena(), std::span<const Json>(expressions))));
  }
  return kube::make_array(writing.arena(), std::span<const Json>(out));
}

// nodeSelector and terms of the author alone; null where there are none.
Json choice_of_author(const Writing& writing) {
  const Json spec = writing.author;
  const Json selector = selector_of_author(writing, spec["nodeSelector"]);
  const Json terms = terms_of_author(writing, terms_of(spec));
  if (selector.size() == 0 && terms.size() == 0) return Json();
  base::Arena& arena = writing.arena();
  const Json choice = terms.size() > 0 ? spec_with_terms(arena, terms) : Json();
  return kube::with_member(arena, choice, "nodeSelector", selector);
}

// Nodes that the author selects are known, nodes with what is required are known, but none is both.
bool parts_the_nodes(const Writing& writing, const AnyOf& any_of) {
  if (!writing.cluster.knows(topology::Kind::kNodes)) return false;
  const Json author = choice_of_author(writing);
  if (author.is_null()) return false;
  std::vector<Json> alternatives;
  for (const NodeRequirement& one : any_of) alternatives.push_back(to_json(one, writing.arena()));
  const topology::NodeIndex& index = writing.cluster.index();
  topology::NodeSet selected = index.admitted(author);
  if (selected.empty()) return false;
  topology::NodeSet required = index.none();
  for (const Json alternative : alternatives) required |= index.meeting(alternative);
  if (required.empty()) return false;
  return (selected &= required).empty();
}

// ---------------------------------------------------------------- writing

void add_term(Writing& writing, const rules::Setting& setting, Json term,
              const NodeRequirement& requirement) {
  const Json old = term["matchExpressions"];
  const Json expressions = kube::with_inserted(writing.arena(), old, old.items().size(),
                                               to_json(requirement, writing.arena()));
  append_or_warn(writing, setting, kTerms,
                 kube::with_member(writing.arena(), term, "matchExpressions", expressions));
}

// One term: the first alternative that it admits goes into it, each further one into a copy. A term
// that admits none stays impossible, since an alternative is ANDed into it all the same.
void narrow_term(Writing& writing, const rules::Setting& setting, std::size_t index,
                 const AnyOf& any_of) {
  const std::string path = std::string(kTerms) + "/" + std::to_string(index);
  base::Arena& arena = writing.arena();
  const Json term = writing.editor.get(path);
  if (is_dead(term)) return;
  AnyOf open;
  for (const NodeRequirement& one : any_of) {
    if (implied_by(arena, term, one)) return;
    if (!kube::contradicts(term, one)) open.push_back(one);
  }
  if (open.empty()) open.push_back(any_of.front());
  append_or_warn(writing, setting, path + "/matchExpressions", to_json(open.front(), arena));
  for (std::size_t i = 1; i < open.size(); ++i) add_term(writing, setting, term, open[i]);
}

void write_terms(Writing& writing, const rules::Setting& setting, const AnyOf& any_of) {
  const Json terms = terms_of(writing.pod().spec());
  if (terms.size() == 0) {
    for (const NodeRequirement& one : any_of) add_term(writing, setting, Json(), one);
    return;
  }
  bool some_empty = false;
  for (std::size_t i = 0; i < terms.items().size(); ++i) {
    if (is_empty(terms.at(i))) {
      some_empty = true;
    } else {
      narrow_term(writing, setting, i, any_of);
    }
  }
  if (some_empty) {
    warn(writing, setting.rule,
         "a nodeSelectorTerm without expressions matches no node: that alternative never holds");
  }
}

// ---------------------------------------------------------------- existing: replace

// The expression and no alternative can hold together.
bool excludes_all(base::Arena& arena, Json expression, const AnyOf& any_of) {
  const Json term =
      kube::make_object(arena, {{"matchExpressions", kube::make_array(arena, {expression})}});
  return std::all_of(any_of.begin(), any_of.end(),
                     [&](const NodeRequirement& one) { return kube::contradicts(term, one); });
}

void replace_selectors(Writing& writing, const AnyOf& any_of) {
  const Json selector = writing.pod().spec()["nodeSelector"];
  for (const JsonMember& member : selector.members()) {
    const NodeRequirement said{std::string(member.key),
                               kube::NodeOperator::kIn,
                               {std::string(member.value.string_or_empty())}};
    const Json expression = to_json(said, writing.arena());
    if (is_our_selector(writing, member) || !excludes_all(writing.arena(), expression, any_of)) {
      continue;
    }
    std::string path = "/spec/nodeSelector";
    kube::append_segment(path, member.key);
    writing.editor.remove(path);
  }
}

// In each term the first expression that excludes all becomes ours, the others go.
void replace_expressions(Writing& writing, const AnyOf& any_of) {
  const Json terms = terms_of(writing.pod().spec());
  for (std::size_t t = 0; t < terms.items().size(); ++t) {
    const std::string list = std::string(kTerms) + "/" + std::to_string(t) + "/matchExpressions";
    const Json expressions = terms.at(t)["matchExpressions"];
    std::vector<std::size_t> excluding;
    for (std::size_t i = 0; i < expressions.items().size(); ++i) {
      const Json expression = expressions.at(i);
      if (!is_ours(writing, expression) && excludes_all(writing.arena(), expression, any_of)) {
        excluding.push_back(i);
      }
    }
    for (std::size_t i = excluding.size(); i > 1; --i) {
      writing.editor.remove(list + "/" + std::to_string(excluding[i - 1]));
    }
    if (excluding.empty()) continue;
    const std::string path = list + "/" + std::to_string(excluding.front());
    const Json ours = to_json(any_of.front(), writing.arena());
    for (const std::string_view member : {"key", "operator", "values"}) {
      const Json* value = ours.find(member);
      const std::string at = path + "/" + std::string(member);
      if (value == nullptr || value->is_array()) writing.editor.remove(at);
      if (value != nullptr) writing.editor.set(at, *value);
    }
  }
}

// By the words alone, whatever nodes there are.
Judgement judge_words(Json spec, const AnyOf& any_of) {
  Judgement refused;
  bool open = false;
  for (const NodeRequirement& one : any_of) {
    Judgement judgement = kube::judge(spec, one);
    if (judgement.standing == Standing::kImplied) return judgement;
    open = open || judgement.standing == Standing::kCompatible;
    if (refused.against.empty()) refused = std::move(judgement);
  }
  return open ? Judgement{} : refused;
}

}  // namespace

NodeRequirement requirement_of(const rules::LabelValues& values, kube::NodeOperator op) {
  NodeRequirement out;
  out.key = values.label;
  out.op = op;
  out.values.assign(values.values.begin(), values.values.end());
  std::sort(out.values.begin(), out.values.end());
  out.values.erase(std::unique(out.values.begin(), out.values.end()), out.values.end());
  return out;
}

Json to_json(const NodeRequirement& requirement, base::Arena& arena) {
  std::vector<Json> values;
  for (const std::string& value : requirement.values) {
    values.push_back(kube::make_string(arena, value));
  }
  const Json key = kube::make_string(arena, requirement.key);
  const Json op = Json::string(kube::to_text(requirement.op));
  if (values.empty()) return kube::make_object(arena, {{"key", key}, {"operator", op}});
  return kube::make_object(arena,
                           {{"key", key},
                            {"operator", op},
                            {"values", kube::make_array(arena, std::span<const Json>(values))}});
}

Judgement judge_nodes(const Writing& writing, const AnyOf& any_of) {
  Judgement by_words = judge_words(writing.pod().spec(), any_of);
  if (by_words.standing == Standing::kCompatible && parts_the_nodes(writing, any_of)) {
    return {Standing::kEmpties, "what the pod selects, of the nodes there are,"};
  }
  return by_words;
}

void report_contradiction(Writing& writing, const rules::Setting& setting, std::string_view words,
                          std::string_view against) {
  const std::string reason = std::string(against) + " excludes it";
  if (setting.rule->existing == rules::Existing::kDeny) {
    writing.outcome.denials.push_back(
        {setting.rule, std::string(words) + " is demanded, but " + reason});
    return;
  }
  warn(writing, setting.rule, std::string(words) + " not required: " + reason);
  const std::string place(against.starts_with("nodeSelector") ? "/spec/nodeSelector" : kTerms);
  writing.outcome.kept.push_back({setting.rule, setting.assignment->slot,
                                  writing.subject.pod_pointer + place, std::string(words),
                                  std::string(against)});
}

void replace_nodes(Writing& writing, const AnyOf& any_of) {
  if (any_of.empty()) return;
  replace_selectors(writing, any_of);
  replace_expressions(writing, any_of);
}

void require_nodes(Writing& writing, const rules::Setting& setting, const AnyOf& any_of,
                   std::string_view words) {
  if (any_of.empty()) return;
  const Judgement judgement = judge_nodes(writing, any_of);
  switch (judgement.standing) {
    case Standing::kImplied:
      return;
    case Standing::kCompatible:
      write_terms(writing, setting, any_of);
      return;
    case Standing::kEmpties:
      report_contradiction(writing, setting, words, judgement.against);
      return;
  }
}

}  // namespace berth::mutate
