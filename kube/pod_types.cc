#include "kube/pod_types.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/keys.h"
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
    Member{"restartPolicy", &kText}, Member{"volumeMounts", &kMounts}};
constexpr Shape kContainer{kObject, nullptr, kOfContainer};
constexpr Shape kContainers{kArray, &kContainer};
constexpr std::array kOfNamed = {Member{"name", &kText}};
constexpr Shape kNamed{kObject, nullptr, kOfNamed};
constexpr Shape kNamedList{kArray, &kNamed};
constexpr std::array kOfRequirement = {Member{"nodeSelectorTerms", &kMaps}};
constexpr Shape kRequirement{kObject, nullptr, kOfRequirement};
constexpr std::array kOfNodeAffinity = {
    Member{"preferredDuringSchedulingIgnoredDuringExecution", &kMaps},
    Member{"requiredDuringSchedulingIgnoredDuringExecution", &kRequirement}};
constexpr Shape kNodeAffinity{kObject, nullptr, kOfNodeAffinity};
constexpr std::array kOfAffinity = {Member{"nodeAffinity", &kNodeAffinity},
                                    Member{"podAffinity", &kMap}, Member{"podAntiAffinity", &kMap}};
constexpr Shape kAffinity{kObject, nullptr, kOfAffinity};

constexpr std::array kSpecFields = {
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

// By length, which tells most names apart and is cheap to compare.
constexpr auto kOfSpec = [] {
  auto fields = kSpecFields;
  std::sort(fields.begin(), fields.end(),
            [](const Member& a, const Member& b) { return a.name.size() < b.name.size(); });
  return fields;
}();
constexpr Shape kSpec{kObject, nullptr, kOfSpec};
constexpr std::array kOfMetadata = {Member{"annotations", &kTexts}, Member{"labels", &kTexts},
                                    Member{"ownerReferences", &kMaps}};
constexpr Shape kMetadata{kObject, nullptr, kOfMetadata};
constexpr std::array kOfPod = {Member{"metadata", &kMetadata}, Member{"spec", &kSpec}};
constexpr Shape kPod{kObject, nullptr, kOfPod};

// Short lists are in any order, long ones by length.
[[gnu::always_inline]] inline const Shape* find_member(std::span<const Member> members,
                                                       std::string_view name) {
  constexpr std::size_t kShort = 8;
  if (members.size() > kShort) {
    const auto shorter = [&](const Member& member) { return member.name.size() < name.size(); };
    const auto first = std::partition_point(members.begin(), members.end(), shorter);
    members = members.subspan(static_cast<std::size_t>(first - members.begin()));
  }
  for (const Member& member : members) {
    if (base::same_key(member.name, name)) return member.shape;
  }
  return nullptr;
}

bool fits(JsonType type, const Shape& shape) {
  if (&shape == &kAmount) return type == kString || type == kNumber;
  return type == shape.type;
}

bool is_leaf(const Shape& shape) {
  return shape.each == nullptr && shape.members.empty();
}

// Null where the shape says nothing of the member.
const Shape* shape_of_member(const Shape& shape, std::string_view name) {
  return shape.each != nullptr ? shape.each : find_member(shape.members, name);
}

bool leaf_fits(Json value, const Shape& shape) {
  const JsonType type = value.type();
  return type == kNull || fits(type, shape);
}

// The common case: everything fits, and no path has to be kept.
bool all_fits(Json value, const Shape& shape) {
  if (value.is_null()) return true;
  if (!fits(value.type(), shape)) return false;
  if (is_leaf(shape)) return true;
  if (shape.type == kArray) {
    for (const Json& item : value.items()) {
      if (!all_fits(item, *shape.each)) return false;
    }
    return true;
  }
  for (const JsonMember& member : value.members()) {
    const Shape* inner = shape_of_member(shape, member.key);
    if (inner == nullptr) continue;
    if (!(is_leaf(*inner) ? leaf_fits(member.value, *inner) : all_fits(member.value, *inner))) {
      return false;
    }
  }
  return true;
}

// The same, saying which is the first value that does not fit; `path` leads to `value`.
std::string first_misfit(Json value, const Shape& shape, const std::string& path) {
  if (!fits(value.type(), shape)) {
    const std::string_view wanted = &shape == &kAmount ? "string or number" : to_text(shape.type);
    return path + " is " + std::string(to_text(value.type())) + ", expected " + std::string(wanted);
  }
  std::string below = path;
  const auto items = value.items();
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (all_fits(items[i], *shape.each)) continue;
    append_segment(below, i);
    return first_misfit(items[i], *shape.each, below);
  }
  for (const JsonMember& member : value.members()) {
    const Shape* inner = shape_of_member(shape, member.key);
    if (inner == nullptr || all_fits(member.value, *inner)) continue;
    append_segment(below, member.key);
    return first_misfit(member.value, *inner, below);
  }
  return path;
}

}  // namespace

std::optional<JsonType> spec_field_type(std::string_view name) {
  const Shape* shape = find_member(kOfSpec, name);
  if (shape == nullptr) return std::nullopt;
  return shape->type;
}

std::optional<std::string> wrong_type(Json pod) {
  if (!all_fits(pod, kPod)) return first_misfit(pod, kPod, {});
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
