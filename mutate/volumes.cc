#include "mutate/volumes.h"

#include <algorithm>
#include <array>
#include <vector>

#include "kube/quantity.h"
#include "mutate/containers.h"
#include "mutate/mounts.h"

namespace berth::mutate {
namespace {

using kube::Json;

constexpr std::string_view kVolumes = "/spec/volumes";
constexpr std::string_view kShm = "/dev/shm";

std::string mounts_of(const kube::Container& container) {
  return path_of(container) + "/volumeMounts";
}

std::string element(std::string_view list, std::size_t index) {
  return std::string(list) + "/" + std::to_string(index);
}

std::string named(const kube::Container& container) {
  return "container " + std::string(container.name());
}

// ---------------------------------------------------------------- shm

bool in_memory(Json volume) {
  return volume["emptyDir"]["medium"].string_or_empty() == "Memory";
}

bool has_size(Json volume, kube::Quantity size) {
  const auto limit = kube::Quantity::parse(volume["emptyDir"]["sizeLimit"]);
  return in_memory(volume) && limit.has_value() && *limit == size;
}

bool mounted_elsewhere(const kube::Pod& pod, std::string_view volume) {
  for (const kube::Container& container : pod.containers()) {
    for (const Json mount : container.json["volumeMounts"].items()) {
      if (mount["name"].string_or_empty() == volume &&
          plain_path(mount["mountPath"].string_or_empty()) != kShm) {
        return true;
      }
    }
  }
  return false;
}

// The name of our volume: made here unless an earlier pass did.
std::string_view shm_volume(Writing& writing, const rules::Setting& setting, kube::Quantity size) {
  const kube::Pod pod = writing.pod();
  const Json volumes = pod.spec()["volumes"];
  std::string name = "shm";
  for (int n = 2;; ++n) {
    const auto index = index_of_name(volumes, name);
    if (!index) break;
    if (has_size(volumes.at(*index), size) && !mounted_elsewhere(pod, name)) {
      return writing.arena().copy(std::string_view(name));
    }
    name = "shm-" + std::to_string(n);
  }
  base::Arena& arena = writing.arena();
  const std::string_view stored = arena.copy(std::string_view(name));
  const std::string limit = kube::canonical_quantity(setting.text);
  const Json source = kube::make_object(
      arena, {{"medium", Json::string("Memory")}, {"sizeLimit", kube::make_string(arena, limit)}});
  append_or_warn(writing, setting, kVolumes,
                 kube::make_object(arena, {{"name", Json::string(stored)}, {"emptyDir", source}}));
  return stored;
}

void resize(Writing& writing, const rules::Setting& setting, const std::string& volume) {
  base::Arena& arena = writing.arena();
  const std::string limit = kube::canonical_quantity(setting.text);
  set_or_warn(writing, setting, volume + "/emptyDir/medium", Json::string("Memory"));
  set_or_warn(writing, setting, volume + "/emptyDir/sizeLimit", kube::make_string(arena, limit));
}

// The author mounts something at /dev/shm.
void judge_shm(Writing& writing, const rules::Setting& setting, const kube::Container& container,
               std::string_view name, kube::Quantity size) {
  const Json volumes = writing.pod().spec()["volumes"];
  const auto index = index_of_name(volumes, name);
  const Json volume = index ? volumes.at(*index) : Json();
  const Json limit = volume["emptyDir"]["sizeLimit"];
  if (has_size(volume, size) || (in_memory(volume) && limit.is_null())) return;
  const auto there = kube::Quantity::parse(limit);
  const std::string found = in_memory(volume) ? as_text(limit) : std::string(source_of(volume));
  if (in_memory(volume) && there.has_value() && *there < size) {
    warn(writing, setting.rule,
         "/dev/shm of " + named(container) + " has " + found + ", less than the " +
             std::string(setting.text) + " of the rule");
  }
  const std::string path = index ? element(kVolumes, *index) : mounts_of(container);
  const Difference difference{path, std::string(setting.text), found};
  if (!volume.has("emptyDir")) {
    keep(writing, setting, difference);
  } else if (may_overwrite(writing, setting, difference)) {
    resize(writing, setting, path);
  }
}

bool exceeds_memory(Writing& writing, const rules::Setting& setting,
                    const kube::Container& container, kube::Quantity size) {
  const Json limit = container.json["resources"]["limits"]["memory"];
  const auto memory = kube::Quantity::parse(limit);
  if (limit.is_null() || !memory.has_value() || size <= *memory) return false;
  warn(writing, setting.rule,
       "shm " + std::string(setting.text) + " not mounted in " + named(container) +
           ": it counts against its memory limit " + as_text(limit));
  return true;
}

// ---------------------------------------------------------------- volumes

constexpr std::array<std::string_view, 6> kMountKeys = {
    "mountPath", "readOnly", "subPath", "subPathExpr", "mountPropagation", "recursiveReadOnly"};

bool is_mount_key(std::string_view key) {
  return std::find(kMountKeys.begin(), kMountKeys.end(), key) != kMountKeys.end();
}

// The author's one entry as the two that a pod has.
struct Parts {
  Json volume;
  Json mount;
};
Parts split(Json entry, base::Arena& arena) {
  std::vector<kube::JsonMember> volume;
  std::vector<kube::JsonMember> mount;
  for (const kube::JsonMember& member : entry.members()) {
    if (!is_mount_key(member.key)) volume.push_back(member);
    if (is_mount_key(member.key) || member.key == "name") mount.push_back(member);
  }
  return {kube::make_object(arena, std::span<const kube::JsonMember>(volume)),
          kube::make_object(arena, std::span<const kube::JsonMember>(mount))};
}

void set_members(Writing& writing, const rules::Setting& setting, const std::string& path,
                 Json wanted) {
  for (const kube::JsonMember& member : wanted.members()) {
    set_or_warn(writing, setting, path + "/" + std::string(member.key), member.value);
  }
}

// True where the pod's volume of this name is the wanted one, after this call.
bool settle_volume(Writing& writing, const rules::Setting& setting, std::size_t index, Json there,
                   Json wanted) {
  if (includes(there, wanted)) return true;
  const std::string path = element(kVolumes, index);
  const std::string source(source_of(there));
  if (!may_overwrite(writing, setting, {path, std::string(source_of(wanted)), source})) {
    return false;
  }
  if (!source.empty()) writing.editor.remove(path + "/" + source);
  set_members(writing, setting, path, wanted);
  return true;
}

// True where the container needs our mount. What is mounted at the path already is settled with.
bool needs_mount(Writing& writing, const rules::Setting& setting, const kube::Container& container,
                 Json wanted) {
  const auto index = mount_at(container, wanted["mountPath"].string_or_empty());
  if (!index) return true;
  const Json there = container.json["volumeMounts"].at(*index);
  const Json paths_aside = kube::without_member(writing.arena(), wanted, "mountPath");
  if (includes(there, paths_aside)) return false;
  const std::string path = element(mounts_of(container), *index);
  const std::string found = as_text(there["name"]);
  if (may_overwrite(writing, setting, {path, as_text(wanted["name"]), found})) {
    set_members(writing, setting, path, paths_aside);
  } else if (found != wanted["name"].string_or_empty()) {
    warn(writing, setting.rule,
         "volume " + as_text(wanted["name"]) + " not mounted in " + named(container) + ": " +
             as_text(there["mountPath"]) + " holds volume " + found);
  }
  return false;
}

}  // namespace

void write_shm(Writing& writing, const rules::Setting& setting) {
  const kube::Pod pod = writing.pod();
  if (pod.is_windows()) return;
  const auto size = kube::Quantity::parse(setting.text);
  if (!size.has_value() || size->sign() <= 0) {
    warn(writing, setting.rule,
         "shm '" + std::string(setting.text) + "' not mounted: no size such as 8Gi");
    return;
  }
  if (pod.spec()["hostIPC"].bool_or(false)) {
    keep(writing, setting, {"/spec/hostIPC", std::string(setting.text), "the host's /dev/shm"});
    return;
  }
  std::string_view volume;
  for (const kube::Container& container : chosen_containers(pod, setting.rule->containers)) {
    if (const auto mount = mount_at(container, kShm)) {
      const Json there = container.json["volumeMounts"].at(*mount);
      judge_shm(writing, setting, container, there["name"].string_or_empty(), *size);
      continue;
    }
    if (exceeds_memory(writing, setting, container, *size)) continue;
    if (volume.empty()) volume = shm_volume(writing, setting, *size);
    append_or_warn(writing, setting, mounts_of(container),
                   kube::make_object(writing.arena(), {{"name", Json::string(volume)},
                                                       {"mountPath", Json::string(kShm)}}));
  }
}

void write_volume(Writing& writing, const rules::Setting& setting) {
  const auto* value = std::get_if<rules::Volume>(&setting.assignment->value);
  if (value == nullptr) return;
  const Parts wanted = split(value->json, writing.arena());
  const kube::Pod pod = writing.pod();
  const Json volumes = pod.spec()["volumes"];
  const auto index = index_of_name(volumes, wanted.volume["name"].string_or_empty());
  const auto containers = chosen_containers(pod, setting.rule->containers);
  if (containers.empty()) return;
  if (index && !settle_volume(writing, setting, *index, volumes.at(*index), wanted.volume)) return;
  std::vector<std::string> lists;
  for (const kube::Container& container : containers) {
    if (needs_mount(writing, setting, container, wanted.mount)) {
      lists.push_back(mounts_of(container));
    }
  }
  const bool replaced = setting.rule->existing == rules::Existing::kReplace;
  if (!index && (!lists.empty() || replaced)) {
    append_or_warn(writing, setting, kVolumes, wanted.volume);
  }
  for (const std::string& list : lists) append_or_warn(writing, setting, list, wanted.mount);
}

}  // namespace berth::mutate
