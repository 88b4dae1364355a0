// Pod: a read-only view of a pod or of a pod template (the same shape: metadata and spec). It
// points into the Json it was made from. Wrong types inside read as absent. Cheap to copy, safe
// from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/json.h"
#include "kube/quantity.h"

namespace berth::kube {

enum class ContainerKind : std::uint8_t {
  kMain,
  kInit,
  kSidecar,  ///< init container with restartPolicy Always
  kEphemeral,
};

struct Container {
  ContainerKind kind = ContainerKind::kMain;
  std::size_t index = 0;  ///< in its list
  Json json;

  std::string_view name() const { return json["name"].string_or_empty(); }
  std::string_view image() const { return json["image"].string_or_empty(); }
  /// Request for a resource, or the limit where only that is given (as the API server copies it);
  /// null if neither.
  Json wanted(std::string_view resource) const;
  /// "containers", "initContainers" or "ephemeralContainers".
  std::string_view list_name() const;
};

/// One entry of metadata.ownerReferences.
struct OwnerReference {
  std::string_view api_version;
  std::string_view kind;
  std::string_view name;
  std::string_view uid;
};

class Pod {
 public:
  Pod() = default;
  /// `object`: a Pod, or a pod template ({metadata, spec}).
  explicit Pod(Json object) : object_(object) {}

  Json object() const { return object_; }
  Json metadata() const { return object_["metadata"]; }
  Json spec() const { return object_["spec"]; }
  Json labels() const { return metadata()["labels"]; }
  Json annotations() const { return metadata()["annotations"]; }
  std::string_view label(std::string_view key) const { return labels()[key].string_or_empty(); }
  std::string_view annotation(std::string_view key) const {
    return annotations()[key].string_or_empty();
  }
  std::string_view name() const { return metadata()["name"].string_or_empty(); }
  std::string_view generate_name() const { return metadata()["generateName"].string_or_empty(); }
  std::string_view node_name() const { return spec()["nodeName"].string_or_empty(); }
  /// The ownerReference with controller true, else nothing.
  std::optional<OwnerReference> controller() const;
  bool is_mirror() const { return annotations().has("kubernetes.io/config.mirror"); }
  /// By spec.os or by the node selector.
  bool is_windows() const;

  /// Init containers first, then main, then ephemeral; each list in its own order.
  std::vector<Container> containers() const;

  /// What the scheduler counts for a resource: max(sum of main and sidecars, running maximum during
  /// init), or the pod-level request where spec.resources has one for it; plus overhead. A value
  /// that is no quantity counts as zero here (malformed_quantities() finds it). Source: kubernetes
  /// component-helpers resource.PodRequests.
  Quantity effective_request(std::string_view resource) const;

  /// A resource entry that is no valid quantity: pointer below the pod and the text found.
  struct Malformed {
    std::string path;
    std::string found;
  };
  std::vector<Malformed> malformed_quantities() const;

  /// Names of extended resources asked for by any container, without duplicates, in order of
  /// appearance. A quantity of zero asks for nothing.
  std::vector<std::string_view> resource_names() const;

 private:
  Json object_;
};

}  // namespace berth::kube
