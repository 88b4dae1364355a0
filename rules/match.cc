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

// ------------------------------------------------------------------ the first failure in words

std::string joined(const std::vector<std::string>& list) {
  std::string out;
  for (const std::string& value : list) out += (out.empty() ? "" : ", ") + value;
  return out;
}

std::string or_none(std::string_view value) {
  return value.empty() ? "none" : std::string(value);
}

std::string words(std::string_view key, const std::vector<std::string>& wanted,
                  std::string_view has) {
  return std::string(key) + ": wants " + joined(wanted) + ", has " + or_none(has);
}

std::string label_words(std::string_view key, const LabelMatch& wanted, kube::Json labels) {
  for (const auto& [label, values] : wanted) {
    if (label_holds(values, labels.find(label))) continue;
    return std::string(key) + ": wants " + label + '=' + joined(values) + ", has " +
           or_none(labels[label].string_or_empty());
  }
  return {};
}

std::string to_text(const GpuRange& range) {
  if (range.low == range.high) return std::to_string(range.low);
  if (range.high == INT64_MAX) return ">=" + std::to_string(range.low);
  if (range.low <= 0) return "<=" + std::to_string(range.high);
  return std::to_string(range.low) + '-' + std::to_string(range.high);
}

std::string gpu_words(const Match& match, const Facts& facts) {
  if (!match.gpus) return "gpus: wants a GPU in any form, has none";
  if (match.gpus->high == 0 && facts.gpus == 0) return "gpus: wants 0, has a slice or a share";
  return "gpus: wants " + to_text(*match.gpus) + ", has " + std::to_string(facts.gpus);
}

std::string operation_words(const Match& match, const Facts& facts) {
  static const std::vector<std::string> kDefault = {"CREATE"};
  return words("operations", match.operations.empty() ? kDefault : match.operations,
               facts.operation);
}

// One key of a match: how it is tested and how a failure reads. In the order of their cost.
struct KeyRow {
  bool (*holds)(const Match&, const Facts&);
  std::string (*failure)(const Match&, const Facts&);
};

constexpr std::array kKeys = {
    KeyRow{operation_holds, operation_words},
    KeyRow{gpus_hold, gpu_words},
    KeyRow{intent_holds,
           [](const Match& m, const Facts& f) { return words("intent", m.intents, f.intent); }},
    KeyRow{[](const Match& m, const Facts& f) { return word_holds(m.vendors, f.vendor); },
           [](const Match& m, const Facts& f) { return words("vendors", m.vendors, f.vendor); }},
    KeyRow{[](const Match& m, const Facts& f) { return word_holds(m.kinds, f.kind); },
           [](const Match& m, const Facts& f) { return words("kinds", m.kinds, f.kind); }},
    KeyRow{[](const Match& m, const Facts& f) { return word_holds(m.frameworks, f.framework); },
           [](const Match& m, const Facts& f) {
             return words("frameworks", m.frameworks, f.framework);
           }},
    KeyRow{namespace_holds,
           [](const Match& m, const Facts& f) {
             return words("namespaces", m.namespaces, f.namespace_name);
           }},
    KeyRow{[](const Match& m, const Facts& f) {
             return labels_hold(m.namespace_labels, namespace_labels(f));
           },
           [](const Match& m, const Facts& f) {
             return label_words("namespaceLabels", m.namespace_labels, namespace_labels(f));
           }},
    KeyRow{
        [](const Match& m, const Facts& f) { return labels_hold(m.labels, f.labels); },
        [](const Match& m, const Facts& f) { return label_words("labels", m.labels, f.labels); }},
    KeyRow{selector_holds,
           [](const Match& m, const Facts&) {
             return "labelSelector: does not match " + kube::to_json(m.label_selector);
           }},
};

}  // namespace

bool holds(const Match& match, const Facts& facts) {
  return std::all_of(kKeys.begin(), kKeys.end(),
                     [&](const KeyRow& row) { return row.holds(match, facts); });
}

bool excepts(const Match& except, const Facts& facts) {
  return std::all_of(kKeys.begin(), kKeys.end(), [&](const KeyRow& row) {
    const bool absent = (row.holds == operation_holds && except.operations.empty()) ||
                        (row.holds == gpus_hold && !except.gpus);
    return absent || row.holds(except, facts);
  });
}

std::string first_failure(const Match& match, const Facts& facts) {
  for (const KeyRow& row : kKeys) {
    if (!row.holds(match, facts)) return row.failure(match, facts);
  }
  return {};
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
