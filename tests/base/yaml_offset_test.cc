#include "base/yaml_offset.h"

#include <string>

#include <gtest/gtest.h>

namespace berth::base {
namespace {

/// Where the '@' of the only value of a mapping stands, as found through the value's text.
std::string place_of_mark(const std::string& text) {
  const SourceText source("f", text);
  Problems problems;
  const auto documents = parse_yaml(source, problems);
  if (documents.empty() || documents[0].members.empty()) return "no document";
  const YamlNode& value = documents[0].members[0].value;
  const std::size_t mark = value.text.find('@');
  return to_text(source.place_at(source_offset(source, value, mark)));
}

/// Where it really stands.
std::string place_in_source(const std::string& text) {
  return to_text(SourceText("f", text).place_at(text.find('@')));
}

TEST(YamlOffset, FindsACharacterInEveryKindOfScalar) {
  for (const std::string text : {
           "a: one @",
           "a:\n  one\n  two @ three",
           "a: 'it''s ''@'''",
           "a: \"q\\\"u\\\"ote \\u00e9\\n\\x41 @\"",
           "a: \"fold\n  ed @\"",
           "a: \"con\\\n  tinued @\"",
           "a: |\n  one\n  two\n    three @\n  four\n",
           "a: >-\n  one\n  two\n\n  three @\n",
           "a: >-   # why\n    one two\n    @\n",
           "a: |2\n    indented @\n",
           "a: '@'",
           "a: \"\xC3\xA9 @\"",
       }) {
    EXPECT_EQ(place_of_mark(text), place_in_source(text)) << text;
  }
}

TEST(YamlOffset, GivesTheStartBeyondTheEnd) {
  const SourceText source("f", "a: xy");
  Problems problems;
  const auto documents = parse_yaml(source, problems);
  EXPECT_EQ(source_offset(source, documents[0].members[0].value, 99), 5U);
}

}  // namespace
}  // namespace berth::base
