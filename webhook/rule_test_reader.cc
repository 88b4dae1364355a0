#include "base/yaml.h"
#include "kube/json_yaml.h"
#include "rules/schema_check.h"
#include "webhook/rule_test.h"

namespace berth::webhook {
namespace {

using base::YamlNode;

class Reader {
 public:
  Reader(const base::SourceText& text, const ReadText& read, base::Arena& arena,
         base::Problems& problems)
      : text_(text), read_(read), arena_(arena), problems_(problems) {}

  RuleTestFile file(const YamlNode& document) {
    RuleTestFile out;
    out.path = text_.name();
    if (!document.is_mapping()) {
      problem(document, "expected a rule test, a mapping of keys");
      return out;
    }
    rules::Report report(text_, problems_);
    rules::check(document, rules::schema(rules::SchemaKind::kRuleTest).front(),
                 {.kind = rules::SchemaKind::kRuleTest, .levels = {}, .name_prefix = {}}, report);
    if (report.errors() > 0) return out;
    for (const YamlNode& item : document.find("rules")->items)
      out.rules.push_back(beside(item.text));
    out.topology = topology(document.find("topology"));
    out.namespaces = json(document.find("namespaces"));
    out.priority_classes = json(document.find("priorityClasses"));
    for (const YamlNode& item : document.find("tests")->items) out.tests.push_back(test(item));
    return out;
  }

 private:
  void problem(const YamlNode& node, std::string what) {
    problems_.add(problem_at(text_, node.offset, "rule-test", std::move(what)));
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
    out.written = json(&node);
    out.name = node.find("name")->text;
    out.pod = json(node.find("pod"));
    out.object = json(node.find("object"));
    if (const YamlNode* path = node.find("podFile")) out.object = from_file(*path);
    int inputs = 0;
    for (const std::string_view key : {"pod", "podFile", "object"})
      inputs += node.find(key) != nullptr ? 1 : 0;
    if (inputs != 1) problem(node, "a test needs exactly one of pod, podFile and object");
    if (const YamlNode* object = node.find("object"); object != nullptr && !object->is_mapping())
      problem(*object, "object must be a mapping, as kubectl get -o yaml prints one");
    out.request = json(node.find("request"));
    out.used = json(node.find("used"));
    out.topology = topology(node.find("topology"));
    out.expect = json(node.find("expect"));
    out.passes = truth(node, "again") ? RuleTest::Passes::kTwo : RuleTest::Passes::kOne;
    out.model = truth(node, "stale") ? RuleTest::Model::kStale : RuleTest::Model::kFresh;
    out.rollout = rollout(node);
    return out;
  }

  static bool truth(const YamlNode& node, std::string_view key) {
    const YamlNode* value = node.find(key);
    return value != nullptr && value->text == "true";
  }

  static rules::DecideOptions::RolloutDraw rollout(const YamlNode& node) {
    using Draw = rules::DecideOptions::RolloutDraw;
    const YamlNode* value = node.find("rollout");
    if (value == nullptr || value->text == "hash") return Draw::kHash;
    return value->text == "in" ? Draw::kIn : Draw::kOut;
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
