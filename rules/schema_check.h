// Holds a YAML tree against the schema table: unknown and missing keys, wrong types, words, ranges
// and forms, each a problem with its place and a suggestion. Readers may then take what is right
// and skip the rest in silence. Pure.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>

#include "base/yaml.h"
#include "rules/report.h"
#include "rules/schema.h"

namespace berth::rules {

struct CheckOptions {
  SchemaKind kind = SchemaKind::kRuleSet;
  std::span<const std::string> levels;  ///< names of topology levels
  std::string name_prefix;              ///< before names of rules in complaints: "size-tiers/"
};

struct CheckResult {
  std::set<const base::YamlNode*> faulty;  ///< named objects (rules, tests) with errors inside
  std::size_t outside = 0;                 ///< errors outside of named objects
};

/// Checks a node against an object of the table.
CheckResult check(const base::YamlNode& node, const ObjectType& type, const CheckOptions& options,
                  Report& report);

/// What is wrong with a text that should have this form: a fault that reads on after the word in
/// quotes ("is no label key; ..."), empty where nothing is. Forms that depend on options give
/// nothing here.
std::string form_fault(Form form, std::string_view text);

/// A mapping and its row of the table: the way to read members. A key that is not in the table is
/// our own mistake.
class Fields {
 public:
  Fields(const base::YamlNode& node, const ObjectType& type) : node_(node), type_(type) {}

  const base::YamlNode& node() const { return node_; }
  /// The value of a key; nullptr where it is absent. Requires: the table has the key.
  const base::YamlNode* find(std::string_view key) const;
  /// The same, as a text; the fallback where it is absent or no text.
  std::string text(std::string_view key, std::string_view fallback = {}) const;
  /// Index of the word among the table's words; 0 where absent or not among them. Requires: the
  /// row has words.
  std::size_t word(std::string_view key) const;

 private:
  const base::YamlNode& node_;
  const ObjectType& type_;
};

}  // namespace berth::rules
