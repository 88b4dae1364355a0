#include <algorithm>
#include <string_view>

#include "rules/reading.h"
#include "rules/schema_check.h"

namespace berth::rules {
namespace {

using base::YamlMember;
using base::YamlNode;

constexpr std::string_view kLevelKeys[] = {"require", "prefer", "narrowest"};

/// The members that fill the one slot of levels; more than one is an error.
std::vector<const YamlMember*> level_members(const YamlNode& node) {
  std::vector<const YamlMember*> out;
  for (const YamlMember& member : node.members) {
    if (std::find(std::begin(kLevelKeys), std::end(kLevelKeys), member.key) !=
        std::end(kLevelKeys)) {
      out.push_back(&member);
    }
  }
  return out;
}

/// Levels should go from near to far, each once: a farther one never says more than a nearer one.
void check_order(const YamlNode& node, Reading& reading) {
  const auto rank = [&](const std::string& level) {
    return std::find(reading.levels.begin(), reading.levels.end(), level) - reading.levels.begin();
  };
  for (std::size_t i = 1; i < node.items.size(); ++i) {
    const std::string& here = node.items[i].text;
    const std::string& before = node.items[i - 1].text;
    if (rank(here) >= std::ssize(reading.levels) || rank(before) < rank(here)) continue;
    reading.report.warning(node.items[i].offset, "level-order",
                           "level " + in_quotes(here) + " is not farther than " +
                               in_quotes(before) + " before it, so it is never taken",
                           "list levels from near to far");
    return;
  }
}

void read_levels(const YamlNode& node, Rule& rule, Reading& reading) {
  const auto members = level_members(node);
  if (members.empty()) return;
  if (members.size() > 1) {
    reading.report.error(
        members[1]->key_offset, "exclusive-keys",
        in_quotes(members[1]->key) + " and " + in_quotes(members[0]->key) + " exclude each other",
        "a placement has one of require, prefer, narrowest");
    return;
  }
  const YamlMember& member = *members[0];
  LevelPlacement value;
  if (member.key == "require") value.require = member.value.text;
  if (member.key == "prefer") value.prefer = texts_of(member.value);
  if (member.key == "narrowest") {
    value.narrowest = texts_of(member.value);
    check_order(member.value, reading);
  }
  assign(rule, {SlotKind::kPlacement, {}}, std::move(value), member.key_offset, reading);
}

}  // namespace

void read_placement(const YamlMember& action, Rule& rule, Reading& reading) {
  const YamlNode& node = action.value;
  read_levels(node, rule, reading);
  const ObjectType& type = object_type(SchemaKind::kRuleSet, "placement");
  for (const YamlMember& member : node.members) {
    if (member.key == "spread" && member.value.is_scalar()) {
      assign(rule, {SlotKind::kSpread, {}}, Spread{member.value.text}, member.key_offset, reading);
    } else if (member.key == "pack" && member.value.is_scalar()) {
      assign(rule, {SlotKind::kPack, {}}, Pack{member.value.text == "true"}, member.key_offset,
             reading);
    } else if (member.key == "products") {
      assign(rule, {SlotKind::kProducts, {}}, Products{texts_of(member.value)}, member.key_offset,
             reading);
    } else if (member.key == "preferProducts") {
      assign(rule, {SlotKind::kPreferProducts, {}}, Products{texts_of(member.value)},
             member.key_offset, reading);
    } else if (member.key == "nodeSelector") {
      const ValueType& value_type = find_key(type, "nodeSelector")->type;
      for (const YamlMember& entry : member.value.members) {
        if (!entry.value.is_scalar()) continue;
        Text text{reading.expressions.text(entry.value, value_type, reading.report)};
        assign(rule, {SlotKind::kNodeSelector, entry.key}, std::move(text), entry.key_offset,
               reading);
      }
    }
  }
}

}  // namespace berth::rules
