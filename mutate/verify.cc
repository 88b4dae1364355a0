#include "mutate/verify.h"

#include <algorithm>

#include "kube/json_patch.h"
#include "kube/pointer.h"
#include "mutate/shape.h"

namespace berth::mutate {
namespace {

using kube::Json;

// The pod or template inside of an object.
Json pod_in(Json object, std::string_view pointer) {
  const Json* found = kube::find_at(object, pointer);
  return found != nullptr ? *found : Json();
}

std::optional<std::string> check_patch(const Outcome& outcome, Json received, base::Arena& arena) {
  const auto applied = kube::apply_patch(received, to_patch(outcome.changes, arena), arena);
  if (!applied) return "the patch does not apply: " + applied.error().text;
  if (!kube::equal(*applied, outcome.object)) return "the patch gives another object";
  return std::nullopt;
}

// Complaints that the received pod gave cause for are its author's affair.
std::optional<std::string> check_shape(Json received, Json result) {
  const auto after = shape_problems(result, received);
  if (after.empty()) return std::nullopt;
  const auto before = shape_problems(received);
  for (const std::string& problem : after) {
    if (std::find(before.begin(), before.end(), problem) == before.end()) return problem;
  }
  return std::nullopt;
}

std::optional<std::string> check_second_pass(const Outcome& outcome,
                                             const rules::Decision& decision,
                                             rules::Subject subject, const rules::Facts& facts,
                                             const topology::Snapshot& cluster, base::Arena& arena,
                                             const ApplyOptions& options) {
  subject.object = outcome.object;
  subject.pod = kube::Pod(pod_in(outcome.object, subject.pod_pointer));
  const Outcome again = apply(decision, subject, facts, cluster, arena, options);
  if (!again.denials.empty()) return "a second pass refuses: " + again.denials.front().text;
  if (again.changes.empty()) return std::nullopt;
  return "a second pass changes " + std::string(again.changes.front().path);
}

}  // namespace

std::optional<std::string> verify_patch(const Outcome& outcome, Json received, base::Arena& arena) {
  return check_patch(outcome, received, arena);
}

std::optional<std::string> verify(const Outcome& outcome, const rules::Decision& decision,
                                  const rules::Subject& subject, const rules::Facts& facts,
                                  const topology::Snapshot& cluster, base::Arena& arena,
                                  const ApplyOptions& options) {
  if (!outcome.denials.empty()) return std::nullopt;
  if (auto bad = check_patch(outcome, subject.object, arena)) return bad;
  if (outcome.changes.empty()) return std::nullopt;
  if (auto bad = check_shape(subject.pod.object(), pod_in(outcome.object, subject.pod_pointer))) {
    return bad;
  }
  return check_second_pass(outcome, decision, subject, facts, cluster, arena, options);
}

}  // namespace berth::mutate
