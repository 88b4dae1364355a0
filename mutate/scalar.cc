#include "mutate/scalar.h"

#include <algorithm>
#include <array>

namespace berth::mutate {
namespace {

using kube::Json;

// Fields that the API server fills in, with the values it gives them.
struct Default {
  std::string_view pointer;
  std::string_view value;  // as JSON
};
constexpr std::array kDefaults = {
    Default{"/spec/dnsPolicy", "\"ClusterFirst\""},
    Default{"/spec/enableServiceLinks", "true"},
    Default{"/spec/schedulerName", "\"default-scheduler\""},
    Default{"/spec/terminationGracePeriodSeconds", "30"},
};

bool is_default(std::string_view pointer, Json value) {
  const std::string text = kube::to_json(value);
  return std::any_of(kDefaults.begin(), kDefaults.end(), [&](const Default& known) {
    return known.pointer == pointer && known.value == text;
  });
}

// Owners that replace a pod which has ended.
bool makes_anew(std::string_view kind) {
  constexpr std::array<std::string_view, 6> kKinds = {
      "DaemonSet",  "Deployment", "LeaderWorkerSet", "ReplicaSet", "ReplicationController",
      "StatefulSet"};
  return std::find(kKinds.begin(), kKinds.end(), kind) != kKinds.end();
}

bool under_restarting_owner(const Writing& writing) {
  if (writing.at_owner()) return makes_anew(writing.subject.kind);
  const auto controller = writing.subject.pod.controller();
  return controller && makes_anew(controller->kind);
}

}  // namespace

void write_scalar(Writing& writing, const rules::Setting& setting) {
  const auto* scalar = std::get_if<rules::Scalar>(&setting.assignment->value);
  if (scalar == nullptr) return;
  const Json wanted = setting.json.is_null() ? scalar->constant : setting.json;
  const Json there = writing.editor.get(scalar->pointer);
  if (wanted.is_null() || kube::equal(there, wanted)) return;
  if (scalar->pointer == "/spec/activeDeadlineSeconds" && under_restarting_owner(writing)) {
    warn(writing, setting.rule,
         "activeDeadlineSeconds not written: the owner would make the ended pod anew, for ever");
    return;
  }
  const bool of_author = !there.is_null() && !is_default(scalar->pointer, there);
  if (of_author &&
      !may_overwrite(writing, setting, {scalar->pointer, as_text(wanted), as_text(there)})) {
    return;
  }
  set_or_warn(writing, setting, scalar->pointer, wanted);
}

}  // namespace berth::mutate
