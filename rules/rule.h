// Rules as the loader makes them and the engine reads them: plain data, immutable once published.
// The language is described in docs/rules.md; the table of keys is rules/schema.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/arena.h"
#include "base/source_text.h"
#include "kube/json.h"
#include "rules/precedence_band.h"

namespace berth::rules {

namespace cel {
class Program;
}
class RuleIndex;

/// One CEL expression of a rule file. `program` is an index into RuleSet::programs.
struct Expression {
  std::string text;
  base::Place place;
  int program = -1;
};

/// Text with `${expression}` parts. A template of one literal piece is constant.
struct Template {
  struct Piece {
    std::string literal;  ///< when program < 0
    int program = -1;     ///< index into RuleSet::programs
  };
  std::string text;  ///< as written
  base::Place place;
  std::vector<Piece> pieces;

  bool is_constant() const {
    return pieces.empty() || (pieces.size() == 1 && pieces[0].program < 0);
  }
  bool is_absent() const { return pieces.empty(); }
};

// ------------------------------------------------------------------ what a rule looks at

/// Inclusive interval of whole GPUs a pod.
struct GpuRange {
  std::int64_t low = 0;
  std::int64_t high = INT64_MAX;
  bool operator==(const GpuRange&) const = default;
};

/// label -> allowed values; "*" among them means "present".
using LabelMatch = std::map<std::string, std::vector<std::string>, std::less<>>;

/// All given keys must hold; an empty list means that the key is not given.
struct Match {
  std::vector<std::string> intents;     ///< "*" any non-empty
  std::vector<std::string> namespaces;  ///< with '*' as wildcard
  LabelMatch namespace_labels;
  LabelMatch labels;
  kube::Json label_selector;  ///< metav1.LabelSelector, or null
  std::vector<std::string> kinds;
  std::vector<std::string> frameworks;
  std::vector<std::string> vendors;
  std::optional<GpuRange> gpus;         ///< absent: any pod that asks for GPU capacity in any form
  std::vector<std::string> operations;  ///< absent: CREATE
  base::Place place;
};

// ------------------------------------------------------------------ what a rule sets

/// The fields of a workload that exactly one rule may win. Order is the order of writing.
enum class SlotKind : std::uint8_t {
  kGpu,
  kNodeSelector,
  kProducts,
  kPreferProducts,
  kPlacement,
  kSpread,
  kTolerate,
  kGang,
  kQueue,
  kScheduler,
  kPriorityClass,
  kRuntimeClass,
  kEnv,
  kShm,
  kVolume,
  kLabel,
  kAnnotation,
  kSet,
  kPack
};
/// "gpu", "placement.nodeSelector", "placement.products", "placement", "env", "priorityClass", ...
std::string_view to_text(SlotKind kind);

struct Slot {
  SlotKind kind = SlotKind::kGpu;
  std::string key;  ///< env name, label key, "key:effect" of a toleration, path of a set; empty
                    ///< where there is one only

