#include "rules/advice.h"

#include <algorithm>

#include "rules/gpu_facts.h"
#include "rules/node_sieve.h"
#include "rules/resolve.h"
#include "topology/capacity.h"

namespace berth::rules {
namespace {

constexpr std::size_t kLongest = 120;

// What advice rests on.
struct Advising {
  const Subject& after;
  const Facts& facts;
  const topology::Snapshot& cluster;
  base::Arena& arena;
  std::vector<Message>& messages;

  void say(std::string text) {
    if (text.size() > kLongest) {
      text.resize(kLongest - 3);
      while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0x80) != 0) {
        text.pop_back();
      }
      text += "...";
    }
    messages.push_back({nullptr, std::move(text)});
  }
};

topology::Demand demand_of(const Advising& advising) {
  topology::Demand demand;
  demand.pod_spec = advising.after.pod.spec();
  demand.extra_tolerations = usual_toleration(advising.facts, advising.arena);
  demand.gpus = advising.facts.gpus;
  demand.vendor = advising.facts.vendor;
  return demand;
}

// ------------------------------------------------------------------ more than any node has

std::string sum_of_containers(const kube::Pod& pod, const topology::Snapshot& cluster) {
  std::string out;
  int containers = 0;
  for (const kube::Container& container : pod.containers()) {
    std::int64_t gpus = 0;
    for (const std::string_view name : pod.resource_names()) {
      if (gpu_of_resource(name, cluster).form != kube::GpuForm::kWhole) continue;
      const auto quantity = kube::Quantity::parse(container.wanted(name));
      if (quantity) gpus += quantity->rounded_up();
    }
    if (gpus == 0) continue;
    if (containers++ > 0) out += ", ";
    out += std::string(container.name()) + ' ' + std::to_string(gpus);
  }
  return containers > 1 ? " in total (" + out + ')' : std::string();
}

void advise_size(Advising& advising, const topology::Capacity& capacity) {
  const std::int64_t largest = capacity.largest_node();
  if (largest == 0 || largest >= advising.facts.gpus) return;
  advising.say("asks for " + std::to_string(advising.facts.gpus) + " GPUs" +
               sum_of_containers(advising.after.pod, advising.cluster) +
               "; largest matching node has " + std::to_string(largest));
}

// ------------------------------------------------------------------ no node at all

// Nodes do not show devices that the scheduler hands out by claims.
bool is_served_by_claims(const Advising& advising) {
  const auto names = advising.after.pod.resource_names();
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
    return has_device_class(name, advising.cluster);
  });
}

void advise_nodes(Advising& advising) {
  if (is_served_by_claims(advising)) return;
  const auto term = term_without_nodes(
      advising.after.pod, usual_toleration(advising.facts, advising.arena), advising.cluster);
  if (term) advising.say(*term + ": the pod will wait");
}

// ------------------------------------------------------------------ slices that nobody offers

std::string offered_profiles(const topology::Capacity& capacity) {
  std::string out;
  for (const std::string_view profile : capacity.mig_profiles()) {
    out += (out.empty() ? "" : ", ") + std::string(profile) + " (" +
           std::to_string(capacity.mig_free(profile)) + " free)";
  }
  return out;
}

// MIG profiles that the pod asks for by name.
std::vector<std::string_view> slices_of(const kube::Pod& pod) {
  std::vector<std::string_view> out;
  for (const std::string_view name : pod.resource_names()) {
    const kube::GpuResource gpu = kube::classify_gpu_resource(name);
    if (gpu.form == kube::GpuForm::kSlice && gpu.vendor == "nvidia") out.push_back(gpu.profile);
  }
  return out;
}

// True where every profile is offered by some node.
bool advise_slices(Advising& advising, const std::vector<std::string_view>& wanted) {
  topology::Demand demand = demand_of(advising);
  demand.gpus = 0;
  const topology::Capacity capacity(advising.cluster, demand);
  const auto offered = capacity.mig_profiles();
  bool all = true;
  for (const std::string_view profile : wanted) {
    if (std::find(offered.begin(), offered.end(), profile) != offered.end()) continue;
    all = false;
    const std::string others = offered_profiles(capacity);
    if (others.empty()) continue;  // no node at all: its reason is looked for elsewhere
    advising.say("no node that the pod may use offers " + std::string(profile) +
                 "; offered: " + others);
  }
  return all;
}

// ------------------------------------------------------------------ a rollout that waits for
// itself

// A rolling update brings up a new replica before an old one goes.
bool surges(kube::Json deployment) {
  const kube::Json strategy = deployment["spec"]["strategy"];
  if (strategy["type"].string_or_empty() == "Recreate") return false;
  const kube::Json surge = strategy["rollingUpdate"]["maxSurge"];
  return surge.is_null() ||
         (surge.as_int() != 0 && surge.string_or_empty() != "0%" && surge.string_or_empty() != "0");
}

