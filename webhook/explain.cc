#include "webhook/explain.h"

#include <algorithm>
#include <set>

#include "base/display.h"
#include "mutate/editor.h"
#include "webhook/reply.h"

namespace berth::webhook {
namespace {

using base::without_controls;
using kube::Json;

constexpr std::size_t kValueCharacters = 60;

std::string shown(Json value) {
  if (value.is_null()) return "nothing";
  std::string text =
      value.is_string() ? std::string(value.string_or_empty()) : kube::to_json(value);
  if (text.size() > kValueCharacters)
    text = std::string(base::whole_characters(text, kValueCharacters)) + "...";
  return without_controls(text);
}

std::string place_of(const base::Place& place) {
  return place.line > 0 ? place.file + ":" + std::to_string(place.line) : place.file;
}

// Where a change comes from; nothing for berth's own record.
std::string place_of(const mutate::Change& change) {
  return change.place != nullptr ? place_of(*change.place) : std::string();
}

struct Painter {
  bool on;
  std::string operator()(std::string_view code, std::string_view text) const {
    if (!on) return std::string(text);
    return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
  }
};

std::string_view outcome_colour(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPatched:
      return "32";
    case Outcome::kUnchanged:
    case Outcome::kIgnored:
      return "2";
    case Outcome::kDenied:
    case Outcome::kFailedSafe:
      return "31";
  }
  return "0";
}

// What the model needs, where its name tells.
std::string model_line(const Answer& answer) {
  if (answer.parts.empty()) return {};
  const auto& memory = answer.parts[answer.main_part].facts.model_memory;
  if (!memory) return {};
  return "  model memory: about " + std::to_string(memory->total_mib()) +
         "Mi a GPU: " + memory->formula() + "\n";
}

std::string headline(const Review& review, const Answer& answer, const Painter& paint) {
  std::string out = paint("1", without_controls(display_name(review))) + ": ";
  std::string what(review.kind);
  if (!answer.parts.empty()) {
    const rules::Facts& facts = answer.parts[answer.main_part].facts;
    if (facts.kind != review.kind)
      what += " of " + std::string(facts.kind) + " " + std::string(facts.name);
    what += ", intent " +
            (facts.intent.empty() ? std::string("not stated") : std::string(facts.intent));
    what += ", " + std::to_string(facts.gpus) + " GPUs";
    if (facts.pods > 1) what += " in each of " + std::to_string(facts.pods) + " pods";
    if (!facts.framework.empty()) what += ", " + std::string(facts.framework);
    if (!facts.server.model.empty()) what += ", model " + std::string(facts.server.model);
  }
  out += without_controls(what) +
         "\n  outcome: " + paint(outcome_colour(answer.outcome), to_text(answer.outcome));
  if (!answer.reason.empty()) out += " (" + without_controls(answer.reason) + ")";
  return out + "\n" + model_line(answer);
}

std::string change_line(const mutate::Change& change) {
  std::string out = "  " + without_controls(change.path) + ": " + shown(change.before) + " -> " +
                    (change.op == mutate::Op::kRemove ? "removed" : shown(change.after));
  if (change.rule == nullptr) return out + "   berth's record\n";
  return out + "   " + change.rule->id + "  " + place_of(change) + "\n";
}

std::string message_lines(std::string_view label, const std::vector<rules::Message>& messages) {
  std::string out;
  for (const rules::Message& message : messages) {
    out += "  " + std::string(label) + ": " + without_controls(message.text);
    if (message.rule != nullptr)
      out += "   " + message.rule->id + "  " + place_of(message.rule->place);
    out += '\n';
  }
  return out;
}

// "precedence 700 of directory 'platform' over 100 of directory 'teams'".
std::string why_overruled(const rules::Overruled& lost, const rules::RuleSet& set) {
  const auto precedence = [&set](const rules::Rule& rule) {
    const auto& band = set.files[static_cast<std::size_t>(rule.file)].band;
    return std::to_string(rule.precedence) +
           (band ? " of directory '" + band->directory + "'" : std::string());
  };
  if (lost.rule->precedence == lost.by->precedence)
    return "both have precedence " + std::to_string(lost.by->precedence) + ", the lower name wins";
  return "precedence " + precedence(*lost.by) + " over " + precedence(*lost.rule);
}

std::string part_lines(const Part& part, const rules::RuleSet& rules,
                       const ExplainOptions& options) {
  std::string out;
  for (const mutate::Kept& kept : part.outcome.kept) {
    out += "  kept: " + without_controls(kept.path) + " stays " + without_controls(kept.found) +
           ", not " + without_controls(kept.wanted);
    if (kept.rule != nullptr) out += "   " + kept.rule->id;
    out += '\n';
  }
  for (const rules::Overruled& lost : part.decision.overruled) {
    out += "  overruled: " + lost.rule->id + " on " + to_text(lost.assignment->slot) + " by " +
           lost.by->id + " (" + why_overruled(lost, rules) + ")\n";
  }
  for (const rules::Rule* rule : part.decision.audited) out += "  audit only: " + rule->id + "\n";
  out += message_lines("packing", part.outcome.notes);
  out += message_lines("failed to evaluate", part.decision.failed);
  if (options.rules == ExplainOptions::Rules::kAll) {
    for (const rules::NotApplied& other : part.decision.not_applied) {
      out += "  not applied: " + other.rule->id + "  " + place_of(other.rule->place) + "  " +
             without_controls(other.reason) + "\n";
    }
  }
  return out;
}

// A list or object is built member by member into one text: less code than building a tree to print
// it.
class JsonText {
 public:
  void open(char bracket) { separate(), out_ += bracket, fresh_ = true; }
  void close(char bracket) { out_ += bracket, fresh_ = false; }
  void key(std::string_view name) {
    separate();
    kube::append_json_string(out_, name);
    out_ += ':';
    fresh_ = true;
  }
  void text(std::string_view value) { separate(), kube::append_json_string(out_, value); }
  void json(Json value) { separate(), kube::append_json(out_, value); }
  void number(std::int64_t value) { separate(), out_ += std::to_string(value); }
  void truth(const char* value) { separate(), out_ += value; }
  void member(std::string_view name, std::string_view value) { key(name), text(value); }
  void member(std::string_view name, std::int64_t value) { key(name), number(value); }
  std::string take() { return std::move(out_); }

