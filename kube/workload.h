// Workload kinds: who owns a pod, how many pods a workload has, and where an owner keeps its pod
// templates. Pure reading of labels, owner references, annotations and environment; the sources of
// each key are named in the tables of workload.cc, owner_kinds.cc and framework.cc (operator
// project and file). Views point into the objects given.
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

/// Number of pods that the workload needs at once, from the pod's labels, annotations and
/// environment (PET_NNODES, WORLD_SIZE with LOCAL_WORLD_SIZE, TF_CONFIG, LWS size, pod-group total
/// count, ...). Nothing where the pod does not tell: JobSet, Job, Ray and MPI say it in the owner
/// only. Never a guess.
std::optional<std::int64_t> pods_of(const Pod& pod);

/// Where an owner kind keeps a pod template, and how many pods it makes of it.
struct TemplatePath {
  std::string pointer;        ///< "/spec/template"
  std::string count_pointer;  ///< "/spec/replicas"; empty: default_count is the number
  /// Pods without count_pointer (there the product of several fields, such as replicas and
  /// parallelism of a JobSet), or where it finds no number. Of a LeaderWorkerSet: of one group.
  std::int64_t default_count = 1;
  std::string role;  ///< "Worker"; empty when there is one template only
  /// Its pods come only once all others run: they are no members of the workload's group.
  bool comes_after = false;
};
struct OwnerKind {
  std::string group;  ///< "batch"; empty for core
  std::string kind;   ///< "Job"
  /// Deployment, StatefulSet, CronJob, LeaderWorkerSet: a topology answer would age
  bool long_lived = false;
  /// The pods of one unit (a Job; a group of a LeaderWorkerSet) are needed at once.
  bool starts_together = true;
};

/// A kind beyond the built-in table: where its templates are and how many pods it makes of each.
struct AddedKind {
  std::string group;
  std::string kind;
  std::string path;   ///< of the template; of an element's where `list` is given
  std::string count;  ///< of the number of pods; empty: one
  std::string list;   ///< a list or map of which each element has a template; empty: none
  std::string role;   ///< a word, or "@key" (member of the element), or "@" (key in the map)
  bool long_lived = false;
};
/// Adds kinds to the table of the process. Requires: no other thread runs yet. A kind that is there
/// already gets the new row.
void add_owner_kinds(std::span<const AddedKind> kinds);

/// The built-in row of a kind, or nullptr. The API version does not matter.
const OwnerKind* find_owner_kind(std::string_view group, std::string_view kind);

/// The templates that this very object has (a PyTorchJob names its replica types freely). Empty for
/// a Pod and for kinds without a template. Of kinds with bare templates: as kube/bare_template has
/// them.
std::vector<TemplatePath> templates_of(std::string_view group, std::string_view kind, Json object);

/// Pods that the object makes of one of its templates.
std::int64_t pods_of_template(const TemplatePath& path, Json object);

/// Recognised training or serving framework (pytorch, tensorflow, jax, mpi, ray, vllm, triton, tgi,
/// sglang, ollama, nim, xgboost, paddle, deepspeed, spark, ...) from owner, labels, image, command,
/// arguments and environment; empty when unknown.
std::string_view framework_of(const Pod& pod, const Owner& owner);

/// True where command, arguments or image of this container name the serving engine.
bool names_framework(Json container, std::string_view framework);

/// True where a program or Python module of that name is the serving engine's.
bool names_framework_program(std::string_view program, std::string_view framework);

}  // namespace berth::kube
