#include "topology/short_form.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>

#include "kube/gpu_resource.h"
#include "kube/pointer.h"
#include "topology/catalog.h"

namespace berth::topology {
namespace {

using kube::Json;
using kube::JsonMember;

constexpr std::size_t kMostNames = 20'000;
constexpr std::size_t kLongestPattern = 253;
constexpr std::int64_t kMostUnits = 100'000;

constexpr std::string_view kHostname = "kubernetes.io/hostname";

constexpr std::array<std::string_view, 5> kFormKeys = {"apiVersion", "kind", "metadata", "nodes",
                                                       "used"};
constexpr std::array<std::string_view, 6> kNodeKeys = {"name", "product", "gpus",
                                                       "free", "mig",     "in"};

// "3" or "08-10" between brackets.
struct Range {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::size_t width = 0;  // digits to fill up with zeros
};

std::optional<std::int64_t> parse_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && value >= 0 ? std::optional(value) : std::nullopt;
}

std::optional<Range> parse_range(std::string_view text) {
  const auto dash = text.find('-');
  const std::string_view from = text.substr(0, dash);
  const std::string_view to = dash == std::string_view::npos ? from : text.substr(dash + 1);
  const auto first = parse_number(from);
  const auto last = parse_number(to);
  if (!first || !last || *last < *first) return std::nullopt;
  return Range{*first, *last, from.starts_with('0') ? from.size() : 0};
}

base::Error wrong_pattern(std::string_view pattern, std::string_view why) {
  return base::invalid("'" + std::string(pattern) + "' is no node name or range: " +
                       std::string(why) + "; examples: n1, n[1-4], n[01-18], n[1,3,7-9]");
}

// One pair of brackets and the text in front of it.
struct Piece {
  std::string_view front;
  std::vector<Range> ranges;  // empty: no brackets
};

base::Result<std::vector<Piece>> parse_pattern(std::string_view pattern) {
  std::vector<Piece> out;
  std::string_view rest = pattern;
  while (!rest.empty()) {
    const auto open = rest.find_first_of("[]");
    Piece piece{rest.substr(0, open), {}};
    if (open == std::string_view::npos) {
      out.push_back(std::move(piece));
      break;
    }
    const auto close = rest.find(']', open);
    if (rest[open] == ']' || close == std::string_view::npos) {
      return wrong_pattern(pattern, "brackets do not match");
    }
    std::string_view list = rest.substr(open + 1, close - open - 1);
    while (true) {
      const auto comma = list.find(',');
      const auto range = parse_range(list.substr(0, comma));
      if (!range) return wrong_pattern(pattern, "expected numbers or first-last in brackets");
      piece.ranges.push_back(*range);
      if (comma == std::string_view::npos) break;
      list.remove_prefix(comma + 1);
    }
    out.push_back(std::move(piece));
    rest.remove_prefix(close + 1);
  }
  return out;
}

std::string padded(std::int64_t value, std::size_t width) {
  std::string digits = std::to_string(value);
  return digits.size() < width ? std::string(width - digits.size(), '0') + digits : digits;
}

// Reads one form and adds its nodes.
class Reader {
 public:
  Reader(Builder& builder, std::span<const Level> levels) : builder_(builder), levels_(levels) {}

  std::vector<Finding> read(Json form) {
    check_keys(form, kFormKeys, "");
    const Json nodes = form["nodes"];
    if (!nodes.is_array()) {
      error("wrong-type", "/nodes", "nodes must be a list of nodes, found " + found(nodes));
      return std::move(findings_);
    }
    for (std::size_t i = 0; i < nodes.items().size(); ++i) {
      std::string at = "/nodes";
      kube::append_segment(at, i);
      read_node_entry(nodes.at(i), at);
    }
    for (const JsonMember& use : form["used"].members()) read_use(use);
    return std::move(findings_);
  }

 private:
  // One entry, checked.
  struct Entry {
    std::string_view product;
    std::int64_t gpus = 0;
    std::int64_t free = 0;
    Json mig;
    Json in;
  };

  static std::string found(Json value) {
    if (value.is_null()) return "nothing";
    std::string text = kube::to_json(value);
    if (text.size() > 40) text = text.substr(0, 37) + "...";
    return text;
  }

  static std::string below(std::string_view pointer, std::string_view key) {
    std::string out(pointer);
    kube::append_segment(out, key);
    return out;
  }

  void report(base::Severity severity, std::string code, std::string pointer, std::string text,
              std::string hint) {
    findings_.push_back(
        {severity, std::move(code), std::move(pointer), std::move(text), std::move(hint)});
  }
  void error(std::string code, std::string pointer, std::string text, std::string hint = {}) {
    report(base::Severity::kError, std::move(code), std::move(pointer), std::move(text),
           std::move(hint));
  }

