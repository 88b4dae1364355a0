// Reviews through the TLS port's own routes, as bytes: a rule set and the lab cluster, one body
// in, one HTTP reply out. A reply that is a review is judged as the API server judges it, its patch
// is applied strictly by another implementation, and the result is sent again: the second answer
// must hold no patch. Nearly every test of bad input and of known pitfalls starts from
// base_review().
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/log.h"
#include "rules/loader.h"
#include "tests/support/world.h"
#include "topology/file_source.h"
#include "webhook/handler.h"

namespace berth::webhook {

using OtherJson = nlohmann::json;

/// A review as the API server sends it for the pod of a Job with one GPU; no annotations.
inline OtherJson base_review() {
  return OtherJson::parse(R"({
    "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
    "request": {
      "uid": "0b4f7f86-6ab3-4c4c-9d3e-5b0b7c1d2e3f",
      "kind": {"group": "", "version": "v1", "kind": "Pod"},
      "resource": {"group": "", "version": "v1", "resource": "pods"},
      "namespace": "team-nlp", "operation": "CREATE", "userInfo": {"username": "someone"},
      "oldObject": null, "dryRun": false, "options": null,
      "object": {
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
          "generateName": "train-", "labels": {"app": "train"},
          "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "train",
                               "uid": "6bc01a7c", "controller": true}]},
        "spec": {
          "volumes": [{"name": "kube-api-access-abcde", "projected": {"sources": []}}],
          "containers": [{
            "name": "main", "image": "registry.example.com/app:1",
            "resources": {
              "limits": {"cpu": "8", "memory": "64Gi", "nvidia.com/gpu": "1"},
              "requests": {"cpu": "8", "memory": "64Gi", "nvidia.com/gpu": "1"}},
            "volumeMounts": [{"name": "kube-api-access-abcde", "readOnly": true,
                              "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"}]}],
          "tolerations": [
            {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute",
             "tolerationSeconds": 300},
            {"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute",
             "tolerationSeconds": 300}],
          "priority": 0, "preemptionPolicy": "PreemptLowerPriority",
          "schedulerName": "default-scheduler"}}}})");
}

// Places in it.
inline const OtherJson::json_pointer kPod("/request/object");
inline const OtherJson::json_pointer kMain("/request/object/spec/containers/0");

// Rules by the one thing that each does, for any pod.
inline constexpr std::string_view kAnnotate = "{annotations: {gpu.example.com/rule: r1}}";
inline constexpr std::string_view kLabel = "{labels: {gpu.example.com/class: train}}";
inline constexpr std::string_view kTolerate = "{tolerate: ['nvidia.com/gpu:NoSchedule']}";
inline constexpr std::string_view kSetEnv = "{containers: all, env: {NCCL_DEBUG: WARN}}";
inline constexpr std::string_view kShm = "{shm: 1Gi}";
inline constexpr std::string_view kSlice = "{gpu: {share: mig, profile: 1g.10gb}}";
inline constexpr std::string_view kProduct = "{placement: {products: [H100]}}";
inline constexpr std::string_view kPriority = "{priorityClass: gpu-training}";
inline constexpr std::string_view kDeny = "{deny: not here}";

/// The patch in the text of a reply; empty where there is none.
inline std::string decoded_patch(const std::string& reply) {
  const auto response = OtherJson::parse(reply).at("response");
  if (!response.contains("patch")) return {};
  return base::decode_base64(response.at("patch").get<std::string>()).value_or("");
}

struct HttpReply {
  int status = 0;
  std::string text;
  std::vector<std::pair<std::string_view, std::string>> headers;
};

/// A reply that is a review, and what its patch makes of the object.
struct Admitted {
  OtherJson response;
  OtherJson patch = OtherJson::array();
  OtherJson object;

  /// What the patch writes at a path; null where it has no such operation.
  OtherJson written(std::string_view path) const {
    for (const OtherJson& operation : patch) {
      if (operation.at("path") == path) return operation.value("value", OtherJson());
    }
    return {};
  }
  bool unchanged() const { return patch.empty(); }
  bool warns(std::string_view text) const {
    return response.value("warnings", OtherJson::array()).dump().find(text) != std::string::npos;
  }
};

struct WholeFile {};

class MutateBench {
 public:
  /// Each text is the `then` of a rule that applies to every pod.
  explicit MutateBench(std::vector<std::string_view> thens) {
    std::string text = "apiVersion: berth.dev/v1alpha1\nkind: RuleSet\nmetadata: {name: t}\nrules:";
    for (std::size_t i = 0; i < thens.size(); ++i) {
      text += "\n- name: r" + std::to_string(i) + "\n  match: {gpus: '>=0'}\n  then: ";
      text += thens[i];
    }
    load(text);
  }
  /// A rule file as it is written.
  MutateBench(WholeFile, const std::string& text) { load(text); }

