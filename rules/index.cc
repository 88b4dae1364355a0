#include "rules/index.h"

#include <algorithm>

#include "rules/cel/program.h"
#include "rules/match.h"

namespace berth::rules {
namespace {

constexpr std::size_t kBits = 64;
constexpr std::string_view kAny = "*";

void set_bit(RuleBits& bits, std::size_t rule) {
  bits[rule / kBits] |= std::uint64_t{1} << (rule % kBits);
}

bool is_glob(std::string_view pattern) {
  return pattern.find('*') != std::string_view::npos;
}

bool asks_about_topology(const cel::Program& program) {
  const auto used = program.variables_used();
  return std::find(used.begin(), used.end(), "topology") != used.end();
}

}  // namespace

const RuleBits* RuleIndex::Dimension::find(std::string_view value) const {
  const auto at =
      std::lower_bound(rows.begin(), rows.end(), value,
                       [](const Row& row, std::string_view v) { return row.value < v; });
  return at != rows.end() && at->value == value ? &at->rules : nullptr;
}

RuleBits& RuleIndex::Dimension::at(std::string_view value, std::size_t words) {
  const auto at =
      std::lower_bound(rows.begin(), rows.end(), value,
                       [](const Row& row, std::string_view v) { return row.value < v; });
  if (at != rows.end() && at->value == value) return at->rules;
  return rows.insert(at, Row{value, RuleBits(words)})->rules;
}

RuleIndex::RuleIndex(const RuleSet& set) : words_((set.rules.size() + kBits - 1) / kBits) {
  for (Dimension* dimension :
       {&operations_, &intents_, &vendors_, &kinds_, &frameworks_, &namespaces_}) {
    dimension->any.resize(words_);
    dimension->dont_care.resize(words_);
  }
  any_gpu_.resize(words_);
  find_bounds(set);
  static const Match kEveryGpuPod;
  for (std::size_t i = 0; i < set.rules.size(); ++i) {
    const Rule& rule = set.rules[i];
    if (rule.mode == Mode::kDisabled) continue;
    if (rule.match.empty()) add(i, kEveryGpuPod);
    for (const Match& match : rule.match) add(i, match);
    note_rule(set, i);
  }
  std::sort(known_intents_.begin(), known_intents_.end());
  known_intents_.erase(std::unique(known_intents_.begin(), known_intents_.end()),
                       known_intents_.end());
  asks_topology_ = std::any_of(set.programs.begin(), set.programs.end(),
                               [](const auto& program) { return asks_about_topology(*program); });
}

void RuleIndex::find_bounds(const RuleSet& set) {
  bounds_ = {0};
  for (const Rule& rule : set.rules) {
    for (const Match& match : rule.match) {
      if (!match.gpus) continue;
      if (match.gpus->low > 0) bounds_.push_back(match.gpus->low);
      if (match.gpus->high >= 0 && match.gpus->high < INT64_MAX) {
        bounds_.push_back(match.gpus->high + 1);
      }
    }
  }
  std::sort(bounds_.begin(), bounds_.end());
  bounds_.erase(std::unique(bounds_.begin(), bounds_.end()), bounds_.end());
  rules_by_gpus_.assign(bounds_.size(), RuleBits(words_));
}

void RuleIndex::add(std::size_t rule, const Match& match) {
  static const std::vector<std::string> kCreate = {"CREATE"};
  add_words(operations_, rule, match.operations.empty() ? kCreate : match.operations);
  add_words(intents_, rule, match.intents);
  add_words(vendors_, rule, match.vendors);
  add_words(kinds_, rule, match.kinds);
  add_words(frameworks_, rule, match.frameworks);
  add_namespaces(rule, match);
  add_gpus(rule, match);
}

void RuleIndex::add_words(Dimension& dimension, std::size_t rule,
                          const std::vector<std::string>& words) {
  if (words.empty()) set_bit(dimension.dont_care, rule);
  for (const std::string& word : words) {
    set_bit(word == kAny ? dimension.any : dimension.at(word, words_), rule);
  }
}

void RuleIndex::add_namespaces(std::size_t rule, const Match& match) {
  if (match.namespaces.empty()) set_bit(namespaces_.dont_care, rule);
  for (const std::string& pattern : match.namespaces) {
    if (!is_glob(pattern)) {
      set_bit(namespaces_.at(pattern, words_), rule);
      continue;
    }
    auto at = std::find_if(globs_.begin(), globs_.end(),
                           [&](const Glob& glob) { return glob.pattern == pattern; });
    if (at == globs_.end()) at = globs_.insert(at, Glob{pattern, RuleBits(words_)});
    set_bit(at->rules, rule);
  }
}

void RuleIndex::add_gpus(std::size_t rule, const Match& match) {
  if (!match.gpus) {
    set_bit(any_gpu_, rule);
    return;
  }
  for (std::size_t i = 0; i < bounds_.size(); ++i) {
    if (bounds_[i] >= match.gpus->low && bounds_[i] <= match.gpus->high) {
      set_bit(rules_by_gpus_[i], rule);
    }
  }
}

void RuleIndex::note_rule(const RuleSet& set, std::size_t index) {
  const Rule& rule = set.rules[index];
  for (const Match& match : rule.match) {
    const auto& operations = match.operations;
    const bool updates =
        std::find(operations.begin(), operations.end(), "UPDATE") != operations.end();
    covers_updates_ = covers_updates_ || (updates && rule.mode != Mode::kDisabled);
    for (const std::string& intent : match.intents) {
      if (intent != kAny) known_intents_.push_back(intent);
    }
  }
  const bool tolerates =
      std::any_of(rule.assignments.begin(), rule.assignments.end(),
                  [](const Assignment& a) { return a.slot.kind == SlotKind::kTolerate; });
  if (tolerates && rule.mode == Mode::kEnforce && rule.when.empty()) tolerating_.push_back(index);
}

std::span<const std::uint64_t> RuleIndex::candidates(const Facts& facts, base::Arena& arena) const {
  const auto out = arena.make_array<std::uint64_t>(words_);
  const auto bucket = static_cast<std::size_t>(
      std::upper_bound(bounds_.begin(), bounds_.end(), std::max<std::int64_t>(0, facts.gpus)) -
      bounds_.begin() - 1);
  const RuleBits& by_gpus = rules_by_gpus_[bucket];
  for (std::size_t i = 0; i < words_; ++i) {
    out[i] = by_gpus[i] | (facts.wants_gpu ? any_gpu_[i] : 0);
  }
  const auto keep = [&](const Dimension& dimension, std::string_view value) {
    const RuleBits* rules = dimension.find(value);
    for (std::size_t i = 0; i < words_; ++i) {
      out[i] &= dimension.dont_care[i] | (rules != nullptr ? (*rules)[i] : 0) |
                (value.empty() ? 0 : dimension.any[i]);
    }
  };
  keep(operations_, facts.operation);
  keep(intents_, facts.intent);
  keep(vendors_, facts.vendor);
  keep(kinds_, facts.kind);
  keep(frameworks_, facts.framework);

  const auto named = arena.make_array<std::uint64_t>(words_);
  const RuleBits* exact = namespaces_.find(facts.namespace_name);
  for (std::size_t i = 0; i < words_; ++i) {
    named[i] = namespaces_.dont_care[i] | (exact != nullptr ? (*exact)[i] : 0);
  }
  for (const Glob& glob : globs_) {
    if (!glob_matches(glob.pattern, facts.namespace_name)) continue;
    for (std::size_t i = 0; i < words_; ++i) named[i] |= glob.rules[i];
  }
  for (std::size_t i = 0; i < words_; ++i) out[i] &= named[i];
  return out;
}

void index_rules(RuleSet& set) {
  set.index = std::make_shared<const RuleIndex>(set);
}

}  // namespace berth::rules
