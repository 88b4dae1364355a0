// Services: which gang and queue systems a cluster has, as far as its objects and its discovery
// tell: custom resources, operators and how they were started, feature gates. In: objects as they
// come, and what the configuration states. Out: questions that a decision asks. A value; read-only
// once its snapshot is published.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "kube/json.h"

namespace berth::topology {

/// Systems that start the pods of a workload together.
enum class GangSystem : std::uint8_t {
  kKueue,
  kVolcano,
  kCoscheduling,
  kKai,
  kYunikorn,
  kKoordinator,
  kNative
};
inline constexpr std::size_t kGangSystems = 7;
/// "kueue", "volcano", ...
std::string_view to_text(GangSystem system);
std::optional<GangSystem> gang_system(std::string_view word);
std::span<const GangSystem, kGangSystems> all_gang_systems();

/// Operators that make the group object for their own kinds, once they are told to.
enum class GangOperator : std::uint8_t { kTraining, kMpi, kRay, kLws };
inline constexpr std::size_t kGangOperators = 4;
/// "training-operator", "mpi-operator", "kuberay", "lws".
std::string_view to_text(GangOperator one);
std::optional<GangOperator> gang_operator(std::string_view word);

enum class Presence : std::uint8_t { kUnknown, kPresent, kAbsent };

/// What the configuration states; it wins over what the objects tell.
struct StatedServices {
  std::optional<GangSystem> preferred;  ///< what `backend: auto` means
  bool no_gangs = false;                ///< `backend: auto` means none
  bool companion = false;               ///< our own controller makes the groups nobody else makes
  std::map<GangSystem, std::string> schedulers;  ///< schedulerName, where it is not the usual one
  std::map<GangOperator, GangSystem> operators;
  std::set<std::string, std::less<>> feature_gates;  ///< that are on
};

class Services {
 public:
  Services() = default;
  explicit Services(const StatedServices& stated);

  /// Takes what an object tells; objects of other kinds tell nothing. An APIGroupList counts, too.
  /// `group` and `kind` are the object's own.
  void observe(std::string_view group, std::string_view kind, kube::Json object);
  /// The picture is whole: what has not been seen is not there, where a kind was listed at all.
  void settle();

  Presence presence(GangSystem system) const { return presence_[static_cast<std::size_t>(system)]; }
  /// The list of custom resources or of API groups is part of the picture.
  bool knows_apis() const { return apis_known_; }
  /// "scheduling.k8s.io/v1beta1" is served.
  bool serves(std::string_view group_version) const {
    return served_.find(group_version) != served_.end();
  }
  /// What `backend: auto` means by configuration; nothing where it is left to us.
  std::optional<GangSystem> preferred() const { return stated_.preferred; }
  bool no_gangs() const { return stated_.no_gangs; }
  bool has_companion() const { return stated_.companion || companion_seen_; }
  bool has_feature(std::string_view gate) const {
    return stated_.feature_gates.find(gate) != stated_.feature_gates.end();
  }
  /// schedulerName that makes the system see a pod; empty where it sits above any scheduler.
  std::string_view scheduler(GangSystem system) const;
  /// The system of which the scheduler's name this is.
  std::optional<GangSystem> system_of_scheduler(std::string_view name) const;
  /// The system for which the operator makes groups; nothing where it makes none.
  std::optional<GangSystem> gangs_of(GangOperator one) const;

 private:
  void see(GangSystem system) { presence_[static_cast<std::size_t>(system)] = Presence::kPresent; }
  void see_group(std::string_view group, std::string_view version);
  void see_deployment(kube::Json deployment);

  StatedServices stated_;
  std::array<Presence, kGangSystems> presence_{};
  std::set<std::string, std::less<>> served_;
  std::map<GangOperator, GangSystem> operators_;
  bool apis_known_ = false;
  bool deployments_known_ = false;
  bool companion_seen_ = false;
};

}  // namespace berth::topology
