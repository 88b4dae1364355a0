#include "webhook/admit.h"

#include <algorithm>
#include <utility>

#include "kube/pod_types.h"
#include "kube/pointer.h"
#include "kube/workload.h"
#include "mutate/verify.h"
#include "rules/advice.h"

namespace berth::webhook {
namespace {

constexpr std::string_view kFailedSafeWarning =
    "berth changed nothing: its own check of the result failed; the operators are told";

bool is_pod(const Review& review) {
  return review.group.empty() && review.kind == "Pod";
}

bool opted_out(kube::Json metadata, std::string_view prefix) {
  return rules::intent_value(metadata["labels"], metadata["annotations"], prefix, "ignore") ==
         "true";
}

// A made owner (a ReplicaSet below a Deployment, a Job below a CronJob) is its own maker's
// business: changing it would make the controller above roll out anew.
bool has_controller(kube::Json object) {
  return kube::Pod(object).controller().has_value();
}

// Why the review is none of our business, or empty.
std::string ignored_because(const Review& review, const World& world) {
  if (review.operation != "CREATE")
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
  if (!is_pod(review) && has_controller(review.object)) return "made by a controller above it";
  if (kube::Pod(review.object).is_mirror()) return "mirror pod of a kubelet";
  if (opted_out(review.object["metadata"], world.limits.label_prefix)) return "opted out";
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

// Decides and writes one template on top of what earlier templates changed.
Part decide_part(const Review& review, const World& world, kube::Json object,
                 const std::string& pointer, base::Arena& arena) {
  Part part;
  part.subject = subject_at(review, object, pointer);
  const rules::Request request{review.operation, review.namespace_name, review.request};
  part.facts =
      rules::observe(part.subject, request, world.cluster, {world.limits.label_prefix, &arena});
  rules::overlay(part.facts, world.limits.stated);
  part.decision = rules::decide(part.subject, request, part.facts, world.rules, world.cluster,
                                arena, world.limits.decide);
  part.outcome.object = object;
  if (part.decision.denied()) return part;
  part.outcome = mutate::apply(part.decision, part.subject, part.facts, world.cluster, arena,
                               {world.limits.label_prefix});
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

void collect_messages(const Part& part, const Review& review, const World& world, Answer& answer) {
  for (const rules::Finding& finding : part.facts.findings)
    answer.warnings.push_back({nullptr, finding.text});
  append(answer.warnings, part.decision.warnings);
  append(answer.warnings, part.outcome.warnings);
  append(answer.denials, part.decision.denials);
  append(answer.denials, part.outcome.denials);
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

Answer admit(const Review& review, const World& world, base::Arena& arena) {
  Answer answer;
  answer.object = review.object;
  answer.reason = ignored_because(review, world);
  if (!answer.reason.empty()) return answer;
  for (const std::string& pointer : pod_pointers(review)) {
    const kube::Json* pod = kube::find_at(answer.object, pointer);
    if (pod != nullptr && opted_out((*pod)["metadata"], world.limits.label_prefix)) continue;
    Part part = decide_part(review, world, answer.object, pointer, arena);
    leave_if_malformed(part);
    if (!part.decision.denied()) {
      const auto bad = mutate::verify(part.outcome, part.decision, part.subject, part.facts,
                                      world.cluster, arena, {world.limits.label_prefix});
      if (bad) return fail_safe(review, *bad);
    }
    collect_messages(part, review, world, answer);
    append(answer.changes, part.outcome.changes);
    answer.object = part.outcome.object;
    answer.parts.push_back(std::move(part));
    if (answer.parts.back().facts.gpus > answer.parts[answer.main_part].facts.gpus) {
      answer.main_part = answer.parts.size() - 1;
    }
  }
  if (answer.parts.empty()) {
    answer.reason = "no pod template to decide on";
    return answer;
  }
  settle(review, answer);
  return answer;
}

}  // namespace berth::webhook
