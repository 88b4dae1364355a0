#include "rules/match.h"

#include <algorithm>
#include <array>
#include <vector>

#include "kube/selector.h"

namespace berth::rules {
namespace {

bool lists(const std::vector<std::string>& list, std::string_view value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

bool intent_holds(const Match& match, const Facts& facts) {
  if (match.intents.empty()) return true;
  if (facts.intent.empty()) return false;
  return lists(match.intents, "*") || lists(match.intents, facts.intent);
}

bool namespace_holds(const Match& match, const Facts& facts) {
  if (match.namespaces.empty()) return true;
  return std::any_of(
      match.namespaces.begin(), match.namespaces.end(),
      [&](const std::string& glob) { return glob_matches(glob, facts.namespace_name); });
}

bool label_holds(const std::vector<std::string>& wanted, const kube::Json* found) {
  if (found == nullptr || found->is_null()) return false;
  return lists(wanted, "*") || lists(wanted, found->string_or_empty());
}

bool labels_hold(const LabelMatch& wanted, kube::Json labels) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& entry) {
    return label_holds(entry.second, labels.find(entry.first));
  });
}

kube::Json namespace_labels(const Facts& facts) {
  return facts.namespace_object["metadata"]["labels"];
}

// A list that is not given holds; an unknown fact ("") is in no list.
bool word_holds(const std::vector<std::string>& list, std::string_view fact) {
  return list.empty() || (!fact.empty() && lists(list, fact));
}

bool gpus_hold(const Match& match, const Facts& facts) {
  if (!match.gpus) return facts.wants_gpu;
  // "0" means no GPU in any form: a pod with a slice is none of those that ask for nothing.
  if (match.gpus->low <= 0 && match.gpus->high == 0) return !facts.wants_gpu;
  return facts.gpus >= match.gpus->low && facts.gpus <= match.gpus->high;
}

bool operation_holds(const Match& match, const Facts& facts) {
  return match.operations.empty() ? facts.operation == "CREATE"
                                  : lists(match.operations, facts.operation);
}

bool selector_holds(const Match& match, const Facts& facts) {
  return match.label_selector.is_null() ||
         kube::label_selector_matches(match.label_selector, facts.labels);
}

// ------------------------------------------------------------------ a key in words

std::string joined(const std::vector<std::string>& list) {
  std::string out;
  for (const std::string& value : list) out += (out.empty() ? "" : ", ") + value;
  return out;
}

std::string or_none(std::string_view value) {
  return value.empty() ? "none" : std::string(value);
}

/// What a key of a match says, and what the workload has instead or accordingly.
struct Words {
  std::string said;
  std::string has;
};

Words words(const std::vector<std::string>& said, std::string_view has) {
  return {joined(said), or_none(has)};
}

// The first label that does not hold; all of them where all hold.
Words label_words(const LabelMatch& wanted, kube::Json labels) {
  Words all;
  for (const auto& [label, values] : wanted) {
    const std::string said = label + '=' + joined(values);
    const std::string has = or_none(labels[label].string_or_empty());
    if (!label_holds(values, labels.find(label))) return {said, has};
    all.said += (all.said.empty() ? "" : ", ") + said;
    all.has += (all.has.empty() ? "" : ", ") + has;
  }
  return all;
}

std::string to_text(const GpuRange& range) {
  if (range.low == range.high) return std::to_string(range.low);
  if (range.high == INT64_MAX) return ">=" + std::to_string(range.low);
  if (range.low <= 0) return "<=" + std::to_string(range.high);
  return std::to_string(range.low) + '-' + std::to_string(range.high);
}

Words gpu_words(const Match& match, const Facts& facts) {
  if (!match.gpus) return {"a GPU in any form", facts.wants_gpu ? "one" : "none"};
  const bool slice = match.gpus->high == 0 && facts.gpus == 0 && facts.wants_gpu;
  return {to_text(*match.gpus), slice ? "a slice or a share" : std::to_string(facts.gpus)};
}

Words operation_words(const Match& match, const Facts& facts) {
  static const std::vector<std::string> kDefault = {"CREATE"};
  return words(match.operations.empty() ? kDefault : match.operations, facts.operation);
}

