// The table of owner kinds: where each keeps its pod templates, and how many pods it makes of them.
#include <algorithm>
#include <deque>
#include <limits>
#include <tuple>

#include "kube/owner_kind_list.h"
#include "kube/pointer.h"
#include "kube/workload.h"

namespace berth::kube {
namespace {

// A template of an object, or of each element of a list or map in it. All paths below `list` are
// relative to the element.
struct TemplateRow {
  std::string_view list;      // where the elements are; empty: the object itself
  std::string_view path;      // the template
  std::string_view count;     // number of pods
  std::string_view times;     // second factor, one where absent
  std::string_view at_most;   // bound of `count`
  std::string_view less_one;  // where this is an object, the count includes one pod that it is of
  std::string_view role;      // a word, or "@key": member `key` of the element; "@": key in the map
};

struct KindRow {
  std::string_view group;
  std::string_view kind;
  bool long_lived;
  std::vector<TemplateRow> templates;
};

// Of a RayJob: made once the cluster of head and workers runs.
constexpr std::string_view kSubmitter = "submitter";
// Of a TrainJob: where it does not say how many nodes it has, its runtime does.
constexpr std::string_view kTrainer = "trainer";

TemplateRow plain(std::string_view path, std::string_view count) {
  return {"", path, count, "", "", "", ""};
}

// kubeflow/training-operator pkg/apis/kubeflow.org/v1; the replica types are named freely.
KindRow training(std::string_view kind, std::string_view replica_specs) {
  return {
      "kubeflow.org", kind, false, {{replica_specs, "/template", "/replicas", "", "", "", "@"}}};
}

// ray-project/kuberay ray-operator/apis/ray/v1
std::vector<TemplateRow> ray(std::string_view head, std::string_view workers,
                             std::string_view submitter = {}) {
  std::vector<TemplateRow> rows = {
      {"", head, "", "", "", "", "head"},
      {workers, "/template", "/replicas", "/numOfHosts", "", "", "@groupName"}};
  if (!submitter.empty()) rows.push_back({"", submitter, "", "", "", "", kSubmitter});
  return rows;
}

std::vector<KindRow> kubernetes_rows() {
  return {
      // kubernetes/api core/v1, apps/v1, batch/v1
      {"", "ReplicationController", true, {plain("/spec/template", "/spec/replicas")}},
      {"apps", "Deployment", true, {plain("/spec/template", "/spec/replicas")}},
      {"apps", "ReplicaSet", true, {plain("/spec/template", "/spec/replicas")}},
      {"apps", "StatefulSet", true, {plain("/spec/template", "/spec/replicas")}},
      {"apps", "DaemonSet", true, {plain("/spec/template", "")}},
      {"batch",
       "Job",
       false,
       {{"", "/spec/template", "/spec/parallelism", "", "/spec/completions", "", ""}}},
      // The answer of the schedule's creation would be old at its runs.
      {"batch",
       "CronJob",
       true,
       {{"", "/spec/jobTemplate/spec/template", "/spec/jobTemplate/spec/parallelism", "",
         "/spec/jobTemplate/spec/completions", "", ""}}},
      // kubernetes-sigs/jobset api/jobset/v1alpha2
      {"jobset.x-k8s.io",
       "JobSet",
       false,
       {{"/spec/replicatedJobs", "/template/spec/template", "/template/spec/parallelism",
         "/replicas", "/template/spec/completions", "", "@name"}}},
      // kubernetes-sigs/lws api/leaderworkerset/v1; counted is one group, its size has the leader
      {"leaderworkerset.x-k8s.io",
       "LeaderWorkerSet",
       true,
       {{"", "/spec/leaderWorkerTemplate/leaderTemplate", "", "", "", "", "leader"},
        {"", "/spec/leaderWorkerTemplate/workerTemplate", "/spec/leaderWorkerTemplate/size", "", "",
         "/spec/leaderWorkerTemplate/leaderTemplate", "worker"}}},
  };
}

// Kinds without templates are workloads whose pods are seen at their own door.
std::vector<KindRow> operator_rows() {
  return {
      training("PyTorchJob", "/spec/pytorchReplicaSpecs"),
      training("TFJob", "/spec/tfReplicaSpecs"),
      training("XGBoostJob", "/spec/xgbReplicaSpecs"),
      training("JAXJob", "/spec/jaxReplicaSpecs"),
      training("PaddleJob", "/spec/paddleReplicaSpecs"),
      training("MXJob", "/spec/mxReplicaSpecs"),
      training("MPIJob", "/spec/mpiReplicaSpecs"),
      // kubeflow/trainer pkg/apis/trainer/v1alpha1; as kube/bare_template has it
      {"trainer.kubeflow.org",
       "TrainJob",
       false,
       {{"", "/spec/trainer", "/spec/trainer/numNodes", "", "", "", kTrainer}}},
      {"ray.io", "RayCluster", false,
       ray("/spec/headGroupSpec/template", "/spec/workerGroupSpecs")},
      {"ray.io", "RayJob", false,
       ray("/spec/rayClusterSpec/headGroupSpec/template", "/spec/rayClusterSpec/workerGroupSpecs",
           "/spec/submitterPodTemplate")},
      {"ray.io", "RayService", true,
       ray("/spec/rayClusterConfig/headGroupSpec/template",
           "/spec/rayClusterConfig/workerGroupSpecs")},
      // volcano-sh/volcano staging/src/volcano.sh/apis/pkg/apis/batch/v1alpha1
      {"batch.volcano.sh",
       "Job",
       false,
       {{"/spec/tasks", "/template", "/replicas", "", "", "", "@name"}}},
      // kubeflow/spark-operator api/v1beta2: templates are optional
      {"sparkoperator.k8s.io",
       "SparkApplication",
       false,
       {{"", "/spec/driver/template", "", "", "", "", "driver"},
        {"", "/spec/executor/template", "/spec/executor/instances", "", "", "", "executor"}}},
      // kubeflow/kubeflow components/notebook-controller
      {"kubeflow.org", "Notebook", true, {plain("/spec/template", "")}},
      // argoproj/argo-rollouts, openkruise/kruise, knative/serving
      {"argoproj.io", "Rollout", true, {plain("/spec/template", "/spec/replicas")}},
      {"apps.kruise.io", "CloneSet", true, {plain("/spec/template", "/spec/replicas")}},
      {"serving.knative.dev", "Service", true, {plain("/spec/template", "")}},
      // kserve/kserve pkg/apis/serving/v1beta1; as kube/bare_template has it
      {"serving.kserve.io",
       "InferenceService",
       true,
       {{"", "/spec/predictor", "", "", "", "", "predictor"},
        {"", "/spec/predictor/worker", "", "", "", "", "worker"},
        {"", "/spec/transformer", "", "", "", "", "transformer"},
        {"", "/spec/explainer", "", "", "", "", "explainer"}}},
      {"serving.kserve.io", "LLMInferenceService", true, {}},
      {"apps.nvidia.com", "NIMService", true, {}},
      {"nvidia.com", "DynamoGraphDeployment", true, {}},
      {"machinelearning.seldon.io", "SeldonDeployment", true, {}},
      {"argoproj.io", "Workflow", false, {}},
  };
}

std::vector<KindRow>& rows() {
  static std::vector<KindRow> all = [] {
    std::vector<KindRow> out = kubernetes_rows();
    const std::vector<KindRow> more = operator_rows();
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }();
  return all;
}

std::deque<OwnerKind>& owner_kinds() {
  static std::deque<OwnerKind> all = [] {
    std::deque<OwnerKind> out;
    for (const KindRow& row : rows()) {
      const bool unit = row.kind == "LeaderWorkerSet" || row.kind == "RayService";
      out.push_back(
          {std::string(row.group), std::string(row.kind), row.long_lived, !row.long_lived || unit});
    }
    return out;
  }();
  return all;
}

std::optional<std::int64_t> number_at(Json object, const std::string& pointer) {
  const Json* value = find_at(object, pointer);
  return value == nullptr ? std::nullopt : value->as_int();
}

// Pods of one template, where that takes more than reading one number.
std::int64_t computed_count(const TemplateRow& row, Json object, const std::string& base) {
  std::int64_t count = 1;
  if (!row.count.empty()) count = number_at(object, base + std::string(row.count)).value_or(1);
  if (!row.at_most.empty()) {
    count = std::min(count, number_at(object, base + std::string(row.at_most)).value_or(count));
  }
  if (!row.less_one.empty()) {
    const Json* other = find_at(object, row.less_one);
    if (other != nullptr && other->is_object()) --count;
  }
  const std::int64_t times =
      row.times.empty() ? 1 : number_at(object, base + std::string(row.times)).value_or(1);
  std::int64_t product = 0;
  if (count < 0 || times < 0) return 0;
  return __builtin_mul_overflow(count, times, &product) ? std::numeric_limits<std::int64_t>::max()
                                                        : product;
}

void append_template(std::vector<TemplatePath>& out, const TemplateRow& row, Json object,
                     const std::string& base, std::string_view role) {
  TemplatePath path;
  path.pointer = base + std::string(row.path);
  const Json* found = find_at(object, path.pointer);
  if (found == nullptr || !found->is_object()) return;
  path.role = role;
  path.comes_after = role == kSubmitter;
  if (role == kTrainer) path.default_count = 0;
  const bool reads_one = row.times.empty() && row.at_most.empty() && row.less_one.empty();
  if (reads_one) {
    if (!row.count.empty()) path.count_pointer = base + std::string(row.count);
  } else {
    path.default_count = computed_count(row, object, base);
  }
  out.push_back(std::move(path));
}

void append_elements(std::vector<TemplatePath>& out, const TemplateRow& row, Json object) {
  const Json* list = find_at(object, row.list);
  if (list == nullptr) return;
  const std::string_view role_key = row.role.substr(1);
  for (std::size_t i = 0; i < list->items().size(); ++i) {
    std::string base(row.list);
    append_segment(base, i);
    append_template(out, row, object, base, list->items()[i][role_key].string_or_empty());
  }
  for (const JsonMember& member : list->members()) {
    std::string base(row.list);
    append_segment(base, member.key);
    append_template(out, row, object, base, member.key);
  }
}

}  // namespace

void add_owner_kinds(std::span<const AddedKind> kinds) {
  static std::deque<AddedKind> texts;  // what the rows point into
  auto& all = owner_kinds();           // made of the built-in rows before any is added
  for (const AddedKind& kind : kinds) {
    const AddedKind& own = texts.emplace_back(kind);
    std::erase_if(
        rows(), [&](const KindRow& row) { return row.group == own.group && row.kind == own.kind; });
    std::erase_if(
        all, [&](const OwnerKind& row) { return row.group == own.group && row.kind == own.kind; });
    const std::string_view role = own.list.empty() && own.role.starts_with('@')
                                      ? std::string_view{}
                                      : std::string_view(own.role);
    const bool named = !own.list.empty() && role.empty();
    rows().push_back({own.group,
                      own.kind,
                      own.long_lived,
                      {{own.list, own.path, own.count, "", "", "", named ? "@" : role}}});
    all.push_back({own.group, own.kind, own.long_lived, !own.long_lived});
  }
}

const OwnerKind* find_owner_kind(std::string_view group, std::string_view kind) {
  const auto& all = owner_kinds();
  const auto found = std::find_if(all.begin(), all.end(), [&](const OwnerKind& row) {
    return row.group == group && row.kind == kind;
  });
  return found == all.end() ? nullptr : &*found;
}

std::string plural_of(std::string_view kind) {
  std::string name;
  for (const char c : kind) name += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const auto ends = [&name](std::string_view end) { return name.ends_with(end); };
  const bool vowel = ends("ay") || ends("ey") || ends("iy") || ends("oy") || ends("uy");
  if (ends("y") && !vowel) {
    name.pop_back();
    return name + "ies";
  }
  const bool hisses = ends("s") || ends("x") || ends("z") || ends("ch") || ends("sh");
  return name + (hisses ? "es" : "s");
}

std::vector<OwnerResource> owner_resources() {
  std::vector<OwnerResource> out;
  for (const KindRow& row : rows()) {
    if (row.templates.empty()) continue;
    const OwnerKind* kind = find_owner_kind(row.group, row.kind);
    out.push_back({std::string(row.group), std::string(row.kind), plural_of(row.kind),
                   kind != nullptr && kind->starts_together});
  }
  std::sort(out.begin(), out.end(), [](const OwnerResource& a, const OwnerResource& b) {
    return std::tie(a.group, a.name) < std::tie(b.group, b.name);
  });
  return out;
}

std::vector<TemplatePath> templates_of(std::string_view group, std::string_view kind, Json object) {
  std::vector<TemplatePath> out;
  for (const KindRow& row : rows()) {
    if (row.group != group || row.kind != kind) continue;
    for (const TemplateRow& entry : row.templates) {
      if (entry.list.empty()) {
        append_template(out, entry, object, "", entry.role);
      } else {
        append_elements(out, entry, object);
      }
    }
  }
  return out;
}

std::int64_t pods_of_template(const TemplatePath& path, Json object) {
  if (path.count_pointer.empty()) return path.default_count;
  return number_at(object, path.count_pointer).value_or(path.default_count);
}

}  // namespace berth::kube
