#include "topology/file_source.h"

#include <map>
#include <optional>
#include <utility>

#include "base/yaml.h"
#include "kube/json_yaml.h"
#include "kube/pointer.h"
#include "topology/short_form.h"

namespace berth::topology {
namespace {

using kube::Json;

// Lists in lists are not made by any tool; this bounds what a hostile file can do.
constexpr int kDeepestList = 4;
constexpr std::size_t kMostYamlNodes = 20'000'000;
constexpr std::string_view kGroup = "berth.dev/";

bool looks_like_json(std::string_view text) {
  const auto start = text.find_first_not_of(" \t\r\n");
  return start != std::string_view::npos && (text[start] == '{' || text[start] == '[');
}

// Finds places in a text. JSON is parsed a second time for that, and only when there is something
// to say.
class Locator {
 public:
  explicit Locator(const base::SourceText& source) : source_(source) {}

  /// The documents of the text, where somebody has parsed it already.
  void set_documents(std::vector<base::YamlNode> documents) { documents_ = std::move(documents); }

  const std::vector<base::YamlNode>& documents() {
    if (!documents_) {
      base::Problems ignored;
      documents_ = base::parse_yaml(source_, ignored, {kMostYamlNodes, 100});
    }
    return *documents_;
  }

  /// Offset of the value at the pointer, or of the last step on the way that exists. A key that is
  /// the last step gives the place of the key.
  std::size_t offset_of(std::size_t document, const std::string& pointer) {
    if (document >= documents().size()) return 0;
    const base::YamlNode* node = &documents()[document];
    base::Arena arena(256);
    const auto segments = kube::split_pointer(pointer, arena);
    std::size_t offset = node->offset;
    if (!segments) return offset;
    for (const std::string_view segment : *segments) {
      node = step(*node, segment, offset);
      if (node == nullptr) break;
    }
    return offset;
  }

 private:
  static const base::YamlNode* step(const base::YamlNode& from, std::string_view segment,
                                    std::size_t& offset) {
    for (const base::YamlMember& member : from.members) {
      if (member.key != segment) continue;
      offset = member.key_offset;
      return &member.value;
    }
    if (!from.is_sequence() || segment.empty() || segment.size() > 9) return nullptr;
    std::size_t index = 0;
    for (const char c : segment) {
      if (c < '0' || c > '9') return nullptr;
      index = index * 10 + static_cast<std::size_t>(c - '0');
    }
    if (index >= from.items.size()) return nullptr;
    offset = from.items[index].offset;
    return &from.items[index];
  }

  const base::SourceText& source_;
  std::optional<std::vector<base::YamlNode>> documents_;
};

// Reads one text into the builder.
class Reader {
 public:
  Reader(Builder& builder, std::span<const Level> levels, const base::SourceText& source,
         base::Problems& problems)
      : builder_(builder),
        levels_(levels),
        source_(source),
        locator_(source),
        problems_(problems) {}

  void read() {
    if (looks_like_json(source_.text())) {
      const auto parsed = kube::parse_json(source_.text(), builder_.arena());
      if (parsed) {
        read_document(*parsed);
        report_ignored();
        return;
      }
    }
    base::Problems found;
    locator_.set_documents(base::parse_yaml(source_, found, {kMostYamlNodes, 100}));
    const bool broken = found.has_errors();
    problems_.append(std::move(found));
    if (broken) return;
    for (document_ = 0; document_ < locator_.documents().size(); ++document_) {
      read_document(kube::to_json(locator_.documents()[document_], builder_.arena()));
    }
    report_ignored();
  }

  /// Some object was one of a cluster.
  bool has_read_some() const { return has_read_some_; }

 private:
  void report(Finding finding) {
    const std::size_t offset = locator_.offset_of(document_, finding.pointer);
    base::Problem problem =
        base::problem_at(source_, offset, std::move(finding.code), std::move(finding.text));
    problem.severity = finding.severity;
    problem.hint = std::move(finding.hint);
    problems_.add(std::move(problem));
  }

  void read_document(Json document) {
    if (document.is_null()) return;  // an empty document between two marks
    if (document.is_array()) {
      read_items(document, "", {}, 0);
    } else {
      read_object(document, "", 0);
    }
  }

  void read_object(Json object, const std::string& at, int depth) {
    if (!object.is_object()) {
      report({base::Severity::kError,
              "not-an-object",
              at,
              "expected a Kubernetes object with apiVersion, kind and metadata, found a " +
                  std::string(kube::to_text(object.type())),
              {}});
      return;
    }
    const std::string_view kind = object["kind"].string_or_empty();
    const std::string_view version = object["apiVersion"].string_or_empty();
    if (kind.empty()) {
      report({base::Severity::kError,
              "missing-kind",
              at,
              "an object without kind, expected what kubectl get -o yaml prints, or kind: Topology",
              {}});
    } else if (kind.ends_with("List") && object.has("items")) {
      read_list(object, at, depth);
    } else if (version.starts_with(kGroup) && kind != "Topology") {
      report({base::Severity::kError, "not-of-a-cluster", at,
              "a " + std::string(kind) + " is no object of a cluster",
              kind == "RuleSet" ? "rule files go behind --rules" : std::string()});
    } else if (kind == "Topology" && version.starts_with(kGroup)) {
      has_read_some_ = true;
      for (Finding& finding : add_short_form(builder_, object, levels_)) {
        finding.pointer = at + finding.pointer;
        report(std::move(finding));
      }
    } else {
      add(object, at);
    }
  }

