#include "rules/intent.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/problem.h"
#include "rules/parallelism.h"
#include "topology/capacity.h"
#include "topology/catalog.h"

namespace berth::rules {
namespace {

constexpr std::array<std::string_view, 4> kSharings = {"exclusive", "mig", "mps", "timeslice"};
constexpr std::int64_t kMaxPods = 1'000'000;
// A count of bytes below this was meant in MiB: no GPU program needs so little memory.
constexpr std::int64_t kFewBytes = 16 * 1024 * 1024;

bool is_key(std::string_view key, std::string_view prefix, std::string_view name) {
  return key.size() == prefix.size() + 1 + name.size() && key.starts_with(prefix) &&
         key[prefix.size()] == '/' && key.ends_with(name);
}

const kube::Json* find_key(kube::Json object, std::string_view prefix, std::string_view name) {
  for (const kube::JsonMember& member : object.members()) {
    if (is_key(member.key, prefix, name)) return &member.value;
  }
  return nullptr;
}

std::string key_text(std::string_view prefix, std::string_view name) {
  return std::string(prefix) + '/' + std::string(name);
}

void add_unreadable(const IntentPlaces& places, std::string_view name, std::string_view value,
                    std::string_view expected, Facts& facts) {
  facts.findings.push_back({key_text(places.prefix, name) + ": cannot read " + quoted(value) +
                            "; expected " + std::string(expected) + "; the key is ignored"});
}

// One of two places: annotation over label.
std::optional<std::string_view> read_pair(kube::Json labels, kube::Json annotations,
                                          const IntentPlaces& places, std::string_view name,
                                          std::vector<Finding>& findings) {
  const kube::Json* label = find_key(labels, places.prefix, name);
  const kube::Json* annotation = find_key(annotations, places.prefix, name);
  const kube::Json* chosen = annotation != nullptr ? annotation : label;
  if (chosen == nullptr || chosen->is_null()) return std::nullopt;
  const std::string key = key_text(places.prefix, name);
  if (!chosen->is_string()) {
    findings.push_back({key + ": expected a text, found a " +
                        std::string(kube::to_text(chosen->type())) + "; put it in quotes"});
    return std::nullopt;
  }
  if (label != nullptr && annotation != nullptr && !kube::equal(*label, *annotation)) {
    findings.push_back({key + ": the label says " + quoted(label->string_or_empty()) +
                        ", the annotation " + quoted(annotation->string_or_empty()) +
                        "; the annotation counts"});
  }
  return chosen->string_or_empty();
}

void read_memory(const IntentPlaces& places, Facts& facts) {
  const auto text = read_intent_key(places, "gpu-memory", facts.findings);
  if (!text) return;
  const auto quantity = kube::Quantity::parse(*text);
  if (!quantity || quantity->sign() <= 0) {
    add_unreadable(places, "gpu-memory", *text, "a quantity such as 18Gi", facts);
    return;
  }
  facts.gpu_memory = *quantity;
  const bool bare = text->find_first_not_of("0123456789.") == std::string_view::npos;
  if (bare && *quantity < kube::Quantity::of(kFewBytes)) {
    facts.findings.push_back({key_text(places.prefix, "gpu-memory") + ": " + quoted(*text) +
                              " is a number of bytes; did you mean '" + std::string(*text) +
                              "Mi'?"});
  }
}

void read_product(const IntentPlaces& places, const topology::Snapshot& cluster, Facts& facts) {
  const auto text = read_intent_key(places, "gpu-product", facts.findings);
  if (!text || text->empty()) return;
  if (topology::is_known_product(*text) || !cluster.index().of_product(*text).empty()) {
    facts.gpu_product = *text;
    return;
  }
  const std::string_view near = base::nearest(*text, topology::product_families());
  add_unreadable(places, "gpu-product", *text,
                 "a GPU product such as " + std::string(near.empty() ? "H100" : near), facts);
}

void read_sharing(const IntentPlaces& places, Facts& facts) {
  const auto text = read_intent_key(places, "sharing", facts.findings);
  if (!text || text->empty()) return;
  if (std::find(kSharings.begin(), kSharings.end(), *text) != kSharings.end()) {
    facts.sharing = *text;
    return;
  }
  add_unreadable(places, "sharing", *text, "exclusive, mig, mps or timeslice", facts);
}

void read_gang_size(const IntentPlaces& places, Facts& facts) {
  const auto text = read_intent_key(places, "gang-size", facts.findings);
  if (!text) return;
  std::int64_t pods = 0;
  const char* end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, pods);
  if (error != std::errc() || stop != end || pods < 1 || pods > kMaxPods) {
    add_unreadable(places, "gang-size", *text, "a number of pods such as 4", facts);
    return;
  }
  facts.pods = pods;
  facts.pods_known = true;
}

void read_parallelism(const IntentPlaces& places, Facts& facts) {
  const auto text = read_intent_key(places, "parallelism", facts.findings);
  if (!text) return;
  if (const auto parsed = parse_parallelism(*text)) {
    facts.parallelism = *parsed;
  } else {
    add_unreadable(places, "parallelism", *text, "a text such as tp=8,pp=4,dp=16", facts);
  }
}

void check_colocate(const IntentPlaces& places, const topology::Snapshot& cluster, Facts& facts) {
  const auto text = read_intent_key(places, "colocate", facts.findings);
  if (!text || text->empty() || cluster.level_index(*text)) return;
  std::string expected = "one of";
  for (const topology::Level& level : cluster.levels()) expected += ' ' + level.name;
  add_unreadable(places, "colocate", *text, expected, facts);
}

}  // namespace

