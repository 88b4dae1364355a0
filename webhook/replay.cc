#include "webhook/replay.h"

#include <algorithm>

#include "base/display.h"
#include "kube/difference.h"
#include "webhook/explain.h"

namespace berth::webhook {
namespace {

using kube::Json;

constexpr std::size_t kValueBytes = 80;

std::set<std::string> applied(const Answer& answer) {
  std::set<std::string> out;
  for (const Part& part : answer.parts) {
    for (const rules::Rule* rule : part.decision.applied) out.insert(rule->id);
  }
  return out;
}

std::set<std::string> minus(const std::set<std::string>& a, const std::set<std::string>& b) {
  std::set<std::string> out;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::inserter(out, out.end()));
  return out;
}

// "/spec/containers/0/env" -> "/spec/containers/*/env": differences of many pods fall together.
std::string without_positions(std::string_view pointer) {
  std::string out;
  while (!pointer.empty()) {
    const std::size_t end = std::min(pointer.find('/', 1), pointer.size());
    const std::string_view segment = pointer.substr(1, end - 1);
    const bool position =
        !segment.empty() && segment.find_first_not_of("0123456789") == std::string_view::npos;
    out += '/';
    out += position ? std::string_view("*") : segment;
    pointer.remove_prefix(end);
  }
  return out;
}

std::string shown(Json value) {
  if (value.is_null()) return "nothing";
  const std::string text = kube::to_json(value);
  if (text.size() <= kValueBytes) return text;
  return std::string(base::whole_characters(text, kValueBytes)) + "...";
}

bool is_below(std::string_view path, std::string_view parent) {
  return path.starts_with(parent) && (path.size() == parent.size() || path[parent.size()] == '/');
}

// The path within the pod, whatever holds its template: one field, one line.
std::string within_pod(std::string_view path, const Answer& answer) {
  std::string_view longest;
  for (const Part& part : answer.parts) {
    const std::string& pointer = part.subject.pod_pointer;
    if (is_below(path, pointer) && pointer.size() > longest.size()) longest = pointer;
  }
  return without_positions(path.substr(longest.size()));
}

// What berth notes for itself names the rule set, so it always differs.
bool is_record(std::string_view path, std::string_view prefix) {
  for (const std::string_view name : {"~1rules", "~1decision"}) {
    if (path.ends_with("/metadata/annotations/" + std::string(prefix) + std::string(name)))
      return true;
  }
  return false;
}

// Rules that wrote at or above the path.
void add_writers(const Answer& answer, std::string_view path, std::set<std::string>& out) {
  for (const mutate::Change& change : answer.changes) {
    if (change.rule != nullptr && (is_below(path, change.path) || is_below(change.path, path)))
      out.insert(change.rule->id);
  }
}

std::set<std::pair<std::string, std::string>> texts(const std::vector<rules::Message>& messages) {
  std::set<std::pair<std::string, std::string>> out;
  for (const rules::Message& message : messages)
    out.emplace(message.text, message.rule != nullptr ? message.rule->id : std::string());
  return out;
}

void compare_messages(std::string_view field, const std::vector<rules::Message>& before,
                      const std::vector<rules::Message>& after, ReplayDifference& out) {
  const auto was = texts(before);
  const auto is = texts(after);
  for (const auto& [mine, other] : {std::pair(&is, &was), std::pair(&was, &is)}) {
    for (const auto& message : *mine) {
      if (other->contains(message)) continue;
      out.fields.insert(std::string(field));
      if (!message.second.empty()) out.changed.insert(message.second);
      if (out.example.empty())
        out.example = std::string(field) + (mine == &is ? ": " : " no longer: ") + message.first;
    }
  }
}

// Both results value by value; a refused object is not changed, so it says nothing.
void compare_fields(const Answer& before, const Answer& after, std::string_view prefix,
                    ReplayDifference& out) {
  compare_messages("denials", before.denials, after.denials, out);
  if (before.allowed() && after.allowed()) {
    for (const kube::Difference& one : kube::differences(before.object, after.object)) {
      if (is_record(one.pointer, prefix)) continue;
      out.fields.insert(within_pod(one.pointer, after));
      add_writers(before, one.pointer, out.changed);
      add_writers(after, one.pointer, out.changed);
      if (out.example.empty())
        out.example = one.pointer + ": " + shown(one.before) + " -> " + shown(one.after);
    }
  }
  compare_messages("warnings", before.warnings, after.warnings, out);
}

void append_counts(std::string& out, std::string_view head,
                   const std::map<std::string, std::size_t>& counts) {
  if (counts.empty()) return;
  std::vector<std::pair<std::string, std::size_t>> rows(counts.begin(), counts.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  out += std::string(head) + "\n";
  for (const auto& [name, count] : rows) {
    std::string number = std::to_string(count);
    number.insert(0, number.size() < 7 ? 7 - number.size() : 0, ' ');
    out += number + "  " + name + "\n";
  }
}

struct Groups {
  std::map<std::string, std::size_t> outcomes, rules, namespaces, fields;
};

Groups group(const std::vector<ReplayDifference>& differences) {
  Groups out;
  for (const ReplayDifference& one : differences) {
    ++out.outcomes[one.before == one.after ? one.before + ", otherwise"
                                           : one.before + " -> " + one.after];
    ++out.namespaces[one.namespace_name];
    for (const std::string& field : one.fields) ++out.fields[field];
    for (const std::string& rule : one.gained) ++out.rules["+ " + rule];
    for (const std::string& rule : one.lost) ++out.rules["- " + rule];
    for (const std::string& rule : one.changed) ++out.rules["~ " + rule];
  }
  return out;
}

void append_json_counts(std::string& out, std::string_view name,
                        const std::map<std::string, std::size_t>& counts) {
  kube::append_json_string(out, name);
  out += ":{";
  std::string separator;
  for (const auto& [key, count] : counts) {
    out += separator;
    kube::append_json_string(out, key);
    out += ':' + std::to_string(count);
    separator = ",";
  }
  out += '}';
}

}  // namespace

void Replay::count_outcome(const Answer& answer) {
  ++reviews_;
  ++outcomes_[std::string(to_text(answer.outcome))];
  for (const std::string& rule : applied(answer)) ++rules_[rule];
}

void Replay::add(const Review& review, const World& world) {
  base::Arena arena;
  count_outcome(admit(review, world, arena));
}

void Replay::compare(const Review& review, const std::string& place, const World& before,
                     const World& after) {
  two_sets_ = true;
  base::Arena arena;
  const Answer was = admit(review, before, arena);
  const Answer is = admit(review, after, arena);
  count_outcome(is);
  ReplayDifference difference;
  difference.before = to_text(was.outcome);
  difference.after = to_text(is.outcome);
  compare_fields(was, is, after.limits.label_prefix, difference);
  if (difference.before == difference.after && difference.fields.empty()) return;
  difference.gained = minus(applied(is), applied(was));
  difference.lost = minus(applied(was), applied(is));
  difference.changed = minus(minus(difference.changed, difference.gained), difference.lost);
  difference.name = display_name(review);
  difference.place = place;
  difference.namespace_name = review.namespace_name;
  differences_.push_back(std::move(difference));
}

std::string Replay::text() const {
  std::string out = std::to_string(reviews_) + " reviews";
  if (unreadable_ > 0) out += ", " + std::to_string(unreadable_) + " recordings that are no review";
  out += '\n';
  append_counts(out, "outcomes", outcomes_);
  if (!two_sets_) {
    append_counts(out, "rules that applied", rules_);
    return out;
  }
  out += std::to_string(differences_.size()) + " of " + std::to_string(reviews_) + " differ\n";
  const Groups groups = group(differences_);
  append_counts(out, "by outcome", groups.outcomes);
  append_counts(out, "by rule (+ applies now, - no longer, ~ otherwise)", groups.rules);
  append_counts(out, "by namespace", groups.namespaces);
  append_counts(out, "by field", groups.fields);
  if (!differences_.empty()) out += "examples\n";
  for (std::size_t i = 0; i < std::min(kExamples, differences_.size()); ++i) {
    const ReplayDifference& one = differences_[i];
    out += "  " + one.name + " (" + one.place + "): " + one.before + " -> " + one.after;
    out += one.example.empty() ? "\n" : "; " + one.example + "\n";
  }
  return out;
}

std::string Replay::json() const {
  std::string out = "{\"reviews\":" + std::to_string(reviews_) +
                    ",\"unreadable\":" + std::to_string(unreadable_) + ",";
  append_json_counts(out, "outcomes", outcomes_);
  out += ',';
  append_json_counts(out, "rules", rules_);
  if (two_sets_) {
    const Groups groups = group(differences_);
    out += ",\"different\":" + std::to_string(differences_.size()) + ",";
    append_json_counts(out, "byOutcome", groups.outcomes);
    out += ',';
    append_json_counts(out, "byRule", groups.rules);
    out += ',';
    append_json_counts(out, "byNamespace", groups.namespaces);
    out += ',';
    append_json_counts(out, "byField", groups.fields);
    out += ",\"examples\":[";
    for (std::size_t i = 0; i < std::min(kExamples, differences_.size()); ++i) {
      const ReplayDifference& one = differences_[i];
      out += i > 0 ? ",{\"name\":" : "{\"name\":";
      kube::append_json_string(out, one.name);
      out += ",\"place\":";
      kube::append_json_string(out, one.place);
      out += ",\"before\":";
      kube::append_json_string(out, one.before);
      out += ",\"after\":";
      kube::append_json_string(out, one.after);
      out += ",\"example\":";
      kube::append_json_string(out, one.example);
      out += '}';
    }
    out += ']';
  }
  return out + "}\n";
}

}  // namespace berth::webhook
