// YuniKorn: task groups on every member, from which the scheduler makes placeholders. They state
// the resources and the placement of the templates as they were rewritten. Keys:
// apache/yunikorn-k8shim pkg/common/constants, pkg/cache/utils.go, amprotocol.go. It knows no levels.
#include <algorithm>

#include "kube/pointer.h"
#include "mutate/gang_backend.h"

namespace berth::mutate {
namespace {

using kube::Json;

constexpr std::string_view kApplication = "yunikorn.apache.org/app-id";
constexpr std::string_view kQueue = "yunikorn.apache.org/queue";
constexpr std::string_view kGroup = "yunikorn.apache.org/task-group-name";
constexpr std::string_view kGroups = "yunikorn.apache.org/task-groups";
constexpr std::string_view kPolicy = "yunikorn.apache.org/schedulingPolicyParameters";

// KubeRay writes the task groups itself.
bool is_ray(const GangView& view) {
  return view.at_owner() && view.group == "ray.io" &&
         operator_makes_groups(view, topology::GangSystem::kYunikorn);
}

std::string plan(const GangView& view, GangPlan& plan) {
  const Countable count = countable(view, plan);
  if (!count.is_group) return count.reason;
  plan.name = group_name(view);
  if (!view.at_owner() && plan.name.empty()) {
    return "nothing tells the pods of this group apart: say " + std::string(view.prefix) + "/gang";
  }
  // Of several roles a pod shows only its own.
  if (!view.at_owner() && !view.facts.role.empty()) {
    return "the task groups of YuniKorn must name all roles of " + workload_name(view) +
           ", which one pod does not show";
  }
  plan.means = is_ray(view) ? GangMeans::kOperator : GangMeans::kKeys;
  return {};
}

std::string name_of(const GangMember& member) {
  std::string out;
  for (const char c : member.role) {
    const bool upper = c >= 'A' && c <= 'Z';
    out += upper ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out.empty() ? "pods" : out;
}

void append_resources(std::string& out, const kube::Pod& pod) {
  std::vector<std::string_view> names = {"cpu", "memory"};
  for (const std::string_view name : pod.resource_names()) names.push_back(name);
  out += R"("minResource":{)";
  bool first = true;
  for (const std::string_view name : names) {
    const kube::Quantity wanted = pod.effective_request(name);
    if (wanted.sign() <= 0) continue;
    if (!first) out += ',';
    first = false;
    kube::append_json_string(out, name);
    out += ':';
    const bool bytes = name == "memory";
    kube::append_json_string(out, wanted.to_text(bytes ? kube::Quantity::Form::kBinary
                                                       : kube::Quantity::Form::kDecimal));
  }
  out += '}';
}

void append_group(std::string& out, const kube::Pod& pod, std::string_view name,
                  std::int64_t least) {
  out += R"({"name":)";
  kube::append_json_string(out, name);
  out += R"(,"minMember":)" + std::to_string(least) + ',';
  append_resources(out, pod);
  for (const char* field : {"nodeSelector", "tolerations", "affinity",
                            "topologySpreadConstraints"}) {
    const Json value = pod.spec()[field];
    if (value.size() == 0) continue;
    out += std::string(",\"") + field + "\":";
    kube::append_json(out, value);
  }
  out += '}';
}

// The least number counts for the whole; of several roles only the largest may come short of it.
std::string groups_of(const GangWriting& writing) {
  const auto members = writing.view.members;
  const auto largest =
      std::max_element(members.begin(), members.end(),
                       [](const auto& a, const auto& b) { return a.pods < b.pods; });
  const std::int64_t missing = writing.plan.answer->size - writing.plan.answer->min_member;
  std::string out = "[";
  for (const GangMember& member : members) {
    std::int64_t least = writing.view.at_owner() ? member.pods : writing.plan.answer->size;
    if (&member == &*largest) least = std::max<std::int64_t>(1, least - missing);
    if (least < 1) continue;
    if (out.size() > 1) out += ',';
    append_group(out, writing.pod(member), name_of(member), least);
  }
  return out + ']';
}

std::string policy_of(const rules::GangAnswer& answer) {
  std::string out;
  if (answer.timeout_seconds > 0) {
    out = "placeholderTimeoutInSeconds=" + std::to_string(answer.timeout_seconds) + ' ';
  }
  return out + "gangSchedulingStyle=" +
         (answer.mode == rules::GangMode::kHard ? "Hard" : "Soft");
}

void write(GangWriting& writing) {
  const GangPlan& plan = writing.plan;
  if (plan.means == GangMeans::kOperator) {
    writing.label_owner("ray.io/gang-scheduling-enabled", "true");
    if (!writing.view.queue.empty()) writing.label_owner(kQueue, writing.view.queue);
    return;
  }
  if (plan.completing) return writing.label(writing.view.members.front(), kApplication, plan.name);
  const std::string groups = groups_of(writing);
  for (const GangMember& member : writing.view.members) {
    if (!plan.name.empty()) writing.label(member, kApplication, plan.name);
    if (!writing.view.queue.empty()) writing.label(member, kQueue, writing.view.queue);
    writing.annotate(member, kGroup, name_of(member));
    writing.annotate(member, kGroups, groups);
    writing.annotate(member, kPolicy, policy_of(writing.answer()));
  }
}

}  // namespace

const GangBackendRow& yunikorn_gangs() {
  static constexpr GangBackendRow kRow{rules::GangBackend::kYunikorn, plan, write};
  return kRow;
}

}  // namespace berth::mutate
