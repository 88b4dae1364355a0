#include <cstdint>

#include "rules/schema_rows.h"

namespace berth::rules {
namespace {

constexpr auto kRequired = Need::kRequired;
constexpr auto kOptional = Need::kOptional;
constexpr std::int64_t kMany = 1'000'000;

constexpr ValueType texts() {
  return {.form = Form::kText, .shape = Shape::kOneOrList};
}

ObjectType ruletest() {
  return {"ruletest",
          "Tests of rule files.",
          {},
          {
              {"apiVersion",
               words("berth.dev/v1alpha1"),
               kNone,
               kRequired,
               {},
               "Version of the format."},
              {"kind", words("RuleTest"), kNone, kRequired, {}, "What the file is."},
              {"metadata", object("metadata"), kNone, kOptional, {}, "For people."},
              {"rules",
               list_of(Form::kText),
               kNone,
               kRequired,
               {},
               "Rule files, relative to this file."},
              {"topology",
               one(Form::kText),
               object("topology"),
               kOptional,
               {},
               "The cluster: a cluster file, or a few nodes written out."},
              {"namespaces",
               map_of(Form::kText, Form::kAny),
               kNone,
               kOptional,
               {},
               "Namespace to its labels."},
              {"priorityClasses",
               {.form = Form::kInteger,
                .shape = Shape::kMap,
                .low = -2147483648LL,
                .high = 2147483647,
                .key = Form::kObjectName},
               kNone,
               kOptional,
               {},
               "PriorityClass to its number."},
              {"tests", object_list("test", 1), kNone, kRequired, {}, "The tests."},
          }};
}

ObjectType metadata() {
  return {"metadata",
          "Name and description of a test file.",
          {},
          {
              {"name", one(Form::kText), kNone, kOptional, {}, "Name."},
              {"description", one(Form::kText), kNone, kOptional, {}, "For people."},
          }};
}

ObjectType topology() {
  return {"topology",
          "A small cluster.",
          {},
          {{"nodes", object_list("node", 0), kNone, kOptional, {}, "Its nodes."}}};
}

ObjectType node() {
  return {"node",
          "One node, or several alike.",
          {},
          {
              {"name",
               one(Form::kText),
               kNone,
               kRequired,
               {},
               "Name; brackets stand for several: gpu-[1-4]."},
              {"product", one(Form::kText), kNone, kRequired, {}, "GPU product."},
              {"gpus", integer(0, kMany), kNone, kRequired, {}, "Whole GPUs."},
              {"free", integer(0, kMany), kNone, kOptional, "all", "Whole GPUs that are free."},
              {"mig",
               {.form = Form::kInteger,
                .shape = Shape::kMap,
                .low = 0,
                .high = kMany,
                .key = Form::kText},
               kNone,
               kOptional,
               {},
               "MIG profile to number of free slices."},
              {"in", map_of(Form::kText, Form::kText), kNone, kOptional, {}, "Level to domain."},
          }};
}

ObjectType test() {
  return {
      "test",
      "One workload and what should come out.",
      "test",
      {
          {"name", one(Form::kText), kNone, kRequired, {}, "Name of the test."},
          {"pod", object("pod"), kNone, kOptional, {}, "The pod in shorthand."},
          {"podFile", one(Form::kText), kNone, kOptional, {}, "A file with the object."},
          {"object", one(Form::kAny), kNone, kOptional, {}, "The object written out."},
          {"request", one(Form::kAny), kNone, kOptional, {}, "Fields of the admission request."},
          {"used",
           {.form = Form::kInteger,
            .shape = Shape::kMap,
            .low = 0,
            .high = kMany,
            .key = Form::kText},
           kNone,
           kOptional,
           {},
           "Node to number of GPUs in use."},
          {"topology", object("topology"), kNone, kOptional, {}, "Instead of the file's."},
          {"stale", one(Form::kBool), kNone, kOptional, "false", "The model is out of date."},
          {"rollout", words("in|out|hash"), kNone, kOptional, "hash",
           "Whether partial rollouts take this workload; hash: as in production."},
          {"again", one(Form::kBool), kNone, kOptional, "false",
           "Compare the outcome of a second pass over the result. (That a second pass changes "
           "nothing is required of every test.)"},
          {"expect",
           object("expect"),
           kNone,
           kOptional,
           {},
           "What should come out. Only berth test --record takes a test without it."},
      }};
}

ObjectType pod() {
  return {
      "pod",
      "A pod in shorthand.",
      {},
      {
          {"namespace", one(Form::kText), kNone, kRequired, {}, "Namespace."},
          {"name", one(Form::kText), kNone, kOptional, {}, "Name."},
          {"intent", one(Form::kText), kNone, kOptional, {}, "Label PREFIX/intent."},
          {"kind", one(Form::kText), kNone, kOptional, "Pod", "Kind of the top owner."},
          {"framework", one(Form::kText), kNone, kOptional, {}, "Framework."},
          {"gpus", integer(0, kMany), kNone, kOptional, "0", "Whole GPUs."},
          {"pods", integer(1, kMany), kNone, kOptional, "1", "Size of the gang."},
          {"gpuMemory", one(Form::kText), kNone, kOptional, {}, "Annotation PREFIX/gpu-memory."},
          {"image", one(Form::kText), kNone, kOptional, {}, "Image of the container."},
          {"labels", map_of(Form::kText, Form::kText), kNone, kOptional, {}, "Labels."},
          {"annotations", map_of(Form::kText, Form::kText), kNone, kOptional, {}, "Annotations."},
          {"spec", one(Form::kAny), kNone, kOptional, {}, "Merged into the spec of the pod."},
      }};
}

ObjectType expect() {
  return {
      "expect",
      "What should come out; only what is given is compared.",
      {},
      {
          {"allowed", one(Form::kBool), kNone, kOptional, {}, "Whether the request is allowed."},
          {"rules", texts(), kNone, kOptional, {}, "Exactly the rules that applied."},
          {"notRules", texts(), kNone, kOptional, {}, "Rules that must not apply."},
          {"audited", texts(), kNone, kOptional, {}, "Audit rules that must have held."},
          {"decision", one(Form::kAny), kNone, kOptional, {}, "Part of the decision."},
          {"patched", one(Form::kAny), kNone, kOptional, {}, "Path to value in the result."},
          {"absent", texts(), kNone, kOptional, {}, "Paths that the result must not have."},
          {"kept", texts(), kNone, kOptional, {}, "Fields that the pod kept."},
          {"overruled", texts(), kNone, kOptional, {}, "Rules that lost a field to another."},
          {"warnings", texts(), kNone, kOptional, {}, "Parts of warnings."},
          {"denied", texts(), kNone, kOptional, {}, "Parts of refusals."},
          {"errors", texts(), kNone, kOptional, {}, "Rules whose conditions failed."},
          {"unchanged", one(Form::kBool), kNone, kOptional, {}, "Nothing is changed."},
      }};
}

}  // namespace

std::vector<ObjectType> ruletest_objects() {
  return {ruletest(), metadata(), topology(), node(), test(), pod(), expect()};
}

}  // namespace berth::rules
