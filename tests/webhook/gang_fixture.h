// Gangs through the whole decision: a rule, an object, what the cluster has and what the
// configuration states. Every run must have the properties of any answer.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/yaml.h"
#include "kube/json_yaml.h"
#include "tests/support/world.h"

namespace berth::webhook {

/// One run. Texts are YAML.
struct GangRun {
  std::string then;    ///< actions of the one rule: "gang: {backend: kueue}"
  std::string object;  ///< the object, in YAML flow or block form
  std::vector<std::string> cluster = {};
  topology::StatedServices stated = {};
  std::string user = {};
  std::string opt_out = "*";  ///< namespaces in which pods may opt out
  std::string groups = {};    ///< of the user, as JSON texts
  std::string rules = {};     ///< a whole rule file instead of `then`
};

class GangWorld {
 public:
  explicit GangWorld(const GangRun& run);

  /// The value at a pointer of the resulting object, "absent" where there is none.
  std::string at(const std::string& pointer) const;
  /// The value at a pointer of {"warnings": ..., "kept": ...} as one text.
  std::string warnings() const;
  std::string kept() const;
  Outcome outcome() const { return judged_.answer.outcome; }
  kube::Json object() const { return judged_.answer.object; }
  kube::Json before() const { return judged_.review.object; }

 private:
  std::string review_;
  testing::TestWorld world_;
  testing::Judged judged_;
};

inline std::string review_text(const std::string& object, const std::string& user,
                               const std::string& groups) {
  base::Problems problems;
  base::Arena arena;
  const base::SourceText source("object.yaml", object);
  const auto documents = base::parse_yaml(source, problems);
  EXPECT_FALSE(problems.has_errors()) << object;
  const kube::Json json = kube::to_json(documents.front(), arena);
  if (user.empty()) return kube::to_json(json);
  const std::string_view version = json["apiVersion"].string_or_empty();
  const std::size_t slash = version.find('/');
  const std::string group(slash == std::string_view::npos ? "" : version.substr(0, slash));
  const std::string bare(slash == std::string_view::npos ? version : version.substr(slash + 1));
  return R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u",)"
         R"("kind":{"group":")" +
         group + R"(","version":")" + bare + R"(","kind":")" +
         std::string(json["kind"].string_or_empty()) +
         R"("},"operation":"CREATE","namespace":"team-nlp","userInfo":{"username":")" + user +
         R"(","groups":[)" + groups + R"(]},"object":)" + kube::to_json(json) + "}}";
}

inline GangWorld::GangWorld(const GangRun& run)
    : review_(review_text(run.object, run.user, run.groups)) {
  const std::string rule = !run.rules.empty()
                               ? run.rules
                               : "apiVersion: berth.dev/v1alpha1\nkind: RuleSet\nmetadata: {name: "
                                 "t}\nrules:\n- name: gang\n"
                                 "  match: {intent: training}\n  then: {" +
                                     run.then + "}\n";
  world_.rules = rules::load(std::vector<base::SourceText>{{"t.yaml", rule}}, {}).rules;
  EXPECT_NE(world_.rules, nullptr) << rule;
  std::vector<base::SourceText> cluster;
  for (const std::string& text : run.cluster) cluster.emplace_back("cluster.yaml", text);
  topology::BuildOptions options;
  options.services = run.stated;
  topology::Loaded loaded = topology::load_cluster(cluster, options);
  EXPECT_NE(loaded.snapshot, nullptr) << testing::all_problems(loaded.problems);
  world_.cluster = loaded.snapshot;
  world_.limits.opt_out_namespaces = {run.opt_out};
  judged_ = testing::judge(review_, world_.view());
  testing::expect_properties(review_, world_.view());
}

inline std::string GangWorld::at(const std::string& pointer) const {
  const kube::Json* found = kube::find_at(judged_.answer.object, pointer);
  if (found == nullptr) return "absent";
  return found->is_string() ? std::string(found->string_or_empty()) : kube::to_json(*found);
}

inline std::string GangWorld::warnings() const {
  std::string out;
  for (const rules::Message& message : judged_.answer.warnings) out += message.text + "\n";
  return out;
}

inline std::string GangWorld::kept() const {
  std::string out;
  for (const Part& part : judged_.answer.parts) {
    for (const mutate::Kept& kept : part.outcome.kept) {
      out += kept.path + " stays " + kept.found + ", not " + kept.wanted + "\n";
    }
  }
  return out;
}

inline constexpr const char* kGpuPod =
    "{containers: [{name: main, image: 'app:1', resources: {limits: {cpu: '8', memory: 64Gi, "
    "nvidia.com/gpu: '8'}, requests: {cpu: '8', memory: 64Gi, nvidia.com/gpu: '8'}}}], "
    "schedulerName: default-scheduler}";
inline constexpr const char* kIntent = "labels: {berth.dev/intent: training}";

/// A batch Job of so many pods; `more` goes into its metadata.
inline std::string job_of(int pods, const std::string& more = {}) {
  return std::string(
             "{apiVersion: batch/v1, kind: Job, metadata: {name: train, namespace: "
             "team-nlp, ") +
         kIntent + more +
         "}, spec: {completionMode: Indexed, completions: " + std::to_string(pods) +
         ", parallelism: " + std::to_string(pods) + ", template: {metadata: {" + kIntent +
         "}, spec: " + kGpuPod + "}}}";
}

/// A PyTorchJob of one master and so many workers.
inline std::string pytorch_of(int workers, const std::string& spec = {}) {
  const std::string role = std::string("template: {metadata: {}, spec: ") + kGpuPod + "}";
  return std::string(
             "{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {name: train, "
             "namespace: team-nlp, ") +
         kIntent + "}, spec: {" + spec + "pytorchReplicaSpecs: {Master: {replicas: 1, " + role +
         "}, Worker: {replicas: " + std::to_string(workers) + ", " + role + "}}}}";
}

/// A pod of the Job with uid u-1; `annotations` without braces.
inline std::string pod_of_job(const std::string& annotations = {}) {
  return std::string(
             "{apiVersion: v1, kind: Pod, metadata: {generateName: train-, namespace: "
             "team-nlp, ") +
         kIntent + ", annotations: {" + annotations +
         "}, ownerReferences: [{apiVersion: batch/v1, kind: Job, name: train, uid: u-1, "
         "controller: true}]}, spec: " +
         kGpuPod + "}";
}

inline constexpr const char* kLocalQueue =
    "{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: team-nlp, namespace: "
    "team-nlp}, spec: {clusterQueue: gpus}}";

/// A node of a rack.
inline std::string node_in(const std::string& name, const std::string& rack) {
  return "{apiVersion: v1, kind: Node, metadata: {name: " + name +
         ", labels: {kubernetes.io/hostname: " + name + ", topology.kubernetes.io/rack: " + rack +
         "}}, status: {conditions: [{type: Ready, status: 'True'}], allocatable: {nvidia.com/gpu: "
         "'8', cpu: '64', memory: 512Gi, pods: '110'}}}";
}

}  // namespace berth::webhook