  HttpReply send(std::string_view body, std::string_view path = "/mutate",
                 std::string_view method = "POST",
                 std::string_view type = "application/json") const {
    std::vector<char> bytes(body.begin(), body.end());
    bytes.resize(body.size() + kBodyPadding);
    const std::vector<HeaderField> fields = {{"Content-Type", type}};
    Request request;
    request.method = method == "POST" ? Method::kPost : Method::kOther;
    if (method == "GET") request.method = Method::kGet;
    request.method_text = method;
    request.path = path;
    request.fields = fields;
    request.body = std::span<char>(bytes.data(), body.size());
    Response response = routes_(request);
    return {response.status, std::move(response.body), std::move(response.headers)};
  }

  Admitted admit(const OtherJson& review) const { return admit_text(review.dump()); }

  /// The same for a review that is no plain text of the other library's making.
  Admitted admit_text(const std::string& text) const {
    Admitted out = once(text);
    if (out.unchanged()) return out;
    auto second = OtherJson::parse(text);
    second["request"]["object"] = out.object;
    EXPECT_TRUE(once(second.dump()).unchanged()) << "a second pass changes the object again";
    return out;
  }

  /// What the server logs at its default level while it answers.
  std::string log_of(const std::string& body) const {
    base::configure_logging(base::LogFormat::kJson, base::LogLevel::kInfo);
    ::testing::internal::CaptureStderr();
    send(body);
    base::flush_log();
    base::configure_logging(base::LogFormat::kJson, base::LogLevel::kError);
    return ::testing::internal::GetCapturedStderr();
  }

  std::string metrics() const { return metrics_.text(); }
  const Routes& routes() const { return routes_; }

 private:
  void load(const std::string& text) {
    base::configure_logging(base::LogFormat::kJson, base::LogLevel::kError);
    const std::vector<base::SourceText> files = {{"rules.yaml", text}};
    rules::LoadResult loaded = rules::load(files, {});
    for (const base::Problem& problem : loaded.problems.list()) {
      EXPECT_NE(problem.severity, base::Severity::kError) << to_text(problem);
    }
    rules_.swap(loaded.rules);
    cluster_.swap(lab());
  }

  static std::shared_ptr<const topology::Snapshot> lab() {
    static const auto picture = topology::load_cluster(
        std::vector<base::SourceText>{
            {"lab.yaml",
             testing::file_text(testing::data_dir() / "cases" / "checks" / "lab.yaml")}},
        {});
    return picture.snapshot;
  }

  Admitted once(const std::string& text) const {
    const HttpReply reply = send(text);
    EXPECT_EQ(reply.status, 200) << reply.text;
    const auto sent = OtherJson::parse(text);
    Admitted out;
    const auto review = OtherJson::parse(reply.text);
    EXPECT_EQ(review.at("apiVersion"), sent.at("apiVersion"));
    EXPECT_EQ(review.at("kind"), "AdmissionReview");
    out.response = review.at("response");
    EXPECT_EQ(out.response.at("uid"), sent.at("request").at("uid"));
    out.object = sent["request"].value("object", OtherJson());
    EXPECT_EQ(out.response.contains("patch"), out.response.contains("patchType"));
    if (!out.response.contains("patch")) return out;
    EXPECT_TRUE(out.response.at("allowed").get<bool>());
    EXPECT_EQ(out.response.at("patchType"), "JSONPatch");
    out.patch = OtherJson::parse(decoded_patch(reply.text));
    EXPECT_FALSE(out.patch.empty());
    expect_plain_operations(out.patch);
    out.object = out.object.patch(out.patch);
    return out;
  }

  static void expect_plain_operations(const OtherJson& patch) {
    for (const OtherJson& operation : patch) {
      const std::string op = operation.at("op");
      std::set<std::string> keys;
      for (const auto& [key, value] : operation.items()) keys.insert(key);
      EXPECT_TRUE(op == "add" || op == "remove" || op == "replace") << operation;
      EXPECT_EQ(keys, op == "remove" ? std::set<std::string>({"op", "path"})
                                     : std::set<std::string>({"op", "path", "value"}));
      const std::string path = operation.at("path");
      EXPECT_TRUE(path.starts_with('/')) << path;
      EXPECT_FALSE(path.ends_with("/-")) << path;
    }
  }

  base::Published<rules::RuleSet> rules_;
  base::Published<topology::Snapshot> cluster_;
  Limits limits_;
  rules::LoadOptions load_;
  Health health_;
  mutable Metrics metrics_;
  Routes routes_ = tls_routes({rules_, cluster_, limits_, load_, health_, metrics_});
};

}  // namespace berth::webhook
