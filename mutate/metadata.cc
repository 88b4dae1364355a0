#include "mutate/metadata.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

#include "kube/pointer.h"
#include "kube/selector.h"
#include "mutate/record.h"

namespace berth::mutate {
namespace {

using kube::Json;

constexpr std::size_t kLabelValueBytes = 63;

// Written by controllers to find their pods again.
constexpr std::array<std::string_view, 6> kOfControllers = {
    "controller-revision-hash", "controller-uid",          "job-name",
    "kueue.x-k8s.io/managed",   "pod-template-generation", "pod-template-hash"};
constexpr std::array<std::string_view, 6> kDomainsOfControllers = {
    "apps.kubernetes.io/",          "batch.kubernetes.io/",       "jobset.sigs.k8s.io/",
    "leaderworkerset.sigs.k8s.io/", "statefulset.kubernetes.io/", "training.kubeflow.org/"};

bool of_controllers(std::string_view key) {
  return std::find(kOfControllers.begin(), kOfControllers.end(), key) != kOfControllers.end() ||
         std::any_of(kDomainsOfControllers.begin(), kDomainsOfControllers.end(),
                     [&](std::string_view domain) { return key.starts_with(domain); });
}

// A LabelSelector, or the plain map of a ReplicationController, names the key.
bool selects_by(Json selector, std::string_view key) {
  if (selector["matchLabels"].has(key)) return true;
  const auto expressions = selector["matchExpressions"].items();
  return std::any_of(expressions.begin(), expressions.end(),
                     [&](Json e) { return e["key"].string_or_empty() == key; }) ||
         (selector[key].is_string() && !selector.has("matchLabels"));
}

bool selects_by_owner(Json owner, std::string_view key) {
  return selects_by(owner["spec"]["selector"], key);
}

}  // namespace

bool finds_pods_by(const Writing& writing, std::string_view key) {
  if (writing.at_owner()) return selects_by_owner(writing.subject.object, key);
  const topology::Snapshot& cluster = writing.cluster;
  const std::string_view space = writing.facts.namespace_name;
  const auto controller = writing.subject.pod.controller();
  return (controller &&
          selects_by_owner(cluster.owner(controller->kind, space, controller->name), key)) ||
         selects_by_owner(cluster.owner(writing.facts.kind, space, writing.facts.name), key);
}

namespace {

// FNV-1a: stable, and a few bits are enough to tell two values apart.
std::uint32_t hash_of(std::string_view text) {
  std::uint32_t hash = 2166136261u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

std::string shortened(std::string_view value) {
  if (value.size() <= kLabelValueBytes) return std::string(value);
  char tail[10];
  std::snprintf(tail, sizeof tail, "-%08x", hash_of(value));
  return std::string(value.substr(0, kLabelValueBytes - 9)) + tail;
}

std::string path_to(std::string_view map, std::string_view key) {
  std::string path = "/metadata/" + std::string(map);
  kube::append_segment(path, key);
  return path;
}

}  // namespace

void write_label(Writing& writing, const rules::Setting& setting) {
  const std::string& key = setting.assignment->slot.key;
  const Json* there = writing.pod().labels().find(key);
  const std::string value = shortened(setting.text);
  if (there != nullptr && there->is_string() && there->string_or_empty() == value) return;
  if (of_controllers(key) || finds_pods_by(writing, key)) {
    warn(writing, setting.rule, "label " + key + " not written: its owner finds the pod by it");
    return;
  }
  if (!kube::is_label_value(value)) {
    warn(writing, setting.rule, "label " + key + " not written: '" + value + "' is no label value");
    return;
  }
  const std::string path = path_to("labels", key);
  if (there != nullptr && !there->is_null() &&
      !may_overwrite(writing, setting, {path, value, as_text(*there)})) {
    return;
  }
  set_or_warn(writing, setting, path, kube::make_string(writing.arena(), value));
}

void write_annotation(Writing& writing, const rules::Setting& setting) {
  const std::string& key = setting.assignment->slot.key;
  const Json annotations = writing.pod().annotations();
  const Json* there = annotations.find(key);
  if (there != nullptr && there->is_string() && there->string_or_empty() == setting.text) return;
  const std::string path = path_to("annotations", key);
  const Difference difference{path, std::string(setting.text),
                              there != nullptr ? as_text(*there) : std::string()};
  if (there != nullptr && !there->is_null() && !may_overwrite(writing, setting, difference)) return;
  if (!annotation_fits(annotations, key, setting.text)) {
    warn(writing, setting.rule,
         "annotation " + key + " not written: annotations would exceed 256 KiB");
    return;
  }
  set_or_warn(writing, setting, path, Json::string(setting.text));
}

}  // namespace berth::mutate
