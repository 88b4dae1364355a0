#include "rules/judge.h"

#include <algorithm>

#include "rules/match.h"
#include "rules/rollout.h"

namespace berth::rules {
namespace {

constexpr std::size_t kLongestMessage = 1024;

const cel::Program& program_at(const Judging& judging, int index) {
  return *judging.rules.programs[static_cast<std::size_t>(index)];
}

cel::Value value_of(int program, Judging& judging) {
  return cel::evaluate(program_at(judging, program), judging.activation, judging.arena,
                       judging.budget);
}

bool wants_reasons(const Judging& judging) {
  return judging.options.reasons == DecideOptions::Reasons::kAll;
}

// A pod of a DaemonSet is bound to its node by its controller: only rules that name its kind are
// for it.
bool names_kind_of_daemon(const Match& match, const Facts& facts) {
  return !facts.daemon || !match.kinds.empty();
}

std::string match_reason(const Rule& rule, const Facts& facts) {
  const auto entry_reason = [&facts](const Match& match) {
    const std::string failure = first_failure(match, facts);
    return failure.empty() ? "match.kinds: a pod of a DaemonSet needs a rule that names its kind"
                           : "match." + failure;
  };
  if (rule.match.empty()) return entry_reason({});
  std::string out;
  for (const Match& match : rule.match) out += (out.empty() ? "" : "; ") + entry_reason(match);
  return out;
}

std::string except_reason(const Rule& rule, const Facts& facts) {
  for (const Match& except : rule.except) {
    if (excepts(except, facts)) return exception_text(except, facts);
  }
  return {};
}

bool any_exception(const Rule& rule, const Facts& facts) {
  return std::any_of(rule.except.begin(), rule.except.end(),
                     [&](const Match& except) { return excepts(except, facts); });
}

bool drawn(const Rule& rule, const Judging& judging) {
  switch (judging.options.rollout) {
    case DecideOptions::RolloutDraw::kHash:
      return reaches(rule, judging.facts);
    case DecideOptions::RolloutDraw::kIn:
      return rule.rollout.percent > 0;
    case DecideOptions::RolloutDraw::kOut:
      return rule.rollout.percent >= 100;
  }
  return false;
}

std::string rollout_reason(const Rule& rule) {
  std::string percent = std::to_string(rule.rollout.percent);
  percent.erase(percent.find_last_not_of('0') + 1);
  if (percent.ends_with('.')) percent.pop_back();
  return "rollout: " + percent + "% of the " +
         (rule.rollout.by == Rollout::By::kNamespace ? "namespaces" : "workloads") +
         ", not this one";
}

std::string failure_text(std::string_view where, std::string_view expression, cel::Value error) {
  return std::string(where) + ": " + std::string(expression) + ": " + cel::to_source(error);
}

// All conditions: a false one wins over one that failed.
Verdict judge_conditions(const Rule& rule, Judging& judging) {
  Verdict verdict{Verdict::Kind::kHolds, {}, {}};
  const Expression* failed = nullptr;
  cel::Value failure;
  for (const Expression& condition : rule.when) {
    const cel::Value value = value_of(condition.program, judging);
    if (value.is_true()) continue;
    if (value.is_error()) {
      if (failed == nullptr) failure = value;
      if (failed == nullptr) failed = &condition;
      continue;
    }
    verdict.kind = Verdict::Kind::kNo;
    if (wants_reasons(judging)) {
      verdict.reason =
          "when: " + cel::explain_failure(program_at(judging, condition.program),
                                          judging.activation, judging.arena, judging.budget);
    }
    return verdict;
  }
  if (failed != nullptr) {
    verdict.kind = Verdict::Kind::kFailed;
    verdict.reason = failure_text("when", failed->text, failure);
  }
  return verdict;
}

// ------------------------------------------------------------------ ${...}

const Template* template_of(const ActionValue& value) {
  if (const auto* share = std::get_if<GpuShare>(&value)) return &share->memory;
  if (const auto* gang = std::get_if<Gang>(&value)) return &gang->size;
  if (const auto* text = std::get_if<Text>(&value)) return &text->value;
  if (const auto* scalar = std::get_if<Scalar>(&value)) return &scalar->value;
  return nullptr;
}

// The value as text in the arena, or where it is already.
std::string_view text_of(cel::Value value, base::Arena& arena) {
  if (value.is(cel::Kind::kString)) return value.text();
  return arena.copy(std::string_view(cel::to_text(value)));
}

std::string_view joined(std::span<const std::string_view> parts, base::Arena& arena) {
  std::size_t bytes = 0;
  for (const std::string_view part : parts) bytes += part.size();
  char* const text = arena.make_array<char>(bytes).data();
  char* end = text;
  for (const std::string_view part : parts) end = std::copy(part.begin(), part.end(), end);
  return {text, bytes};
}

// False, with the verdict set, where a part fails.
bool render(const Template& from, std::string_view where, Judging& judging, Rendered& to,
            Verdict& verdict) {
  const auto parts = judging.arena.make_array<std::string_view>(from.pieces.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Template::Piece& piece = from.pieces[i];
    if (piece.program < 0) {
      parts[i] = piece.literal;
      continue;
    }
    const cel::Value value = value_of(piece.program, judging);
    if (value.is_error()) {
      verdict.kind = Verdict::Kind::kFailed;
      verdict.reason = failure_text(where, from.text, value);
      return false;
    }
    parts[i] = text_of(value, judging.arena);
    if (parts.size() == 1) to.json = cel::to_json(judging.arena, value);
  }
  to.text = parts.size() == 1 ? parts[0] : joined(parts, judging.arena);
  if (to.json.is_null()) to.json = kube::Json::string(to.text);
  return true;
}

bool render_all(const Rule& rule, Judging& judging, Verdict& verdict) {
  const auto rendered = judging.arena.make_array<Rendered>(rule.assignments.size());
  verdict.rendered = rendered;
  for (std::size_t i = 0; i < rule.assignments.size(); ++i) {
    const Assignment& assignment = rule.assignments[i];
    if (const auto* scalar = std::get_if<Scalar>(&assignment.value)) {
      rendered[i].json = scalar->constant;
    }
    const Template* text = template_of(assignment.value);
    if (text == nullptr || text->is_absent()) continue;
    if (!render(*text, to_text(assignment.slot.kind), judging, rendered[i], verdict)) return false;
  }
  return true;
}

Verdict no(const Judging& judging, std::string (*reason)(const Rule&, const Facts&),
           const Rule& rule) {
  Verdict verdict;
  if (wants_reasons(judging)) verdict.reason = reason(rule, judging.facts);
  return verdict;
}

}  // namespace

bool any_match(const Rule& rule, const Facts& facts) {
  static const Match kEveryGpuPod;
  const auto applies = [&](const Match& match) {
    return holds(match, facts) && names_kind_of_daemon(match, facts);
  };
  if (rule.match.empty()) return applies(kEveryGpuPod);
  return std::any_of(rule.match.begin(), rule.match.end(), applies);
}

Verdict judge(const Rule& rule, Judging& judging) {
  const Facts& facts = judging.facts;
  if (!any_match(rule, facts)) return no(judging, match_reason, rule);
  if (any_exception(rule, facts)) {
    return no(judging, except_reason, rule);
  }
  Verdict verdict = judge_conditions(rule, judging);
  if (verdict.kind != Verdict::Kind::kHolds) return verdict;
  if (!drawn(rule, judging)) {
    return no(
        judging, [](const Rule& r, const Facts&) { return rollout_reason(r); }, rule);
  }
  render_all(rule, judging, verdict);
  return verdict;
}

std::string render_message(const Template& message, Judging& judging) {
  std::string text;
  for (const Template::Piece& piece : message.pieces) {
    text += piece.program < 0 ? piece.literal : cel::to_text(value_of(piece.program, judging));
  }
  if (text.size() > kLongestMessage) {
    std::size_t end = kLongestMessage;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
    text.resize(end);
  }
  return text;
}

}  // namespace berth::rules
