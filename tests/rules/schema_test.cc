#include "rules/schema.h"

#include <set>
#include <string>

#include "fixtures.h"
#include <gtest/gtest.h>

#include "rules/report.h"
#include "rules/schema_check.h"

namespace berth::rules {
namespace {

constexpr SchemaKind kKinds[] = {SchemaKind::kRuleSet, SchemaKind::kRuleTest, SchemaKind::kConfig};

TEST(Schema, NamesOnlyObjectsThatItHas) {
  for (const SchemaKind kind : kKinds) {
    std::set<std::string_view> names;
    for (const ObjectType& object : schema(kind)) {
      EXPECT_TRUE(names.insert(object.name).second) << object.name << " stands twice";
    }
    for (const ObjectType& object : schema(kind)) {
      for (const Key& key : object.keys) {
        for (const ValueType& type : {key.type, key.other}) {
          if (type.form == Form::kObject) {
            EXPECT_TRUE(names.contains(type.of)) << type.of;
          }
        }
      }
    }
  }
}

TEST(Schema, HelpsWithEveryKeyOnce) {
  for (const SchemaKind kind : kKinds) {
    for (const ObjectType& object : schema(kind)) {
      std::set<std::string_view> names;
      for (const Key& key : object.keys) {
        EXPECT_TRUE(names.insert(key.name).second) << object.name << ' ' << key.name;
        EXPECT_FALSE(key.help.empty()) << object.name << ' ' << key.name;
        EXPECT_FALSE(expectation(key).empty()) << object.name << ' ' << key.name;
      }
    }
  }
}

TEST(Schema, HasNoWordThatYamlReadsAsATruthValue) {
  for (const SchemaKind kind : kKinds) {
    for (const ObjectType& object : schema(kind)) {
      for (const Key& key : object.keys) {
        for (const std::string_view word : words_of(key.type)) {
          for (const char* taken : {"on", "off", "yes", "no", "y", "n", "true", "false", "null"}) {
            if (key.type.form == Form::kWord) {
              EXPECT_NE(word, taken) << key.name;
            }
          }
        }
      }
    }
  }
}

TEST(Schema, PrintsJsonSchemaForEditors) {
  base::Arena arena;
  for (const SchemaKind kind : kKinds) {
    const auto json = kube::parse_json(json_schema(kind), arena);
    ASSERT_TRUE(json) << json.error().text;
    EXPECT_EQ((*json)["$schema"].string_or_empty(), "http://json-schema.org/draft-07/schema#");
    EXPECT_EQ((*json)["properties"].size(), schema(kind).front().keys.size());
    EXPECT_EQ((*json)["definitions"].size(), schema(kind).size() - 1);
  }
}

std::string problems_of(SchemaKind kind, const std::string& text) {
  const base::SourceText source("f", text);
  base::Problems problems;
  const auto documents = base::parse_yaml(source, problems);
  if (documents.empty()) return "no document";
  Report report(source, problems);
  check(documents[0], schema(kind).front(), {kind, {}, {}}, report);
  std::string out;
  for (const base::Problem& problem : problems.list()) out += problem.text + '\n';
  return out;
}

TEST(Schema, AcceptsTheConfigurationOfTheLab) {
  EXPECT_EQ(
      problems_of(SchemaKind::kConfig, testing::file_text("tests/data/cases/checks/config.yaml")),
      "");
  EXPECT_EQ(problems_of(SchemaKind::kConfig, "levls: []\n"), "unknown key 'levls'\n");
}

TEST(Schema, AcceptsTheRuleTestsOfTheExamples) {
  for (const char* name : {"guardrails_test", "inference_test", "training_test"}) {
    const std::string path = std::string("tests/data/rule-examples/tests/") + name + ".yaml";
    EXPECT_EQ(problems_of(SchemaKind::kRuleTest, testing::file_text(path)), "") << name;
  }
}

}  // namespace
}  // namespace berth::rules
