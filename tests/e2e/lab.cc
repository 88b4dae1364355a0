#include "tests/e2e/lab.h"

#include <algorithm>
#include <functional>
#include <sstream>

#include "tests/e2e/process.h"

namespace berth::e2e {
namespace {

using base::Done;
using base::Error;
using base::ErrorCode;
using base::Status;
using nlohmann::json;

/// What the pods name and the lab's file has not.
constexpr const char* kMoreNamespaces[] = {"slurm"};
constexpr const char* kMorePriorityClasses[] = {"hub-user-placeholder-priority"};

struct Account {
  const char* space;
  const char* name;
};
constexpr Account kAccounts[] = {
    {"team-nlp", "pipeline-runner"},
    {"team-nlp", "default-editor"},
    {"shop", "pd-qwen"},
    {"gpu-operator", "nvidia-dcgm-exporter"},
    {"gpu-operator", "nvidia-operator-validator"},
    {"kai-resource-reservation", "kai-resource-reservation"},
};

/// Whether a text has a line that begins so.
bool has_line(const std::string& text, const std::string& start) {
  return text.find("\n" + start) != std::string::npos;
}

/// The items of the lab's List that `wanted` takes, as a List of their own. The file is written by
/// a program, each item beginning with the same line, so it is cut without parsing.
std::string items_of_lab(const std::function<bool(const std::string& item)>& wanted) {
  constexpr char kStart[] = "\n- apiVersion:";
  const std::string text = read_file(lab_cluster_file());
  std::string list = "apiVersion: v1\nkind: List\nitems:";
  std::size_t at = text.find(kStart);
  while (at != std::string::npos) {
    const std::size_t next = text.find(kStart, at + 1);
    const std::size_t end = next != std::string::npos ? next : text.rfind("\nkind: List");
    const std::string item = text.substr(at, end - at);
    if (wanted(item)) list += item;
    at = next;
  }
  return list + "\n";
}

/// Objects that every cluster has already.
bool is_built_in(const std::string& item) {
  return has_line(item, "    name: default\n") || has_line(item, "    name: kube-system\n") ||
         has_line(item, "    name: system-");
}

json named(const char* version, const char* kind, const std::string& name) {
  return {{"apiVersion", version}, {"kind", kind}, {"metadata", {{"name", name}}}};
}

Status create_list(const Kubectl& kubectl, const std::string& list) {
  const Answer created = kubectl({"create", "-f", "-"}, list);
  // On a server with controllers the account `default` may be there first.
  std::istringstream lines(created.err);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.find("AlreadyExists") == std::string::npos) {
      return Error{ErrorCode::kInternal, "creating the lab: " + line};
    }
  }
  return Done{};
}

/// One ServiceAccount `default` a namespace, as the controllers of a cluster make it.
json accounts_for(const Kubectl& kubectl) {
  json items = json::array();
  auto add = [&items](const std::string& space, const std::string& name) {
    json account = named("v1", "ServiceAccount", name);
    account["metadata"]["namespace"] = space;
    items.push_back(account);
  };
  const json spaces = kubectl({"get", "namespaces", "-o", "json"}).json();
  for (const json& space : spaces.value("items", json::array())) {
    add(space["metadata"]["name"], "default");
  }
  for (const Account& account : kAccounts) add(account.space, account.name);
  return items;
}

json list_of(const json& items) {
  return {{"apiVersion", "v1"}, {"kind", "List"}, {"items", items}};
}

}  // namespace

std::filesystem::path data_folder() {
  return std::filesystem::path(BERTH_SOURCE_DIR) / "tests" / "data";
}

std::filesystem::path lab_cluster_file() {
  return data_folder() / "cases" / "checks" / "lab.yaml";
}

std::filesystem::path lab_config_file() {
  return data_folder() / "cases" / "checks" / "config.yaml";
}

std::vector<std::filesystem::path> example_rules() {
  std::vector<std::filesystem::path> rules;
  for (const char* name :
       {"01-gpu-baseline", "02-training-placement", "03-inference-mig", "04-team-queues",
        "05-multi-gpu-runtime", "06-guardrails", "07-size-tiers", "08-canary-mps"}) {
    rules.push_back(data_folder() / "rule-examples" / (std::string(name) + ".yaml"));
  }
  return rules;
}

std::vector<std::filesystem::path> pod_manifests() {
  std::vector<std::filesystem::path> manifests;
  for (const auto& entry : std::filesystem::directory_iterator(data_folder() / "cases" / "pods")) {
    if (entry.path().extension() == ".yaml") manifests.push_back(entry.path());
  }
  std::sort(manifests.begin(), manifests.end());
  return manifests;
}

std::vector<std::filesystem::path> admitted_pod_manifests() {
  std::vector<std::filesystem::path> manifests = pod_manifests();
  // An interactive Notebook with four GPUs, where guardrails/interactive-is-small allows two.
  std::erase_if(manifests, [](const auto& path) { return path.stem() == "42-kubeflow-notebook"; });
  return manifests;
}

Status create_lab(const Kubectl& kubectl) {
  const std::string objects = items_of_lab([](const std::string& item) {
    return !is_built_in(item) &&
           (has_line(item, "  kind: Namespace") || has_line(item, "  kind: PriorityClass") ||
            has_line(item, "  kind: RuntimeClass"));
  });
  if (auto done = create_list(kubectl, objects); !done) return done;
  json more = json::array();
  for (const char* name : kMoreNamespaces) more.push_back(named("v1", "Namespace", name));
  for (const char* name : kMorePriorityClasses) {
    more.push_back(named("scheduling.k8s.io/v1", "PriorityClass", name));
    more.back()["value"] = -10;
  }
  if (auto done = create_list(kubectl, list_of(more).dump()); !done) return done;
  return create_list(kubectl, list_of(accounts_for(kubectl)).dump());
}

Status create_nodes(const Kubectl& kubectl) {
  return create_list(kubectl, items_of_lab([](const std::string& item) {
                       return has_line(item, "  kind: Node\n");
                     }));
}

void delete_all_pods(const Kubectl& kubectl) {
  const json pods = kubectl({"get", "pods", "-A", "-o", "json"}).json();
  if (!pods.is_object()) return;
  for (const json& pod : pods.value("items", json::array())) {
    const json& metadata = pod["metadata"];
    if (!metadata.contains("finalizers")) continue;
    kubectl({"patch", "pod", metadata["name"], "-n", metadata["namespace"], "--type=merge", "-p",
             R"({"metadata":{"finalizers":null}})"});
  }
  kubectl({"delete", "pods", "--all", "-A", "--force", "--grace-period=0"});
}

}  // namespace berth::e2e
