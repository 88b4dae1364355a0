// Decision record: what `<prefix>/decision` on an owner, its templates and their pods says: that and
// how the workload was decided, so that its pods are completed and not decided again. Versioned
// JSON; what cannot be read counts as no record. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kube/json.h"
#include "mutate/gang.h"
#include "rules/rule.h"

namespace berth::mutate {

struct DecisionRecord {
  std::string rules;  ///< start of the generation of the rule set
  std::string gang;   ///< backend; empty: no gang
  GangMeans means = GangMeans::kNone;
  std::int64_t size = 0;
  std::int64_t min_member = 0;
  std::int64_t timeout_seconds = 0;
  std::string mode;
  std::string level;  ///< node label that the group is kept in by the backend; empty: none
  bool required = false;
  std::string queue;
};

/// The record on an object or template ({metadata, ...}).
std::optional<DecisionRecord> read_record(kube::Json object, std::string_view prefix);
/// Its text as it stands there; empty where there is none.
std::string_view record_text(kube::Json object, std::string_view prefix);
/// The backend of the record, or empty.
std::string recorded_backend(kube::Json object, std::string_view prefix);

/// The record of a plan (which may be of no gang at all).
DecisionRecord record_of(const GangPlan& plan, const GangView& view, std::string_view generation);
std::string to_text(const DecisionRecord& record);

/// The plan that the record stands for, to complete a pod that carries it.
struct RecordedGang {
  rules::Rule rule;  ///< stands for the rules of then
  rules::Assignment assignment;
  rules::Setting setting;
  rules::GangAnswer answer;
  GangPlan plan;
};
/// Fills `out`; false where there is nothing to complete.
bool plan_from(const DecisionRecord& record, const kube::Pod& pod, std::string_view prefix,
               RecordedGang& out);

}  // namespace berth::mutate
