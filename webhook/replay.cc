#include "webhook/replay.h"

#include <algorithm>

#include "kube/pointer.h"
#include "webhook/explain.h"

namespace berth::webhook {
namespace {

using kube::Json;

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

std::string shown(const Json* value) {
  if (value == nullptr) return "nothing";
  const std::string text = kube::to_json(*value);
  return text.size() > 80 ? text.substr(0, 80) + "..." : text;
}

// All paths that either answer changed, compared in both results.
void compare_fields(const Answer& before, const Answer& after, ReplayDifference& out) {
  std::set<std::string> paths;
  for (const Answer* answer : {&before, &after}) {
    for (const mutate::Change& change : answer->changes) paths.insert(change.path);
  }
  for (const std::string& path : paths) {
    const Json* old_value = kube::find_at(before.object, path);
    const Json* new_value = kube::find_at(after.object, path);
    const bool same = (old_value == nullptr) == (new_value == nullptr) &&
                      (old_value == nullptr || kube::equal(*old_value, *new_value));
    if (same) continue;
    out.fields.insert(without_positions(path));
    if (out.example.empty())
      out.example = path + ": " + shown(old_value) + " -> " + shown(new_value);
  }
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
  compare_fields(was, is, difference);
  if (is.outcome == Outcome::kDenied && !is.denials.empty())
    difference.example = "denied: " + is.denials[0].text;
  if (difference.before == difference.after && difference.fields.empty()) return;
  difference.gained = minus(applied(is), applied(was));
  difference.lost = minus(applied(was), applied(is));
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
  append_counts(out, "by rule (+ applies now, - no longer)", groups.rules);
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
