#include <algorithm>
#include <optional>

#include "kube/json_yaml.h"
#include "topology/file_source.h"
#include "webhook/admit.h"
#include "webhook/reply.h"
#include "webhook/rule_test.h"
#include "webhook/rule_test_path.h"

namespace berth::webhook {
namespace {

using kube::Json;
using kube::JsonMember;

// The cluster of a test as texts for the ordinary loader: nothing here that a cluster file could
// not say.
std::string cluster_text(const RuleTestFile& file, const RuleTest& test, base::Arena& arena) {
  const Json topology = test.topology.is_null() ? file.topology : test.topology;
  std::string out = R"({"apiVersion":"v1","kind":"List","items":[)";
  std::string separator;
  const auto add = [&](const std::string& item) {
    out += separator + item;
    separator = ",";
  };
  if (topology.is_object()) {
    Json document = topology;
    document = with_member(arena, document, "apiVersion", Json::string("berth.dev/v1alpha1"));
    document = with_member(arena, document, "kind", Json::string("Topology"));
    if (!test.used.is_null()) document = with_member(arena, document, "used", test.used);
    add(kube::to_json(document));
  }
  for (const JsonMember& one : file.namespaces.members()) {
    std::string item = R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":)";
    kube::append_json_string(item, one.key);
    add(item + R"(,"labels":)" + kube::to_json(one.value) + "}}");
  }
  for (const JsonMember& one : file.priority_classes.members()) {
    std::string item =
        R"({"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{"name":)";
    kube::append_json_string(item, one.key);
    add(item + R"(},"value":)" + kube::to_json(one.value) + "}");
  }
  return out + "]}";
}

struct Observed {
  const Answer& answer;
  const rules::RuleSet& rules;
  base::Arena& arena;
};

std::set<std::string> ids(const Answer& answer,
                          std::vector<const rules::Rule*> rules::Decision::*list) {
  std::set<std::string> out;
  for (const Part& part : answer.parts) {
    for (const rules::Rule* rule : part.decision.*list) out.insert(rule->id);
  }
  return out;
}

std::set<std::string> failed_ids(const Answer& answer) {
  std::set<std::string> out;
  for (const Part& part : answer.parts) {
    for (const rules::Message& failed : part.decision.failed) {
      if (failed.rule != nullptr) out.insert(failed.rule->id);
    }
  }
  return out;
}

std::set<std::string> kept_slots(const Answer& answer) {
  std::set<std::string> out;
  for (const Part& part : answer.parts) {
    for (const mutate::Kept& kept : part.outcome.kept) out.insert(to_text(kept.slot));
  }
  return out;
}

std::set<std::string> overruled_slots(const Answer& answer) {
  std::set<std::string> out;
  for (const Part& part : answer.parts) {
    for (const rules::Overruled& lost : part.decision.overruled) {
      out.insert(lost.rule->id + "." + to_text(lost.assignment->slot));
    }
  }
  return out;
}

std::vector<std::string> texts_of(const std::vector<rules::Message>& messages) {
  std::vector<std::string> out;
  for (const rules::Message& message : messages) out.push_back(message.text);
  return out;
}

std::string joined(const auto& texts) {
  std::string out;
  for (const auto& text : texts) out += (out.empty() ? "" : ", ") + std::string(text);
  return out.empty() ? "none" : out;
}

// `wanted` is contained in `found`: objects member by member, everything else equal.
bool is_subset(Json wanted, Json found) {
  if (!wanted.is_object()) return kube::equal(wanted, found);
  return std::all_of(
      wanted.members().begin(), wanted.members().end(),
      [found](const JsonMember& member) { return is_subset(member.value, found[member.key]); });
}

bool same_text(Json wanted, Json found) {
  const auto text = [](Json value) {
    return value.is_string() ? std::string(value.string_or_empty()) : kube::to_json(value);
  };
  return kube::equal(wanted, found) || (!wanted.is_object() && !wanted.is_array() &&
                                        !found.is_null() && text(wanted) == text(found));
}

// Where the format takes one text or a list of them.
std::vector<Json> items_of(Json wanted) {
  if (!wanted.is_array()) return {wanted};
  return {wanted.items().begin(), wanted.items().end()};
}

class Judge {
 public:
  explicit Judge(const Observed& observed) : observed_(observed) {}