  void read_list(Json list, const std::string& at, int depth) {
    const Json items = list["items"];
    if (items.is_null()) return;
    const std::string items_at = at + "/items";
    if (!items.is_array()) {
      report(
          {base::Severity::kError,
           "not-an-object",
           items_at,
           "items must be a list of objects, found a " + std::string(kube::to_text(items.type())),
           {}});
      return;
    }
    if (depth >= kDeepestList) {
      report({base::Severity::kError, "too-deep", items_at, "lists in lists, too deep", {}});
      return;
    }
    read_items(items, items_at, list, depth);
  }

  // The API itself leaves kind and apiVersion out of the items of a NodeList, PodList, ...
  void read_items(Json items, const std::string& at, Json list, int depth) {
    std::string_view kind = list["kind"].string_or_empty();
    if (!kind.empty()) kind.remove_suffix(4);
    for (std::size_t i = 0; i < items.items().size(); ++i) {
      std::string item_at = at;
      kube::append_segment(item_at, i);
      Json item = items.at(i);
      if (!kind.empty() && item.is_object() && !item.has("kind")) {
        item = kube::with_member(builder_.arena(), item, "kind", Json::string(kind));
        item = kube::with_member(builder_.arena(), item, "apiVersion", list["apiVersion"]);
      }
      read_object(item, item_at, depth + 1);
    }
  }

  void add(Json object, const std::string& at) {
    const std::string kind(object["kind"].string_or_empty());
    const std::string name(object["metadata"]["name"].string_or_empty());
    const Builder::Added added = builder_.add(object);
    has_read_some_ = has_read_some_ || added.outcome != Builder::Outcome::kIgnored;
    switch (added.outcome) {
      case Builder::Outcome::kTaken:
        break;
      case Builder::Outcome::kReplaced:
        report({base::Severity::kWarning,
                "duplicate-object",
                at,
                kind + " '" + name + "' stands here twice, the later one counts",
                {}});
        break;
      case Builder::Outcome::kIgnored:
        ignored_.try_emplace(kind, at, document_, 0).first->second.count += 1;
        break;
      case Builder::Outcome::kUnnamed:
        report({base::Severity::kError,
                "missing-name",
                at,
                "a " + kind + " without metadata.name",
                {}});
        break;
    }
    for (const Remark& remark : added.remarks) {
      std::string text = kind;
      text.append(" '").append(name).append("': ").append(remark.text);
      report({base::Severity::kWarning, "bad-value", at + remark.pointer, std::move(text), {}});
    }
  }

  void report_ignored() {
    for (const auto& [kind, seen] : ignored_) {
      document_ = seen.document;
      report({base::Severity::kNote,
              "ignored-kind",
              seen.pointer,
              std::to_string(seen.count) + " of kind " + kind + ", which berth does not read",
              {}});
    }
  }

  struct Ignored {
    Ignored(std::string at, std::size_t in, int so_far)
        : pointer(std::move(at)), document(in), count(so_far) {}
    std::string pointer;  ///< of the first one
    std::size_t document;
    int count;
  };

  Builder& builder_;
  std::span<const Level> levels_;
  const base::SourceText& source_;
  Locator locator_;
  base::Problems& problems_;
  std::size_t document_ = 0;
  bool has_read_some_ = false;
  std::map<std::string, Ignored> ignored_;
};

base::Problem without_objects(std::span<const base::SourceText> texts) {
  base::Problem problem;
  problem.severity = base::Severity::kWarning;
  problem.code = "nothing-read";
  problem.place.file = texts.front().name();
  problem.text = texts.size() == 1 ? "holds" : "this and the other files hold";
  problem.text += " nothing of a cluster that berth reads";
  return problem;
}

}  // namespace

Loaded load_cluster(std::span<const base::SourceText> texts, const BuildOptions& options) {
  Loaded out;
  BuildOptions filled = options;
  if (filled.levels.empty()) filled.levels = default_levels();
  Builder builder(filled);
  bool some = false;
  for (const base::SourceText& text : texts) {
    Reader reader(builder, filled.levels, text, out.problems);
    reader.read();
    some = some || reader.has_read_some();
  }
  out.problems.sort();
  if (!out.problems.has_errors()) out.snapshot = builder.finish();
  if (out.snapshot != nullptr && !texts.empty() && !some) out.problems.add(without_objects(texts));
  return out;
}

}  // namespace berth::topology