  void check_keys(Json object, std::span<const std::string_view> known, const std::string& at) {
    for (const JsonMember& member : object.members()) {
      if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
      error("unknown-key", below(at, member.key), "unknown key '" + std::string(member.key) + "'",
            base::suggestion(member.key, known));
    }
  }

  std::optional<std::int64_t> read_count(Json entry, std::string_view key, const std::string& at,
                                         std::optional<std::int64_t> fallback) {
    const Json value = entry[key];
    if (value.is_null() && fallback) return fallback;
    const auto count = value.as_int();
    if (count && *count >= 0 && *count <= kMostUnits) return count;
    error("wrong-type", below(at, key),
          std::string(key) + " must be a whole number from 0 to " + std::to_string(kMostUnits) +
              ", found " + found(value));
    return std::nullopt;
  }

  void check_product(std::string_view product, const std::string& at) {
    if (is_known_product(product)) return;
    report(base::Severity::kWarning, "unknown-product", below(at, "product"),
           "unknown product '" + std::string(product) + "'",
           base::suggestion(product, product_families()));
  }

  bool check_slices(Json mig, const std::string& at) {
    if (!mig.is_null() && !mig.is_object()) {
      error("wrong-type", at, "mig must map profiles to counts, found " + found(mig));
      return false;
    }
    bool good = true;
    for (const JsonMember& slice : mig.members()) {
      if (!slice_compute(slice.key)) {
        error("unknown-profile", below(at, slice.key),
              "'" + std::string(slice.key) + "' is no MIG profile",
              base::suggestion(slice.key, known_profiles()));
        good = false;
      }
      good = read_count(mig, slice.key, at, std::nullopt).has_value() && good;
    }
    return good;
  }

  static bool is_node_itself(const Level& level) {
    return !level.labels.empty() && level.labels[0] == kHostname;
  }

  bool check_places(Json in, const std::string& at) {
    if (!in.is_null() && !in.is_object()) {
      error("wrong-type", at, "in must map levels to names, found " + found(in));
      return false;
    }
    std::vector<std::string_view> names;
    for (const Level& level : levels_) names.push_back(level.name);
    bool good = true;
    for (const JsonMember& place : in.members()) {
      const auto level = std::find(names.begin(), names.end(), place.key);
      if (level == names.end()) {
        error("unknown-level", below(at, place.key),
              "unknown level '" + std::string(place.key) + "'", base::suggestion(place.key, names));
        good = false;
      } else if (is_node_itself(levels_[static_cast<std::size_t>(level - names.begin())])) {
        error("wrong-value", below(at, place.key), "every node is in itself: leave this out");
        good = false;
      } else if (!place.value.is_string() && !place.value.is_number()) {
        error("wrong-type", below(at, place.key),
              std::string(place.key) + " must be a name, found " + found(place.value));
        good = false;
      }
    }
    return good;
  }

  void read_node_entry(Json json, const std::string& at) {
    if (!json.is_object()) {
      error("wrong-type", at,
            "a node must be a mapping with name, product and gpus, found " + found(json));
      return;
    }
    check_keys(json, kNodeKeys, at);
    const auto names = expand_names(json["name"].string_or_empty());
    if (!names) error("bad-range", below(at, "name"), names.error().text);
    Entry entry;
    entry.product = json["product"].string_or_empty();
    if (entry.product.empty()) {
      error("wrong-type", below(at, "product"),
            "product must be a name such as H100, found " + found(json["product"]));
    } else {
      check_product(entry.product, at);
    }
    entry.mig = json["mig"];
    entry.in = json["in"];
    const auto gpus = read_count(json, "gpus", at, std::nullopt);
    const auto free = read_count(json, "free", at, gpus.value_or(0));
    const bool slices = check_slices(entry.mig, below(at, "mig"));
    const bool places = check_places(entry.in, below(at, "in"));
    if (gpus && free && *free > *gpus) {
      error("wrong-value", below(at, "free"),
            "free is " + std::to_string(*free) + ", more than gpus, " + std::to_string(*gpus));
    }
    if (!names || entry.product.empty() || !gpus || !free || !slices || !places) return;
    entry.gpus = *gpus;
    entry.free = std::min(*free, *gpus);
    for (const std::string& name : *names) add_node(name, entry, below(at, "name"));
  }

