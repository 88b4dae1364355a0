#include "topology/model.h"

#include <algorithm>
#include <utility>

#include "base/arena.h"

namespace berth::topology {
namespace {

// Nothing that the index of nodes knows differs.
bool is_indexed_alike(const Node& a, const Node& b) {
  return a.schedulable == b.schedulable && a.healthy == b.healthy && a.vendor == b.vendor &&
         a.product_label == b.product_label && a.product_key == b.product_key &&
         a.product == b.product && a.memory_mib == b.memory_mib && a.sharing == b.sharing &&
         kube::equal(a.labels, b.labels) && kube::equal(a.taints, b.taints);
}

}  // namespace

// Taints that many nodes have, with what their memory was.
struct Model::TaintList {
  base::Arena arena{256};
  kube::Json list;
};

Model::Model(std::vector<Level> levels) {
  draft_.levels_ = std::move(levels);
  rebuild_ = true;
}

// ------------------------------------------------------------------ nodes

Model::NodeEntry& Model::entry_of(std::string_view name) {
  return nodes_.try_emplace(std::string(name)).first->second;
}

void Model::mark(NodeEntry& entry) {
  if (entry.changed || entry.record == nullptr) return;
  entry.changed = true;
  changed_.push_back(&entry);
}

// Most nodes have one of a few taint lists; equal ones share one value, so that whoever judges them
// can do so once.
void Model::share_taints(NodeRecord& record) {
  struct Memory {
    std::shared_ptr<const void> node;
    std::shared_ptr<const TaintList> taints;
  };
  kube::Json& taints = record.reading.node.taints;
  const std::string text = kube::to_json(taints);
  auto& slot = taints_[text];
  std::shared_ptr<const TaintList> shared = slot.lock();
  if (shared == nullptr) {
    auto made = std::make_shared<TaintList>();
    made->list = kube::deep_copy(made->arena, taints);
    shared = std::move(made);
    slot = shared;
    // Lists with times in them come and go.
    if (taints_.size() > 2 * nodes_.size() + 64)
      std::erase_if(taints_, [](const auto& item) { return item.second.expired(); });
  }
  taints = shared->list;
  record.memory =
      std::make_shared<const Memory>(Memory{std::move(record.memory), std::move(shared)});
}

bool Model::set_node(NodeRecord record) {
  share_taints(record);
  NodeEntry& entry = entry_of(record.reading.node.name);
  const bool stood = entry.record != nullptr;
  if (!stood || entry.record->reading.levels != record.reading.levels) rebuild_ = true;
  if (stood && !is_indexed_alike(entry.record->reading.node, record.reading.node)) reindex_ = true;
  entry.record = std::make_unique<NodeRecord>(std::move(record));
  mark(entry);
  return stood;
}

bool Model::remove_node(std::string_view name) {
  const auto at = nodes_.find(std::string(name));
  if (at == nodes_.end() || at->second.record == nullptr) return false;
  at->second.record.reset();
  at->second.changed = false;
  rebuild_ = true;
  return true;
}

// ------------------------------------------------------------------ pods and claims

void Model::attach(Claim& claim, std::string_view node) {
  if (node.empty()) return;
  NodeEntry& entry = entry_of(node);
  claim.node = &entry;
  entry.claims.push_back(&claim);
  mark(entry);
}

void Model::detach(Claim& claim) {
  if (claim.node == nullptr) return;
  NodeEntry& entry = *std::exchange(claim.node, nullptr);
  const auto at = std::find(entry.claims.begin(), entry.claims.end(), &claim);
  *at = entry.claims.back();
  entry.claims.pop_back();
  mark(entry);
}

void Model::list_pod(const std::shared_ptr<const KnownPod>& pod) {
  PodsOfOwner& list =
      draft_.pods_.edit(object_key(pod->owner_kind, pod->namespace_name, pod->owner_name));
  const auto at =
      std::lower_bound(list.begin(), list.end(), pod->name,
                       [](const auto& have, const std::string& name) { return have->name < name; });
  list.insert(at, pod);
}

void Model::unlist_pod(const KnownPod& pod) {
  const std::string key = object_key(pod.owner_kind, pod.namespace_name, pod.owner_name);
  PodsOfOwner& list = draft_.pods_.edit(key);
  std::erase_if(list, [&pod](const auto& have) { return have.get() == &pod; });
  if (list.empty()) draft_.pods_.erase(key);
}

bool Model::set_pod(PodRecord record) {
  const auto [at, is_new] =
      pods_.try_emplace(key_of(record.known.namespace_name, record.known.name));
  PodEntry& entry = at->second;
  const std::string& node =
      record.known.node_name.empty() ? record.nominated : record.known.node_name;
  // Most events of a pod change nothing that is kept.
  const bool same = entry.known != nullptr && !record.ended && *entry.known == record.known &&
                    entry.nominated == record.nominated && entry.claim.uses == record.uses;
  if (same) return !is_new;
  const bool gets_node = entry.known != nullptr && entry.known->node_name.empty() &&
                         !record.ended && !record.known.node_name.empty();
  if (gets_node && record.hint == Hint::kFollowed) ++hints_.followed;
  if (gets_node && record.hint == Hint::kMissed) ++hints_.missed;
  detach(entry.claim);
  if (entry.known != nullptr) unlist_pod(*entry.known);
  entry.known.reset();
  if (record.ended) return !is_new;
  if (is_new) mix_.saw(std::move(record.shape));
  entry.claim.uses = std::move(record.uses);
  entry.claim.pods = 1;
  attach(entry.claim, node);
  entry.nominated = std::move(record.nominated);
  entry.known = std::make_shared<const KnownPod>(std::move(record.known));
  list_pod(entry.known);
  return !is_new;
}

bool Model::remove_pod(std::string_view namespace_name, std::string_view name) {
  const auto at = pods_.find(key_of(namespace_name, name));
  if (at == pods_.end()) return false;
  PodEntry& entry = at->second;
  detach(entry.claim);
  if (entry.known != nullptr) unlist_pod(*entry.known);
  pods_.erase(at);
  return true;
}

bool Model::set_claim(std::string_view name, std::string_view node, std::vector<ResourceUse> uses,
                      std::int64_t pods) {
  const auto [at, is_new] = claims_.try_emplace(std::string(name));
  detach(at->second);
  at->second.uses = std::move(uses);
  at->second.pods = pods;
  attach(at->second, node);
  return !is_new;
}

bool Model::remove_claim(std::string_view name) {
  const auto at = claims_.find(std::string(name));
  if (at == claims_.end()) return false;
  detach(at->second);
  claims_.erase(at);
  return true;
}

void Model::book(std::string_view owner, std::string_view node,
                 const std::vector<ResourceUse>& uses, std::int64_t pods) {
  std::vector<BookedRoom>& rooms = draft_.booked_.edit(owner);
  auto at = std::find_if(rooms.begin(), rooms.end(),
                         [&](const BookedRoom& room) { return room.node == node; });
  if (at == rooms.end()) at = rooms.insert(at, {std::string(node), 0, 0});
  at->pods += pods;
  for (const ResourceUse& use : uses) {
    if (counts_as(use.resource).form == kube::GpuForm::kWhole) at->gpus += pods * use.units;
  }
  if (at->pods <= 0) rooms.erase(at);
  if (rooms.empty()) draft_.booked_.erase(owner);
}

// ------------------------------------------------------------------ other objects

bool Model::set_namespace(std::string_view name, Kept object) {
  Kept& slot = draft_.namespaces_.edit(name);
  return std::exchange(slot, std::move(object)).memory != nullptr;
}

bool Model::remove_namespace(std::string_view name) {
  return draft_.namespaces_.erase(name);
}

bool Model::set_priority_class(std::string_view name, PriorityClass made) {
  const bool stood = draft_.priority_classes_.find(name) != nullptr;
  draft_.priority_classes_.edit(name) = std::move(made);
  return stood;
}

bool Model::remove_priority_class(std::string_view name) {
  return draft_.priority_classes_.erase(name);
}

bool Model::set_runtime_class(std::string_view name, Kept object) {
  Kept& slot = draft_.runtime_classes_.edit(name);
  return std::exchange(slot, std::move(object)).memory != nullptr;
}

bool Model::remove_runtime_class(std::string_view name) {
  return draft_.runtime_classes_.erase(name);
}

bool Model::set_quota(std::string_view namespace_name, std::string_view name, Kept object) {
  Snapshot::Quotas& quotas = draft_.quotas_.edit(namespace_name);
  for (std::size_t i = 0; i < quotas.objects.size(); ++i) {
    if (quotas.objects[i]["metadata"]["name"].string_or_empty() != name) continue;
    quotas.objects[i] = object.json;
    quotas.memory[i] = std::move(object.memory);
    return true;
  }
  quotas.objects.push_back(object.json);
  quotas.memory.push_back(std::move(object.memory));
  return false;
}

bool Model::remove_quota(std::string_view namespace_name, std::string_view name) {
  if (draft_.quotas_.find(namespace_name) == nullptr) return false;
  Snapshot::Quotas& quotas = draft_.quotas_.edit(namespace_name);
  for (std::size_t i = 0; i < quotas.objects.size(); ++i) {
    if (quotas.objects[i]["metadata"]["name"].string_or_empty() != name) continue;
    const auto at = static_cast<std::ptrdiff_t>(i);
    quotas.objects.erase(quotas.objects.begin() + at);
    quotas.memory.erase(quotas.memory.begin() + at);
    if (quotas.objects.empty()) draft_.quotas_.erase(namespace_name);
    return true;
  }
  return false;
}

namespace {

std::string full_kind(std::string_view group, std::string_view kind) {
  std::string out(kind);
  out.append(".").append(group);
  return out;
}

bool is_of_group(kube::Json object, std::string_view group) {
  const std::string_view version = object["apiVersion"].string_or_empty();
  const std::size_t slash = version.find('/');
  return (slash == std::string_view::npos ? std::string_view{} : version.substr(0, slash)) == group;
}

}  // namespace

bool Model::set_object(std::string_view group, std::string_view kind,
                       std::string_view namespace_name, std::string_view name, Kept object) {
  Kept& plain = draft_.objects_.edit(object_key(kind, namespace_name, name));
  if (plain.memory == nullptr || is_of_group(plain.json, group)) plain = object;
  Kept& full = draft_.objects_.edit(object_key(full_kind(group, kind), namespace_name, name));
  const bool stood = std::exchange(full, std::move(object)).memory != nullptr;
  if (kind == "LocalQueue" && !stood) {
    std::vector<std::string>& names = draft_.local_queues_.edit(namespace_name);
    names.insert(std::lower_bound(names.begin(), names.end(), name), std::string(name));
  }
  return stood;
}

bool Model::remove_object(std::string_view group, std::string_view kind,
                          std::string_view namespace_name, std::string_view name) {
  if (!draft_.objects_.erase(object_key(full_kind(group, kind), namespace_name, name)))
    return false;
  const std::string plain = object_key(kind, namespace_name, name);
  const Kept* known = draft_.objects_.find(plain);
  if (known != nullptr && is_of_group(known->json, group)) draft_.objects_.erase(plain);
  if (kind == "LocalQueue") {
    std::vector<std::string>& names = draft_.local_queues_.edit(namespace_name);
    std::erase(names, name);
    if (names.empty()) draft_.local_queues_.erase(namespace_name);
  }
  return true;
}

// ------------------------------------------------------------------ build

// The node with what is used of it now, in the memory that its Json lies in.
std::shared_ptr<Node> Model::with_claims(const NodeEntry& entry) {
  struct Held {
    Node node;
    std::shared_ptr<const void> memory;
  };
  auto held = std::make_shared<Held>(Held{entry.record->reading.node, entry.record->memory});
  Node& node = held->node;
  for (const Claim* claim : entry.claims) {
    node.pods_used += claim->pods;
    for (const ResourceUse& use : claim->uses) count_use(node, use.resource, use.units);
  }
  return {std::move(held), &node};
}

void Model::build_all() {
  std::erase_if(nodes_, [](const auto& item) {
    return item.second.record == nullptr && item.second.claims.empty();
  });
  std::vector<std::pair<std::string_view, NodeEntry*>> order;
  order.reserve(nodes_.size());
  for (auto& [name, entry] : nodes_) {
    if (entry.record != nullptr) order.emplace_back(name, &entry);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::shared_ptr<const Node>> list;
  std::vector<Node*> nodes;
  std::vector<const std::vector<std::vector<LevelValue>>*> values;
  for (const auto& [name, entry] : order) {
    entry->index = list.size();
    entry->changed = false;
    std::shared_ptr<Node> node = with_claims(*entry);
    nodes.push_back(node.get());
    list.push_back(std::move(node));
    values.push_back(&entry->record->reading.levels);
  }
  draft_.domains_ = std::make_shared<const std::vector<std::vector<Domain>>>(
      make_domains(draft_.levels_, nodes, values));
  draft_.nodes_ = std::make_shared<const NodeList>(std::move(list));
}

void Model::build_changed() {
  auto list = std::make_shared<NodeList>(*draft_.nodes_);
  for (NodeEntry* entry : changed_) {
    entry->changed = false;
    std::shared_ptr<Node> node = with_claims(*entry);
    node->domain = (*list)[entry->index].domain;
    if (!reindex_) {
      ledger_.replace(entry->index, (*list)[entry->index], *node);
      packing_.replace(entry->index, *node);
    }
    list->replace(entry->index, std::move(node));
  }
  draft_.nodes_ = std::move(list);
}

std::shared_ptr<const Snapshot> Model::build(const Stamp& stamp) {
  if (rebuild_) {
    build_all();
  } else if (!changed_.empty()) {
    build_changed();
  }
  if (rebuild_ || reindex_) {
    auto indexed = std::make_shared<Snapshot::IndexedNodes>();
    indexed->nodes = draft_.nodes_;
    indexed->index = NodeIndex(*indexed->nodes);
    ledger_.count(indexed->index, *draft_.nodes_, *draft_.domains_);
    packing_.count(indexed->index, *draft_.nodes_);
    draft_.index_ = std::move(indexed);
  }
  if (rebuild_ || !changed_.empty()) draft_.rooms_ = ledger_.rooms();
  if (auto usual = mix_.take()) packing_.learn(draft_.index_->index, std::move(*usual));
  draft_.packing_ = packing_.packing();
  rebuild_ = false;
  reindex_ = false;
  changed_.clear();
  auto out = std::make_shared<Snapshot>();
  out->known_ = draft_.known_;
  out->stale_ = stamp.stale;
  out->generation_ = stamp.generation;
  out->services_ = draft_.services_;
  out->levels_ = draft_.levels_;
  out->nodes_ = draft_.nodes_;
  out->index_ = draft_.index_;
  out->rooms_ = draft_.rooms_;
  out->packing_ = draft_.packing_;
  out->domains_ = draft_.domains_;
  out->namespaces_ = draft_.namespaces_.share();
  out->priority_classes_ = draft_.priority_classes_.share();
  out->runtime_classes_ = draft_.runtime_classes_.share();
  out->quotas_ = draft_.quotas_.share();
  out->local_queues_ = draft_.local_queues_.share();
  out->objects_ = draft_.objects_.share();
  out->pods_ = draft_.pods_.share();
  out->booked_ = draft_.booked_.share();
  return out;
}

}  // namespace berth::topology