std::string quoted(std::string_view text) {
  constexpr std::size_t kMost = 40;
  std::string out = "'";
  for (const char c : text.substr(0, kMost)) {
    out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  }
  if (text.size() > kMost) {
    // Not in the middle of a character.
    while (out.size() > 1 && (static_cast<unsigned char>(out.back()) & 0xc0) == 0x80)
      out.pop_back();
    if (static_cast<unsigned char>(out.back()) >= 0xc0) out.pop_back();
    out += "...";
  }
  return out + '\'';
}

std::string_view intent_value(kube::Json labels, kube::Json annotations, std::string_view prefix,
                              std::string_view name) {
  const kube::Json* annotation = find_key(annotations, prefix, name);
  if (annotation != nullptr && annotation->is_string()) return annotation->string_or_empty();
  const kube::Json* label = find_key(labels, prefix, name);
  return label != nullptr ? label->string_or_empty() : std::string_view{};
}

std::optional<std::string_view> read_intent_key(const IntentPlaces& places, std::string_view name,
                                                std::vector<Finding>& findings) {
  const auto near = read_pair(places.labels, places.annotations, places, name, findings);
  if (near) return near;
  return read_pair(places.owner_labels, places.owner_annotations, places, name, findings);
}

kube::Json with_owner_keys(kube::Json object, kube::Json owner, std::string_view prefix,
                           base::Arena& arena) {
  kube::Json out = object;
  for (const kube::JsonMember& member : owner.members()) {
    const bool ours = member.key.size() > prefix.size() && member.key.starts_with(prefix) &&
                      member.key[prefix.size()] == '/';
    if (ours && !object.has(member.key)) {
      out = kube::with_member(arena, out, member.key, member.value);
    }
  }
  return out;
}

void read_intent(const IntentPlaces& places, const topology::Snapshot& cluster, Facts& facts) {
  facts.intent = read_intent_key(places, "intent", facts.findings).value_or("");
  facts.team = read_intent_key(places, "team", facts.findings).value_or("");
  read_memory(places, facts);
  read_product(places, cluster, facts);
  read_sharing(places, facts);
  read_gang_size(places, facts);
  read_parallelism(places, facts);
  check_colocate(places, cluster, facts);
}

}  // namespace berth::rules
