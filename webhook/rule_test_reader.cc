#include <array>

#include "base/yaml.h"
#include "kube/json_yaml.h"
#include "webhook/rule_test.h"

namespace berth::webhook {
namespace {

using base::YamlMember;
using base::YamlNode;

constexpr std::array<std::string_view, 7> kFileKeys = {
    "apiVersion", "kind", "rules", "topology", "namespaces", "priorityClasses", "tests"};
constexpr std::array<std::string_view, 11> kTestKeys = {"name",     "pod",   "podFile", "object",
                                                        "request",  "used",  "stale",   "rollout",
                                                        "topology", "again", "expect"};
constexpr std::array<std::string_view, 12> kPodKeys = {
    "namespace", "name",      "intent", "kind",   "framework",   "gpus",
    "pods",      "gpuMemory", "image",  "labels", "annotations", "spec"};
constexpr std::array<std::string_view, 13> kExpectKeys = {
    "allowed", "rules",     "notRules", "audited", "decision", "patched",  "absent",
    "kept",    "overruled", "warnings", "denied",  "errors",   "unchanged"};

class Reader {
 public:
  Reader(const base::SourceText& text, const ReadText& read, base::Arena& arena,
         base::Problems& problems)
      : text_(text), read_(read), arena_(arena), problems_(problems) {}

  RuleTestFile file(const YamlNode& document) {
    RuleTestFile out;
    out.path = text_.name();
    known_keys(document, kFileKeys, "a RuleTest");
    const YamlNode* kind = document.find("kind");
    if (kind == nullptr || kind->text != "RuleTest") problem(document, "kind is not RuleTest");
    const YamlNode* version = document.find("apiVersion");
    if (version == nullptr || version->text != "berth.dev/v1alpha1") {
      problem(document, "apiVersion is not berth.dev/v1alpha1");
    }
    if (const YamlNode* rules = document.find("rules")) {
      for (const YamlNode& item : rules->items) out.rules.push_back(beside(item.text));
    }
    if (out.rules.empty()) problem(document, "no rules; name at least one rule file");
    out.topology = topology(document.find("topology"));
    out.namespaces = json(document.find("namespaces"));
    out.priority_classes = json(document.find("priorityClasses"));
    const YamlNode* tests = document.find("tests");
    if (tests == nullptr || tests->items.empty()) problem(document, "no tests");
    if (tests != nullptr) {
      for (const YamlNode& item : tests->items) out.tests.push_back(test(item));
    }
    return out;
  }

 private:
  void problem(const YamlNode& node, std::string what) {
    problems_.add(problem_at(text_, node.offset, "rule-test", std::move(what)));
  }

  void known_keys(const YamlNode& node, std::span<const std::string_view> known,
                  std::string_view what) {
    if (!node.is_mapping()) return problem(node, "expected a map");
    for (const YamlMember& member : node.members) {
      if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
      base::Problem unknown = problem_at(text_, member.key_offset, "unknown-key",
                                         std::string(what) + " has no key '" + member.key + "'");
      unknown.hint = base::suggestion(member.key, known);
      problems_.add(std::move(unknown));
    }
  }

  std::string beside(const std::string& path) const {
    const std::size_t slash = text_.name().rfind('/');
    if (path.starts_with('/') || slash == std::string::npos) return path;
    return text_.name().substr(0, slash + 1) + path;
  }

  kube::Json json(const YamlNode* node) {
    return node == nullptr ? kube::Json() : kube::to_json(*node, arena_);
  }

  kube::Json from_file(const YamlNode& node) {
    const auto text = read_(beside(node.text));
    if (!text) {
      problem(node, "'" + node.text + "' cannot be read: " + text.error().text);
      return {};
    }
    base::Problems inside;
    const auto documents = base::parse_yaml(*text, inside);
    const bool usable = !inside.has_errors() && !documents.empty();
    problems_.append(std::move(inside));
    return usable ? kube::to_json(documents[0], arena_) : kube::Json();
  }

  kube::Json topology(const YamlNode* node) {
    if (node == nullptr) return {};
    return node->is_scalar() ? from_file(*node) : json(node);
  }

  RuleTest test(const YamlNode& node) {
    RuleTest out;
    out.place = text_.place_at(node.offset);
    known_keys(node, kTestKeys, "a test");
    if (const YamlNode* name = node.find("name")) out.name = name->text;
    if (out.name.empty()) problem(node, "a test without a name");
    if (const YamlNode* pod = node.find("pod")) known_keys(*pod, kPodKeys, "a pod in shorthand");
    if (const YamlNode* expect = node.find("expect")) known_keys(*expect, kExpectKeys, "expect");
    out.pod = json(node.find("pod"));
    out.object = json(node.find("object"));
    if (const YamlNode* path = node.find("podFile")) out.object = from_file(*path);
    const int inputs = (out.pod.is_object() ? 1 : 0) + (out.object.is_object() ? 1 : 0);
    if (inputs != 1) problem(node, "a test needs exactly one of pod, podFile and object");
    out.request = json(node.find("request"));
    out.used = json(node.find("used"));
    out.topology = topology(node.find("topology"));
    out.expect = json(node.find("expect"));
    if (!out.expect.is_object() || out.expect.size() == 0)
      problem(node, "a test without expectations");
    out.passes = truth(node, "again") ? RuleTest::Passes::kTwo : RuleTest::Passes::kOne;
    out.model = truth(node, "stale") ? RuleTest::Model::kStale : RuleTest::Model::kFresh;
    out.rollout = rollout(node);
    return out;
  }

  bool truth(const YamlNode& node, std::string_view key) {
    const YamlNode* value = node.find(key);
    if (value == nullptr) return false;
    if (value->text != "true" && value->text != "false") problem(*value, "expected true or false");
    return value->text == "true";
  }

  rules::DecideOptions::RolloutDraw rollout(const YamlNode& node) {
    using Draw = rules::DecideOptions::RolloutDraw;
    const YamlNode* value = node.find("rollout");
    if (value == nullptr || value->text == "hash") return Draw::kHash;
    if (value->text == "in") return Draw::kIn;
    if (value->text != "out")
      problem(*value, "'" + value->text + "' is no rollout, expected in, out or hash");
    return Draw::kOut;
  }

  const base::SourceText& text_;
  const ReadText& read_;
  base::Arena& arena_;
  base::Problems& problems_;
};

}  // namespace

RuleTestFile read_rule_tests(const base::SourceText& text, const ReadText& read, base::Arena& arena,
                             base::Problems& problems) {
  base::Problems syntax;
  const auto documents = base::parse_yaml(text, syntax);
  const bool broken = syntax.has_errors();
  problems.append(std::move(syntax));
  if (broken) return {};
  if (documents.size() != 1) {
    problems.add(problem_at(text, 0, "rule-test", "expected one document of kind RuleTest"));
    return {};
  }
  return Reader(text, read, arena, problems).file(documents[0]);
}

}  // namespace berth::webhook
