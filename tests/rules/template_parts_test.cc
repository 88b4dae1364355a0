#include "rules/template_parts.h"

#include <string>

#include <gtest/gtest.h>

namespace berth::rules {
namespace {

/// "text" and {expression@offset}, "..." where a part has no end.
std::string shape(const std::string& text) {
  const TemplateParts cut = template_parts(text);
  std::string out;
  for (const TemplatePart& part : cut.parts) {
    if (part.kind == TemplatePart::Kind::kLiteral) {
      out += '"' + part.text + '"';
    } else {
      out += '{' + part.text + '@' + std::to_string(part.offset) + '}';
    }
  }
  return out + (cut.unended ? "...@" + std::to_string(*cut.unended) : "");
}

TEST(TemplateParts, CutTextAndExpressions) {
  EXPECT_EQ(shape(""), "");
  EXPECT_EQ(shape("plain $HOME {x}"), "\"plain $HOME {x}\"");
  EXPECT_EQ(shape("${a}"), "{a@2}");
  EXPECT_EQ(shape("team-${a}-${b}!"), "\"team-\"{a@7}\"-\"{b@12}\"!\"");
}

TEST(TemplateParts, KeepBracesOfTheExpression) {
  EXPECT_EQ(shape("${{'a': {}}['a']}"), "{{'a': {}}['a']@2}");
  EXPECT_EQ(shape("${'}'}x"), "{'}'@2}\"x\"");
  EXPECT_EQ(shape("${\"\\\"}\"}"), "{\"\\\"}\"@2}");
  EXPECT_EQ(shape("${'''}'''}"), "{'''}'''@2}");
  EXPECT_EQ(shape("${r'\\'}"), "{r'\\'@2}") << "a raw text has no escapes";
}

TEST(TemplateParts, HaveASpellingForTheSignItself) {
  EXPECT_EQ(shape("$${HOME}"), "\"${HOME}\"");
  EXPECT_EQ(shape("$$${a}"), "\"$${a}\"") << "the first two signs stay as they are";
}

TEST(TemplateParts, TellWhereAnEndIsMissing) {
  EXPECT_EQ(shape("x ${a"), "...@2");
  EXPECT_EQ(shape("${a} ${'}"), "{a@2}...@5");
}

}  // namespace
}  // namespace berth::rules
