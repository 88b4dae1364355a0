// What all gang backends share: the interface of one backend, and edits that keep what the author
// wrote. Internal to mutate.
#pragma once

#include <string>
#include <string_view>

#include "kube/pod.h"
#include "mutate/editor.h"
#include "mutate/gang.h"

namespace berth::mutate {

/// Writes keys of one object. A value of the author stays and is reported.
struct GangWriting {
  const GangPlan& plan;
  const GangView& view;
  Editor& editor;
  Outcome& outcome;

  base::Arena& arena() { return editor.arena(); }
  const rules::GangAnswer& answer() const { return *plan.answer; }
  void label_owner(std::string_view key, std::string_view value);
  void annotate_owner(std::string_view key, std::string_view value);
  void label(const GangMember& member, std::string_view key, std::string_view value);
  void annotate(const GangMember& member, std::string_view key, std::string_view value);
  /// Sets a field anywhere in the object, unless the author has set it to something else.
  void set(std::string path, kube::Json value);
  kube::Pod pod(const GangMember& member) const;
  void warn(std::string text);

 private:
  void put(std::string path, std::string_view key, std::string_view value);
};

/// One backend.
struct GangBackendRow {
  rules::GangBackend backend;
  /// Fills means, scheduler, name, topology, holds_level. The text says why the backend cannot hold
  /// this workload here, what to change, and who can; empty where it can, or where there is nothing
  /// to say. Requires: plan.answer is set.
  std::string (*plan)(const GangView& view, GangPlan& plan);
  void (*write)(GangWriting& writing);
};

const GangBackendRow& kueue_gangs();
const GangBackendRow& volcano_gangs();
const GangBackendRow& coscheduling_gangs();
const GangBackendRow& kai_gangs();
const GangBackendRow& yunikorn_gangs();
const GangBackendRow& koordinator_gangs();
const GangBackendRow& native_gangs();

// ---------------------------------------------------------------- what several backends ask

/// API group and kind of the object are among the kinds of the training operator (PyTorchJob, ...).
bool is_training_kind(const GangView& view);
bool is_kind(const GangView& view, std::string_view group, std::string_view kind);
/// The operator of this kind, where it makes groups for `system`.
bool operator_makes_groups(const GangView& view, topology::GangSystem system);
/// The pods of the workload, as the user knows it: "PyTorchJob train".
std::string workload_name(const GangView& view);
/// Size known and two or more; else the reason ("..., say berth.dev/gang-size"), empty where the
/// workload simply is no group.
struct Countable {
  bool is_group = false;
  std::string reason;
};
Countable countable(const GangView& view, const GangPlan& plan);
/// Where a group object is needed that nobody here makes.
std::string nobody_makes(const GangView& view, std::string_view system, std::string_view who_could);
/// The group is made by our companion; fills means and name. Gives the reason where it cannot be.
std::string plan_companion(const GangView& view, GangPlan& plan, std::string_view system,
                           std::string_view who_could);
/// Where the metadata of the object that a backend reads is: of a CronJob, that of its Jobs.
std::string_view owner_pointer(std::string_view group, std::string_view kind);
/// Why the members cannot have one priority, or empty.
std::string priority_conflict(const GangView& view);
/// runPolicy of the training and MPI operators: {minAvailable, queue, priorityClass, ...}.
struct RunPolicy {
  std::string_view queue;
  bool priority_class = false;
  bool timeout = false;
};
void write_run_policy(GangWriting& writing, const RunPolicy& policy);
/// The name of the group from the pod at hand, or of the author for pods without owner.
std::string group_name(const GangView& view);

}  // namespace berth::mutate
