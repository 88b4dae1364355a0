#include "kube/bare_template.h"

#include <algorithm>
#include <array>
#include <span>

namespace berth::kube {
namespace {

// kserve/kserve pkg/apis/serving/v1beta1: each component has the fields of a pod spec, labels and
// annotations for its pods beside them, and its first container under the name of a framework.
constexpr std::array<std::string_view, 3> kComponents = {"predictor", "transformer", "explainer"};
constexpr std::array<std::string_view, 12> kServers = {
    "model",   "huggingface", "triton", "pytorch", "tensorflow", "sklearn",
    "xgboost", "lightgbm",    "onnx",   "paddle",  "pmml",       "art"};
constexpr std::string_view kServerName = "kserve-container";

Json object_of(base::Arena& arena, std::span<const JsonMember> members) {
  Json out = make_object(arena, {});
  for (const JsonMember& member : members) {
    if (!member.value.is_null()) out = with_member(arena, out, member.key, member.value);
  }
  return out;
}

Json without(base::Arena& arena, Json object, std::span<const std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (object.has(key)) object = without_member(arena, object, key);
  }
  return object;
}

std::string_view server_of(Json component) {
  const auto found = std::find_if(kServers.begin(), kServers.end(), [&](std::string_view name) {
    return component[name].is_object();
  });
  return found != kServers.end() ? *found : std::string_view{};
}

bool covers(std::string_view prefix, std::string_view path) {
  return path.starts_with(prefix) && (path.size() == prefix.size() || path[prefix.size()] == '/');
}

}  // namespace

bool keeps_bare_templates(std::string_view group, std::string_view kind) {
  return (group == "serving.kserve.io" && kind == "InferenceService") ||
         (group == "trainer.kubeflow.org" && kind == "TrainJob");
}

BareTemplates::BareTemplates(std::string_view group, std::string_view kind, Json object,
                             base::Arena& arena)
    : object_(object) {
  if (!keeps_bare_templates(group, kind) || !object_["spec"].is_object()) return;
  if (kind == "TrainJob") {
    unfold_trainer(arena);
  } else {
    for (const std::string_view name : kComponents) unfold_component(name, arena);
  }
}

void BareTemplates::move(std::string from, std::string to) {
  moves_.push_back({std::move(from), std::move(to)});
}

void BareTemplates::unfold_component(std::string_view name, base::Arena& arena) {
  const Json component = object_["spec"][name];
  if (!component.is_object()) return;
  const std::string path = "/spec/" + std::string(name);
  const std::string_view server = server_of(component);
  constexpr std::array<std::string_view, 3> kBeside = {"labels", "annotations", "workerSpec"};
  Json spec = without(arena, component, kBeside);
  move(path + "/metadata", "");
  move(path + "/metadata/labels", path + "/labels");
  move(path + "/metadata/annotations", path + "/annotations");
  move(path + "/spec", path);
  if (!server.empty()) {
    Json first = component[server];
    if (!first.has("name")) first = with_member(arena, first, "name", Json::string(kServerName));
    const auto others = component["containers"].items();
    const auto containers = arena.make_array<Json>(others.size() + 1);
    containers[0] = first;
    move(path + "/spec/containers/0", path + "/" + std::string(server));
    for (std::size_t i = 0; i < others.size(); ++i) {
      containers[i + 1] = others[i];
      move(path + "/spec/containers/" + std::to_string(i + 1),
           path + "/containers/" + std::to_string(i));
    }
    spec = without(arena, spec, std::span(&server, 1));
    spec = with_member(arena, spec, "containers", Json::array(containers));
  }
  const Json metadata =
      object_of(arena, std::array{JsonMember{"labels", component["labels"]},
                                  JsonMember{"annotations", component["annotations"]}});
  Json unfolded = make_object(arena, {{"metadata", metadata}, {"spec", spec}});
  if (component["workerSpec"].is_object()) unfold_worker(unfolded, component["workerSpec"], arena);
  object_ =
      with_member(arena, object_, "spec", with_member(arena, object_["spec"], name, unfolded));
}

// Pods of a worker get what stands beside the predictor: there is no place for labels of their own.
void BareTemplates::unfold_worker(Json& predictor, Json worker, base::Arena& arena) {
  const Json none = make_object(arena, {});
  const Json unfolded = make_object(arena, {{"metadata", none}, {"spec", worker}});
  predictor = with_member(arena, predictor, "worker", unfolded);
  move("/spec/predictor/worker", "");
  move("/spec/predictor/worker/spec", "/spec/predictor/workerSpec");
}

// kubeflow/trainer pkg/apis/trainer/v1alpha1: the template is in the runtime; the object has the
// resources and the environment of its one container, and the number of pods.
void BareTemplates::unfold_trainer(base::Arena& arena) {
  const Json trainer = object_["spec"]["trainer"];
  const Json container = object_of(
      arena,
      std::array{JsonMember{"name", Json::string("node")}, JsonMember{"image", trainer["image"]},
                 JsonMember{"command", trainer["command"]}, JsonMember{"args", trainer["args"]},
                 JsonMember{"env", trainer["env"]},
                 JsonMember{"resources", trainer["resourcesPerNode"]}});
  const Json spec = make_object(arena, {{"containers", make_array(arena, {container})}});
  const Json metadata = make_object(arena, {});
  Json unfolded = make_object(arena, {{"metadata", metadata}, {"spec", spec}});
  if (trainer.has("numNodes")) {
    unfolded = with_member(arena, unfolded, "numNodes", trainer["numNodes"]);
  }
  object_ =
      with_member(arena, object_, "spec", with_member(arena, object_["spec"], "trainer", unfolded));
  move("/spec/trainer", "");
  move("/spec/trainer/spec/containers/0/resources", "/spec/trainer/resourcesPerNode");
}

std::optional<std::string> BareTemplates::real_path(std::string_view path) const {
  const Move* best = nullptr;
  for (const Move& one : moves_) {
    if (covers(one.from, path) && (best == nullptr || one.from.size() > best->from.size())) {
      best = &one;
    }
  }
  if (best == nullptr) return std::string(path);
  if (best->to.empty()) return std::nullopt;
  return best->to + std::string(path.substr(best->from.size()));
}

}  // namespace berth::kube
