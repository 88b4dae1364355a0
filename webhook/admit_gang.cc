#include "webhook/admit_gang.h"

#include <algorithm>
#include <array>

#include "kube/pointer.h"
#include "kube/workload.h"
#include "mutate/decision_record.h"
#include "mutate/editor.h"

namespace berth::webhook {
namespace {

using kube::Json;
using rules::SlotKind;

const rules::Setting* setting_of(const rules::Decision& decision, SlotKind kind) {
  const auto found = std::find_if(
      decision.settings.begin(), decision.settings.end(),
      [&](const rules::Setting& setting) { return setting.assignment->slot.kind == kind; });
  return found == decision.settings.end() ? nullptr : &*found;
}

// Adds a setting of another template's decision where this one has none of its slot.
void share(const rules::Setting& setting, rules::Decision& decision) {
  const SlotKind kind = setting.assignment->slot.kind;
  if (setting_of(decision, kind) != nullptr) return;
  const auto after =
      std::find_if(decision.settings.begin(), decision.settings.end(),
                   [&](const rules::Setting& other) { return other.assignment->slot.kind > kind; });
  decision.settings.insert(after, setting);
  auto& applied = decision.applied;
  if (std::find(applied.begin(), applied.end(), setting.rule) == applied.end()) {
    applied.push_back(setting.rule);
  }
}

std::string_view text_of(const rules::Decision& decision, SlotKind kind) {
  const rules::Setting* setting = setting_of(decision, kind);
  return setting != nullptr ? setting->text : std::string_view{};
}

bool changed_below(const mutate::Changes& changes, const std::string& pointer) {
  return std::any_of(changes.begin(), changes.end(), [&](const mutate::Change& change) {
    return change.path.starts_with(pointer + "/");
  });
}

std::string record_path(const std::string& pointer, std::string_view prefix) {
  std::string path = pointer + "/metadata/annotations";
  kube::append_segment(path, std::string(prefix) + "/decision");
  return path;
}

// The user who asks is a controller: a service account of another namespace, or a part of the
// system. Outside of the server nobody asks.
bool asked_by_controller(const Review& review) {
  const std::string_view user = review.request["userInfo"]["username"].string_or_empty();
  if (user.empty()) return true;
  constexpr std::string_view kAccounts = "system:serviceaccount:";
  if (!user.starts_with(kAccounts)) return user.starts_with("system:");
  const std::string_view rest = user.substr(kAccounts.size());
  return rest.substr(0, rest.find(':')) != review.namespace_name;
}

// What the owner carries itself or in a template.
bool carries(Json owner, std::string_view record, std::string_view prefix) {
  if (mutate::record_text(owner, prefix) == record) return true;
  const std::string_view version = owner["apiVersion"].string_or_empty();
  const std::size_t slash = version.find('/');
  const std::string_view group =
      slash == std::string_view::npos ? std::string_view{} : version.substr(0, slash);
  for (const kube::TemplatePath& path :
       kube::templates_of(group, owner["kind"].string_or_empty(), owner)) {
    const Json* found = kube::find_at(owner, path.pointer);
    if (found != nullptr && mutate::record_text(*found, prefix) == record) return true;
  }
  return false;
}

}  // namespace

GangOfReview::GangOfReview(const Review& review, const World& world, std::vector<Part>& parts)
    : review_(review), world_(world), parts_(parts) {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const bool asks = setting_of(parts_[i].decision, SlotKind::kGang) != nullptr;
    const bool has = setting_of(parts_[main_].decision, SlotKind::kGang) != nullptr;
    const bool larger = parts_[i].facts.gpus > parts_[main_].facts.gpus;
    if (asks && (!has || larger)) main_ = i;
  }
  if (mutate::has_prebuilt_workload(review_.object)) return;
  find_members();
  if (!members_.empty()) plan_ = mutate::plan_gang(view(review_.object));
  if (plan_.active()) share_settings();
}

// The part's own setting, else that of the main part, which the members will share.
const rules::Setting* GangOfReview::own_or_shared(const Part& part, SlotKind kind) const {
  const rules::Setting* own = setting_of(part.decision, kind);
  return own != nullptr ? own : setting_of(parts_[main_].decision, kind);
}

std::string GangOfReview::priority_of(const Part& part) const {
  const std::string_view there = part.subject.pod.spec()["priorityClassName"].string_or_empty();
  const rules::Setting* setting = own_or_shared(part, SlotKind::kPriorityClass);
  const topology::PriorityClass* known = world_.cluster.priority_class(there);
  const bool of_author = !there.empty() && (known == nullptr || !known->global_default);
  if (setting == nullptr || setting->text.empty()) return std::string(there);
  const bool replaced = setting->rule->existing == rules::Existing::kReplace;
  return std::string(of_author && !replaced ? there : setting->text);
}

void GangOfReview::find_members() {
  for (const Part& part : parts_) {
    if (!part.facts.hands_off.empty()) continue;
    mutate::GangMember member;
    member.pointer = part.subject.pod_pointer;
    member.asks_for_gpus = part.facts.wants_gpu;
    member.priority = priority_of(part);
    member.scheduler = own_or_shared(part, SlotKind::kScheduler);
    bool comes_after = false;
    if (part.subject.door == rules::Door::kOwner) {
      for (const kube::TemplatePath& path :
           kube::templates_of(review_.group, review_.kind, review_.object)) {
        if (path.pointer != member.pointer) continue;
        member.role = path.role;
        member.pods = kube::pods_of_template(path, review_.object);
        comes_after = path.comes_after;
      }
    }
    if (!comes_after) members_.push_back(std::move(member));
  }
}

