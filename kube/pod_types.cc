#include "kube/pod_types.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "base/keys.h"
#include "kube/pointer.h"

namespace berth::kube {
namespace {

struct Member;

// Names of as many bytes or more are looked for together.
constexpr std::size_t kSizes = 48;

// What a value may be: its type, the shape of each element or member value, and that of members by
// name. The members stand by the length of their names, which tells most of them apart; `first` has
// the place where each length begins.
struct Shape {
  JsonType type;
  const Shape* each = nullptr;
  std::span<const Member> members = {};
  std::span<const std::uint8_t, kSizes> first = kNone;

  static constexpr std::array<std::uint8_t, kSizes> kNone{};
};

struct Member {
  std::string_view name;
  const Shape* shape;
};

constexpr std::size_t size_of(std::string_view name) {
  return std::min(name.size(), kSizes - 1);
}

// Members of an object, in the order that a shape wants.
template <std::size_t kCount>
struct Members {
  explicit consteval Members(std::array<Member, kCount> all) : list(all) {
    std::sort(list.begin(), list.end(),
              [](const Member& a, const Member& b) { return a.name.size() < b.name.size(); });
    for (std::size_t size = 0; size < kSizes; ++size) {
      const auto shorter = [size](const Member& member) { return size_of(member.name) < size; };
      first[size] = static_cast<std::uint8_t>(
          std::partition_point(list.begin(), list.end(), shorter) - list.begin());
    }
  }

  std::array<Member, kCount> list;
  std::array<std::uint8_t, kSizes> first{};
};

template <std::size_t kCount>
constexpr Shape object_with(const Members<kCount>& members) {
  return {JsonType::kObject, nullptr, members.list, members.first};
}

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

constexpr Members kOfResources{
    std::array{Member{"limits", &kAmounts}, Member{"requests", &kAmounts}}};
constexpr Shape kResources = object_with(kOfResources);
constexpr Members kOfEnv{
    std::array{Member{"name", &kText}, Member{"value", &kText}, Member{"valueFrom", &kMap}}};
constexpr Shape kEnv = object_with(kOfEnv);
constexpr Shape kEnvs{kArray, &kEnv};
constexpr Members kOfMount{std::array{Member{"mountPath", &kText}, Member{"name", &kText}}};
constexpr Shape kMount = object_with(kOfMount);
constexpr Shape kMounts{kArray, &kMount};
constexpr Members kOfContainer{std::array{Member{"env", &kEnvs}, Member{"image", &kText},
                                          Member{"name", &kText}, Member{"resources", &kResources},
                                          Member{"restartPolicy", &kText},
                                          Member{"volumeMounts", &kMounts}}};
constexpr Shape kContainer = object_with(kOfContainer);
constexpr Shape kContainers{kArray, &kContainer};
constexpr Members kOfNamed{std::array{Member{"name", &kText}}};
constexpr Shape kNamed = object_with(kOfNamed);
constexpr Shape kNamedList{kArray, &kNamed};
constexpr Members kOfRequirement{std::array{Member{"nodeSelectorTerms", &kMaps}}};
constexpr Shape kRequirement = object_with(kOfRequirement);
constexpr Members kOfNodeAffinity{
    std::array{Member{"preferredDuringSchedulingIgnoredDuringExecution", &kMaps},
               Member{"requiredDuringSchedulingIgnoredDuringExecution", &kRequirement}}};
constexpr Shape kNodeAffinity = object_with(kOfNodeAffinity);
constexpr Members kOfAffinity{std::array{Member{"nodeAffinity", &kNodeAffinity},
                                         Member{"podAffinity", &kMap},
                                         Member{"podAntiAffinity", &kMap}}};
constexpr Shape kAffinity = object_with(kOfAffinity);

constexpr Members kOfSpec{std::array{
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
}};

constexpr Shape kSpec = object_with(kOfSpec);
constexpr Members kOfMetadata{std::array{Member{"annotations", &kTexts}, Member{"labels", &kTexts},
                                         Member{"ownerReferences", &kMaps}}};
constexpr Shape kMetadata = object_with(kOfMetadata);
constexpr Members kOfPod{std::array{Member{"metadata", &kMetadata}, Member{"spec", &kSpec}}};
constexpr Shape kPod = object_with(kOfPod);

// Null where the shape says nothing of a member of that name.
const Shape* find_member(const Shape& shape, std::string_view name) {
  const std::size_t size = size_of(name);
  for (std::size_t i = shape.first[size]; i < shape.members.size(); ++i) {
    const Member& member = shape.members[i];
    if (size_of(member.name) != size) return nullptr;
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

const Shape* shape_of_member(const Shape& shape, std::string_view name) {
  return shape.each != nullptr ? shape.each : find_member(shape, name);
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
  const Shape* shape = find_member(kSpec, name);
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
