#include "webhook/reply.h"

#include <algorithm>
#include <set>

#include "base/base64.h"
#include "mutate/editor.h"

namespace berth::webhook {
namespace {

bool continues_a_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues_a_character(c); }));
}

void append_field(std::string& out, std::string_view key, std::string_view text) {
  kube::append_json_string(out, key);
  out += ':';
  kube::append_json_string(out, text);
}

constexpr std::string_view kMore = "; ...";

// "op path (rule)", one change an entry, cut at a whole entry.
std::string audit_changes(const Answer& answer) {
  constexpr std::size_t kUsualBytes = 1024;
  std::string out;
  out.reserve(kUsualBytes);
  for (const mutate::Change& change : answer.changes) {
    const std::size_t before = out.size();
    if (before > 0) out += "; ";
    out.append(to_text(change.op)).append(" ").append(change.path);
    if (change.rule != nullptr) out.append(" (").append(change.rule->id).append(")");
    if (out.size() + kMore.size() > kAuditChangesBytes) {
      out.resize(before);
      out.append(kMore);
      return out;
    }
  }
  return out;
}

std::string applied_rules(const Answer& answer) {
  std::set<std::string_view> ids;
  for (const Part& part : answer.parts) {
    for (const rules::Rule* rule : part.decision.applied) ids.insert(rule->id);
  }
  std::string out;
  for (std::string_view id : ids) out += (out.empty() ? "" : ",") + std::string(id);
  return out;
}

void append_audit(std::string& out, const Answer& answer, const rules::RuleSet& rules) {
  out += R"(,"auditAnnotations":{)";
  append_field(out, "outcome", to_text(answer.outcome));
  out += ',';
  append_field(out, "generation", rules.generation);
  if (const std::string ids = applied_rules(answer); !ids.empty()) {
    out += ',';
    append_field(out, "rules", ids);
  }
  if (!answer.changes.empty()) {
    out += ',';
    append_field(out, "changes", audit_changes(answer));
  }
  out += '}';
}

void append_warnings(std::string& out, const std::vector<std::string>& warnings) {
  if (warnings.empty()) return;
  out += R"(,"warnings":[)";
  for (std::size_t i = 0; i < warnings.size(); ++i) {
    if (i > 0) out += ',';
    kube::append_json_string(out, warnings[i]);
  }
  out += ']';
}

void append_head(std::string& out, const Review& review) {
  out += R"({"kind":"AdmissionReview","apiVersion":)";
  kube::append_json_string(out, review.api_version);
  out += R"(,"response":{)";
  append_field(out, "uid", review.uid);
}

void append_allowed(std::string& out, const std::string& refusal) {
  out += refusal.empty() ? R"(,"allowed":true)" : R"(,"allowed":false)";
  if (refusal.empty()) return;
  out += R"(,"status":{"code":403,"reason":"Forbidden",)";
  append_field(out, "message", refusal);
  out += '}';
}

// Each once, short, within the budget.
class WarningList {
 public:
  void add(std::string_view warning) {
    std::string text = short_text(warning);
    bytes_ += text.size();
    if (bytes_ > kWarningsBytes) return;
    if (std::find(list_.begin(), list_.end(), text) == list_.end())
      list_.push_back(std::move(text));
  }
  std::vector<std::string> take() { return std::move(list_); }

 private:
  std::vector<std::string> list_;
  std::size_t bytes_ = 0;
};

void append_patch(std::string& out, const Answer& answer, base::Arena& arena) {
  out += R"(,"patchType":"JSONPatch","patch":")";
  base::append_base64(out, kube::to_json(mutate::to_patch(answer.changes, arena)));
  out += '"';
}

}  // namespace

std::string short_text(std::string_view text) {
  std::string out;
  std::size_t count = 0;
  const bool whole = characters(text) <= kWarningCharacters;
  const std::size_t limit = whole ? kWarningCharacters : kWarningCharacters - 3;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (!continues_a_character(text[i]) && count++ == limit) break;
    out += byte < 0x20 || byte == 0x7F ? ' ' : text[i];
  }
  return whole ? out : out + "...";
}

std::vector<std::string> short_warnings(const Answer& answer) {
  WarningList list;
  for (const rules::Message& warning : answer.warnings) {
    std::string text = warning.text;
    if (warning.rule != nullptr) {
      const std::string with_rule = text + " [" + warning.rule->id + "]";
      if (characters(with_rule) <= kWarningCharacters) text = with_rule;
    }
    list.add(text);
  }
  return list.take();
}

std::string denial_text(const Answer& answer, const rules::RuleSet& rules) {
  std::string out;
  for (const rules::Message& denial : answer.denials) {
    out += (out.empty() ? "" : "; ") + denial.text;
    if (denial.rule == nullptr) continue;
    out += " (rule " + denial.rule->id;
    const std::string& owner = rules.files[static_cast<std::size_t>(denial.rule->file)].owner;
    if (!owner.empty()) out += ", ask " + owner;
    out += ')';
  }
  return out;
}

void append_reply(std::string& out, const Review& review, const Answer& answer,
                  const rules::RuleSet& rules, base::Arena& arena) {
  append_head(out, review);
  append_allowed(out, answer.allowed() ? std::string() : denial_text(answer, rules));
  if (answer.outcome == Outcome::kPatched) append_patch(out, answer, arena);
  append_warnings(out, short_warnings(answer));
  append_audit(out, answer, rules);
  out += "}}";
}

void append_reply(std::string& out, const Review& review, const RulesVerdict& verdict) {
  append_head(out, review);
  append_allowed(out, verdict.message);
  WarningList list;
  for (const std::string& warning : verdict.warnings) list.add(warning);
  append_warnings(out, list.take());
  out += R"(,"auditAnnotations":{)";
  append_field(out, "outcome", to_text(verdict.outcome));
  out += "}}}";
}

}  // namespace berth::webhook