 private:
  void separate() {
    if (!fresh_) out_ += ',';
    fresh_ = false;
  }
  std::string out_;
  bool fresh_ = true;
};

void write_workload(JsonText& out, const Answer& answer) {
  out.key("workload");
  out.open('{');
  if (!answer.parts.empty()) {
    const rules::Facts& facts = answer.parts[answer.main_part].facts;
    out.member("kind", facts.kind);
    out.member("name", facts.name);
    out.member("namespace", facts.namespace_name);
    out.member("intent", facts.intent);
    out.member("framework", facts.framework);
    out.member("role", facts.role);
    out.member("vendor", facts.vendor);
    out.member("gpus", facts.gpus);
    out.member("pods", facts.pods);
    out.member("totalGpus", facts.total_gpus);
    out.member("model", facts.server.model);
    out.member("servedModel", facts.server.served_model);
    if (facts.model_memory) {
      out.member("modelMemory", std::to_string(facts.model_memory->total_mib()) + "Mi");
      out.member("modelMemoryFrom", facts.model_memory->formula());
    }
    out.member("gpuMemory", facts.gpu_memory.to_text(kube::Quantity::Form::kBinary));
    out.key("shared");
    out.truth(facts.shared ? "true" : "false");
  }
  out.close('}');
}

void write_rules(JsonText& out, const Answer& answer) {
  std::set<std::string_view> applied;
  std::set<std::string_view> audited;
  for (const Part& part : answer.parts) {
    for (const rules::Rule* rule : part.decision.applied) applied.insert(rule->id);
    for (const rules::Rule* rule : part.decision.audited) audited.insert(rule->id);
  }
  const auto list = [&out](std::string_view name, const std::set<std::string_view>& ids) {
    out.key(name);
    out.open('[');
    for (std::string_view id : ids) out.text(id);
    out.close(']');
  };
  list("rules", applied);
  list("audited", audited);
  out.key("notApplied");
  out.open('[');
  std::set<std::string_view> told;
  for (const Part& part : answer.parts) {
    for (const rules::NotApplied& other : part.decision.not_applied) {
      if (applied.contains(other.rule->id) || !told.insert(other.rule->id).second) continue;
      out.open('{');
      out.member("rule", other.rule->id);
      out.member("place", place_of(other.rule->place));
      out.member("reason", other.reason);
      out.close('}');
    }
  }
  out.close(']');
}

void write_changes(JsonText& out, const Answer& answer) {
  out.key("changes");
  out.open('[');
  for (const mutate::Change& change : answer.changes) {
    out.open('{');
    out.member("op", to_text(change.op));
    out.member("path", change.path);
    out.key("before");
    out.json(change.before);
    out.key("after");
    out.json(change.after);
    out.member("rule", change.rule != nullptr ? std::string_view(change.rule->id)
                                              : std::string_view("berth"));
    out.member("place", place_of(change));
    out.close('}');
  }
  out.close(']');
}

void write_messages(JsonText& out, std::string_view name,
                    const std::vector<rules::Message>& messages) {
  out.key(name);
  out.open('[');
  for (const rules::Message& message : messages) out.text(message.text);
  out.close(']');
}

void write_merging(JsonText& out, const Answer& answer, const rules::RuleSet& rules) {
  out.key("kept");
  out.open('[');
  for (const Part& part : answer.parts) {
    for (const mutate::Kept& kept : part.outcome.kept) {
      out.open('{');
      out.member("field", to_text(kept.slot));
      out.member("path", kept.path);
      out.member("wanted", kept.wanted);
      out.member("found", kept.found);
      if (kept.rule != nullptr) out.member("rule", kept.rule->id);
      out.close('}');
    }
  }
  out.close(']');
  out.key("overruled");
  out.open('[');
  for (const Part& part : answer.parts) {
    for (const rules::Overruled& lost : part.decision.overruled) {
      out.open('{');
      out.member("rule", lost.rule->id);
      out.member("field", to_text(lost.assignment->slot));
      out.member("by", lost.by->id);
      out.member("why", why_overruled(lost, rules));
      out.close('}');
    }
  }
  out.close(']');
}

// One list of what `of` gives for each part.
template <typename Of>
void write_ruled(JsonText& out, std::string_view key, const Answer& answer, const Of& of) {
  out.key(key);
  out.open('[');
  for (const Part& part : answer.parts) {
    for (const rules::Message& message : of(part)) {
      out.open('{');
      if (message.rule != nullptr) out.member("rule", message.rule->id);
      out.member("text", message.text);
      out.close('}');
    }
  }
  out.close(']');
}

}  // namespace