// The selector, and the labels that it asks for.
Words selector_words(const Match& match, const Facts& facts) {
  Words out{kube::to_json(match.label_selector), {}};
  const auto add = [&](std::string_view label) {
    out.has += (out.has.empty() ? "" : ", ") + std::string(label) + '=' +
               or_none(facts.labels[label].string_or_empty());
  };
  const kube::Json labels = match.label_selector["matchLabels"];
  const kube::Json expressions = match.label_selector["matchExpressions"];
  if (labels.is_object()) {
    for (const auto& member : labels.members()) add(member.key);
  }
  if (expressions.is_array()) {
    for (const kube::Json item : expressions.items()) add(item["key"].string_or_empty());
  }
  return out;
}

// One key of a match: whether it is given, how it is tested and how it reads. In the order of their
// cost.
struct KeyRow {
  std::string_view key;
  bool (*given)(const Match&);
  bool (*holds)(const Match&, const Facts&);
  Words (*words)(const Match&, const Facts&);
};

constexpr std::array kKeys = {
    KeyRow{"operations", [](const Match& m) { return !m.operations.empty(); }, operation_holds,
           operation_words},
    KeyRow{"gpus", [](const Match& m) { return m.gpus.has_value(); }, gpus_hold, gpu_words},
    KeyRow{"intent", [](const Match& m) { return !m.intents.empty(); }, intent_holds,
           [](const Match& m, const Facts& f) { return words(m.intents, f.intent); }},
    KeyRow{"vendors", [](const Match& m) { return !m.vendors.empty(); },
           [](const Match& m, const Facts& f) { return word_holds(m.vendors, f.vendor); },
           [](const Match& m, const Facts& f) { return words(m.vendors, f.vendor); }},
    KeyRow{"kinds", [](const Match& m) { return !m.kinds.empty(); },
           [](const Match& m, const Facts& f) { return word_holds(m.kinds, f.kind); },
           [](const Match& m, const Facts& f) { return words(m.kinds, f.kind); }},
    KeyRow{"frameworks", [](const Match& m) { return !m.frameworks.empty(); },
           [](const Match& m, const Facts& f) { return word_holds(m.frameworks, f.framework); },
           [](const Match& m, const Facts& f) { return words(m.frameworks, f.framework); }},
    KeyRow{"namespaces", [](const Match& m) { return !m.namespaces.empty(); }, namespace_holds,
           [](const Match& m, const Facts& f) { return words(m.namespaces, f.namespace_name); }},
    KeyRow{"namespaceLabels", [](const Match& m) { return !m.namespace_labels.empty(); },
           [](const Match& m, const Facts& f) {
             return labels_hold(m.namespace_labels, namespace_labels(f));
           },
           [](const Match& m, const Facts& f) {
             return label_words(m.namespace_labels, namespace_labels(f));
           }},
    KeyRow{"labels", [](const Match& m) { return !m.labels.empty(); },
           [](const Match& m, const Facts& f) { return labels_hold(m.labels, f.labels); },
           [](const Match& m, const Facts& f) { return label_words(m.labels, f.labels); }},
    KeyRow{"labelSelector", [](const Match& m) { return !m.label_selector.is_null(); },
           selector_holds, selector_words},
};

}  // namespace

bool holds(const Match& match, const Facts& facts) {
  return std::all_of(kKeys.begin(), kKeys.end(),
                     [&](const KeyRow& row) { return row.holds(match, facts); });
}

bool excepts(const Match& except, const Facts& facts) {
  return std::all_of(kKeys.begin(), kKeys.end(), [&](const KeyRow& row) {
    return !row.given(except) || row.holds(except, facts);
  });
}

std::string first_failure(const Match& match, const Facts& facts) {
  for (const KeyRow& row : kKeys) {
    if (row.holds(match, facts)) continue;
    const Words found = row.words(match, facts);
    return std::string(row.key) + ": wants " + found.said + ", has " + found.has;
  }
  return {};
}

std::string exception_text(const Match& except, const Facts& facts) {
  std::string out;
  for (const KeyRow& row : kKeys) {
    if (!row.given(except)) continue;
    const Words found = row.words(except, facts);
    out += (out.empty() ? "except." : "; except.") + std::string(row.key) + ": excepts " +
           found.said + ", has " + found.has;
  }
  return out;
}

bool glob_matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;  // the last star seen, and where it began to match
  std::size_t star_text = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace berth::rules
