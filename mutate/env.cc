#include "mutate/env.h"

#include "mutate/containers.h"

namespace berth::mutate {
namespace {

using kube::Json;

constexpr std::string_view kVisibleDevices = "NVIDIA_VISIBLE_DEVICES";

// An empty value is left out, as the API server stores it.
Json variable(std::string_view name, std::string_view value, base::Arena& arena) {
  if (value.empty()) return kube::make_object(arena, {{"name", Json::string(name)}});
  return kube::make_object(arena, {{"name", Json::string(name)}, {"value", Json::string(value)}});
}

std::string found_text(Json entry) {
  const Json source = entry["valueFrom"];
  if (source.members().empty()) return as_text(entry["value"]);
  return "valueFrom " + std::string(source.members().front().key);
}

void replace(Writing& writing, const rules::Setting& setting, const std::string& path, Json entry) {
  if (entry.has("valueFrom")) writing.editor.remove(path + "/valueFrom");
  set_or_warn(writing, setting, path + "/value", Json::string(setting.text));
}

void write_in(Writing& writing, const rules::Setting& setting, const kube::Container& container) {
  const std::string& name = setting.assignment->slot.key;
  const std::string list = path_of(container) + "/env";
  const Json env = container.json["env"];
  const auto index = index_of_name(env, name);
  if (!index) {
    append_or_warn(writing, setting, list, variable(name, setting.text, writing.arena()));
    return;
  }
  const Json entry = env.at(*index);
  const bool literal = entry["valueFrom"].is_null();
  if (literal && entry["value"].string_or_empty() == setting.text) return;
  if (name == kVisibleDevices && found_text(entry) != "none" && found_text(entry) != "void") {
    warn(writing, setting.rule,
         "container " + std::string(container.name()) + " asks for no GPU but sets " + name + "=" +
             found_text(entry) + ", which shows it the node's GPUs");
  }
  const std::string path = list + "/" + std::to_string(*index);
  if (may_overwrite(writing, setting, {path, std::string(setting.text), found_text(entry)})) {
    replace(writing, setting, path, entry);
  }
}

}  // namespace

void write_env(Writing& writing, const rules::Setting& setting) {
  const bool hides = setting.assignment->slot.key == kVisibleDevices;
  for (const kube::Container& container :
       chosen_containers(writing.pod(), setting.rule->containers)) {
    if (hides && asks_for_gpu(container)) continue;
    write_in(writing, setting, container);
  }
}

}  // namespace berth::mutate
