#include "tests/e2e/comparison.h"

namespace berth::e2e {
namespace {

using nlohmann::json;

constexpr std::string_view kTokenVolume = "kube-api-access-";
constexpr std::size_t kRandomLetters = 5;

void cut_random_names(json& value) {
  if (value.is_structured()) {
    for (json& element : value) cut_random_names(element);
  } else if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (text.starts_with(kTokenVolume) && text.size() == kTokenVolume.size() + kRandomLetters) {
      value = std::string(kTokenVolume);
    }
  }
}

/// The API server gives a Job its selector, and the labels that go with it, when it stores the Job.
void cut_job_selector(json& job) {
  job["spec"].erase("selector");
  auto cut_labels = [](json& holder) {
    if (!holder.contains("metadata") || !holder["metadata"].contains("labels")) return;
    json& labels = holder["metadata"]["labels"];
    for (const char* label : {"batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name",
                              "controller-uid", "job-name"}) {
      labels.erase(label);
    }
    if (labels.empty()) holder["metadata"].erase("labels");
  };
  cut_labels(job);
  cut_labels(job["spec"]["template"]);
}

}  // namespace

json comparable(const json& object) {
  json result = json::object();
  for (const char* key : {"apiVersion", "kind", "spec"}) {
    if (object.contains(key)) result[key] = object[key];
  }
  const json metadata = object.value("metadata", json::object());
  for (const char* key : {"namespace", "labels", "annotations", "finalizers", "ownerReferences",
                          "generateName", "name"}) {
    if (metadata.contains(key) && !metadata[key].empty()) {
      result["metadata"][key] = metadata[key];
    }
  }
  if (result["metadata"].contains("generateName")) result["metadata"].erase("name");
  cut_random_names(result["spec"]);
  if (result.value("kind", "") == "Job") cut_job_selector(result);
  return result;
}

std::string difference(const json& got, const json& wanted) {
  std::string text;
  for (const json& step : json::diff(got, wanted)) {
    const json::json_pointer path(step["path"].get<std::string>());
    text += step["op"].get<std::string>() + " " + path.to_string() + ": got " +
            (got.contains(path) ? got[path].dump() : "nothing") + ", wanted " +
            (wanted.contains(path) ? wanted[path].dump() : "nothing") + "\n";
  }
  return text;
}

}  // namespace berth::e2e
