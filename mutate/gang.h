// Gang: all pods of a workload or none. From the decision on each template of one object to a plan
// (which backend, by what means, what it holds), then to the keys that the backend reads, on the
// owner and on every template. One file a backend behind gang_backend.h. Pure; one request.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "mutate/apply.h"
#include "rules/decision.h"
#include "rules/facts.h"
#include "topology/snapshot.h"

namespace berth::mutate {

/// One template of the object; a Pod has one, itself.
struct GangMember {
  std::string pointer;        ///< "" or "/spec/template"
  std::string role;           ///< "worker"; empty where there is one template
  std::int64_t pods = 1;      ///< that are made of it
  bool asks_for_gpus = true;  ///< a launcher or head often does not
  std::string priority = {};  ///< class that it will have; empty: the cluster's default
  const rules::Setting* scheduler = nullptr;  ///< that a rule asks for
};

/// What is planned for.
struct GangView {
  rules::Door door = rules::Door::kPod;
  kube::Json object;
  std::string_view group;
  std::string_view kind;      ///< of the object
  const rules::Facts& facts;  ///< of the template that asks for most
  const topology::Snapshot& cluster;
  std::string_view prefix;
  std::span<const GangMember> members;
  const rules::Setting* gang = nullptr;  ///< the gang that a rule asks for; null: none
  std::string_view queue;                ///< that a rule asks for; empty: none

  bool at_owner() const { return door == rules::Door::kOwner; }
};

/// Who makes the group of which the scheduler reads the size.
enum class GangMeans : std::uint8_t {
  kNone,       ///< nothing is set up
  kKeys,       ///< keys on owner and templates are enough
  kOperator,   ///< the operator of the owner's kind, or a controller of Kubernetes
  kCompanion,  ///< berth's own controller
};
std::string_view to_text(GangMeans means);

struct GangPlan {
  rules::GangBackend backend = rules::GangBackend::kNone;
  GangMeans means = GangMeans::kNone;
  const rules::Rule* rule = nullptr;  ///< null where `completing`
  const rules::GangAnswer* answer = nullptr;
  std::string scheduler;     ///< of all members; empty: left as it is
  std::string queue;         ///< that is written without a rule that names it; empty: none
  std::string name;          ///< of the group, where members carry one and it is known yet
  std::string topology;      ///< the backend's own word for the level (object, layer, tier)
  bool holds_level = false;  ///< the backend keeps the group in its level: affinity need not
  bool ours = false;         ///< keys that are there already were written by an earlier call
  bool completing = false;   ///< a pod of a decided owner: only what its owner could not carry
  std::vector<Kept> kept;
  std::vector<rules::Message> warnings;

  bool active() const { return means != GangMeans::kNone; }
};

/// Chooses; what stands against it is a warning or a kept value of the plan.
GangPlan plan_gang(const GangView& view);

/// Writes the plan's keys; `object` is the object after all templates were written.
Outcome write_gang(const GangPlan& plan, const GangView& view, kube::Json object,
                   base::Arena& arena);

}  // namespace berth::mutate
