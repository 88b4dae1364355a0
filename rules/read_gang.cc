#include "rules/parallelism.h"
#include "rules/reading.h"
#include "rules/schema_check.h"
#include "rules/forms.h"

namespace berth::rules {
namespace {

using base::YamlNode;

constexpr std::string_view kGangObject = "gang";

LevelPlacement level_of(const Fields& fields, Reading& reading) {
  LevelPlacement level;
  const YamlNode* node = fields.find("topology");
  if (node == nullptr || !node->is_mapping()) return level;
  const Fields own(*node, object_type(SchemaKind::kRuleSet, "groupTopology"));
  const YamlNode* require = own.find("require");
  const YamlNode* prefer = own.find("prefer");
  if ((require == nullptr) == (prefer == nullptr)) {
    reading.report.error(node->offset, "exclusive-keys",
                         require == nullptr ? "'topology' names no level"
                                            : "'require' and 'prefer' exclude each other",
                         "give one of require and prefer");
    return level;
  }
  if (require != nullptr) level.require = require->text;
  if (prefer != nullptr) level.prefer = {prefer->text};
  return level;
}

// What the backend would have to be able to do, and cannot.
void check_backend(const Fields& fields, const Gang& gang, Reading& reading) {
  if (gang.backend == GangBackend::kNone && fields.node().members.size() > 1) {
    reading.report.warning(fields.node().offset, "unused-key",
                           "backend: none writes nothing, the other keys have no effect");
  }
  if (!gang.timeout.empty() &&
      (gang.backend == GangBackend::kKueue || gang.backend == GangBackend::kKai ||
       gang.backend == GangBackend::kNative)) {
    reading.report.warning(fields.find("timeout")->offset, "unused-key",
                           "backend " + std::string(to_text(gang.backend)) +
                               " knows no time-out for a group; 'timeout' has no effect");
  }
}

void check_sizes(const Fields& fields, const Gang& gang, Reading& reading) {
  if (gang.min_member == 0 || !gang.size.is_constant()) return;
  const auto size = parse_count(gang.size.text);
  if (!size || gang.min_member <= *size) return;
  reading.report.error(fields.find("minMember")->offset, "out-of-range",
                       "minMember " + std::to_string(gang.min_member) +
                           " is more than the size of the group, " + std::to_string(*size),
                       "a group that can never be complete waits for ever");
}

}  // namespace

void read_gang(const base::YamlMember& action, SlotKind slot, Rule& rule, Reading& reading) {
  const ObjectType& type = object_type(SchemaKind::kRuleSet, kGangObject);
  const Fields fields(action.value, type);
  Gang value;
  value.backend = static_cast<GangBackend>(fields.word("backend"));
  value.mode = static_cast<GangMode>(fields.word("mode"));
  value.timeout = fields.text("timeout");
  value.min_member = parse_count(fields.text("minMember")).value_or(0);
  value.level = level_of(fields, reading);
  if (const YamlNode* text = fields.find("parallelism"); text != nullptr && text->is_scalar()) {
    if (const auto parsed = parse_parallelism(text->text)) value.parallelism = *parsed;
  }
  if (const YamlNode* size = fields.find("size"); size != nullptr && size->is_scalar()) {
    value.size = reading.expressions.text(*size, find_key(type, "size")->other, reading.report);
  }
  check_backend(fields, value, reading);
  check_sizes(fields, value, reading);
  assign(rule, {slot, {}}, std::move(value), action.key_offset, reading);
}

}  // namespace berth::rules
