#include "webhook/admit.h"

#include <algorithm>
#include <utility>

#include "kube/pod_types.h"
#include "kube/pointer.h"
#include "kube/workload.h"
#include "mutate/verify.h"
#include "rules/advice.h"
#include "rules/gang_advice.h"
#include "rules/index.h"
#include "rules/match.h"
#include "rules/standing.h"
#include "webhook/admit_bare.h"
#include "webhook/admit_gang.h"
#include "webhook/forged_record.h"

namespace berth::webhook {
namespace {

constexpr std::string_view kFailedSafeWarning =
    "berth changed nothing: its own check of the result failed; the operators are told";

bool is_pod(const Review& review) {
  return review.group.empty() && review.kind == "Pod";
}

bool is_update(const Review& review) {
  return review.operation == "UPDATE";
}

bool asks_to_be_ignored(kube::Json metadata, const World& world) {
  return rules::intent_value(metadata["labels"], metadata["annotations"], world.limits.label_prefix,
                             "ignore") == "true";
}

bool may_opt_out(const Review& review, const World& world) {
  const auto& allowed = world.limits.opt_out_namespaces;
  return std::any_of(allowed.begin(), allowed.end(), [&](const std::string& pattern) {
    return rules::glob_matches(pattern, review.namespace_name);
  });
}

bool opted_out(kube::Json metadata, const Review& review, const World& world) {
  return asks_to_be_ignored(metadata, world) && may_opt_out(review, world);
}

// A made owner (a ReplicaSet below a Deployment, a Job below a CronJob) is its own maker's
// business: changing it would make the controller above roll out anew.
bool has_controller(kube::Json object) {
  return kube::Pod(object).controller().has_value();
}

// Why the review is none of our business, or empty.
std::string ignored_because(const Review& review, const World& world) {
  if (review.operation != "CREATE" && !(is_update(review) && world.rules.index->covers_updates()))
    return "operation is " + std::string(review.operation) + ", not CREATE";
  if (!review.sub_resource.empty()) return "sub-resource " + std::string(review.sub_resource);
  if (!review.object.is_object()) return "no object";
  const auto& excluded = world.limits.excluded_namespaces;
  if (std::find(excluded.begin(), excluded.end(), review.namespace_name) != excluded.end()) {
    return "namespace " + std::string(review.namespace_name) + " is excluded";
  }
  if (!is_pod(review) && kube::find_owner_kind(review.group, review.kind) == nullptr) {
    return "kind " + std::string(review.kind) + " is no workload";
  }
  if (is_pod(review) && !review.object["metadata"].is_object()) return "no metadata";
  if (is_update(review) && review.object["metadata"].has("deletionTimestamp"))
    return "on its way out";
  if (!is_pod(review) && has_controller(review.object)) return "made by a controller above it";
  if (kube::Pod(review.object).is_mirror()) return "mirror pod of a kubelet";
  if (opted_out(review.object["metadata"], review, world)) return "opted out";
  return {};
}

std::vector<std::string> pod_pointers(const Review& review) {
  if (is_pod(review)) return {""};
  std::vector<std::string> out;
  for (const kube::TemplatePath& path :
       kube::templates_of(review.group, review.kind, review.object)) {
    out.push_back(path.pointer);
  }
  return out;
}

rules::Subject subject_at(const Review& review, kube::Json object, const std::string& pointer) {
  rules::Subject subject;
  subject.door = is_pod(review) ? rules::Door::kPod : rules::Door::kOwner;
  subject.object = object;
  const kube::Json* pod = kube::find_at(object, pointer);
  subject.pod = kube::Pod(pod != nullptr ? *pod : kube::Json());
  subject.pod_pointer = pointer;
  subject.group = review.group;
  subject.kind = review.kind;
  return subject;
}

template <typename T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

Part decide_part(const Review& review, const World& world, const std::string& pointer,
                 base::Arena& arena) {
  Part part;
  part.subject = subject_at(review, review.object, pointer);
  const rules::Request request{review.operation, review.namespace_name, review.request};
  part.facts =
      rules::observe(part.subject, request, world.cluster, {world.limits.label_prefix, &arena});
  rules::overlay(part.facts, world.limits.stated);
  part.decision = rules::decide(part.subject, request, part.facts, world.rules, world.cluster,
                                arena, world.limits.decide);
  return part;
}

// A pod that the API server could not decode comes from no API server: changing it might make
// things worse, and nobody could tell what it means.
void leave_if_malformed(Part& part) {
  if (part.outcome.changes.empty()) return;
  const auto wrong = kube::wrong_type(part.subject.pod.object());
  if (!wrong) return;
  part.malformed = true;
  part.outcome = {};
  part.outcome.object = part.subject.object;
  part.outcome.warnings.push_back({nullptr, "left as it is: " + *wrong});
}

// What a rule may write to an object that exists. The API server takes no other changes of a pod; a
// change of a template would roll the owner's pods out anew.
bool can_change_later(const Review& review, rules::SlotKind kind) {
  return is_pod(review) &&
         (kind == rules::SlotKind::kLabel || kind == rules::SlotKind::kAnnotation ||
          kind == rules::SlotKind::kTolerate);
}

// Leaves of a decision on an update what can still be written.
void keep_what_can_change(const Review& review, rules::Decision& decision) {
  std::erase_if(decision.settings, [&](const rules::Setting& setting) {
    const rules::Slot& slot = setting.assignment->slot;
    if (can_change_later(review, slot.kind)) return false;
    decision.warnings.push_back(
        {setting.rule, to_text(slot) + " not written: it cannot change in an update"});
    return true;
  });
}

// A pod of an owner that was decided: only what ages was left for the pod's door.
Part complete_part(const Review& review, const World& world, base::Arena& arena) {
  Part part = decide_part(review, world, "", arena);
  if (rules::is_long_lived(part.facts.kind)) {
    rules::keep_what_ages(part.decision);
  } else {
    rules::keep_pack(part.decision);
    if (part.decision.settings.empty()) part.decision = {};
  }
  return part;
}

// Writes one template on top of what earlier ones changed; gives what the self-check found.
std::optional<std::string> write_part(const Review& review, const World& world, Answer& answer,
                                      Part& part, const mutate::GangPlan* gang,
                                      base::Arena& arena) {
  part.subject = subject_at(review, answer.object, part.subject.pod_pointer);
  part.outcome.object = answer.object;
  if (part.decision.denied()) return std::nullopt;
  const mutate::ApplyOptions options{world.limits.label_prefix, gang};
  part.outcome =
      mutate::apply(part.decision, part.subject, part.facts, world.cluster, arena, options);
  leave_if_malformed(part);
  const auto bad = mutate::verify(part.outcome, part.decision, part.subject, part.facts,
                                  world.cluster, arena, options);
  if (bad) return bad;
  answer.object = part.outcome.object;
  answer.changes.insert(answer.changes.end(), part.outcome.changes.begin(),
                        part.outcome.changes.end());
  return std::nullopt;
}

// Takes over a step that concerns the whole object.
std::optional<std::string> take_step(mutate::Outcome step, Answer& answer, base::Arena& arena) {
  if (auto bad = mutate::verify_patch(step, answer.object, arena)) return bad;
  answer.object = step.object;
  append(answer.changes, step.changes);
  append(answer.warnings, step.warnings);
  if (!answer.parts.empty()) append(answer.parts[answer.main_part].outcome.kept, step.kept);
  return std::nullopt;
}

void collect_messages(const Part& part, const Review& review, const World& world, Answer& answer) {
  for (const rules::Finding& finding : part.facts.findings)
    answer.warnings.push_back({nullptr, finding.text});
  append(answer.warnings, part.decision.warnings);
  append(answer.warnings, part.outcome.warnings);
  append(answer.denials, part.decision.denials);
  append(answer.denials, part.outcome.denials);
  if (is_update(review)) return;  // where it can run was settled when it was made
  append(answer.warnings,
         rules::advise_gang(subject_at(review, review.object, part.subject.pod_pointer)));
  const rules::Subject after = subject_at(review, part.outcome.object, part.subject.pod_pointer);
  append(answer.warnings, rules::advise(after, part.facts, world.cluster));
}

void drop_repeated(std::vector<rules::Message>& messages) {
  std::vector<rules::Message> kept;
  for (rules::Message& message : messages) {
    const bool known = std::any_of(kept.begin(), kept.end(), [&](const rules::Message& other) {
      return other.text == message.text;
    });
    if (!known) kept.push_back(std::move(message));
  }
  messages = std::move(kept);
}

void settle(const Review& review, Answer& answer) {
  drop_repeated(answer.warnings);
  drop_repeated(answer.denials);
  if (!answer.denials.empty()) {
    answer.outcome = Outcome::kDenied;
    answer.object = review.object;
    answer.changes.clear();
    return;
  }
  answer.outcome = answer.changes.empty() ? Outcome::kUnchanged : Outcome::kPatched;
}

}  // namespace

std::string_view to_text(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPatched:
      return "patched";
    case Outcome::kUnchanged:
      return "unchanged";
    case Outcome::kDenied:
      return "denied";
    case Outcome::kIgnored:
      return "ignored";
    case Outcome::kFailedSafe:
      return "failed-safe";
  }
  return "failed-safe";
}