  void exactly(Json wanted, const std::set<std::string>& found, std::string_view what) {
    std::set<std::string> names;
    for (Json item : items_of(wanted)) names.emplace(item.string_or_empty());
    if (names != found) fail(what, joined(names), joined(found));
  }
  void all_in(Json wanted, const std::set<std::string>& found, std::string_view what) {
    for (Json item : items_of(wanted)) {
      if (!found.contains(std::string(item.string_or_empty())))
        fail(what, item.string_or_empty(), joined(found));
    }
  }
  void none_in(Json wanted, const std::set<std::string>& found, std::string_view what) {
    for (Json item : items_of(wanted)) {
      if (found.contains(std::string(item.string_or_empty()))) {
        fail(what, "not " + std::string(item.string_or_empty()), joined(found));
      }
    }
  }
  void substrings(Json wanted, const std::vector<std::string>& found, std::string_view what) {
    for (Json item : items_of(wanted)) {
      const bool there = std::any_of(found.begin(), found.end(), [&](const std::string& text) {
        return text.find(item.string_or_empty()) != std::string::npos;
      });
      if (!there) fail(what, item.string_or_empty(), joined(found));
    }
  }
  void truth(Json wanted, bool found, std::string_view what) {
    if (wanted.bool_or(!found) != found)
      fail(what, kube::to_json(wanted), found ? "true" : "false");
  }
  void decision(Json wanted) {
    Json found = kube::make_object(observed_.arena, {});
    if (!observed_.answer.parts.empty()) {
      found = to_json(observed_.answer.parts[observed_.answer.main_part].decision, observed_.arena);
    }
    if (!is_subset(wanted, found)) fail("decision", kube::to_json(wanted), kube::to_json(found));
  }
  void patched(Json wanted) {
    for (const JsonMember& member : wanted.members()) {
      const Json found = value_at_path(observed_.answer.object, member.key);
      if (!same_text(member.value, found)) {
        fail(member.key, kube::to_json(member.value),
             found.is_null() ? "nothing" : kube::to_json(found));
      }
    }
  }
  void absent(Json wanted) {
    for (Json item : items_of(wanted)) {
      const Json found = value_at_path(observed_.answer.object, item.string_or_empty());
      if (!found.is_null()) fail(item.string_or_empty(), "nothing", kube::to_json(found));
    }
  }
  void fail(std::string_view what, std::string_view wanted, std::string_view found) {
    failures_.push_back(std::string(what) + ": wanted " + std::string(wanted) + ", got " +
                        std::string(found));
  }
  std::vector<std::string> take() { return std::move(failures_); }