void advise_rollout(Advising& advising, const topology::Capacity& capacity) {
  const Facts& facts = advising.facts;
  if (advising.after.door != Door::kPod || facts.kind != "Deployment") return;
  if (!advising.cluster.knows(topology::Kind::kPods) || !advising.cluster.fresh()) return;
  const kube::Json deployment =
      advising.cluster.owner("Deployment", facts.namespace_name, facts.name);
  if (deployment.is_null() || !surges(deployment)) return;
  const auto siblings = advising.cluster.pods_of(facts.namespace_name, facts.kind, facts.name);
  const std::int64_t replicas = deployment["spec"]["replicas"].as_int().value_or(1);
  if (static_cast<std::int64_t>(siblings.size()) < replicas || siblings.empty()) return;
  if (capacity.usable().empty() || capacity.free() >= facts.gpus) return;
  advising.say(
      "no GPU is free and the old replica holds one: the update waits for itself; use "
      "Recreate or maxSurge 0");
}

// ------------------------------------------------------------------ an engine and its GPUs

// Engines that use no more GPUs than they are told.
bool is_told(std::string_view framework) {
  return framework == "vllm" || framework == "sglang" || framework == "tensorrt-llm";
}

// Only where its arguments can be read, which a model among them shows.
void advise_server(Advising& advising) {
  const Facts& facts = advising.facts;
  if (!is_told(facts.framework) || facts.server.model.empty() || facts.gpus == 0) return;
  const auto stated = [](std::int64_t value) { return std::max<std::int64_t>(1, value); };
  const std::int64_t tensor = stated(facts.server.tensor_parallel);
  const std::int64_t used = tensor * stated(facts.server.pipeline_parallel);
  const std::int64_t all = facts.total_gpus;
  const std::string engine(facts.framework);
  if (used > all && (facts.pods_known || tensor > facts.gpus)) {
    advising.say(engine + " is told to use " + std::to_string(used) + " GPUs, the workload has " +
                 std::to_string(all) + ": it will not start");
  } else if (facts.pods == 1 && facts.server.data_parallel == 0 && used < facts.gpus) {
    advising.say(engine + " is told to use " + std::to_string(used) + " of " +
                 std::to_string(facts.gpus) + " GPUs: set the tensor parallel size");
  }
}

// Nothing is said of the estimate as a whole: weights are the part that is certain.
void advise_weights(Advising& advising) {
  if (!advising.facts.model_memory || advising.facts.gpus == 0) return;
  std::int64_t largest = 0;  // MiB
  for (const topology::CardGroup& card : advising.cluster.index().cards()) {
    const topology::Node& node = *card.sample;
    if (node.vendor == advising.facts.vendor) largest = std::max(largest, node.memory_mib);
  }
  const std::int64_t weights = advising.facts.model_memory->weights_mib;
  if (largest == 0 || weights <= largest) return;
  advising.say("the model's weights need about " + std::to_string(weights / 1024) +
               " GiB a GPU, the largest has " + std::to_string(largest / 1024) +
               " GiB: use more GPUs or fewer bits");
}

// ------------------------------------------------------------------ whole cards

// True where some node has whole cards for it.
bool advise_whole(Advising& advising) {
  const topology::Capacity capacity(advising.cluster, demand_of(advising));
  advise_size(advising, capacity);
  advise_rollout(advising, capacity);
  return capacity.largest_node() > 0;
}

}  // namespace

std::vector<Message> advise(const Subject& after, const Facts& facts,
                            const topology::Snapshot& cluster) {
  std::vector<Message> messages;
  if (!facts.wants_gpu || facts.daemon || facts.bound || !facts.hands_off.empty()) return messages;
  base::Arena arena(512);
  Advising advising{after, facts, cluster, arena, messages};
  advise_server(advising);
  if (!cluster.knows(topology::Kind::kNodes)) return messages;
  advise_weights(advising);
  const std::size_t told = messages.size();
  const auto slices = slices_of(after.pod);
  const bool whole = facts.gpus > 0 &&
                     after.pod.effective_request(kube::whole_gpu_resource(facts.vendor)).sign() > 0;
  // Looking for the term that leaves no node costs more than seeing that there is one.
  bool some_node = whole || !slices.empty();
  if (!slices.empty()) some_node = advise_slices(advising, slices);
  if (whole) some_node = advise_whole(advising) && some_node;
  if (!some_node && messages.size() == told) advise_nodes(advising);
  return messages;
}

}  // namespace berth::rules
