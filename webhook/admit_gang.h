// admit_gang: what concerns all templates of one object together: the gang that a rule asks for,
// the settings that its members must share, and the record of the decision. Pure; part of
// webhook/admit.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "mutate/gang.h"
#include "webhook/admit.h"
#include "webhook/review.h"

namespace berth::webhook {

/// The gang of one review: planned after all templates are decided, written after all are written.
class GangOfReview {
 public:
  /// Plans, and gives members that a rule did not reach what all members must share. `parts` must
  /// stay where it is.
  GangOfReview(const Review& review, const World& world, std::vector<Part>& parts);

  const mutate::GangPlan& plan() const { return plan_; }
  /// The keys on `object`, which all parts have been written to.
  mutate::Outcome write(kube::Json object, base::Arena& arena);
  /// The record on owner and templates, or none where nothing was changed and none belongs there.
  mutate::Outcome record(kube::Json object, const mutate::Changes& changes, base::Arena& arena);

 private:
  mutate::GangView view(kube::Json object) const;
  void find_members();
  const rules::Setting* own_or_shared(const Part& part, rules::SlotKind kind) const;
  std::string priority_of(const Part& part) const;
  bool is_member(const Part& part) const;
  void share_settings();

  const Review& review_;
  const World& world_;
  std::vector<Part>& parts_;
  std::size_t main_ = 0;  ///< the part whose gang counts
  std::vector<mutate::GangMember> members_;
  mutate::GangPlan plan_;
};

/// True where the pod carries a record of its owner's decision that can be believed: made by a
/// controller, and not contradicted by the owner as far as it is known.
bool is_decided_with_owner(const Review& review, const World& world);

/// Completes such a pod: what its owner could not carry, since it was not known yet.
mutate::Outcome complete_gang(const Review& review, const World& world, kube::Json object,
                              const rules::Facts& facts, base::Arena& arena);

}  // namespace berth::webhook
