#include "mutate/scheduling.h"

#include <optional>

namespace berth::mutate {
namespace {

using kube::Json;
using topology::Kind;

constexpr std::string_view kScheduler = "/spec/schedulerName";
constexpr std::string_view kPriorityClass = "/spec/priorityClassName";
constexpr std::string_view kPriority = "/spec/priority";
constexpr std::string_view kPreemption = "/spec/preemptionPolicy";
constexpr std::string_view kRuntimeClass = "/spec/runtimeClassName";

// ---------------------------------------------------------------- priority

bool is_default_class(const Writing& writing, std::string_view name) {
  const topology::PriorityClass* found = writing.cluster.priority_class(name);
  return found != nullptr && found->global_default;
}

// Number and policy as the API server computes them from the class.
void set_numbers(Writing& writing, const rules::Setting& setting,
                 const topology::PriorityClass& wanted) {
  set_or_warn(writing, setting, kPriority, kube::make_int(writing.arena(), wanted.value));
  const std::string_view known = wanted.preemption_policy;
  const std::string_view policy = known.empty() ? "PreemptLowerPriority" : known;
  set_or_warn(writing, setting, kPreemption, Json::string(policy));
}

// ---------------------------------------------------------------- runtime class

// Why the API server would refuse the pod with this class, or empty.
std::string runtime_class_conflict(const Writing& writing, std::string_view name) {
  const Json spec = writing.pod().spec();
  const Json overhead = spec["overhead"];
  const Json wanted = writing.cluster.runtime_class(name);
  if (overhead.size() > 0 && !kube::equal(overhead, wanted["overhead"]["podFixed"])) {
    return "the pod has overhead of another class";
  }
  for (const kube::JsonMember& member : wanted["scheduling"]["nodeSelector"].members()) {
    const Json* there = spec["nodeSelector"].find(member.key);
    if (there != nullptr && there->string_or_empty() != member.value.string_or_empty()) {
      return "it selects " + std::string(member.key) + "=" + as_text(member.value) + ", the pod " +
             as_text(*there);
    }
  }
  return {};
}

}  // namespace

void write_scheduler(Writing& writing, const rules::Setting& setting) {
  const std::string_view there = writing.pod().spec()["schedulerName"].string_or_empty();
  if (setting.text.empty() || there == setting.text) return;
  const bool of_author = !there.empty() && there != "default-scheduler";
  if (of_author &&
      !may_overwrite(writing, setting,
                     {std::string(kScheduler), std::string(setting.text), std::string(there)})) {
    return;
  }
  // An absent name is the default scheduler already.
  if (there.empty() && setting.text == "default-scheduler") return;
  set_or_warn(writing, setting, kScheduler, Json::string(setting.text));
}

void write_priority_class(Writing& writing, const rules::Setting& setting) {
  const std::string_view there = writing.pod().spec()["priorityClassName"].string_or_empty();
  if (setting.text.empty() || there == setting.text) return;
  const topology::PriorityClass* wanted = writing.cluster.priority_class(setting.text);
  if (wanted == nullptr && writing.cluster.knows(Kind::kPriorityClasses)) {
    warn(writing, setting.rule,
         "priority class " + std::string(setting.text) + " not written: it does not exist");
    return;
  }
  const bool of_author = !there.empty() && !is_default_class(writing, there);
  if (of_author && !may_overwrite(writing, setting,
                                  {std::string(kPriorityClass), std::string(setting.text),
                                   std::string(there)})) {
    return;
  }
  set_or_warn(writing, setting, kPriorityClass, Json::string(setting.text));
  if (wanted != nullptr && !writing.at_owner()) {
    set_numbers(writing, setting, *wanted);
  } else {
    writing.editor.remove(kPriority);
    writing.editor.remove(kPreemption);
  }
}

void write_runtime_class(Writing& writing, const rules::Setting& setting) {
  const std::string_view there = writing.pod().spec()["runtimeClassName"].string_or_empty();
  if (setting.text.empty() || there == setting.text) return;
  const std::string name(setting.text);
  if (writing.cluster.knows(Kind::kRuntimeClasses) && !writing.cluster.has_runtime_class(name)) {
    warn(writing, setting.rule, "runtime class " + name + " not written: it does not exist");
    return;
  }
  if (!there.empty() &&
      !may_overwrite(writing, setting, {std::string(kRuntimeClass), name, std::string(there)})) {
    return;
  }
  const std::string conflict = runtime_class_conflict(writing, name);
  if (!conflict.empty()) {
    warn(writing, setting.rule, "runtime class " + name + " not written: " + conflict);
    return;
  }
  set_or_warn(writing, setting, kRuntimeClass, Json::string(setting.text));
}

}  // namespace berth::mutate
