#include "rules/rule.h"

#include "rules/cel/program.h"

namespace berth::rules {

std::string_view to_text(SlotKind kind) {
  switch (kind) {
    case SlotKind::kGpu:
      return "gpu";
    case SlotKind::kNodeSelector:
      return "placement.nodeSelector";
    case SlotKind::kProducts:
      return "placement.products";
    case SlotKind::kPreferProducts:
      return "placement.preferProducts";
    case SlotKind::kPlacement:
      return "placement";
    case SlotKind::kSpread:
      return "placement.spread";
    case SlotKind::kTolerate:
      return "tolerate";
    case SlotKind::kGang:
      return "gang";
    case SlotKind::kQueue:
      return "queue";
    case SlotKind::kScheduler:
      return "scheduler";
    case SlotKind::kPriorityClass:
      return "priorityClass";
    case SlotKind::kRuntimeClass:
      return "runtimeClass";
    case SlotKind::kEnv:
      return "env";
    case SlotKind::kShm:
      return "shm";
    case SlotKind::kVolume:
      return "volumes";
    case SlotKind::kLabel:
      return "labels";
    case SlotKind::kAnnotation:
      return "annotations";
    case SlotKind::kSet:
      return "set";
    case SlotKind::kPack:
      return "placement.pack";
  }
  return "";
}

std::string to_text(const Slot& slot) {
  std::string out(to_text(slot.kind));
  if (!slot.key.empty()) out += '.' + slot.key;
  return out;
}

std::string_view to_text(Share share) {
  switch (share) {
    case Share::kWhole:
      return "whole";
    case Share::kMig:
      return "mig";
    case Share::kMps:
      return "mps";
    case Share::kTimeslice:
      return "timeslice";
    case Share::kAuto:
      return "auto";
  }
  return "";
}

std::string_view to_text(OrElse or_else) {
  switch (or_else) {
    case OrElse::kKeep:
      return "keep";
    case OrElse::kWhole:
      return "whole";
    case OrElse::kMps:
      return "mps";
    case OrElse::kTimeslice:
      return "timeslice";
    case OrElse::kDeny:
      return "deny";
  }
  return "";
}

std::string_view to_text(GangBackend backend) {
  switch (backend) {
    case GangBackend::kAuto:
      return "auto";
    case GangBackend::kKueue:
      return "kueue";
    case GangBackend::kVolcano:
      return "volcano";
    case GangBackend::kKai:
      return "kai";
    case GangBackend::kCoscheduling:
      return "coscheduling";
    case GangBackend::kNative:
      return "native";
    case GangBackend::kYunikorn:
      return "yunikorn";
    case GangBackend::kKoordinator:
      return "koordinator";
    case GangBackend::kNone:
      return "none";
  }
  return "";
}

std::string_view to_text(GangMode mode) {
  switch (mode) {
    case GangMode::kHard:
      return "hard";
    case GangMode::kSoft:
      return "soft";
  }
  return "";
}

RuleSet::RuleSet() = default;
RuleSet::~RuleSet() = default;

}  // namespace berth::rules
