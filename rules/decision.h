// Decision: what should hold for one workload, slot by slot, and why. Made by rules/engine, read by
// mutate. Words that depend on the topology ("narrowest", "mig") are already turned into definite
// values. A value; views and pointers go into the rule set, the snapshot, or the request's arena.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kube/json.h"
#include "rules/rule.h"

namespace berth::rules {

/// Nodes whose label has one of the values.
struct LabelValues {
  std::string_view label;
  std::vector<std::string_view> values;
  int weight = 0;  ///< of a preference, 1-100; 0 in requirements
};

/// Answer to `placement: {require|prefer|narrowest}`.
struct LevelAnswer {
  std::string_view level;  ///< the level that became definite
  std::string_view label;  ///< its node label on this cluster; empty where no node has one
  bool required = false;
  std::vector<LabelValues>
      require;  ///< ANDed into every term: leaves only domains that could ever hold it
  std::vector<LabelValues> prefer;  ///< by falling weight
  bool possible = true;  ///< some domain could hold the workload if it were empty
  bool together =
      false;  ///< pods of the workload are drawn to each other on `label` (more than one pod)
};

/// Answer to `products`, `preferProducts`: the label values of this cluster that the names stand
/// for.
struct ProductAnswer {
  std::vector<LabelValues> choices;
};

/// Answer to `gpu`.
struct GpuAnswer {
  Share share = Share::kWhole;
  bool keep = false;     ///< leave the request as it is (a warning says why)
  std::string resource;  ///< the resource name to ask for: "nvidia.com/mig-1g.10gb"
  std::string profile;
  std::vector<LabelValues> require;  ///< e.g. nodes that share nothing
  std::vector<LabelValues> refuse;   ///< NotIn: nodes on which the name means something else
};

/// Pods of a gang that belong closer together than the whole: each run of `pods` in one domain.
struct GangSlice {
  std::string_view level;
  std::string_view label;
  std::int64_t pods = 0;
};

/// Answer to `gang`.
struct GangAnswer {
  GangBackend backend = GangBackend::kNone;  ///< definite; none: nothing is set up
  std::int64_t size = 0;                     ///< of the whole group; 0: not known
  std::int64_t min_member = 0;               ///< of them must be able to start; 0: not known
  GangMode mode = GangMode::kHard;
  std::int64_t timeout_seconds = 0;  ///< 0: not stated
  std::string_view level;            ///< that the group is kept in; empty: no request
  std::string_view label;            ///< its node label
  bool required = false;
  std::vector<GangSlice> slices;  ///< from wide to narrow
};

using Answer = std::variant<std::monostate, LevelAnswer, ProductAnswer, GpuAnswer, GangAnswer>;

/// One slot won by one rule.
struct Setting {
  const Assignment* assignment = nullptr;
  const Rule* rule = nullptr;
  std::string_view text;  ///< the evaluated template of a Text, Gang size, Scalar or memory
  kube::Json json;        ///< of a Scalar: the value with its type
  Answer answer;
};

/// A text for the user with its rule.
struct Message {
  const Rule* rule = nullptr;  ///< null: a finding of berth itself
  std::string text;            ///< one line, not yet cut
};

/// A rule that does not apply and the first condition that failed ("match.gpus: wants >=2, has 1").
struct NotApplied {
  const Rule* rule = nullptr;
  std::string reason;
};

/// Who lost a slot to whom.
struct Overruled {
  const Rule* rule = nullptr;
  const Rule* by = nullptr;
  const Assignment* assignment = nullptr;
};

struct Decision {
  std::vector<const Rule*> applied;  ///< in order of files
  std::vector<const Rule*> audited;  ///< held, in audit mode
  std::vector<Setting> settings;     ///< in order of slots
  std::vector<Message> warnings;
  std::vector<Message> denials;         ///< not empty: refused
  std::vector<Message> failed;          ///< rules that failed to evaluate, and why
  std::vector<NotApplied> not_applied;  ///< filled only when asked for
  std::vector<Overruled> overruled;

  bool denied() const { return !denials.empty(); }
};

/// The settings as JSON by slot, as `explain` prints under "decision" and rule tests compare with:
/// {"runtimeClass": "nvidia", "placement": {"require": "rack"}, "env": {...}}.
kube::Json to_json(const Decision& decision, base::Arena& arena);

}  // namespace berth::rules
