// Texts to trees, and what is said where a text is no expression.
#include "rules/cel/parser.h"

#include <string>

#include <gtest/gtest.h>

#include "rules/cel/compile.h"

namespace berth::rules::cel {
namespace {

// The tree, or the error with its offset.
std::string parsed(std::string_view text) {
  Ast ast;
  std::vector<Diagnostic> diagnostics;
  if (!parse(text, ast, diagnostics)) return to_text(diagnostics.at(0));
  return print(*ast.root);
}

struct Row {
  const char* reason;
  const char* text;
  const char* wanted;
};

TEST(Parser, BuildsTrees) {
  const Row rows[] = {
      {"a comparison", "workload.gpus >= 8", "(>= (. workload gpus) 8)"},
      {"product before sum", "1 + 2 * 3", "(+ 1 (* 2 3))"},
      {"sums go from the left", "1 - 2 - 3", "(- (- 1 2) 3)"},
      {"relations go from the left", "1 < 2 == true", "(== (< 1 2) true)"},
      {"and before or", "a || b && c", "(|| a (&& b c))"},
      {"a chain of && is one node", "a && b && c", "(&& a b c)"},
      {"brackets make another", "a && (b && c)", "(&& a (&& b c))"},
      {"ternary goes from the right", "a ? b : c ? d : e", "(?: a b (?: c d e))"},
      {"not binds tighter than select does not", "!a.b", "(! (. a b))"},
      {"two signs", "--a", "(- (- a))"},
      {"a negative number is a literal", "-5", "-5"},
      {"the smallest int", "-9223372036854775808", "-9223372036854775808"},
      {"hexadecimal", "0xFFu", "255u"},
      {"doubles", "[.5, 1e3, 2.5e-1]", "(list 0.5 1000 0.25)"},
      {"in", "'x' in m", "(in \"x\" m)"},
      {"a comment ends with the line", "1 // one\n+ 2", "(+ 1 2)"},
      {"escapes", "'\\u00e9\\x41\\101\\n'", "\"\u00e9AA\\n\""},
      {"a raw string", "r'\\d+'", "\"\\\\d+\""},
      {"three quotes hold quotes and lines", "'''a'b\nc'''", "\"a'b\\nc\""},
      {"bytes", "b'\\xff'", "b\"\xEF\xBF\xBD\""},
      {"reserved words behind a dot", "a.namespace.for()", "(.for() (. a namespace))"},
      {"names in backquotes", "labels.`a.b/c`", "(. labels a.b/c)"},
      {"a leading dot", ".a.b", "(. .a b)"},
      {"optional select and index", "a.?b[?'c']", "([?] (.? a b) \"c\")"},
      {"optional entries", "[?a, b]", "(list ?a b)"},
      {"optional map entries", "{?'k': a, 'l': b,}", "(map ?\"k\" a \"l\" b)"},
      {"has", "has(a.b.c)", "(has (. (. a b) c))"},
      {"a macro", "l.exists(x, x > 1)", "(exists x l (> x 1))"},
      {"map with a filter", "l.map(x, x > 1, x * 2)", "(map x l (> x 1) (* x 2))"},
      {"two variables", "l.all(i, v, v > i)", "(all i,v l (> v i))"},
      {"cel.bind", "cel.bind(x, 1, x + x)", "(bind x 1 (+ x x))"},
      {"optMap", "o.optMap(v, v + 1)", "(optMap v o (+ v 1))"},
      {"a method named like a macro", "a.map(b)", "(.map() a b)"},
      {"many for math.greatest", "math.greatest(1, 2, 3)", "(.greatest() math (list 1 2 3))"},
  };
  for (const auto& row : rows) EXPECT_EQ(parsed(row.text), row.wanted) << row.reason;
}

TEST(Parser, SaysWhatIsWrongAndWhere) {
  const Row rows[] = {
      {"nothing", "", "0: error: expected a value, found the end"},
      {"half a comparison", "a >", "3: error: expected a value, found the end"},
      {"two values", "a b", "2: error: expected an operator or the end, found 'b'"},
      {"a word for &&", "a and b", "2: error: expected an operator such as '&&', found 'and'"},
      {"a word for ||", "a or b", "2: error: expected an operator such as '||', found 'or'"},
      {"open bracket", "(1 + 2", "6: error: expected ')' to close the '(', found the end"},
      {"open list", "[1, 2", "5: error: expected ']' to close the list, found the end"},
      {"map without colon", "{1 2}", "3: error: expected ':' behind the key, found '2'"},
      {"assignment", "a = 1", "2: error: a single '=' is no operator; did you mean '=='?"},
      {"single &", "a & b", "2: error: a single '&' is no operator; did you mean '&&'?"},
      {"template inside", "${a}", "0: error: '$' has no meaning inside an expression"},
      {"string without end", "'abc", "0: error: the string does not end"},
      {"string over the line", "'a\nb'", "0: error: the string does not end"},
      {"unknown escape", "'a\\q'",
       "2: error: unknown escape; a backslash itself is written '\\\\', or use a raw string "
       "r'...'"},
      {"surrogate", "'\\ud800'", "7: error: the escape names no character"},
      {"reserved word", "for > 1", "0: error: 'for' is a reserved word"},
      {"number too large", "9223372036854775808", "0: error: the number does not fit 64 bits"},
      {"name behind a number", "1a", "0: error: not a number"},
      {"no field name", "a.1", "1: error: expected an operator or the end, found '.1'"},
      {"ternary without colon", "a ? b", "5: error: expected ':' of the '?', found the end"},
      {"has of no field", "has(a)",
       "4: error: has() needs a field, as in has(object.metadata.labels)"},
      {"macro without a name", "l.all(1, true)",
       "6: error: all() needs a simple name here, as in list.all(x, ...)"},
      {"one name twice", "l.all(i, i, true)", "9: error: the two variables of all() have one name"},
      {"a message", "Pod{}",
       "0: error: messages cannot be built in an expression; use the settings under 'then' to "
       "change the pod"},
  };
  for (const auto& row : rows) EXPECT_EQ(parsed(row.text), row.wanted) << row.reason;
}

std::string repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

TEST(Parser, LimitsWhatOneExpressionMayBe) {
  EXPECT_EQ(parsed(repeated("(", 251) + "1" + repeated(")", 251)).substr(0, 5), "250: ");
  EXPECT_EQ(parsed("1" + repeated("+1", 300)),
            "0: error: the expression is nested more than 250 deep");
  EXPECT_EQ(parsed(repeated("!", 300) + "true"),
            "249: error: the expression is nested more than 250 deep");
  EXPECT_EQ(parsed("[" + repeated("1,", 2000) + "1]"),
            "4001: error: the expression has more than 2000 parts");
  EXPECT_EQ(parsed(repeated(" ", 4097)),
            "0: error: the expression has 4097 bytes, at most 4096 are allowed");
  // A long chain of && is flat, so only the number of parts limits it.
  EXPECT_EQ(parsed("a" + repeated("&&a", 900)).substr(0, 5), "(&& a");
}

TEST(Parser, GivesTheNamesOfComputedVariables) {
  const std::vector<std::string> names = {"a", "b"};
  EXPECT_EQ(computed_names("variables.b > 1 || [variables.a].exists(x, x == variables.b)"), names);
  EXPECT_TRUE(computed_names("variables.").empty());
}

}  // namespace
}  // namespace berth::rules::cel
