// Workload kinds: who owns a pod, how many pods a workload has, and where an owner keeps its pod
// templates. Pure reading of labels, owner references, annotations and environment; the sources of
// each key are named in the table of workload.cc (operator project and file). Views point into the
// objects given.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube/json.h"
#include "kube/pod.h"

namespace berth::kube {

/// The top owner of a pod as far as the pod itself tells: from the labels of known operators (a pod
/// of a PyTorchJob, a JobSet, a RayCluster, ...), else the controller reference (a ReplicaSet named
/// after its pod-template-hash reads as Deployment), else the pod itself (kind "Pod").
struct Owner {
  std::string_view kind;
  std::string_view name;
  std::string_view uid;   ///< empty where only a label names the owner
  std::string_view role;  ///< worker, master, launcher, head, leader, ...; empty when unknown
};
Owner top_owner(const Pod& pod);

/// Number of pods of the workload, from the pod's labels, annotations and environment (PET_NNODES,
/// WORLD_SIZE with LOCAL_WORLD_SIZE, LWS size, JobSet annotations, Indexed Job, pod-group total
/// count, ...).
std::optional<std::int64_t> pods_of(const Pod& pod);

/// Where an owner kind keeps a pod template, and how many pods it makes of it.
struct TemplatePath {
  std::string pointer;        ///< "/spec/template"
  std::string count_pointer;  ///< "/spec/parallelism"; empty: one
  std::int64_t default_count = 1;
  std::string role;  ///< "Worker"; empty when there is one template only
};
struct OwnerKind {
  std::string group;        ///< "batch"; empty for core
  std::string kind;         ///< "Job"
  bool long_lived = false;  ///< Deployment, StatefulSet: a topology answer would age
};

/// The built-in row of a kind, or nullptr. The API version does not matter.
const OwnerKind* find_owner_kind(std::string_view group, std::string_view kind);

/// The templates that this very object has (a PyTorchJob names its replica types freely). Empty for
/// a Pod and for kinds without a row.
std::vector<TemplatePath> templates_of(std::string_view group, std::string_view kind, Json object);

/// Recognised training or serving framework (pytorch, tensorflow, jax, mpi, ray, vllm, triton, tgi,
/// sglang, ollama, nim, xgboost, paddle, deepspeed, spark, ...) from owner, labels, image, command,
/// arguments and environment; empty when unknown.
std::string_view framework_of(const Pod& pod, const Owner& owner);

}  // namespace berth::kube
