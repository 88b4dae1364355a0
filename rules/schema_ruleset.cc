#include <cstdint>

#include "rules/schema_rows.h"

namespace berth::rules {
namespace {

constexpr auto kRequired = Need::kRequired;
constexpr auto kOptional = Need::kOptional;

ObjectType ruleset() {
  return {"ruleset",
          "One rule file.",
          {},
          {
              {"apiVersion",
               words("berth.dev/v1alpha1"),
               kNone,
               kRequired,
               {},
               "Version of the format."},
              {"kind", words("RuleSet"), kNone, kRequired, {}, "What the file is."},
              {"metadata", object("metadata"), kNone, kOptional, {}, "Name and owner of the set."},
              {"strategy", words("all|first"), kNone, kOptional, "all",
               "all: every rule that holds applies. first: the file is an if / else-if chain."},
              {"precedence", integer(0, 1000), kNone, kOptional, "100",
               "Of two rules that set one field the higher number wins."},
              {"variables",
               map_of(Form::kVariableName, Form::kExpression),
               kNone,
               kOptional,
               {},
               "Name to CEL; computed at most once a pod, and only when used."},
              {"defaults",
               object("defaults"),
               kNone,
               kOptional,
               {},
               "Taken by each rule below that does not say otherwise; a rule's own match keys are "
               "added "
               "to the default's and win over them."},
              {"rules", object_list("rule", 1), kNone, kRequired, {}, "The rules, in order."},
          }};
}

ObjectType metadata() {
  return {"metadata",
          "Name and owner of a rule set.",
          {},
          {
              {"name", one(Form::kSetName), kNone, kOptional,
               "file name without leading digits and suffix",
               "Name of the set; the id of a rule is set/rule."},
              {"owner", one(Form::kText), kNone, kOptional, {}, "Whom users should ask."},
              {"description", one(Form::kText), kNone, kOptional, {}, "For people."},
          }};
}

std::vector<Key> settings() {
  return {
      {"match",
       {.form = Form::kObject, .shape = Shape::kOneOrList, .of = "match", .low = 1},
       kNone,
       kOptional,
       {},
       "Which pods: all keys of a mapping must hold, of a list any mapping. Without it every pod "
       "that asks for a GPU in any form."},
      {"except",
       {.form = Form::kObject, .shape = Shape::kOneOrList, .of = "match", .low = 1},
       kNone,
       kOptional,
       {},
       "Which of them not; the same keys."},
      {"mode", words("enforce|audit|disabled"), kNone, kOptional, "enforce",
       "audit: evaluated and counted, changes and refuses nothing."},
      {"rollout", one(Form::kPercent), object("rollout"), kOptional, "100%",
       "Share of the workloads, always the same ones; a larger share only adds some."},
      {"existing", words("keep|replace|deny"), kNone, kOptional, "keep",
       "What to do with a field that the pod sets itself."},
      {"onError", words("skip|deny"), kNone, kOptional, "skip",
       "What a condition that fails to evaluate does: skip the rule or deny the pod."},
  };
}

ObjectType defaults() {
  return {"defaults", "What the rules of a file have in common.", {}, settings()};
}

ObjectType rule() {
  ObjectType out{
      "rule",
      "One rule: match, when, then.",
      "rule",
      {
          {"name", one(Form::kSetName), kNone, kRequired, {}, "Name of the rule within its set."},
          {"description", one(Form::kText), kNone, kOptional, {}, "For people."},
          {"when",
           one_or_list(Form::kExpression),
           kNone,
           kOptional,
           {},
           "CEL conditions; all must be true."},
          {"variables",
           map_of(Form::kVariableName, Form::kExpression),
           kNone,
           kOptional,
           {},
           "Name to CEL, for this rule only."},
          {"precedence", integer(0, 1000), kNone, kOptional, "that of the file",
           "Of two rules that set one field the higher number wins."},
          {"then", object("then"), kNone, kRequired, {}, "What should hold for such a pod."},
      }};
  for (const Key& key : settings()) out.keys.push_back(key);
  return out;
}

ObjectType match() {
  return {
      "match",
      "Selects pods by plain keys; all that are given must hold.",
      {},
      {
          {"intent",
           one_or_list(Form::kText),
           kNone,
           kOptional,
           {},
           "Value of the label PREFIX/intent; \"*\" any."},
          {"namespaces",
           one_or_list(Form::kNamespaceGlob),
           kNone,
           kOptional,
           {},
           "Names of namespaces, with * as wildcard."},
          {"namespaceLabels",
           {.form = Form::kLabelChoice, .shape = Shape::kMapOneOrList, .key = Form::kLabelKey},
           kNone,
           kOptional,
           {},
           "Labels of the namespace: a value, a list of values, or \"*\" for present."},
          {"labels",
           {.form = Form::kLabelChoice, .shape = Shape::kMapOneOrList, .key = Form::kLabelKey},
           kNone,
           kOptional,
           {},
           "Labels of the pod: a value, a list of values, or \"*\" for present."},
          {"labelSelector",
           object("labelSelector"),
           kNone,
           kOptional,
           {},
           "A Kubernetes LabelSelector over the pod's labels, for what `labels` cannot say."},
          {"kinds",
           one_or_list(Form::kOwnerKind),
           kNone,
           kOptional,
           {},
           "Kind of the top owner, whatever its API group: Job, JobSet, PyTorchJob, RayCluster, "
           "Deployment, Pod, ..."},
          {"frameworks",
           one_or_list(Form::kFramework),
           kNone,
           kOptional,
           {},
           "Framework that the pod is recognised by: pytorch, ray, mpi, jax, vllm, triton, ..."},
          {"vendors",
           one_or_list(Form::kVendor),
           kNone,
           kOptional,
           {},
           "Vendor of the GPUs asked for: nvidia, amd, intel, habana, huawei, ..."},
          {"gpus", one(Form::kGpus), kNone, kOptional,
           "any pod that asks for GPU capacity in any form",
           "Whole GPUs of one pod: 8, \">=2\", \"2-4\" or 0."},
          {"operations",
           {.form = Form::kWord, .shape = Shape::kOneOrList, .of = "CREATE|UPDATE", .low = 1},
           kNone,
           kOptional,
           "CREATE",
           "Operations of the request. An update takes labels, annotations and tolerations of "
           "pods, "
           "warnings and denials; it is judged only where the webhook configuration sends it."},
      }};
}

ObjectType label_selector() {
  return {"labelSelector",
          "A Kubernetes LabelSelector.",
          {},
          {
              {"matchLabels",
               map_of(Form::kLabelKey, Form::kLabelValue),
               kNone,
               kOptional,
               {},
               "Label to value; all must hold."},
              {"matchExpressions",
               object_list("labelRequirement", 1),
               kNone,
               kOptional,
               {},
               "Requirements; all must hold."},
          }};
}

ObjectType label_requirement() {
  return {
      "labelRequirement",
      "One requirement of a LabelSelector.",
      {},
      {
          {"key", one(Form::kLabelKey), kNone, kRequired, {}, "The label."},
          {"operator", words("In|NotIn|Exists|DoesNotExist"), kNone, kRequired, {}, "The test."},
          {"values", list_of(Form::kLabelValue), kNone, kOptional, {}, "Values of In and NotIn."},
      }};
}

ObjectType rollout() {
  return {"rollout",
          "A share of the workloads.",
          {},
          {
              {"percent",
               {.form = Form::kNumber, .low = 0, .high = 100},
               kNone,
               kRequired,
               {},
               "The share in percent."},
              {"by", words("workload|namespace"), kNone, kOptional, "workload",
               "What is drawn: single workloads or whole namespaces."},
          }};
}

ObjectType placement() {
  return {"placement",
          "On which nodes the pods of the workload should run. Among the domains with room, those "
          "are preferred where it leaves least of whole nodes behind that larger ones cannot use.",
          {},
          {
              {"require",
               one(Form::kLevel),
               kNone,
               kOptional,
               {},
               "All pods inside one domain of this level."},
              {"prefer",
               one_or_list(Form::kLevel),
               kNone,
               kOptional,
               {},
               "If possible inside one domain of these levels, the first one most."},
              {"narrowest",
               {.form = Form::kLevel, .shape = Shape::kList, .low = 2},
               kNone,
               kOptional,
               {},
               "The first level at which some domain has room now is required; where none has, the "
               "last "
               "is preferred."},
              {"spread",
               one(Form::kLevel),
               kNone,
               kOptional,
               {},
               "Pods evenly over the domains of this level."},
              {"pack",
               one(Form::kBool),
               kNone,
               kOptional,
               {},
               "Prefer up to 16 nodes by name, so that whole nodes stay whole. For pods that the "
               "default scheduler places one by one."},
              {"products",
               one_or_list(Form::kProduct),
               kNone,
               kOptional,
               {},
               "GPU products, any of which is needed."},
              {"preferProducts",
               one_or_list(Form::kProduct),
               kNone,
               kOptional,
               {},
               "GPU products to prefer, the first one most."},
              {"nodeSelector",
               computed_map(Form::kLabelKey, Form::kLabelValue),
               kNone,
               kOptional,
               {},
               "Node labels that are needed."},
          }};
}

ObjectType gpu() {
  return {
      "gpu",
      "In which form the pod gets its GPU. Concerns NVIDIA resource names.",
      {},
      {
          {"share",
           words("whole|mig|mps|timeslice|auto"),
           kNone,
           kRequired,
           {},
           "Whole cards, a MIG slice, a share by MPS or time-slicing, or what holds the model: a "
           "slice, else a share by MPS, else whole cards."},
          {"memory",
           computed(Form::kQuantity, "quantity|string"),
           kNone,
           kOptional,
           {},
           "Memory that the slice or share must have at least. With `auto`, where it is absent: "
           "`berth.dev/gpu-memory`, else `workload.modelMemory`."},
          {"profile",
           one(Form::kProfile),
           kNone,
           kOptional,
           {},
           "The MIG profile, instead of `memory`."},
          {"orElse", words("keep|whole|mps|timeslice|deny"), kNone, kOptional, "keep",
           "When no node offers it."},
      }};
}

ObjectType toleration() {
  return {"toleration",
          "A toleration as in a pod.",
          {},
          {
              {"key",
               one(Form::kLabelKey),
               kNone,
               kOptional,
               {},
               "Key of the taint; absent: every key."},
              {"operator", words("Exists|Equal"), kNone, kOptional,
               "Equal with a value, else Exists", "Whether the value matters."},
              {"value", one(Form::kLabelValue), kNone, kOptional, {}, "Value of the taint."},
              {"effect",
               words("NoSchedule|PreferNoSchedule|NoExecute"),
               kNone,
               kOptional,
               {},
               "Effect of the taint; absent: every effect."},
              {"tolerationSeconds",
               integer(0, INT64_MAX),
               kNone,
               kOptional,
               {},
               "With NoExecute: for how long."},
          }};
}

ObjectType volume() {
  ObjectType out{
      "volume",
      "A volume of the pod together with its mount.",
      {},
      {
          {"name", one(Form::kSetName), kNone, kRequired, {}, "Name of the volume."},
          {"mountPath", one(Form::kText), kNone, kRequired, {}, "Where it is mounted; absolute."},
          {"subPath", one(Form::kText), kNone, kOptional, {}, "Part of the volume to mount."},
          {"subPathExpr",
           one(Form::kText),
           kNone,
           kOptional,
           {},
           "The same, with $(VAR) of the container."},
          {"readOnly", one(Form::kBool), kNone, kOptional, "false", "Mounted read-only."},
          {"mountPropagation", words("None|HostToContainer|Bidirectional"), kNone, kOptional,
           "None", "As in a pod."},
      }};
  for (const std::string_view source :
       {"emptyDir", "hostPath", "configMap", "secret", "persistentVolumeClaim", "projected",
        "downwardAPI", "csi", "ephemeral", "nfs", "iscsi", "fc", "cephfs", "image"}) {
    out.keys.push_back({source,
                        one(Form::kAny),
                        kNone,
                        kOptional,
                        {},
                        "Source of the volume, as in a pod; exactly one source."});
  }
  return out;
}

ObjectType then() {
  return {
      "then",
      "What should hold. Each action owns its fields; two rules never both set one.",
      {},
      {
          {"containers", words("gpu|all"), list_of(Form::kSetName), kOptional, "gpu",
           "Which containers env, shm and volumes go to."},
          {"placement", object("placement"), kNone, kOptional, {}, "Where the pods run."},
          {"gpu", object("gpu"), kNone, kOptional, {}, "Whole cards, slices or shares."},
          {"gang", object("gang"), kNone, kOptional, {}, "All pods start together."},
          {"queue",
           computed(Form::kObjectName, "string"),
           kNone,
           kOptional,
           {},
           "Queue, written where the gang backend looks for it."},
          {"scheduler", one(Form::kObjectName), kNone, kOptional, {}, "schedulerName."},
          {"priorityClass",
           computed(Form::kObjectName, "string"),
           kNone,
           kOptional,
           {},
           "Class, number and preemption policy of a PriorityClass."},
          {"runtimeClass", one(Form::kObjectName), kNone, kOptional, {}, "runtimeClassName."},
          {"tolerate",
           one_or_list(Form::kTaint),
           {.form = Form::kObject, .shape = Shape::kOneOrList, .of = "toleration", .low = 1},
           kOptional,
           {},
           "Tolerations, in the notation of kubectl taint (key, key=value, key=value:Effect) or as "
           "in a pod."},
          {"env",
           computed_map(Form::kEnvName, Form::kText),
           kNone,
           kOptional,
           {},
           "Environment variables."},
          {"shm",
           computed(Form::kQuantity, "quantity|string"),
           kNone,
           kOptional,
           {},
           "Size of a memory-backed volume at /dev/shm."},
          {"volumes", object_list("volume", 1), kNone, kOptional, {}, "Volumes with their mounts."},
          {"labels",
           computed_map(Form::kLabelKey, Form::kLabelValue),
           kNone,
           kOptional,
           {},
           "Labels of the pod."},
          {"annotations",
           computed_map(Form::kAnnotationKey, Form::kText),
           kNone,
           kOptional,
           {},
           "Annotations of the pod."},
          {"set",
           map_of(Form::kSpecPath, Form::kScalar),
           kNone,
           kOptional,
           {},
           "Scalar fields of the pod that have no action of their own, by path: "
           "spec.terminationGracePeriodSeconds."},
          {"warn",
           computed(Form::kText, "dyn"),
           kNone,
           kOptional,
           {},
           "A warning for the user; all add up."},
          {"deny",
           computed(Form::kText, "dyn"),
           kNone,
           kOptional,
           {},
           "Refuses the pod with this text; all add up."},
      }};
}

}  // namespace

std::vector<ObjectType> ruleset_objects() {
  return {
      ruleset(),    metadata(), defaults(),         rule(), match(),       label_selector(),
      rollout(),    then(),     placement(),        gpu(),  gang_object(), group_topology_object(),
      toleration(), volume(),   label_requirement()};
}

}  // namespace berth::rules