  // A family stands for its first card that has all the slices of the entry.
  static std::string_view card_label(const Entry& entry) {
    const Product* product = find_product(entry.product);
    if (product == nullptr) return entry.product;
    const auto has_all = [&entry](std::string_view label) {
      const auto members = entry.mig.members();
      return std::all_of(members.begin(), members.end(), [label](const JsonMember& slice) {
        return slice_memory_mib(label, slice.key).has_value();
      });
    };
    return has_all(product->label) ? product->label : entry.product;
  }

  void add_node(const std::string& name, const Entry& entry, const std::string& at) {
    base::Arena& arena = builder_.arena();
    const Product* product = find_product(entry.product);
    const std::string_view vendor = product == nullptr ? "nvidia" : product->vendor;
    const std::string_view resource = kube::whole_gpu_resource(vendor);
    if (!resources_.emplace(name, resource).second) {
      error("duplicate-object", at, "node '" + name + "' stands here twice");
      return;
    }
    const auto text = [&arena](std::string_view value) { return kube::make_string(arena, value); };
    std::vector<JsonMember> labels;
    const auto label = [&](std::string_view key, std::string_view value) {
      labels.push_back({arena.copy(key), text(value)});
    };
    label(kHostname, name);
    if (vendor == "nvidia") {
      label("nvidia.com/gpu.product", card_label(entry));
      if (entry.mig.is_object()) label("nvidia.com/mig.strategy", "mixed");
    } else if (vendor == "amd") {
      label("amd.com/gpu.product-name", product->label);
    }
    for (const Level& level : levels_) {
      const Json place = entry.in[level.name];
      if (place.is_null() || level.labels.empty()) continue;
      label(level.labels[0], place.is_number() ? place.number_text() : place.string_or_empty());
    }
    std::vector<JsonMember> room = {{resource, text(std::to_string(entry.gpus))}};
    for (const JsonMember& slice : entry.mig.members()) {
      std::string key = std::string(kube::kNvidiaMigPrefix) + std::string(slice.key);
      std::replace(key.begin(), key.end(), '+', '.');
      room.push_back({arena.copy(key), slice.value});
    }
    const Json node = kube::make_object(
        arena,
        {{"apiVersion", Json::string("v1")},
         {"kind", Json::string("Node")},
         {"metadata", kube::make_object(arena, {{"name", text(name)},
                                                {"labels", kube::make_object(arena, labels)}})},
         {"status", kube::make_object(arena, {{"allocatable", kube::make_object(arena, room)}})}});
    builder_.add(node);
    builder_.add_use({name, std::string(resource), entry.gpus - entry.free});
  }

  void read_use(const JsonMember& use) {
    const std::string at = below("/used", use.key);
    const auto names = expand_names(use.key);
    if (!names) {
      error("bad-range", at, names.error().text);
      return;
    }
    const auto units = use.value.as_int();
    if (!units || *units < 0 || *units > kMostUnits) {
      error("wrong-type", at, "used must map nodes to a number of GPUs, found " + found(use.value));
      return;
    }
    for (const std::string& name : *names) {
      const auto node = resources_.find(name);
      if (node == resources_.end()) {
        error("unknown-node", at, "no node '" + name + "' in this topology");
        return;
      }
      builder_.add_use({name, std::string(node->second), *units});
    }
  }

  Builder& builder_;
  std::span<const Level> levels_;
  std::vector<Finding> findings_;
  std::map<std::string, std::string_view> resources_;  // whole-card resource by node
};

}  // namespace

base::Result<std::vector<std::string>> expand_names(std::string_view pattern) {
  if (pattern.empty()) return wrong_pattern(pattern, "it is empty");
  if (pattern.size() > kLongestPattern) {
    return base::invalid("a node name or range of " + std::to_string(pattern.size()) +
                         " bytes, expected at most " + std::to_string(kLongestPattern));
  }
  auto pieces = parse_pattern(pattern);
  if (!pieces) return pieces.error();
  std::vector<std::string> out = {""};
  for (const Piece& piece : *pieces) {
    std::vector<std::string> longer;
    for (const std::string& stem : out) {
      const std::string front = stem + std::string(piece.front);
      if (piece.ranges.empty()) longer.push_back(front);
      for (const Range& range : piece.ranges) {
        if (static_cast<std::size_t>(range.last - range.first) >= kMostNames - longer.size()) {
          return wrong_pattern(pattern, "it stands for more than 20000 nodes");
        }
        for (std::int64_t i = range.first; i <= range.last; ++i) {
          longer.push_back(front + padded(i, range.width));
        }
      }
    }
    out = std::move(longer);
  }
  return out;
}

std::vector<Finding> add_short_form(Builder& builder, kube::Json form,
                                    std::span<const Level> levels) {
  return Reader(builder, levels).read(form);
}

}  // namespace berth::topology
