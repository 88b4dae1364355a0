#include "rules/region.h"

#include <algorithm>
#include <array>
#include <utility>

namespace berth::rules {
namespace {

const std::string kYes = "yes";
const std::string kNo = "no";

bool has_star(const std::vector<std::string>& list) {
  return std::find(list.begin(), list.end(), "*") != list.end();
}

/// The values that a label may have; `*` stands for any.
TextSet label_set(const std::vector<std::string>& values) {
  return has_star(values) ? TextSet::all_but({std::string(kAbsent)}) : TextSet::only(values);
}

std::vector<std::string> texts_of(kube::Json list) {
  std::vector<std::string> out;
  for (const kube::Json& item : list.items()) out.emplace_back(item.string_or_empty());
  return out;
}

}  // namespace

struct Region::Constraint {
  enum class On : std::uint8_t { kWord, kLabel, kNamespaceLabel, kNamespace, kNotNamespace, kGpus };
  On on = On::kWord;
  Word word = Word::kIntent;
  std::string key;
  TextSet texts;
  std::vector<std::string> globs;
  CountSet counts;

  /// The same fact outside of what is wanted.
  Constraint complement() const {
    Constraint out = *this;
    out.texts = texts.complement();
    out.counts = counts.complement();
    if (on == On::kNamespace) out.on = On::kNotNamespace;
    return out;
  }
};

/// One for each fact that the entry wants something of.
std::vector<Region::Constraint> Region::constraints_of(const Match& match, Keys keys) {
  std::vector<Constraint> out;
  const auto word = [&](Word which, const std::vector<std::string>& list) {
    if (list.empty()) return;
    const bool any = which == Word::kIntent && has_star(list);
    out.push_back({Constraint::On::kWord,
                   which,
                   {},
                   any ? TextSet::all_but({""}) : TextSet::only(list),
                   {},
                   {}});
  };
  const auto label = [&](Constraint::On on, const std::string& key, TextSet values) {
    out.push_back({on, {}, key, std::move(values), {}, {}});
  };
  word(Word::kIntent, match.intents);
  word(Word::kKind, match.kinds);
  word(Word::kFramework, match.frameworks);
  word(Word::kVendor, match.vendors);
  word(Word::kOperation, match.operations);
  for (const auto& [key, values] : match.labels)
    label(Constraint::On::kLabel, key, label_set(values));
  for (const auto& [key, values] : match.namespace_labels)
    label(Constraint::On::kNamespaceLabel, key, label_set(values));
  for (const kube::JsonMember& member : match.label_selector["matchLabels"].members()) {
    label(Constraint::On::kLabel, std::string(member.key),
          TextSet::only({std::string(member.value.string_or_empty())}));
  }
  for (const kube::Json& item : match.label_selector["matchExpressions"].items()) {
    const std::string_view op = item["operator"].string_or_empty();
    TextSet values = TextSet::only(texts_of(item["values"]));
    if (op == "NotIn") values = values.complement();
    if (op == "Exists") values = TextSet::all_but({std::string(kAbsent)});
    if (op == "DoesNotExist") values = TextSet::only({std::string(kAbsent)});
    label(Constraint::On::kLabel, std::string(item["key"].string_or_empty()), std::move(values));
  }
  if (!match.namespaces.empty())
    out.push_back({Constraint::On::kNamespace, {}, {}, {}, match.namespaces, {}});
  if (match.gpus) {
    out.push_back({Constraint::On::kGpus,
                   {},
                   {},
                   {},
                   {},
                   CountSet::range(match.gpus->low, match.gpus->high)});
    if (match.gpus->low <= 0 && match.gpus->high == 0) word(Word::kWantsGpu, {kNo});
  }
  if (keys == Keys::kOfExcept) return out;
  if (!match.gpus) word(Word::kWantsGpu, {kYes});
  if (match.operations.empty()) word(Word::kOperation, {"CREATE"});
  return out;
}

Region::Region() {
  word(Word::kOperation) = TextSet::only({"CREATE", "UPDATE"});
  word(Word::kWantsGpu) = TextSet::only({kYes, kNo});
  seal();
}

Region::Region(const Match& match) : Region(Region().within(match, Keys::kOfMatch)) {}

void Region::apply(const Constraint& constraint) {
  const auto narrowed = [&](auto& map) {
    TextSet& set = map[constraint.key];
    set = set.intersect(constraint.texts);
  };
  switch (constraint.on) {
    case Constraint::On::kWord:
      word(constraint.word) = word(constraint.word).intersect(constraint.texts);
      break;
    case Constraint::On::kLabel:
      narrowed(labels_);
      break;
    case Constraint::On::kNamespaceLabel:
      narrowed(namespace_labels_);
      break;
    case Constraint::On::kNamespace:
      namespaces_.groups.push_back(constraint.globs);
      break;
    case Constraint::On::kNotNamespace:
      namespaces_.none.insert(namespaces_.none.end(), constraint.globs.begin(),
                              constraint.globs.end());
      break;
    case Constraint::On::kGpus:
      gpus_ = gpus_.intersect(constraint.counts);
      break;
  }
}

void Region::seal() {
  for (std::size_t i = 0; i < kWords; ++i) masks_[i] = words_[i].mask();
}

Region Region::intersect(const Region& other) const {
  Region out = *this;
  for (std::size_t i = 0; i < kWords; ++i) out.words_[i] = words_[i].intersect(other.words_[i]);
  for (const auto& [key, values] : other.labels_) {
    out.labels_[key] = out.labels_[key].intersect(values);
  }
  for (const auto& [key, values] : other.namespace_labels_) {
    out.namespace_labels_[key] = out.namespace_labels_[key].intersect(values);
  }
  const GlobSet& names = other.namespaces_;
  out.namespaces_.groups.insert(out.namespaces_.groups.end(), names.groups.begin(),
                                names.groups.end());
  out.namespaces_.none.insert(out.namespaces_.none.end(), names.none.begin(), names.none.end());
  out.gpus_ = gpus_.intersect(other.gpus_);
  out.pods_ = pods_.intersect(other.pods_);
  out.total_ = total_.intersect(other.total_);
  out.tests_.insert(out.tests_.end(), other.tests_.begin(), other.tests_.end());
  out.certain_ = certain_ && other.certain_;
  out.seal();
  return out;
}

bool Region::is_surely_disjoint(const Region& other) const {
  for (std::size_t i = 0; i < kWords; ++i) {
    if ((masks_[i] & other.masks_[i]) == 0) return true;
  }
  const auto apart = [](const auto& a, const auto& b) {
    return std::any_of(a.begin(), a.end(), [&](const auto& entry) {
      const auto found = b.find(entry.first);
      return found != b.end() && !entry.second.overlaps(found->second);
    });
  };
  if (namespaces_.is_surely_disjoint(other.namespaces_) || apart(labels_, other.labels_) ||
      apart(namespace_labels_, other.namespace_labels_) || !gpus_.overlaps(other.gpus_) ||
      !total_.overlaps(other.total_) || !pods_.overlaps(other.pods_)) {
    return true;
  }
  for (std::size_t i = 0; i < kWords; ++i) {
    if (!words_[i].overlaps(other.words_[i])) return true;
  }
  return false;
}

Region Region::within(const Match& entry, Keys keys) const {
  Region out = *this;
  for (const Constraint& constraint : constraints_of(entry, keys)) out.apply(constraint);
  out.seal();
  return out;
}

std::vector<Region> Region::without(const Match& entry, Keys keys) const {
  std::vector<Region> out;
  for (const Constraint& constraint : constraints_of(entry, keys)) {
    Region& part = out.emplace_back(*this);
    part.apply(constraint.complement());
    part.seal();
  }
  return out;
}

bool Region::has_several_gpus() const {
  Region several = *this;
  several.gpus_ = gpus_.intersect(CountSet::range(2, INT64_MAX));
  return !several.is_empty();
}

// ------------------------------------------------------------------ is there a pod

/// Pods of so many GPUs that give an allowed total.
std::optional<std::int64_t> Region::find_pods(std::int64_t gpus) const {
  for (const auto& [pods_low, pods_high] : pods_.intervals()) {
    for (const auto& [low, high] : total_.intervals()) {
      std::int64_t first = std::max<std::int64_t>(pods_low, 1);
      std::int64_t last = pods_high;
      if (gpus == 0) {
        if (low > 0) continue;
      } else {
        first = std::max(first, low / gpus + (low % gpus == 0 ? 0 : 1));
        last = std::min(last, high / gpus);
      }
      if (first <= last) return first;
    }
  }
  return std::nullopt;
}

std::optional<Region::Counts> Region::find_counts() const {
  constexpr std::int64_t kTried = 2048;  // numbers of GPUs of one pod, from the low end
  const bool may_want = word(Word::kWantsGpu).contains(kYes);
  if (may_want) {
    for (const auto& [low, high] : gpus_.intervals()) {
      const std::int64_t first = std::max<std::int64_t>(low, 1);
      for (std::int64_t gpus = first; gpus <= high && gpus - first < kTried; ++gpus) {
        if (const auto pods = find_pods(gpus)) return Counts{gpus, *pods};
      }
    }
    for (const auto& [low, high] : total_.intervals()) {  // large pods: a few of just the size
      for (const auto& [few, many] : pods_.intervals()) {
        const std::int64_t pods = std::max<std::int64_t>(few, 1);
        for (const std::int64_t gpus : {low / pods, low / pods + 1, high / pods}) {
          if (gpus > 0 && gpus_.contains(gpus) && pods <= many && find_pods(gpus))
            return Counts{gpus, *find_pods(gpus)};
        }
      }
    }
  }
  if (!gpus_.contains(0) || word(Word::kWantsGpu).is_empty()) return std::nullopt;
  const auto pods = find_pods(0);
  return pods ? std::optional(Counts{0, *pods}) : std::nullopt;
}

bool Region::is_empty() const {
  const auto none = [](const auto& map) {
    return std::any_of(map.begin(), map.end(), [](const auto& e) { return e.second.is_empty(); });
  };
  return std::any_of(std::begin(words_), std::end(words_),
                     [](const TextSet& set) { return set.is_empty(); }) ||
         none(labels_) || none(namespace_labels_) || !find_counts() || !tests_can_hold() ||
         (!namespaces_.is_any() && !namespaces_.example());
}

namespace {

/// Takes the entries away one after the other; with no budget left, what is there may be it.
std::optional<Region> search(const Region& region, std::span<const Exclusion> exclusions,
                             int& budget) {
  if (region.is_empty()) return std::nullopt;
  if (--budget < 0) return region;
  while (!exclusions.empty() &&
         region.within(*exclusions.front().entry, exclusions.front().keys).is_empty()) {
    exclusions = exclusions.subspan(1);
  }
  if (exclusions.empty()) return region;
  const Exclusion& next = exclusions.front();
  for (const Region& part : region.without(*next.entry, next.keys)) {
    if (auto found = search(part, exclusions.subspan(1), budget)) return found;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Region> find_outside(const Region& region, std::span<const Exclusion> exclusions) {
  int budget = 5000;
  return search(region, exclusions, budget);
}

std::vector<Region> regions_of(const Rule& rule, const RuleSet& set) {
  std::vector<Region> out;
  for (const Match& match : rule.match) out.emplace_back(match);
  if (rule.match.empty()) out.emplace_back(Match{});
  for (Region& region : out) region.narrow(rule, set);
  return out;
}

std::vector<Exclusion> exclusions_of(const Rule& rule) {
  std::vector<Exclusion> out;
  for (const Match& match : rule.except) out.push_back({&match, Region::Keys::kOfExcept});
  return out;
}

// ------------------------------------------------------------------ examples

Example Region::example() const {
  Example out;
  const auto counts = find_counts().value_or(Counts{});
  out.gpus = counts.gpus;
  out.pods = counts.pods;
  out.wants_gpu = counts.gpus > 0 || !word(Word::kWantsGpu).contains(kNo);
  const TextSet& intent = word(Word::kIntent);
  out.intent = intent.contains("") ? "" : intent.pick("training");
  out.kind = word(Word::kKind).pick("Pod");
  const TextSet& framework = word(Word::kFramework);
  out.framework = framework.contains("") ? "" : framework.pick("pytorch");
  out.vendor = word(Word::kVendor).pick(out.wants_gpu ? "nvidia" : "");
  out.operation = word(Word::kOperation).pick("CREATE");
  out.namespace_name = namespaces_.example().value_or("team-a");
  const auto fill = [](const auto& sets, auto& labels) {
    for (const auto& [key, values] : sets) {
      if (!values.contains(kAbsent)) labels[key] = values.pick("a");
    }
  };
  fill(labels_, out.labels);
  fill(namespace_labels_, out.namespace_labels);
  out.certain = certain_;
  out.text = describe(out);
  return out;
}

std::string Region::describe(const Example& example) const {
  std::string out;
  const auto add = [&](const std::string& part) { out += (out.empty() ? "" : ", ") + part; };
  if (!example.intent.empty()) add("intent " + example.intent);
  if (!namespaces_.is_any()) add("namespace " + example.namespace_name);
  for (const auto& [key, value] : example.namespace_labels)
    add("namespace label " + key + "=" + value);
  if (!word(Word::kKind).is_any()) add("kind " + example.kind);
  if (!example.framework.empty()) add("framework " + example.framework);
  if (!word(Word::kVendor).is_any()) add("vendor " + example.vendor);
  for (const auto& [key, value] : example.labels) add("label " + key + "=" + value);
  if (!gpus_.is_any() || !total_.is_any() || !pods_.is_any()) {
    if (example.pods > 1) add(std::to_string(example.pods) + " pods");
    add(std::to_string(example.gpus) + (example.gpus == 1 ? " GPU" : " GPUs"));
  }
  if (example.operation != "CREATE") add("operation " + example.operation);
  return out.empty() ? "any pod that asks for a GPU" : out;
}

}  // namespace berth::rules
