// Facts: what rules see of a workload (`workload.*`), read once from the request and the cluster.
// The closed struct behind match keys and conditions. Views point into the review, the snapshot or
// static text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "kube/gpu_resource.h"
#include "kube/json.h"
#include "kube/model_memory.h"
#include "kube/model_server.h"
#include "kube/pod.h"
#include "kube/quantity.h"
#include "rules/rule.h"
#include "topology/snapshot.h"

namespace berth::rules {

/// The parts of an admission request that decisions may depend on.
struct Request {
  std::string_view operation = "CREATE";
  std::string_view namespace_name;
  kube::Json json;  ///< the whole `request`, for conditions; null outside of a review
};

/// Which door the workload came through.
enum class Door : std::uint8_t { kPod, kOwner };

/// What is decided on: the object as it came, and the pod (or the template) in it.
struct Subject {
  Door door = Door::kPod;
  kube::Json object;        ///< the whole object
  kube::Pod pod;            ///< the pod, or the pod template that asks for most GPUs
  std::string pod_pointer;  ///< "" or "/spec/template"
  std::string_view group;   ///< API group of the object
  std::string_view kind;    ///< kind of the object
};

/// A finding that is a warning to the user whatever the rules say (a value that cannot be read,
/// ...).
struct Finding {
  std::string text;
};

struct Facts {
  // identity
  std::string_view operation;
  std::string_view namespace_name;
  kube::Json namespace_object;  ///< null when unknown
  std::string_view kind;        ///< of the top owner; "Pod" for a bare pod
  std::string_view name;
  std::string_view uid;
  std::string_view pod_name;  ///< name or generateName, for messages

  // intent
  std::string_view intent;
  std::string_view framework;
  std::string_view role;
  std::string_view team;
  kube::Json labels;  ///< of the pod; with an owner's intent labels added at the owner's door
  kube::Json annotations;

  // model server
  kube::ModelServer server;  ///< of a serving framework; the stated model also of intent inference
  std::optional<kube::ModelMemory> model_memory;

  // size
  std::int64_t gpus = 0;  ///< whole GPUs a pod
  std::int64_t pods = 1;  ///< gang size, 1 if unknown
  bool pods_known = false;
  /// Of `pods`, those that ask for GPUs as this one does: a launcher or head often does not.
  std::int64_t gpu_pods = 1;
  std::int64_t total_gpus = 0;
  std::optional<Parallelism> parallelism;  ///< berth.dev/parallelism, as it stands there
  kube::Quantity gpu_memory;               ///< stated need per GPU or share; zero when not stated
  bool shared = false;                     ///< asks for MIG slices or a share already
  bool wants_gpu = false;                  ///< asks for GPU capacity in any form, claims included
  std::string_view vendor;                 ///< of the GPUs asked for
  std::string_view gpu_product;            ///< berth.dev/gpu-product, or empty
  std::string_view sharing;                ///< berth.dev/sharing, or empty

  // standing
  bool daemon = false;  ///< pod of a DaemonSet: placement and resources stay as they are
  bool bound = false;   ///< spec.nodeName is set
  /// Why no rule applies at all ("its GPU count cannot be read"); empty in nearly every case.
  std::string_view hands_off;
  std::vector<Finding> findings;
};

struct ObserveOptions {
  std::string_view label_prefix = "berth.dev";
  /// Where `labels` and `annotations` are built when an owner's intent keys join the template's;
  /// without it they stay the template's own, and no model server is read.
  base::Arena* arena = nullptr;
};

/// Reads the facts. Never fails: what cannot be read is a finding and counts as absent.
Facts observe(const Subject& subject, const Request& request, const topology::Snapshot& cluster,
              const ObserveOptions& options);

/// The value of an intent key ("intent", "gpu-memory", ...): the annotation wins over the label.
std::string_view intent_value(kube::Json labels, kube::Json annotations, std::string_view prefix,
                              std::string_view name);

}  // namespace berth::rules
