// One pod, one hand-made decision, one outcome. Texts are JSON with single quotes. Each run is held
// against mutate/verify and against another implementation of JSON Patch, so every row of every
// table proves a strict patch and an empty second pass.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "kube/pointer.h"
#include "mutate/apply.h"
#include "mutate/verify.h"
#include "topology/builder.h"

namespace berth::mutate {

inline std::string with_double_quotes(std::string_view text) {
  std::string out(text);
  std::replace(out.begin(), out.end(), '\'', '"');
  return out;
}

/// A container that asks for one GPU, as the API server sends it.
inline constexpr std::string_view kMain =
    "{'name':'main','image':'app:1','resources':{'limits':{'cpu':'8','memory':'64Gi',"
    "'nvidia.com/gpu':'1'},'requests':{'cpu':'8','memory':'64Gi','nvidia.com/gpu':'1'}}}";

/// A pod of a Job, defaulted as the API server does it; `spec` is added to its spec ("'a':1,").
inline std::string pod_with(std::string_view spec, std::string_view containers = kMain) {
  return "{'apiVersion':'v1','kind':'Pod','metadata':{'generateName':'train-','labels':{'app':"
         "'train','batch.kubernetes.io/job-name':'train'},'ownerReferences':[{'apiVersion':"
         "'batch/v1','kind':'Job','name':'train','uid':'u','controller':true}]},'spec':{" +
         std::string(spec) + "'containers':[" + std::string(containers) +
         "],'schedulerName':'default-scheduler','priority':0,'preemptionPolicy':"
         "'PreemptLowerPriority'}}";
}

class Workbench {
 public:
  explicit Workbench(std::string_view object, std::string pointer = "") {
    subject_.object = parse(object);
    subject_.pod_pointer = std::move(pointer);
    subject_.door = subject_.pod_pointer.empty() ? rules::Door::kPod : rules::Door::kOwner;
    subject_.kind = subject_.object["kind"].string_or_empty();
    const std::string_view version = subject_.object["apiVersion"].string_or_empty();
    subject_.group = version.substr(0, std::min(version.find('/'), version.size()));
    if (version.find('/') == std::string_view::npos) subject_.group = {};
    subject_.pod = kube::Pod(*kube::find_at(subject_.object, subject_.pod_pointer));
    facts_.namespace_name = "team-nlp";
    facts_.kind = subject_.door == rules::Door::kOwner ? subject_.kind : "Job";
    facts_.name = "train";
    rule("t/rule");
  }

  /// The rule of the settings that follow.
  Workbench& rule(std::string id, rules::Existing existing = rules::Existing::kKeep) {
    rules_.emplace_back();
    rules_.back().id = std::move(id);
    rules_.back().existing = existing;
    decision_.applied.push_back(&rules_.back());
    return *this;
  }
  Workbench& existing(rules::Existing existing) {
    rules_.back().existing = existing;
    return *this;
  }
  /// The rule matches pods that ask for this many GPUs or more.
  Workbench& matches_from(std::int64_t gpus) {
    rules::Match match;
    match.gpus = rules::GpuRange{.low = gpus};
    rules_.back().match = {std::move(match)};
    return *this;
  }
  Workbench& containers(rules::ContainerChoice choice) {
    rules_.back().containers = std::move(choice);
    return *this;
  }

  Workbench& add(rules::SlotKind kind, std::string key, rules::ActionValue value,
                 std::string_view text, rules::Answer answer = {}) {
    assignments_.push_back({{kind, std::move(key)}, std::move(value), {"rules.yaml", 7, 5}});
    texts_.emplace_back(text);
    decision_.settings.push_back(
        {&assignments_.back(), &rules_.back(), texts_.back(), {}, std::move(answer)});
    return *this;
  }
  /// Slots whose value is a text.
  Workbench& text(rules::SlotKind kind, std::string_view value, std::string key = "") {
    return add(kind, std::move(key), rules::Text{}, value);
  }

  /// An object of the cluster.
  Workbench& cluster(std::string_view object) {
    builder().add(*kube::parse_json(with_double_quotes(object), builder().arena()));
    return *this;
  }
  rules::Facts& facts() { return facts_; }

  Workbench& run() {
    snapshot_ = builder().finish();
    outcome_ = apply(decision_, subject_, facts_, *snapshot_, arena_, {});
    EXPECT_EQ(verify(outcome_, decision_, subject_, facts_, *snapshot_, arena_, {}), std::nullopt);
    expect_same_by_another_implementation();
    return *this;
  }

  std::string patch() { return kube::to_json(to_patch(outcome_.changes, arena_)); }
  std::string at(std::string_view pointer) const {
    const kube::Json* found = kube::find_at(outcome_.object, pointer);
    return found != nullptr ? kube::to_json(*found) : "absent";
  }
  bool unchanged() const { return outcome_.changes.empty(); }
  const Outcome& outcome() const { return outcome_; }
  std::string warnings() const { return texts_of(outcome_.warnings); }
  std::string denials() const { return texts_of(outcome_.denials); }
  std::string kept() const {
    std::string out;
    for (const Kept& kept : outcome_.kept) {
      out += to_text(kept.slot) + " wants " + kept.wanted + ", found " + kept.found + " at " +
             kept.path + "\n";
    }
    return out;
  }
  kube::Json parse(std::string_view text) {
    auto json = kube::parse_json(with_double_quotes(text), arena_);
    EXPECT_TRUE(json.has_value()) << text;
    return json ? *json : kube::Json();
  }
  base::Arena& arena() { return arena_; }

 private:
  topology::Builder& builder() {
    if (!builder_) builder_ = std::make_unique<topology::Builder>(topology::BuildOptions{});
    return *builder_;
  }

  static std::string texts_of(const std::vector<rules::Message>& messages) {
    std::string out;
    for (const rules::Message& message : messages) out += message.text + "\n";
    return out;
  }

  void expect_same_by_another_implementation() {
    const auto before = nlohmann::json::parse(kube::to_json(subject_.object));
    const auto operations = nlohmann::json::parse(patch());
    EXPECT_EQ(before.patch(operations), nlohmann::json::parse(kube::to_json(outcome_.object)));
  }

  base::Arena arena_;
  rules::Subject subject_;
  rules::Facts facts_;
  rules::Decision decision_;
  std::deque<rules::Rule> rules_;
  std::deque<rules::Assignment> assignments_;
  std::deque<std::string> texts_;
  std::unique_ptr<topology::Builder> builder_;
  std::shared_ptr<const topology::Snapshot> snapshot_;
  Outcome outcome_;
};

inline std::string json_text(std::string_view text) {
  return with_double_quotes(text);
}

}  // namespace berth::mutate
