// Reading: from checked YAML to the parts of a rule. Every reader takes what is right and skips the
// rest: the schema check has reported it. What only a reader can see (two keys that exclude each
// other, a path that no pod has) is reported here. Used by rules/loader only.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/yaml.h"
#include "rules/expressions.h"
#include "rules/report.h"
#include "rules/rule.h"
#include "rules/schema.h"

namespace berth::rules {

struct Reading {
  RuleSet& set;
  Report& report;
  Expressions& expressions;
  std::span<const std::string> levels;
  std::string_view label_prefix;
};

/// The texts of a scalar or of a list of scalars.
std::vector<std::string> texts_of(const base::YamlNode& node);

/// The entries of `match` or `except`: those of the rule with the file's default under them, key by
/// key. Either may be nullptr.
std::vector<Match> read_matches(const base::YamlNode* fallback, const base::YamlNode* own,
                                Reading& reading);

/// All of `then`: assignments, containers, warn, deny.
void read_actions(const base::YamlNode& then, Rule& rule, Reading& reading);

// Parts of read_actions, one file each.
void read_placement(const base::YamlMember& action, Rule& rule, Reading& reading);
void read_toleration(const base::YamlNode& node, Rule& rule, Reading& reading);
void read_gang(const base::YamlMember& action, SlotKind slot, Rule& rule, Reading& reading);
void read_volume(const base::YamlNode& node, Rule& rule, Reading& reading);
void read_set(const base::YamlMember& action, Rule& rule, Reading& reading);

/// Adds an assignment that is written at `offset`.
void assign(Rule& rule, Slot slot, ActionValue value, std::size_t offset, Reading& reading);

}  // namespace berth::rules