Answer fail_safe(const Review& review, std::string reason) {
  Answer answer;
  answer.outcome = Outcome::kFailedSafe;
  answer.reason = std::move(reason);
  answer.object = review.object;
  answer.warnings.push_back({nullptr, std::string(kFailedSafeWarning)});
  return answer;
}

namespace {

std::vector<Part> decide_parts(const Review& review, const World& world, base::Arena& arena) {
  std::vector<Part> parts;
  for (const std::string& pointer : pod_pointers(review)) {
    const kube::Json* pod = kube::find_at(review.object, pointer);
    if (pod != nullptr && opted_out((*pod)["metadata"], review, world)) continue;
    parts.push_back(decide_part(review, world, pointer, arena));
  }
  return parts;
}

bool any_malformed(const std::vector<Part>& parts) {
  return std::any_of(parts.begin(), parts.end(), [](const Part& part) { return part.malformed; });
}

bool any_denied(const std::vector<Part>& parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [](const Part& part) { return part.decision.denied(); });
}

std::size_t largest_of(const std::vector<Part>& parts) {
  std::size_t main = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].facts.gpus > parts[main].facts.gpus) main = i;
  }
  return main;
}

std::optional<std::string> write_parts(const Review& review, const World& world,
                                       const mutate::GangPlan* gang, Answer& answer,
                                       base::Arena& arena) {
  for (Part& part : answer.parts) {
    if (auto bad = write_part(review, world, answer, part, gang, arena)) return bad;
    collect_messages(part, review, world, answer);
  }
  return std::nullopt;
}

