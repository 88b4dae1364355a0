#include "mutate/siblings.h"

#include <array>

namespace berth::mutate {
namespace {

using kube::Json;

// Labels that controllers give all pods of one workload, the widest workload first.
constexpr std::array<std::string_view, 10> kOnPods = {"leaderworkerset.sigs.k8s.io/group-key",
                                                      "jobset.sigs.k8s.io/jobset-name",
                                                      "training.kubeflow.org/job-name",
                                                      "ray.io/cluster",
                                                      "volcano.sh/job-name",
                                                      "kueue.x-k8s.io/pod-group-name",
                                                      "batch.kubernetes.io/job-name",
                                                      "job-name",
                                                      "pod-template-hash",
                                                      "controller-revision-hash"};

// The label that the controller of an owner will give its pods, from the owner's name.
struct OfOwner {
  std::string_view group;
  std::string_view kind;  // empty: any of the group
  std::string_view key;
};
constexpr std::array kOfOwners = {
    OfOwner{"batch", "Job", "batch.kubernetes.io/job-name"},
    OfOwner{"jobset.x-k8s.io", "JobSet", "jobset.sigs.k8s.io/jobset-name"},
    OfOwner{"trainer.kubeflow.org", "TrainJob", "jobset.sigs.k8s.io/jobset-name"},
    OfOwner{"kubeflow.org", "", "training.kubeflow.org/job-name"},
    OfOwner{"ray.io", "RayCluster", "ray.io/cluster"},
    OfOwner{"batch.volcano.sh", "Job", "volcano.sh/job-name"},
};

std::optional<SiblingLabel> of_owner(const rules::Subject& subject) {
  const std::string_view name = subject.object["metadata"]["name"].string_or_empty();
  if (name.empty()) return std::nullopt;
  for (const OfOwner& row : kOfOwners) {
    if (row.group == subject.group && (row.kind.empty() || row.kind == subject.kind)) {
      return SiblingLabel{row.key, name};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<SiblingLabel> sibling_label(const Writing& writing) {
  if (writing.at_owner()) return of_owner(writing.subject);
  const Json labels = writing.subject.pod.labels();
  for (const std::string_view key : kOnPods) {
    const std::string_view value = labels[key].string_or_empty();
    if (!value.empty()) return SiblingLabel{key, value};
  }
  return std::nullopt;
}

Json selector_of(const SiblingLabel& label, base::Arena& arena) {
  const Json labels = kube::make_object(arena, {{label.key, Json::string(label.value)}});
  return kube::make_object(arena, {{"matchLabels", labels}});
}

}  // namespace berth::mutate