 private:
  const Observed& observed_;
  std::vector<std::string> failures_;
};

std::vector<std::string> judge(Json expect, const Observed& observed) {
  const Answer& answer = observed.answer;
  Judge judge(observed);
  for (const JsonMember& want : expect.members()) {
    if (want.key == "allowed") judge.truth(want.value, answer.allowed(), "allowed");
    if (want.key == "unchanged")
      judge.truth(want.value, answer.outcome != Outcome::kPatched, "unchanged");
    if (want.key == "rules")
      judge.exactly(want.value, ids(answer, &rules::Decision::applied), "rules");
    if (want.key == "notRules")
      judge.none_in(want.value, ids(answer, &rules::Decision::applied), "notRules");
    if (want.key == "audited")
      judge.all_in(want.value, ids(answer, &rules::Decision::audited), "audited");
    if (want.key == "errors") judge.all_in(want.value, failed_ids(answer), "errors");
    if (want.key == "kept") judge.all_in(want.value, kept_slots(answer), "kept");
    if (want.key == "overruled") judge.all_in(want.value, overruled_slots(answer), "overruled");
    if (want.key == "warnings") judge.substrings(want.value, texts_of(answer.warnings), "warnings");
    if (want.key == "denied") judge.substrings(want.value, texts_of(answer.denials), "denied");
    if (want.key == "decision") judge.decision(want.value);
    if (want.key == "patched") judge.patched(want.value);
    if (want.key == "absent") judge.absent(want.value);
  }
  return judge.take();
}

Review review_for(const RuleTest& test, Json object, base::Arena& arena) {
  Review review = review_of(object, arena);
  for (const JsonMember& member : test.request.members()) {
    review.request = with_member(arena, review.request, member.key, member.value);
  }
  review.operation = review.request["operation"].string_or(review.operation);
  review.sub_resource = review.request["subResource"].string_or(review.sub_resource);
  review.namespace_name = review.request["namespace"].string_or(review.namespace_name);
  review.dry_run = review.request["dryRun"].bool_or(false);
  return review;
}

// The present outcome as the expectations that it meets.
std::string recorded(const RuleTest& test, const Observed& observed) {
  const Answer& answer = observed.answer;
  base::Arena& arena = observed.arena;
  Json expect = kube::make_object(arena, {{"allowed", Json::boolean(answer.allowed())}});
  const auto add = [&](std::string_view key, const auto& texts) {
    std::vector<Json> items;
    for (const std::string& text : texts) items.push_back(kube::make_string(arena, text));
    if (items.empty() && key != "rules") return;
    expect = with_member(arena, expect, key, kube::make_array(arena, items));
  };
  add("rules", ids(answer, &rules::Decision::applied));
  add("audited", ids(answer, &rules::Decision::audited));
  add("errors", failed_ids(answer));
  add("kept", kept_slots(answer));
  add("overruled", overruled_slots(answer));
  add("warnings", texts_of(answer.warnings));
  add("denied", texts_of(answer.denials));
  if (answer.outcome != Outcome::kPatched)
    expect = with_member(arena, expect, "unchanged", Json::boolean(true));
  if (!answer.parts.empty()) {
    const Json decision = to_json(answer.parts[answer.main_part].decision, arena);
    if (decision.size() > 0) expect = with_member(arena, expect, "decision", decision);
  }
  const Json out = with_member(arena, test.written, "expect", expect);
  std::string yaml = kube::to_yaml(kube::make_array(arena, {out}));
  if (!yaml.ends_with('\n')) yaml += '\n';
  return yaml;
}

rules::StatedFacts stated_facts(Json shorthand) {
  rules::StatedFacts stated;
  stated.kind = shorthand["kind"].string_or_empty();
  stated.framework = shorthand["framework"].string_or_empty();
  stated.pods = shorthand["pods"].as_int().value_or(0);
  return stated;
}

}  // namespace

RuleTestResult run_rule_test(const RuleTestFile& file, const RuleTest& test,
                             const RuleTestSetting& setting) {
  RuleTestResult result;
  result.test = &test;
  base::Arena arena;
  const std::vector<base::SourceText> texts{{file.path, cluster_text(file, test, arena)}};
  topology::BuildOptions build = setting.build;
  build.fresh = test.model == RuleTest::Model::kFresh;
  const topology::Loaded loaded = topology::load_cluster(texts, build);
  if (loaded.snapshot == nullptr) {
    for (const base::Problem& problem : loaded.problems.list())
      result.failures.push_back(problem.text);
    return result;
  }
  Limits limits = setting.limits;
  limits.decide.rollout = test.rollout;
  if (test.pod.is_object()) limits.stated = stated_facts(test.pod);
  const World world{setting.rules, *loaded.snapshot, limits};
  const Json object =
      test.pod.is_object() ? pod_of_shorthand(test.pod, limits.label_prefix, arena) : test.object;
  const Review first_review = review_for(test, object, arena);
  const Answer first = admit(first_review, world, arena);
  const Review second_review = review_for(test, first.object, arena);
  const Answer second = admit(second_review, world, arena);
  const Observed observed{test.passes == RuleTest::Passes::kTwo ? second : first, setting.rules,
                          arena};
  if (test.expect.is_object()) {
    result.failures = judge(test.expect, observed);
  } else {
    result.failures.push_back("no expectations; berth test --record prints the present outcome");
  }
  if (first.outcome == Outcome::kFailedSafe)
    result.failures.push_back("self-check: " + first.reason);
  if (first.allowed() && !second.changes.empty()) {
    result.failures.push_back("second pass: changes " + std::string(second.changes[0].path) +
                              " again");
  }
  result.applied = ids(first, &rules::Decision::applied);
  result.applied.merge(ids(first, &rules::Decision::audited));
  result.outcome_yaml = recorded(test, observed);
  return result;
}

}  // namespace berth::webhook
