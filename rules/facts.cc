#include "rules/facts.h"

#include <algorithm>

#include "kube/gpu_resource.h"
#include "kube/pointer.h"
#include "kube/workload.h"
#include "rules/gpu_facts.h"
#include "rules/intent.h"

namespace berth::rules {
namespace {

constexpr int kMostOwners = 8;
constexpr std::string_view kYunikornPlaceholder = "internal.yunikorn.apache.org/placeholder";

// The object of the top owner as far as the cluster knows it, or null.
struct TopOwner {
  kube::Owner owner;
  kube::Json object;
};

std::string_view group_of(kube::Json object) {
  const std::string_view version = object["apiVersion"].string_or_empty();
  const std::size_t slash = version.find('/');
  return slash == std::string_view::npos ? std::string_view{} : version.substr(0, slash);
}

// Follows controller references through the owners that the cluster knows.
TopOwner walk_up(kube::Owner owner, std::string_view namespace_name,
                 const topology::Snapshot& cluster) {
  TopOwner top{owner, {}};
  for (int step = 0; step < kMostOwners; ++step) {
    const kube::Json object = cluster.owner(top.owner.kind, namespace_name, top.owner.name);
    if (object.is_null()) break;
    top.object = object;
    if (top.owner.uid.empty()) top.owner.uid = object["metadata"]["uid"].string_or_empty();
    const auto above = kube::Pod(object).controller();
    if (!above) break;
    top.owner.kind = above->kind;
    top.owner.name = above->name;
    top.owner.uid = above->uid;
  }
  return top;
}

kube::Owner owner_at_door(const Subject& subject) {
  if (subject.door == Door::kPod) return kube::top_owner(subject.pod);
  const kube::Pod object(subject.object);
  if (const auto above = object.controller()) return {above->kind, above->name, above->uid, {}};
  return {subject.kind, object.name(), object.metadata()["uid"].string_or_empty(), {}};
}

// Pods of all templates of an owner together; nothing for long-lived owners, whose pods do not
// start together, and for kinds without a row.
std::optional<std::int64_t> pods_of_owner(std::string_view group, std::string_view kind,
                                          kube::Json object) {
  const kube::OwnerKind* row = kube::find_owner_kind(group, kind);
  if (row == nullptr || !row->starts_together || object.is_null()) return std::nullopt;
  std::int64_t pods = 0;
  for (const kube::TemplatePath& path : kube::templates_of(group, kind, object)) {
    if (path.comes_after) continue;
    const kube::Json* count =
        path.count_pointer.empty() ? nullptr : kube::find_at(object, path.count_pointer);
    pods += count != nullptr ? count->as_int().value_or(path.default_count) : path.default_count;
  }
  if (pods < 1) return std::nullopt;
  return pods;
}

std::optional<std::int64_t> gang_size(const Subject& subject, const TopOwner& top) {
  if (subject.door == Door::kOwner) {
    const auto stated = pods_of_owner(subject.group, subject.kind, subject.object);
    return stated ? stated : kube::pods_of(subject.pod);
  }
  const auto stated = kube::pods_of(subject.pod);
  return stated ? stated : pods_of_owner(group_of(top.object), top.owner.kind, top.object);
}

// Pods of all templates that ask for whole GPUs of the vendor; nothing where that is not known.
std::int64_t pods_with_gpus(std::string_view group, std::string_view kind, kube::Json object,
                            std::string_view vendor) {
  std::int64_t out = 0;
  const std::string_view resource = kube::whole_gpu_resource(vendor);
  for (const kube::TemplatePath& path : kube::templates_of(group, kind, object)) {
    const kube::Json* found = kube::find_at(object, path.pointer);
    if (path.comes_after || found == nullptr) continue;
    if (kube::Pod(*found).effective_request(resource).sign() <= 0) continue;
    const std::int64_t pods = std::max<std::int64_t>(kube::pods_of_template(path, object), 0);
    if (__builtin_add_overflow(out, pods, &out)) return 0;
  }
  return out;
}

void count_gpu_pods(const Subject& subject, const TopOwner& top, Facts& facts) {
  facts.gpu_pods = facts.pods;
  if (facts.gpus == 0 || facts.pods < 2) return;
  const bool at_owner = subject.door == Door::kOwner;
  const kube::Json owner = at_owner ? subject.object : top.object;
  const std::string_view group = at_owner ? subject.group : group_of(owner);
  const std::string_view kind = at_owner ? subject.kind : top.owner.kind;
  if (owner.is_null()) return;
  const std::int64_t counted = pods_with_gpus(group, kind, owner, facts.vendor);
  if (counted > 0) facts.gpu_pods = std::min(facts.pods, counted);
}

std::string_view role_of(const Subject& subject, const kube::Owner& owner) {
  return subject.door == Door::kPod ? owner.role : kube::top_owner(subject.pod).role;
}

bool is_daemon(const Subject& subject) {
  if (subject.door == Door::kOwner) return subject.kind == "DaemonSet";
  const auto controller = subject.pod.controller();
  return controller && controller->kind == "DaemonSet";
}

void identify(const Subject& subject, const Request& request, const topology::Snapshot& cluster,
              const TopOwner& top, Facts& facts) {
  facts.operation = request.operation;
  facts.namespace_object = cluster.find_namespace(facts.namespace_name);
  facts.kind = top.owner.kind.empty() ? "Pod" : top.owner.kind;
  facts.name = top.owner.name;
  facts.uid = top.owner.uid;
  facts.pod_name = subject.pod.name().empty() ? subject.pod.generate_name() : subject.pod.name();
  if (facts.pod_name.empty()) facts.pod_name = facts.name;
  if (facts.name.empty()) facts.name = facts.pod_name;
  facts.framework = kube::framework_of(subject.pod, top.owner);
  facts.role = role_of(subject, top.owner);
}

IntentPlaces places_of(const Subject& subject, std::string_view prefix) {
  IntentPlaces places{subject.pod.labels(), subject.pod.annotations(), {}, {}, prefix};
  if (subject.door == Door::kOwner) {
    places.owner_labels = subject.object["metadata"]["labels"];
    places.owner_annotations = subject.object["metadata"]["annotations"];
  }
  return places;
}

bool is_pause(kube::Json container) {
  std::string_view image = container["image"].string_or_empty();
  image.remove_prefix(image.rfind('/') + 1);
  return image == "pause" || image.starts_with("pause:") || image.starts_with("pause@");
}

// A pod that only keeps room warm for others, which preempt it: pause containers hold the GPUs, at
// a negative priority. What other webhooks put beside them does not count.
bool holds_room(const kube::Pod& pod) {
  if (pod.spec()["priority"].as_int().value_or(0) >= 0) return false;
  bool any = false;
  for (const kube::Json& container : pod.spec()["containers"].items()) {
    if (!kube::asks_for_gpus(container)) continue;
    if (!is_pause(container)) return false;
    any = true;
  }
  return any;
}

std::string_view hands_off_because(const kube::Pod& pod) {
  if (pod.annotation(kYunikornPlaceholder) == "true") {
    return "it holds a place for another pod (YuniKorn)";
  }
  if (holds_room(pod)) return "it holds room for others (pause container, negative priority)";
  return {};
}

// Intent on an owner that the pod does not carry: the author expected it to count.
void compare_with_owner(const TopOwner& top, std::string_view prefix, Facts& facts) {
  if (!facts.intent.empty() || top.object.is_null()) return;
  const kube::Json metadata = top.object["metadata"];
  const std::string_view intent =
      intent_value(metadata["labels"], metadata["annotations"], prefix, "intent");
  if (intent.empty()) return;
  facts.findings.push_back({std::string(prefix) + "/intent is on " + std::string(top.owner.kind) +
                            ' ' + std::string(top.owner.name) +
                            ", not on its pod template: it does not count"});
}

std::string_view team_of(const Facts& facts) {
  const std::string_view own = facts.labels["team"].string_or_empty();
  if (!own.empty()) return own;
  return facts.namespace_object["metadata"]["labels"]["team"].string_or_empty();
}

// The engine's own words, except for the model that the workload states.
void read_server(const Subject& subject, const ObserveOptions& options, Facts& facts) {
  const bool serves = kube::serves_models(facts.framework);
  if (!serves && facts.intent != "inference") return;
  facts.server = kube::model_server_of(subject.pod, facts.framework, *options.arena);
  const std::string_view stated =
      intent_value(facts.labels, facts.annotations, options.label_prefix, "model");
  if (!stated.empty()) facts.server.model = stated;
  facts.model_memory = kube::memory_of_model(facts.server, facts.framework);
}

}  // namespace

Facts observe(const Subject& subject, const Request& request, const topology::Snapshot& cluster,
              const ObserveOptions& options) {
  Facts facts;
  facts.namespace_name = request.namespace_name;
  if (facts.namespace_name.empty()) {
    facts.namespace_name = subject.object["metadata"]["namespace"].string_or_empty();
  }
  const TopOwner top = walk_up(owner_at_door(subject), facts.namespace_name, cluster);
  identify(subject, request, cluster, top, facts);

  const IntentPlaces places = places_of(subject, options.label_prefix);
  facts.labels = places.labels;
  facts.annotations = places.annotations;
  if (options.arena != nullptr) {
    facts.labels =
        with_owner_keys(places.labels, places.owner_labels, places.prefix, *options.arena);
    facts.annotations = with_owner_keys(places.annotations, places.owner_annotations, places.prefix,
                                        *options.arena);
  }
  read_intent(places, cluster, facts);
  if (facts.team.empty()) facts.team = team_of(facts);
  if (subject.door == Door::kPod) compare_with_owner(top, options.label_prefix, facts);

  if (!facts.pods_known) {
    const auto pods = gang_size(subject, top);
    facts.pods_known = pods.has_value();
    facts.pods = pods.value_or(1);
  }
  if (options.arena != nullptr) read_server(subject, options, facts);
  facts.daemon = is_daemon(subject);
  facts.bound = !subject.pod.node_name().empty();
  facts.hands_off = hands_off_because(subject.pod);
  read_gpus(subject.pod, cluster, facts);
  count_gpu_pods(subject, top, facts);
  return facts;
}

}  // namespace berth::rules