std::optional<std::string> write_completed(const Review& review, const World& world, Answer& answer,
                                           base::Arena& arena) {
  if (auto bad = write_parts(review, world, nullptr, answer, arena)) return bad;
  if (any_malformed(answer.parts)) return std::nullopt;
  return take_step(complete_gang(review, world, answer.object, answer.parts.front().facts, arena),
                   answer, arena);
}

std::optional<std::string> write_decided(const Review& review, const World& world, Answer& answer,
                                         base::Arena& arena) {
  if (any_denied(answer.parts)) return write_parts(review, world, nullptr, answer, arena);
  GangOfReview gang(review, world, answer.parts);
  if (auto bad = write_parts(review, world, &gang.plan(), answer, arena)) return bad;
  if (any_malformed(answer.parts)) return std::nullopt;
  append(answer.warnings, gang.plan().warnings);
  append(answer.parts[answer.main_part].outcome.kept, gang.plan().kept);
  if (auto bad = take_step(gang.write(answer.object, arena), answer, arena)) return bad;
  if (!gang.write(answer.object, arena).changes.empty()) return "the gang is written twice";
  if (auto bad = take_step(gang.record(answer.object, answer.changes, arena), answer, arena)) {
    return bad;
  }
  return take_step(remove_forged_rules(world, answer.parts, answer.object, arena), answer, arena);
}

std::optional<std::string> write_update(const Review& review, const World& world, Answer& answer,
                                        base::Arena& arena) {
  for (Part& part : answer.parts) keep_what_can_change(review, part.decision);
  return write_parts(review, world, nullptr, answer, arena);
}

Answer decide_all(const Review& review, const World& world, base::Arena& arena) {
  Answer answer;
  answer.object = review.object;
  answer.reason = ignored_because(review, world);
  if (!answer.reason.empty()) return answer;
  const bool decided = !is_update(review) && is_pod(review) && is_decided_with_owner(review, world);
  if (decided) {
    answer.parts.push_back(complete_part(review, world, arena));
  } else {
    answer.parts = decide_parts(review, world, arena);
  }
  if (answer.parts.empty()) {
    answer.reason = "no pod template to decide on";
    return answer;
  }
  answer.main_part = largest_of(answer.parts);
  if (asks_to_be_ignored(review.object["metadata"], world)) {
    answer.warnings.push_back({nullptr, world.limits.label_prefix +
                                            "/ignore does not count in namespace " +
                                            std::string(review.namespace_name)});
  }
  const auto bad = decided             ? write_completed(review, world, answer, arena)
                   : is_update(review) ? write_update(review, world, answer, arena)
                                       : write_decided(review, world, answer, arena);
  if (bad) return fail_safe(review, *bad);
  settle(review, answer);
  return answer;
}

}  // namespace

Answer admit(const Review& review, const World& world, base::Arena& arena) {
  if (!kube::keeps_bare_templates(review.group, review.kind)) {
    return decide_all(review, world, arena);
  }
  const kube::BareTemplates bare(review.group, review.kind, review.object, arena);
  Review unfolded = review;
  unfolded.object = bare.object();
  Answer answer = decide_all(unfolded, world, arena);
  if (const auto bad = fold(bare, review, answer, arena)) return fail_safe(review, *bad);
  return answer;
}

}  // namespace berth::webhook
