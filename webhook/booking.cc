#include "webhook/booking.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "kube/pointer.h"
#include "kube/workload.h"
#include "mutate/decision_record.h"
#include "mutate/kueue_queues.h"
#include "rules/resolve.h"

namespace berth::webhook {
namespace {

using kube::Json;

constexpr std::size_t kMostDomains = 16;  // more are hardly ever looked at
constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kKueueLabel = "kueue.x-k8s.io/queue-name";
constexpr std::array<std::string_view, 2> kSuspends = {"/spec/suspend", "/spec/runPolicy/suspend"};

bool makes_an_owner(const Review& review, const Answer& answer) {
  const bool is_pod = review.group.empty() && review.kind == "Pod";
  return answer.allowed() && !review.dry_run && review.operation == "CREATE" && !is_pod &&
         review.sub_resource.empty();
}

// Its controller, or Kueue, makes no pods until somebody says so.
bool is_held_back(const Review& review, Json object) {
  const bool suspended =
      std::any_of(kSuspends.begin(), kSuspends.end(), [&](std::string_view pointer) {
        const Json* value = kube::find_at(object, pointer);
        return value != nullptr && value->bool_or(false);
      });
  return suspended || (mutate::is_managed_by_kueue(review.kind) &&
                       !object["metadata"]["labels"][kKueueLabel].string_or_empty().empty());
}

// The answer that draws the pods of a template together in ranked domains, or null.
const rules::LevelAnswer* ranked_level(const Part& part) {
  for (const rules::Setting& setting : part.decision.settings) {
    if (setting.assignment->slot.kind != rules::SlotKind::kPlacement) continue;
    const auto* level = std::get_if<rules::LevelAnswer>(&setting.answer);
    if (level != nullptr && level->together && !level->prefer.empty()) return level;
  }
  return nullptr;
}

// Where the pods go first, as it stands on them: an earlier call may have written it.
std::vector<std::string> preferred_domains(Json spec, std::string_view label) {
  std::vector<std::pair<std::int64_t, std::string>> found;
  for (const Json& term : spec["affinity"]["nodeAffinity"][kPreferred].items()) {
    const Json expressions = term["preference"]["matchExpressions"];
    const Json expression = expressions.at(0);
    if (expressions.size() != 1 || expression["key"].string_or_empty() != label ||
        expression["operator"].string_or_empty() != "In")
      continue;
    for (const Json& value : expression["values"].items())
      found.emplace_back(term["weight"].as_int().value_or(0), value.string_or_empty());
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> out;
  for (auto& [weight, domain] : found) {
    if (out.size() < kMostDomains) out.push_back(std::move(domain));
  }
  return out;
}

// The template with the toleration that the API server will give to its pods.
Json as_made(Json pod, const rules::Facts& facts, base::Arena& arena) {
  Json spec = pod["spec"];
  Json tolerations = spec.has("tolerations") ? spec["tolerations"] : Json::array({});
  for (const Json& usual : rules::usual_toleration(facts, arena).items())
    tolerations = kube::with_inserted(arena, tolerations, tolerations.size(), usual);
  spec = kube::with_member(arena, spec, "tolerations", tolerations);
  return kube::with_member(arena, pod, "spec", spec);
}

std::int64_t pods_of(const Review& review, Json object, const std::string& pointer) {
  for (const kube::TemplatePath& path : kube::templates_of(review.group, review.kind, object)) {
    if (path.pointer == pointer) return kube::pods_of_template(path, object);
  }
  return 0;
}

}  // namespace

std::optional<topology::OwnerRecord> booking_of(const Review& review, const Answer& answer,
                                                std::string_view label_prefix, base::Arena& arena) {
  if (!makes_an_owner(review, answer)) return std::nullopt;
  topology::OwnerRecord owner;
  bool any = false;
  const bool held_back = is_held_back(review, answer.object);
  for (const Part& part : answer.parts) {
    const rules::LevelAnswer* level = ranked_level(part);
    if (level == nullptr) continue;
    any = true;
    const std::string& pointer = part.subject.pod_pointer;
    const Json* made = kube::find_at(answer.object, pointer);
    if (held_back || made == nullptr) continue;
    topology::BatchRecord batch;
    batch.domains = preferred_domains((*made)["spec"], level->label);
    if (batch.domains.empty()) continue;  // whoever places the gang chooses the domain
    batch.pod =
        topology::read_pod_record(as_made(*made, part.facts, arena), std::string(label_prefix));
    batch.pods = pods_of(review, answer.object, pointer);
    batch.label = level->label;
    owner.batches.push_back(std::move(batch));
  }
  if (!any) return std::nullopt;
  const Json metadata = answer.object["metadata"];
  owner.kind = review.kind;
  owner.namespace_name = review.namespace_name;
  owner.named = !metadata["name"].string_or_empty().empty();
  owner.name = metadata[owner.named ? "name" : "generateName"].string_or_empty();
  owner.recorded = !mutate::record_text(review.object, label_prefix).empty();
  return owner;
}

}  // namespace berth::webhook
