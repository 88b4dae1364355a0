#include "base/yaml.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace berth::base {
namespace {

struct Parsed {
  std::vector<YamlNode> documents;
  Problems problems;

  std::string first() const { return problems.empty() ? "" : to_text(problems.list()[0]); }
};

Parsed parse(std::string text, const YamlLimits& limits = {}) {
  Parsed out;
  const SourceText source("f", std::move(text));
  out.documents = parse_yaml(source, out.problems, limits);
  return out;
}

/// Compact print of a tree: 'quoted', plain, |block|, ~ for null.
std::string shape(const YamlNode& node) {
  std::string out;
  switch (node.kind) {
    case YamlKind::kNull:
      return "~";
    case YamlKind::kScalar:
      if (node.plain) return node.text;
      return node.block ? '|' + node.text + '|' : '\'' + node.text + '\'';
    case YamlKind::kSequence:
      for (const YamlNode& item : node.items) out += (out.empty() ? "" : " ") + shape(item);
      return '[' + out + ']';
    case YamlKind::kMapping:
      for (const YamlMember& member : node.members) {
        out += (out.empty() ? "" : " ") + member.key + ':' + shape(member.value);
      }
      return '{' + out + '}';
  }
  return out;
}

TEST(Yaml, ReadsTreesAndTellsHowScalarsWereWritten) {
  const Parsed parsed = parse("a: 1\nb: \"1\"\nc: |\n  x\nd: [x, {y: z}]\ne:\nf: null\n");
  ASSERT_EQ(parsed.documents.size(), 1U);
  EXPECT_TRUE(parsed.problems.empty()) << parsed.first();
  EXPECT_EQ(shape(parsed.documents[0]), "{a:1 b:'1' c:|x\n| d:[x {y:z}] e:~ f:~}");
}

TEST(Yaml, ReadsJson) {
  const Parsed parsed = parse(R"({"a": [1, "x\u00e9", true, null], "b": {}})");
  ASSERT_EQ(parsed.documents.size(), 1U);
  EXPECT_EQ(shape(parsed.documents[0]), "{a:[1 'x\xC3\xA9' true ~] b:{}}");
}

TEST(Yaml, ReadsAllDocuments) {
  const Parsed parsed = parse("a: 1\n---\nb: 2\n...\nc: 3\n");
  EXPECT_TRUE(parsed.problems.empty()) << parsed.first();
  ASSERT_EQ(parsed.documents.size(), 3U);
  EXPECT_EQ(shape(parsed.documents[2]), "{c:3}");
}

TEST(Yaml, KnowsThePlacesOfKeysAndValues) {
  const SourceText source("f",
                          "\xEF\xBB\xBF"
                          "a: 1\nlist:\n- \xC3\xA9: x\n  empty:\n");
  Problems problems;
  const auto documents = parse_yaml(source, problems);
  ASSERT_EQ(documents.size(), 1U);
  const YamlMember& list = documents[0].members[1];
  EXPECT_EQ(to_text(source.place_at(list.key_offset)), "f:2:1");
  const YamlNode& item = list.value.items[0];
  EXPECT_EQ(to_text(source.place_at(item.members[0].value.offset)), "f:3:6");
  EXPECT_EQ(to_text(source.place_at(item.members[1].value.offset)), "f:4:3")
      << "a value that is not written is placed at its key";
}

TEST(Yaml, FindsMembersByKey) {
  const Parsed parsed = parse("{a: 1, b: 2}");
  ASSERT_NE(parsed.documents[0].find("b"), nullptr);
  EXPECT_EQ(parsed.documents[0].find("b")->text, "2");
  EXPECT_EQ(parsed.documents[0].find("c"), nullptr);
}

struct Refusal {
  std::string text;
  std::string_view starts;  // of the first problem as printed
  std::string_view reason;
};

class YamlRefuses : public testing::TestWithParam<Refusal> {};

TEST_P(YamlRefuses, WithPlaceAndReason) {
  const Parsed parsed = parse(GetParam().text);
  ASSERT_FALSE(parsed.problems.empty()) << GetParam().reason;
  EXPECT_EQ(parsed.first().substr(0, GetParam().starts.size()), GetParam().starts)
      << GetParam().reason;
}

const Refusal kRefusals[] = {
    {",", "f:1:1: error: a value cannot start with this", "the parser would report it for ever"},
    {"[1] 2\n", "f:1:5: error: text behind the end of the document", "the rest would be lost"},
    {"\"a\" \"b\"\n", "f:1:5: error: text behind the end", "the rest would be lost"},
    {"- a\nb: 1\n", "f:2:1: error: text behind the end", "the rest would be lost"},
    {"a: 1\n---\nb: [\n", "f:4:1: error: a '[' is not closed", "a later document counts too"},
    {"a: 1\nb: 2\na: 3\n", "f:3:1: error: key 'a' stands twice, first in line 1",
     "silent otherwise"},
    {"a: &x 1\nb: *x\n", "f:1:4: error: anchors and aliases are not supported", "aliases multiply"},
    {"a: {<<: {b: 1}}\n", "f:1:5: error: merge keys are not supported",
     "not applied by the parser"},
    {"a: !b c\n", "f:1:4: error: tags such as '!name' are not supported", "no meaning here"},
    {"a: !b {c: d}\n", "f:1:4: error: tags such as '!name' are not supported", "no meaning here"},
    {"a:\n- b: c\n\td: e\n", "f:3:1: error: a tab cannot indent YAML; use spaces",
     "the usual slip"},
    {"a: \xFF\n", "f:1:4: error: not valid UTF-8", "would be replaced silently"},
    {"a: \x04\n", "f:1:4: error: a control character (byte 4)", "the parser's mark for the end"},
    {"a: \"x\n", "f:1:4: error: a quoted text has no closing quote",
     "the end of file would close it"},
    {"a: 'it''s\n", "f:1:4: error: a quoted text has no closing quote", "doubled quote is no end"},
    {"a: \"\\q\"\n", "f:1:7: error: this escape is not known", "YAML's own escapes only"},
    {"{[1]: 2}\n", "f:1:2: error: a key must be a text", "keys are texts everywhere in Kubernetes"},
    {": 1\n", "f:1:1: error: a key is missing", "a null key"},
    {"a: @x\n", "f:1:4: error: a value cannot start with this character", "reserved by YAML"},
    {"a: b: c\n", "f:1:5: error: a ':' cannot stand here; quote the text", "a text with a colon"},
    {"when: a > 1 ? 'x' : 'y'\n", "f:1:19: error: a ':' cannot stand here; quote the expression",
     "the ternary of CEL"},
    {"when: ['a'].exists(x, x == w)\n",
     "f:1:12: error: this does not continue the mapping above it; quote the expression",
     "a list of CEL"},
    {"when: !variables.x\n",
     "f:1:7: error: tags such as '!name' are not supported; quote the expression", "not of CEL"},
    {"when: \"a\" + \"b\"\n",
     "f:1:11: error: this does not continue the mapping above it; quote the expression",
     "a CEL text at the start"},
};

INSTANTIATE_TEST_SUITE_P(Table, YamlRefuses, testing::ValuesIn(kRefusals));

TEST(Yaml, KeepsTheFirstOfEqualKeysAndReportsEach) {
  const Parsed parsed = parse("a: 1\na: 2\na: 3\n");
  EXPECT_EQ(parsed.problems.list().size(), 2U);
  ASSERT_EQ(parsed.documents.size(), 1U);
  EXPECT_EQ(parsed.documents[0].find("a")->text, "1");
}

TEST(Yaml, DropsADocumentWithAliases) {
  const Parsed parsed = parse("a: &x 1\nb: *x\n---\nc: 1\n");
  EXPECT_EQ(parsed.problems.list().size(), 1U) << "one problem, not one for each alias";
  ASSERT_EQ(parsed.documents.size(), 1U);
  EXPECT_EQ(shape(parsed.documents[0]), "{c:1}");
}

TEST(Yaml, LimitsDepth) {
  const std::string open(150, '[');
  const std::string close(150, ']');
  EXPECT_EQ(parse(open + close).first().substr(0, 42),
            "f:1:101: error: nested deeper than 100 lis");
  EXPECT_TRUE(parse(open.substr(0, 100) + close.substr(0, 100)).problems.empty());
  const Parsed parsed = parse(std::string(100'000, '['));
  ASSERT_FALSE(parsed.problems.empty());
  EXPECT_EQ(parsed.problems.list()[0].code, "too-large");
}

TEST(Yaml, LimitsTheNumberOfValues) {
  YamlLimits limits;
  limits.nodes = 10;
  EXPECT_TRUE(parse("[1, 2, 3, 4, 5, 6, 7, 8, 9]", limits).problems.empty());
  const Parsed parsed = parse("[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]", limits);
  EXPECT_EQ(parsed.first().substr(0, 33), "f:1:29: error: more than 10 value");
}

TEST(Yaml, TakesAnEmptyTextAsNoDocument) {
  EXPECT_TRUE(parse("").documents.empty());
  EXPECT_TRUE(parse("# nothing\n").documents.empty());
  EXPECT_TRUE(parse("# nothing\n").problems.empty());
}

}  // namespace
}  // namespace berth::base