std::string display_name(const Review& review) {
  std::string name(review.name);
  if (name.empty()) name = review.object["metadata"]["name"].string_or_empty();
  if (name.empty()) {
    name = review.object["metadata"]["generateName"].string_or_empty();
    name = name.empty() ? "(no name)" : name + "*";
  }
  return review.namespace_name.empty() ? name : std::string(review.namespace_name) + "/" + name;
}

std::string explain_text(const Review& review, const Answer& answer, const rules::RuleSet& rules,
                         const ExplainOptions& options) {
  std::string out = headline(review, answer, {options.colour == ExplainOptions::Colour::kAlways});
  for (const mutate::Change& change : answer.changes) out += change_line(change);
  for (const Part& part : answer.parts) out += part_lines(part, rules, options);
  out += message_lines("warning", answer.warnings);
  out += message_lines("denied", answer.denials);
  if (answer.outcome == Outcome::kDenied)
    out += "  users see: " + without_controls(denial_text(answer, rules)) + "\n";
  return out;
}

std::string explain_json(const Review& review, const Answer& answer, const World& world,
                         base::Arena& arena) {
  JsonText out;
  out.open('{');
  out.member("name", display_name(review));
  out.member("kind", review.kind);
  out.key("allowed");
  out.truth(answer.allowed() ? "true" : "false");
  out.member("outcome", to_text(answer.outcome));
  out.member("reason", answer.reason);
  write_workload(out, answer);
  write_rules(out, answer);
  write_changes(out, answer);
  out.key("decision");
  out.json(answer.parts.empty() ? kube::make_object(arena, {})
                                : to_json(answer.parts[answer.main_part].decision, arena));
  out.key("warnings");
  out.open('[');
  for (const std::string& warning : short_warnings(answer)) out.text(warning);
  out.close(']');
  write_messages(out, "denials", answer.denials);
  write_merging(out, answer, world.rules);
  write_ruled(
      out, "errors", answer, [](const Part& part) -> auto& { return part.decision.failed; });
  write_ruled(
      out, "packing", answer, [](const Part& part) -> auto& { return part.outcome.notes; });
  out.key("patch");
  out.json(mutate::to_patch(answer.changes, arena));
  out.key("generation");
  out.open('{');
  out.member("rules", world.rules.generation);
  out.member("cluster", world.cluster.generation());
  out.close('}');
  out.close('}');
  return out.take();
}

}  // namespace berth::webhook