  bool operator==(const Slot&) const = default;
  auto operator<=>(const Slot&) const = default;
};
/// "priorityClass", "env.NCCL_DEBUG", "placement.nodeSelector.zone".
std::string to_text(const Slot& slot);

/// `placement: {require|prefer|narrowest}`; exactly one list is filled.
struct LevelPlacement {
  std::string require;
  std::vector<std::string> prefer;
  std::vector<std::string> narrowest;
  bool operator==(const LevelPlacement&) const = default;
};

struct Spread {
  std::string level;
  bool operator==(const Spread&) const = default;
};

/// `placement: {pack}`.
struct Pack {
  bool on = false;
  bool operator==(const Pack&) const = default;
};

/// `products` (required) or `preferProducts`, by slot kind.
struct Products {
  std::vector<std::string> names;
  bool operator==(const Products&) const = default;
};

/// kAuto: a part of a card that holds what the workload needs, where one is offered, else whole.
enum class Share : std::uint8_t { kWhole, kMig, kMps, kTimeslice, kAuto };
std::string_view to_text(Share share);
enum class OrElse : std::uint8_t { kKeep, kWhole, kMps, kTimeslice, kDeny };
std::string_view to_text(OrElse or_else);

struct GpuShare {
  Share share = Share::kWhole;
  Template memory;      ///< a quantity; absent where `profile` is given or nothing is asked
  std::string profile;  ///< "1g.10gb", or empty
  OrElse or_else = OrElse::kKeep;
};

enum class GangBackend : std::uint8_t {
  kAuto,
  kKueue,
  kVolcano,
  kKai,
  kCoscheduling,
  kNative,
  kYunikorn,
  kKoordinator,
  kNone
};
std::string_view to_text(GangBackend backend);

/// When not all of the group can be had: wait for all, or go on as single pods where the backend
/// can.
enum class GangMode : std::uint8_t { kHard, kSoft };
std::string_view to_text(GangMode mode);

/// GPUs that work as one: tensor, pipeline and data parallel. 1 where not stated.
struct Parallelism {
  std::int64_t tp = 1;
  std::int64_t pp = 1;
  std::int64_t dp = 1;
  bool operator==(const Parallelism&) const = default;
};

struct Gang {
  GangBackend backend = GangBackend::kAuto;
  Template size;                ///< absent: workload.pods
  std::int64_t min_member = 0;  ///< how many must start together; 0: all
  GangMode mode = GangMode::kHard;
  std::string timeout;                     ///< Go duration ("10m"), or empty
  LevelPlacement level;                    ///< the group's own request; empty: that of `placement`
  std::optional<Parallelism> parallelism;  ///< absent: the intent annotation
};

struct Toleration {
  std::string key;
  std::string op = "Exists";  ///< Exists or Equal
  std::string value;
  std::string effect;  ///< empty: all
  std::optional<std::int64_t> seconds;
  bool operator==(const Toleration&) const = default;
};

/// queue, scheduler, priorityClass, runtimeClass, shm, env, labels, annotations, nodeSelector
/// values.
struct Text {
  Template value;
};

/// A volume with its mount, as the author wrote it: {name, mountPath, <source>, readOnly, subPath}.
struct Volume {
  kube::Json json;  ///< owned by the rule set
};

/// `set:` a scalar at a dotted path.
struct Scalar {
  std::string pointer;  ///< "/spec/terminationGracePeriodSeconds"
  kube::Json constant;  ///< number, bool or string, owned by the rule set
  Template value;       ///< instead of `constant` where the author wrote ${...}
};

using ActionValue = std::variant<LevelPlacement, Spread, Pack, Products, GpuShare, Gang, Toleration,
                                 Text, Volume, Scalar>;

struct Assignment {
  Slot slot;
  ActionValue value;
  base::Place place;
};

/// Which containers env, shm and volumes go to.
struct ContainerChoice {
  enum class Kind : std::uint8_t { kGpu, kAll, kNamed } kind = Kind::kGpu;
  std::vector<std::string> names;
};

// ------------------------------------------------------------------ the rule

enum class Mode : std::uint8_t { kEnforce, kAudit, kDisabled };
enum class Existing : std::uint8_t { kKeep, kReplace, kDeny };
enum class OnError : std::uint8_t { kSkip, kDeny };

struct Rollout {
  double percent = 100;
  enum class By : std::uint8_t { kWorkload, kNamespace } by = By::kWorkload;
};

struct Rule {
  std::string id;  ///< "set/rule"
  std::string name;
  base::Place place;             ///< of the rule's first key; file as named on the command line
  std::vector<Match> match;      ///< any entry; empty: every GPU pod
  std::vector<Match> except;     ///< any entry; empty: none
  std::vector<Expression> when;  ///< all
  std::vector<Assignment> assignments;
  ContainerChoice containers;
  Template warn;
  Template deny;
  Mode mode = Mode::kEnforce;
  Rollout rollout;
  int precedence = 100;
  Existing existing = Existing::kKeep;
  OnError on_error = OnError::kSkip;
  int file = 0;  ///< index into RuleSet::files
};

/// A variable of a file or of a rule: computed at most once a request, only when used.
struct Variable {
  std::string name;
  std::string scope;  ///< name of the set or id of the rule that declares it
  Expression value;
  int slot = 0;  ///< index into the request's memo
};

struct RuleFile {
  std::string name;  ///< name of the set
  std::string path;
  std::string owner;                   ///< whom users should ask; may be empty
  bool first = false;                  ///< strategy: first
  std::optional<PrecedenceBand> band;  ///< of its directory, where one is configured
};

struct RuleSet {
  RuleSet();
  ~RuleSet();
  RuleSet(const RuleSet&) = delete;
  RuleSet& operator=(const RuleSet&) = delete;

  std::vector<RuleFile> files;
  std::vector<Rule> rules;  ///< by file, then by position
  std::vector<Variable> variables;
  std::vector<std::shared_ptr<const cel::Program>> programs;
  std::string generation;                  ///< "sha256:..." over the texts of the files
  base::Arena arena;                       ///< owns every Json above
  std::shared_ptr<const RuleIndex> index;  ///< by index_rules(), once all of the above is complete
};

}  // namespace berth::rules