mutate::GangView GangOfReview::view(Json object) const {
  const Part& main = parts_[main_];
  const std::string_view queue = text_of(main.decision, SlotKind::kQueue);
  return {main.subject.door,
          object,
          review_.group,
          review_.kind,
          main.facts,
          world_.cluster,
          world_.limits.label_prefix,
          members_,
          setting_of(main.decision, SlotKind::kGang),
          queue};
}

bool GangOfReview::is_member(const Part& part) const {
  return std::any_of(members_.begin(), members_.end(), [&](const mutate::GangMember& member) {
    return member.pointer == part.subject.pod_pointer;
  });
}

// A launcher or head that asks for no GPUs is a member like any other: the same queue, scheduler
// and priority, or the group would never be complete.
void GangOfReview::share_settings() {
  constexpr std::array kShared = {SlotKind::kGang, SlotKind::kQueue, SlotKind::kScheduler,
                                  SlotKind::kPriorityClass};
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (i == main_ || !is_member(parts_[i])) continue;
    for (const SlotKind kind : kShared) {
      const rules::Setting* setting = setting_of(parts_[main_].decision, kind);
      if (setting != nullptr) share(*setting, parts_[i].decision);
    }
  }
}

mutate::Outcome GangOfReview::write(Json object, base::Arena& arena) {
  return mutate::write_gang(plan_, view(object), object, arena);
}

mutate::Outcome GangOfReview::record(Json object, const mutate::Changes& changes,
                                     base::Arena& arena) {
  mutate::Outcome outcome;
  outcome.object = object;
  const std::string& prefix = world_.limits.label_prefix;
  const bool at_owner = parts_[main_].subject.door == rules::Door::kOwner;
  mutate::Editor editor(object, "", arena);
  const mutate::DecisionRecord own =
      mutate::record_of(plan_, view(object), world_.rules.generation);
  const auto settle = [&](const std::string& pointer, bool wanted, std::string_view text) {
    const Json whole = editor.object();
    const Json* there = kube::find_at(whole, pointer);
    if (there == nullptr) return;
    const std::string_view found = mutate::record_text(*there, prefix);
    const std::string path = record_path(pointer, prefix);
    // A record of this generation is of an earlier call for the same object.
    const auto known = mutate::read_record(*there, prefix);
    const bool recent = known && known->rules == own.rules;
    if (wanted) {
      editor.set(path, kube::make_string(arena, text));
    } else if (!found.empty() && !recent) {
      editor.remove(path);
      outcome.warnings.push_back({nullptr, prefix + "/decision is berth's own record: removed"});
    }
  };
  const std::string text = to_text(own);
  // A pod on its own carries a record only where it is a member of a group.
  const bool was_decided = std::any_of(parts_.begin(), parts_.end(), [](const Part& part) {
    return !part.decision.applied.empty();
  });
  const bool any =
      was_decided && (at_owner ? !changes.empty() || !mutate::record_text(object, prefix).empty()
                               : plan_.active());
  const bool frozen = mutate::has_prebuilt_workload(object);
  for (const Part& part : parts_) {
    const std::string& pointer = part.subject.pod_pointer;
    if (frozen && at_owner) continue;
    const Json* there = kube::find_at(object, pointer);
    const bool has = there != nullptr && !mutate::record_text(*there, prefix).empty();
    settle(pointer, any && (!at_owner || has || changed_below(changes, pointer)), text);
  }
  if (at_owner) settle("", any, text);
  outcome.object = editor.object();
  outcome.changes = editor.take_changes();
  return outcome;
}

bool is_decided_with_owner(const Review& review, const World& world) {
  const std::string& prefix = world.limits.label_prefix;
  const std::string_view record = mutate::record_text(review.object, prefix);
  const auto controller = kube::Pod(review.object).controller();
  if (record.empty() || !controller || !mutate::read_record(review.object, prefix)) return false;
  if (!asked_by_controller(review)) return false;
  const Json owner = world.cluster.owner(controller->kind, review.namespace_name, controller->name);
  return owner.is_null() || carries(owner, record, prefix);
}

mutate::Outcome complete_gang(const Review& review, const World& world, Json object,
                              const rules::Facts& facts, base::Arena& arena) {
  mutate::Outcome outcome;
  outcome.object = object;
  const std::string& prefix = world.limits.label_prefix;
  const auto record = mutate::read_record(object, prefix);
  mutate::RecordedGang recorded;
  if (!record || !mutate::plan_from(*record, kube::Pod(object), prefix, recorded)) return outcome;
  const std::array<mutate::GangMember, 1> members = {
      mutate::GangMember{"", {}, 1, facts.wants_gpu}};
  const mutate::GangView view{rules::Door::kPod, object, review.group, review.kind,       facts,
                              world.cluster,     prefix, members,      &recorded.setting, {}};
  outcome = mutate::write_gang(recorded.plan, view, object, arena);
  // The rule stands for those of then; it does not outlive this function.
  for (mutate::Change& change : outcome.changes) change.rule = nullptr;
  outcome.kept.clear();
  return outcome;
}

}  // namespace berth::webhook
