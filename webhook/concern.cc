#include "webhook/concern.h"

#include <algorithm>
#include <optional>
#include <set>

#include "rules/index.h"

namespace berth::webhook {
namespace {

using rules::Match;
using rules::Rule;
using rules::SlotKind;

// A text as CEL writes it.
std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string has_key(const std::string& map, std::string_view key) {
  return "has(" + map + ") && " + quoted(key) + " in " + map;
}

std::string has_prefix(const std::string& map, std::string_view prefix) {
  return "has(" + map + ") && " + map + ".exists(k, k.startsWith(" +
         quoted(std::string(prefix) + '/') + "))";
}

// Extended resources have a domain in their name; so has every GPU resource, and what a DeviceClass
// names.
std::string asks_in(const std::string& list) {
  std::string out;
  for (const char* amounts : {"c.resources.limits", "c.resources.requests"}) {
    if (!out.empty()) out += " || ";
    out += std::string("has(") + amounts + ") && " + amounts + ".exists(r, r.contains('/'))";
  }
  return list + ".exists(c, has(c.resources) && (" + out + "))";
}

// ------------------------------------------------------------------ pods

bool can_be_without_gpu(const Match& match) {
  return match.gpus.has_value() && match.gpus->low <= 0;
}

std::string first_selected_label(const Match& match) {
  if (!match.labels.empty()) return match.labels.begin()->first;
  const kube::Json labels = match.label_selector["matchLabels"];
  return labels.members().empty() ? std::string{} : std::string(labels.members().front().key);
}

// Conditions of entries that match pods of no GPU and no intent, or nothing where some rule matches
// such pods whatever their labels.
struct Narrowed {
  std::set<std::string> labels;
  std::string wide_rule;
};

Narrowed narrowed(const rules::RuleSet& set) {
  Narrowed out;
  for (const Rule& rule : set.rules) {
    if (rule.mode == rules::Mode::kDisabled) continue;
    for (const Match& match : rule.match) {
      if (!can_be_without_gpu(match) || !match.intents.empty()) continue;
      const std::string label = first_selected_label(match);
      if (!label.empty()) out.labels.insert(label);
      if (label.empty() && out.wide_rule.empty()) out.wide_rule = rule.id;
    }
  }
  return out;
}

std::string pod_condition(const std::set<std::string>& labels, std::string_view prefix) {
  const std::string label_map = "object.metadata.labels";
  std::vector<std::string> terms = {
      asks_in("object.spec.containers"),
      "has(object.spec.initContainers) && " + asks_in("object.spec.initContainers"),
      "has(object.spec.resourceClaims)",
      has_prefix(label_map, prefix),
      has_prefix("object.metadata.annotations", prefix),
  };
  for (const std::string& label : labels) terms.push_back(has_key(label_map, label));
  std::string out;
  for (const std::string& term : terms) out += (out.empty() ? "" : " ||\n") + term;
  return out;
}

// ------------------------------------------------------------------ owners

// What a rule decides for the whole workload: all pods together, or the object that a queueing
// system looks at.
enum class Reach : std::uint8_t { kPods, kUnits, kAnyOwner };

// Expressions that ask who sent the request: themselves, or by a variable that does.
class AskingForUser {
 public:
  explicit AskingForUser(const rules::RuleSet& set) {
    bool more = true;
    while (more) {
      more = false;
      for (const rules::Variable& variable : set.variables) {
        if (!names_.contains(variable.name) && in(variable.value.text)) {
          more = names_.insert(variable.name).second;
        }
      }
    }
  }

  bool in(const Rule& rule) const {
    return in(rule.deny.text) || in(rule.warn.text) ||
           std::any_of(rule.when.begin(), rule.when.end(),
                       [this](const rules::Expression& when) { return in(when.text); });
  }

 private:
  bool in(std::string_view text) const {
    if (text.find("userInfo") != std::string_view::npos) return true;
    return std::any_of(names_.begin(), names_.end(), [&](const std::string& name) {
      return text.find("variables." + name) != std::string_view::npos;
    });
  }

  std::set<std::string> names_;
};

Reach reach_of(const Rule& rule, const AskingForUser& asking) {
  // Controllers make the pods of an owner: who asked for it is known at its own CREATE only.
  if (asking.in(rule)) return Reach::kAnyOwner;
  Reach reach = Reach::kPods;
  for (const rules::Assignment& assignment : rule.assignments) {
    if (assignment.slot.kind == SlotKind::kQueue) return Reach::kAnyOwner;
    const auto* level = std::get_if<rules::LevelPlacement>(&assignment.value);
    const bool together =
        assignment.slot.kind == SlotKind::kGang || (level != nullptr && !level->narrowest.empty());
    if (together) reach = Reach::kUnits;
  }
  return reach;
}

bool can_match(const Rule& rule, const std::string& kind) {
  if (rule.match.empty()) return true;
  return std::any_of(rule.match.begin(), rule.match.end(), [&](const Match& match) {
    return match.kinds.empty() ||
           std::find(match.kinds.begin(), match.kinds.end(), kind) != match.kinds.end();
  });
}

bool needs(const Rule& rule, const kube::OwnerResource& owner, const AskingForUser& asking) {
  if (rule.mode == rules::Mode::kDisabled) return false;
  const Reach reach = reach_of(rule, asking);
  if (reach == Reach::kPods) return false;
  // One pod a node whatever happens: no unit, and its placement is never changed.
  if (owner.kind == "DaemonSet") return false;
  return (reach == Reach::kAnyOwner || owner.starts_together) && can_match(rule, owner.kind);
}

std::vector<kube::OwnerResource> owners_of(const rules::RuleSet& set, Owners wanted) {
  if (wanted == Owners::kNone) return {};
  std::vector<kube::OwnerResource> out = kube::owner_resources();
  if (wanted == Owners::kAll) return out;
  const AskingForUser asking(set);
  std::erase_if(out, [&](const kube::OwnerResource& owner) {
    return std::none_of(set.rules.begin(), set.rules.end(),
                        [&](const Rule& rule) { return needs(rule, owner, asking); });
  });
  return out;
}

}  // namespace

Concern concern_of(const rules::RuleSet& rules, std::string_view label_prefix, Owners owners) {
  Concern concern;
  const Narrowed pods = narrowed(rules);
  concern.updates = rules.index->covers_updates();
  concern.wide_rule = pods.wide_rule;
  if (pods.wide_rule.empty()) concern.pods = pod_condition(pods.labels, label_prefix);
  concern.owners = owners_of(rules, owners);
  return concern;
}

}  // namespace berth::webhook
