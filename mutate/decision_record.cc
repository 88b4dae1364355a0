#include "mutate/decision_record.h"

#include <array>

#include "kube/gang_identity.h"
#include "rules/facts.h"

namespace berth::mutate {
namespace {

using kube::Json;
using rules::GangBackend;

constexpr std::int64_t kVersion = 1;
constexpr std::size_t kGenerationBytes = 19;  // "sha256:" and twelve digits
constexpr std::size_t kMostBytes = 16 * 1024;

constexpr std::array kBackends = {
    GangBackend::kKueue,  GangBackend::kVolcano,  GangBackend::kKai,        GangBackend::kCoscheduling,
    GangBackend::kNative, GangBackend::kYunikorn, GangBackend::kKoordinator};
constexpr std::array kMeans = {GangMeans::kKeys, GangMeans::kOperator, GangMeans::kCompanion};

std::optional<GangBackend> backend_of(std::string_view word) {
  for (const GangBackend backend : kBackends) {
    if (rules::to_text(backend) == word) return backend;
  }
  return std::nullopt;
}

GangMeans means_of(std::string_view word) {
  for (const GangMeans means : kMeans) {
    if (to_text(means) == word) return means;
  }
  return GangMeans::kNone;
}

void append_text(std::string& out, std::string_view key, std::string_view value) {
  if (value.empty()) return;
  out += ",\"";
  out.append(key).append("\":");
  kube::append_json_string(out, value);
}

void append_number(std::string& out, std::string_view key, std::int64_t value) {
  if (value == 0) return;
  out += ",\"";
  out.append(key).append("\":").append(std::to_string(value));
}

}  // namespace

std::string_view record_text(Json object, std::string_view prefix) {
  return object["metadata"]["annotations"][std::string(prefix) + "/decision"].string_or_empty();
}

std::optional<DecisionRecord> read_record(Json object, std::string_view prefix) {
  const std::string_view text = record_text(object, prefix);
  if (text.empty() || text.size() > kMostBytes) return std::nullopt;
  base::Arena arena(1024);
  const auto parsed = kube::parse_json(text, arena);
  if (!parsed || (*parsed)["v"].as_int() != kVersion) return std::nullopt;
  DecisionRecord out;
  out.rules = (*parsed)["rules"].string_or_empty();
  const Json gang = (*parsed)["gang"];
  if (!backend_of(gang["backend"].string_or_empty())) return out;
  out.gang = gang["backend"].string_or_empty();
  out.means = means_of(gang["by"].string_or_empty());
  out.size = gang["size"].as_int().value_or(0);
  out.min_member = gang["min"].as_int().value_or(0);
  out.timeout_seconds = gang["timeout"].as_int().value_or(0);
  out.mode = gang["mode"].string_or_empty();
  out.level = gang["level"].string_or_empty();
  out.required = gang["required"].bool_or(false);
  out.queue = gang["queue"].string_or_empty();
  return out;
}

std::string recorded_backend(Json object, std::string_view prefix) {
  const auto record = read_record(object, prefix);
  return record ? record->gang : std::string();
}

DecisionRecord record_of(const GangPlan& plan, const GangView& view,
                         std::string_view generation) {
  DecisionRecord out;
  out.rules = generation.substr(0, kGenerationBytes);
  if (!plan.active()) return out;
  out.gang = rules::to_text(plan.backend);
  out.means = plan.means;
  out.size = plan.answer->size;
  out.min_member = plan.answer->min_member;
  out.timeout_seconds = plan.answer->timeout_seconds;
  out.mode = rules::to_text(plan.answer->mode);
  if (plan.holds_level) {
    out.level = plan.answer->label;
    out.required = plan.answer->required;
  }
  out.queue = view.queue;
  return out;
}

std::string to_text(const DecisionRecord& record) {
  std::string out = R"({"v":)" + std::to_string(kVersion);
  append_text(out, "rules", record.rules);
  if (record.gang.empty()) return out + '}';
  out += R"(,"gang":{"backend":)";
  kube::append_json_string(out, record.gang);
  append_text(out, "by", to_text(record.means));
  append_number(out, "size", record.size);
  append_number(out, "min", record.min_member);
  append_number(out, "timeout", record.timeout_seconds);
  append_text(out, "mode", record.mode);
  append_text(out, "level", record.level);
  if (record.required) out += R"(,"required":true)";
  append_text(out, "queue", record.queue);
  return out + "}}";
}

bool plan_from(const DecisionRecord& record, const kube::Pod& pod, std::string_view prefix,
               RecordedGang& out) {
  const auto backend = backend_of(record.gang);
  if (!backend || record.means == GangMeans::kNone) return false;
  out.rule.id = "decided with the owner";
  out.answer.backend = *backend;
  out.answer.size = record.size;
  out.answer.min_member = record.min_member;
  out.answer.timeout_seconds = record.timeout_seconds;
  out.answer.mode = record.mode == rules::to_text(rules::GangMode::kSoft) ? rules::GangMode::kSoft
                                                                         : rules::GangMode::kHard;
  out.setting.assignment = &out.assignment;
  out.setting.rule = &out.rule;
  out.plan.backend = *backend;
  out.plan.means = record.means;
  out.plan.answer = &out.answer;
  out.plan.ours = true;
  out.plan.completing = true;
  out.plan.name = kube::gang_name_of(
      pod, rules::intent_value(pod.labels(), pod.annotations(), prefix, "gang"));
  return !out.plan.name.empty();
}

}  // namespace berth::mutate
