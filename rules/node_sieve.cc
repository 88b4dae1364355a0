#include "rules/node_sieve.h"

#include <algorithm>
#include <vector>

#include "kube/gpu_resource.h"
#include "kube/selector.h"

namespace berth::rules {
namespace {

using Nodes = std::vector<const topology::Node*>;

template <typename Predicate>
Nodes filtered(const Nodes& nodes, Predicate passes) {
  Nodes out;
  std::copy_if(nodes.begin(), nodes.end(), std::back_inserter(out),
               [&](const topology::Node* node) { return passes(*node); });
  return out;
}

// GPU resources that device plugins offer in a node's allocatable; claims are the scheduler's.
std::vector<std::string_view> plugin_resources(const kube::Pod& pod) {
  std::vector<std::string_view> out;
  for (const std::string_view name : pod.resource_names()) {
    const bool gpu = kube::classify_gpu_resource(name).form != kube::GpuForm::kNone;
    if (gpu && pod.effective_request(name).sign() > 0) out.push_back(name);
  }
  return out;
}

bool offers(const topology::Node& node, std::string_view resource) {
  const auto units = kube::Quantity::parse(node.allocatable[resource]);
  return units && units->sign() > 0;
}

// The first taint that neither list tolerates, or null.
kube::Json untolerated(const topology::Node& node, kube::Json tolerations, kube::Json tolerated) {
  for (const kube::Json& taint : node.taints.items()) {
    const std::string_view effect = taint["effect"].string_or_empty();
    if (effect != "NoSchedule" && effect != "NoExecute") continue;
    // Nodes that are cordoned or not ready come back.
    if (taint["key"].string_or_empty().starts_with("node.kubernetes.io/")) continue;
    const auto covers = [&](const kube::Json& toleration) {
      return kube::toleration_covers_taint(toleration, taint);
    };
    const auto own = tolerations.items();
    const auto more = tolerated.items();
    if (std::any_of(own.begin(), own.end(), covers)) continue;
    if (std::any_of(more.begin(), more.end(), covers)) continue;
    return taint;
  }
  return {};
}

std::string text_of_taint(kube::Json taint) {
  std::string out(taint["key"].string_or_empty());
  const std::string_view value = taint["value"].string_or_empty();
  if (!value.empty()) out += '=' + std::string(value);
  return out + ':' + std::string(taint["effect"].string_or_empty());
}

// Some node passes all terms, by the index: as a rule, and with no more than a few nodes read.
bool some_node_passes(kube::Json spec, kube::Json tolerated,
                      const std::vector<std::string_view>& resources,
                      const topology::Snapshot& cluster) {
  topology::NodeSet nodes = cluster.index().tolerated(spec["tolerations"], tolerated);
  nodes &= cluster.index().admitted(spec);
  const auto found = nodes.find([&](std::size_t i) {
    return std::all_of(resources.begin(), resources.end(), [&](std::string_view resource) {
      return offers(cluster.nodes()[i], resource);
    });
  });
  return found.has_value();
}

}  // namespace

std::optional<std::string> term_without_nodes(const kube::Pod& pod, kube::Json tolerated,
                                              const topology::Snapshot& cluster) {
  const auto resources = plugin_resources(pod);
  if (resources.empty()) return std::nullopt;
  if (some_node_passes(pod.spec(), tolerated, resources, cluster)) return std::nullopt;
  Nodes nodes;
  for (const topology::Node& node : cluster.nodes()) nodes.push_back(&node);
  std::string with;
  for (const std::string_view resource : resources) {
    nodes = filtered(nodes, [&](const topology::Node& node) { return offers(node, resource); });
    with += (with.empty() ? " with " : " and ") + std::string(resource);
    if (nodes.empty()) return "no node has" + with.substr(5);
  }

  const kube::Json spec = pod.spec();
  const kube::Json taint = untolerated(*nodes.front(), spec["tolerations"], tolerated);
  nodes = filtered(nodes, [&](const topology::Node& node) {
    return untolerated(node, spec["tolerations"], tolerated).is_null();
  });
  if (nodes.empty()) {
    return "every node" + with + " has a taint that the pod does not tolerate (" +
           text_of_taint(taint) + ')';
  }

  for (const kube::JsonMember& member : spec["nodeSelector"].members()) {
    nodes = filtered(nodes, [&](const topology::Node& node) {
      const kube::Json* label = node.labels.find(member.key);
      return label != nullptr && kube::equal(*label, member.value);
    });
    if (nodes.empty()) {
      return "no node" + with + " has " + std::string(member.key) + '=' +
             std::string(member.value.string_or_empty());
    }
  }
  nodes = filtered(nodes, [&](const topology::Node& node) {
    return kube::node_affinity_matches(spec, node.labels, node.name);
  });
  if (nodes.empty()) return "no node" + with + " meets the pod's required node affinity";
  return std::nullopt;
}

}  // namespace berth::rules
