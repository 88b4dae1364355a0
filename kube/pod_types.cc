#include "kube/pod_types.h"

#include <algorithm>
#include <array>
#include <span>

#include "kube/pointer.h"

namespace berth::kube {
namespace {

struct Member;

// What a value may be: its type, the shape of each element or member value, and that of members by
// name.
struct Shape {
  JsonType type;
  const Shape* each = nullptr;
  std::span<const Member> members = {};
};

struct Member {
  std::string_view name;
  const Shape* shape;
};

using enum JsonType;
constexpr Shape kText{kString};
constexpr Shape kTruth{kBool};
constexpr Shape kCount{kNumber};
constexpr Shape kList{kArray};
constexpr Shape kMap{kObject};
constexpr Shape kMaps{kArray, &kMap};
constexpr Shape kTexts{kObject, &kText};
constexpr Shape kAmount{kNull};  // a quantity: text or number
constexpr Shape kAmounts{kObject, &kAmount};

// All sorted by name.
constexpr std::array kOfResources = {Member{"limits", &kAmounts}, Member{"requests", &kAmounts}};
constexpr Shape kResources{kObject, nullptr, kOfResources};
constexpr std::array kOfEnv = {Member{"name", &kText}, Member{"value", &kText},
                               Member{"valueFrom", &kMap}};
constexpr Shape kEnv{kObject, nullptr, kOfEnv};
constexpr Shape kEnvs{kArray, &kEnv};
constexpr std::array kOfMount = {Member{"mountPath", &kText}, Member{"name", &kText}};
constexpr Shape kMount{kObject, nullptr, kOfMount};
constexpr Shape kMounts{kArray, &kMount};
constexpr std::array kOfContainer = {
    Member{"env", &kEnvs},           Member{"image", &kText},
    Member{"name", &kText},          Member{"resources", &kResources},
    Member{"restartPolicy", &kText}, Member{"volumeMounts", &kMounts},
};
constexpr Shape kContainer{kObject, nullptr, kOfContainer};
constexpr Shape kContainers{kArray, &kContainer};
constexpr std::array kOfNamed = {Member{"name", &kText}};
constexpr Shape kNamed{kObject, nullptr, kOfNamed};
constexpr Shape kNamedList{kArray, &kNamed};
constexpr std::array kOfRequirement = {Member{"nodeSelectorTerms", &kMaps}};
constexpr Shape kRequirement{kObject, nullptr, kOfRequirement};
constexpr std::array kOfNodeAffinity = {
    Member{"preferredDuringSchedulingIgnoredDuringExecution", &kMaps},
    Member{"requiredDuringSchedulingIgnoredDuringExecution", &kRequirement},
};
constexpr Shape kNodeAffinity{kObject, nullptr, kOfNodeAffinity};
constexpr std::array kOfAffinity = {Member{"nodeAffinity", &kNodeAffinity},
                                    Member{"podAffinity", &kMap}, Member{"podAntiAffinity", &kMap}};
constexpr Shape kAffinity{kObject, nullptr, kOfAffinity};

constexpr std::array kOfSpec = {
    Member{"activeDeadlineSeconds", &kCount},
    Member{"affinity", &kAffinity},
    Member{"automountServiceAccountToken", &kTruth},
    Member{"containers", &kContainers},
    Member{"dnsConfig", &kMap},
    Member{"dnsPolicy", &kText},
    Member{"enableServiceLinks", &kTruth},
    Member{"ephemeralContainers", &kContainers},
    Member{"hostAliases", &kList},
    Member{"hostIPC", &kTruth},
    Member{"hostNetwork", &kTruth},
    Member{"hostPID", &kTruth},
    Member{"hostUsers", &kTruth},
    Member{"hostname", &kText},
    Member{"hostnameOverride", &kText},
    Member{"imagePullSecrets", &kList},
    Member{"initContainers", &kContainers},
    Member{"nodeName", &kText},
    Member{"nodeSelector", &kTexts},
    Member{"os", &kNamed},
    Member{"overhead", &kAmounts},
    Member{"preemptionPolicy", &kText},
    Member{"priority", &kCount},
    Member{"priorityClassName", &kText},
    Member{"readinessGates", &kList},
    Member{"resourceClaims", &kNamedList},
    Member{"resources", &kResources},
    Member{"restartPolicy", &kText},
    Member{"runtimeClassName", &kText},
    Member{"schedulerName", &kText},
    Member{"schedulingGates", &kNamedList},
    Member{"schedulingGroup", &kMap},
    Member{"securityContext", &kMap},
    Member{"serviceAccount", &kText},
    Member{"serviceAccountName", &kText},
    Member{"setHostnameAsFQDN", &kTruth},
    Member{"shareProcessNamespace", &kTruth},
    Member{"subdomain", &kText},
    Member{"terminationGracePeriodSeconds", &kCount},
    Member{"tolerations", &kMaps},
    Member{"topologySpreadConstraints", &kMaps},
    Member{"volumes", &kNamedList},
    Member{"workloadRef", &kMap},
};
constexpr Shape kSpec{kObject, nullptr, kOfSpec};
constexpr std::array kOfMetadata = {
    Member{"annotations", &kTexts},
    Member{"labels", &kTexts},
    Member{"ownerReferences", &kMaps},
};
constexpr Shape kMetadata{kObject, nullptr, kOfMetadata};
constexpr std::array kOfPod = {Member{"metadata", &kMetadata}, Member{"spec", &kSpec}};
constexpr Shape kPod{kObject, nullptr, kOfPod};

const Shape* find_member(std::span<const Member> members, std::string_view name) {
  const auto found = std::lower_bound(
      members.begin(), members.end(), name,
      [](const Member& member, std::string_view wanted) { return member.name < wanted; });
  return found == members.end() || found->name != name ? nullptr : found->shape;
}

bool fits(JsonType type, const Shape& shape) {
  if (&shape == &kAmount) return type == kString || type == kNumber;
  return type == shape.type;
}

// Where the value or something in it does not fit: its path, from here, and what it is.
struct Misfit {
  std::string path;
  std::string what;
};

std::optional<Misfit> misfit(Json value, const Shape& shape);

std::optional<Misfit> misfit_below(Json value, const Shape& shape, auto segment) {
  auto found = misfit(value, shape);
  if (!found) return std::nullopt;
  std::string path;
  append_segment(path, segment);
  found->path.insert(0, path);
  return found;
}

std::optional<Misfit> misfit(Json value, const Shape& shape) {
  if (value.is_null()) return std::nullopt;
  if (!fits(value.type(), shape)) {
    const std::string_view wanted = &shape == &kAmount ? "string or number" : to_text(shape.type);
    return Misfit{{}, std::string(to_text(value.type())) + ", expected " + std::string(wanted)};
  }
  if (shape.type == kArray && shape.each != nullptr) {
    const auto items = value.items();
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (auto found = misfit_below(items[i], *shape.each, i)) return found;
    }
  }
  if (shape.type != kObject || (shape.each == nullptr && shape.members.empty())) {
    return std::nullopt;
  }
  for (const JsonMember& member : value.members()) {
    const Shape* inner = shape.each;
    if (inner == nullptr) inner = find_member(shape.members, member.key);
    if (inner == nullptr) continue;
    if (auto found = misfit_below(member.value, *inner, member.key)) return found;
  }
  return std::nullopt;
}

}  // namespace

std::optional<JsonType> spec_field_type(std::string_view name) {
  const Shape* shape = find_member(kOfSpec, name);
  if (shape == nullptr) return std::nullopt;
  return shape->type;
}

std::optional<std::string> wrong_type(Json pod) {
  if (const auto found = misfit(pod, kPod)) return found->path + " is " + found->what;
  if (!pod["spec"].is_object()) return "/spec is null, expected object";
  const auto containers = pod["spec"]["containers"].items();
  if (containers.empty()) return "/spec/containers is empty, expected at least one";
  for (std::size_t i = 0; i < containers.size(); ++i) {
    if (containers[i].is_null()) {
      return "/spec/containers/" + std::to_string(i) + " is null, expected object";
    }
  }
  return std::nullopt;
}

}  // namespace berth::kube
