#include "kube/json_yaml.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace berth::kube {
namespace {

std::string printed(std::string_view json) {
  base::Arena arena;
  const auto value = parse_json(json, arena);
  EXPECT_TRUE(value.has_value()) << json;
  return to_yaml(value.value_or(Json()));
}

// The JSON text of a YAML document.
std::string read(const std::string& yaml) {
  base::Problems problems;
  const auto documents = base::parse_yaml(base::SourceText("test.yaml", yaml), problems);
  for (const base::Problem& problem : problems.list()) ADD_FAILURE() << base::to_text(problem);
  if (documents.size() != 1) return "documents: " + std::to_string(documents.size());
  base::Arena arena;
  return to_json(to_json(documents[0], arena));
}

TEST(JsonYaml, PrintsBlocksAsKubectlDoes) {
  EXPECT_EQ(printed(R"({"kind":"Pod","metadata":{"labels":{},"name":"a"},"spec":{"containers":[
                {"name":"main","args":["--port","8000"],"env":[],"tty":true,"m":1.50}],
                "matrix":[[1,2],[],[{"a":null,"b":[3]}]]}})"),
            R"(kind: Pod
metadata:
  labels: {}
  name: a
spec:
  containers:
  - name: main
    args:
    - --port
    - "8000"
    env: []
    tty: true
    m: 1.50
  matrix:
  - - 1
    - 2
  - []
  - - a: null
      b:
      - 3
)");
  EXPECT_EQ(printed("{}"), "{}\n");
  EXPECT_EQ(printed("[]"), "[]\n");
  EXPECT_EQ(printed("null"), "null\n");
  EXPECT_EQ(printed(R"("x")"), "x\n");
}

TEST(JsonYaml, QuotesWhatAReaderWouldTakeForSomethingElse) {
  const std::vector<std::string> ambiguous = {"",
                                              "~",
                                              "null",
                                              "Null",
                                              "true",
                                              "False",
                                              "yes",
                                              "No",
                                              "on",
                                              "OFF",
                                              "y",
                                              "N",
                                              "<<",
                                              "=",
                                              "1",
                                              "-1",
                                              "+1",
                                              "007",
                                              "0",
                                              "0x1",
                                              "0xFF",
                                              "0o17",
                                              "0b101",
                                              "1_000",
                                              "1e3",
                                              "1E-3",
                                              "1.5",
                                              ".5",
                                              "5.",
                                              "-.5e+10",
                                              ".inf",
                                              "-.inf",
                                              ".NaN",
                                              "1:30",
                                              "190:20:30",
                                              "1:30.5",
                                              "2024-01-31",
                                              "2024-1-3",
                                              "2024-01-31T10:00:00Z",
                                              "2024-01-31 10:00:00",
                                              "- x",
                                              "-",
                                              "---",
                                              "...",
                                              "? x",
                                              ": x",
                                              "a: b",
                                              "a:",
                                              "a #b",
                                              "#a",
                                              "&a",
                                              "*a",
                                              "!a",
                                              "|",
                                              ">",
                                              "%a",
                                              "@a",
                                              "`a",
                                              "[a]",
                                              "{a}",
                                              ", a",
                                              " a",
                                              "a ",
                                              "'a'",
                                              "\"a\"",
                                              "a\tb",
                                              "a\rb",
                                              "\x7f",
                                              "\xc2\x85",
                                              "\xe2\x80\xa8",
                                              "\xef\xbb\xbf",
                                              "--- a"};
  for (const std::string& text : ambiguous) {
    base::Arena arena;
    const std::string yaml = to_yaml(make_string(arena, text));
    EXPECT_TRUE(yaml[0] == '"' || yaml[0] == '\'') << yaml;
    std::string expected;
    append_json_string(expected, text);
    EXPECT_EQ(read(yaml), expected) << yaml;
  }
}

TEST(JsonYaml, LeavesPlainWhatEveryReaderTakesForText) {
  const std::vector<std::string> plain = {"a",
                                          "a b",
                                          "a:b",
                                          "http://x:80/y",
                                          "a#b",
                                          "--port",
                                          "-x",
                                          "1.2.3",
                                          "10.0.0.1",
                                          "v1",
                                          "1Gi",
                                          "500m",
                                          "1e",
                                          "e3",
                                          "_1",
                                          "1-2",
                                          "2024-01",
                                          "2024-01-31x",
                                          "nvidia.com/gpu",
                                          "yEs",
                                          "it's",
                                          "a\"b",
                                          "a, b",
                                          "[a",
                                          "x]",
                                          "0x",
                                          "0xg",
                                          ".",
                                          "..",
                                          "~/x",
                                          "null.",
                                          "$(VAR)",
                                          "sha256:0abc",
                                          "\xc3\xa9"};
  for (const std::string& text : plain) {
    base::Arena arena;
    std::string expected;
    append_json_string(expected, text);
    const std::string yaml = to_yaml(make_string(arena, text));
    EXPECT_EQ(read(yaml), expected) << yaml;
    if (text == "[a" || text == "a\"b") continue;
    EXPECT_EQ(yaml, text + "\n");
  }
  EXPECT_EQ(printed(R"("a\"b")"), "a\"b\n");
}

TEST(JsonYaml, PrintsSeveralLinesAsALiteralBlock) {
  EXPECT_EQ(printed(R"({"a":"x\n  y\n","b":"x\ny","c":"x\n\n","d":1})"),
            "a: |\n  x\n    y\nb: |-\n  x\n  y\nc: |+\n  x\n\nd: 1\n");
  EXPECT_EQ(printed(R"(["x\n\ny\n"])"), "- |\n  x\n\n  y\n");
  EXPECT_EQ(printed(R"("x\ny")"), "|-\n  x\n  y\n");
  // Not safe: the block would not come back, or would hide blanks.
  for (const char* text :
       {R"(" x\ny")", R"("\nx")", R"("x \ny")", R"("x\n ")", R"("x\ty\nz")", R"("x\r\ny")"}) {
    EXPECT_EQ(printed(text)[0], '"') << text;
    EXPECT_EQ(read(printed(text)), text);
  }
}

TEST(JsonYaml, QuotesKeysAsItQuotesTexts) {
  EXPECT_EQ(printed(R"({"on":1,"8":2,"a: b":3,"":4,"nvidia.com/gpu":5})"),
            "\"on\": 1\n\"8\": 2\n\"a: b\": 3\n\"\": 4\nnvidia.com/gpu: 5\n");
  const std::string longest = R"({")" + std::string(3000, 'k') + R"(":{"a":[1]}})";
  EXPECT_EQ(read(printed(longest)), longest);
}

TEST(JsonYaml, WritesExponentsThatOldReadersKnow) {
  EXPECT_EQ(printed("[1e3,1.5E-7,2e+10,8]"), "- 1.0e+3\n- 1.5e-7\n- 2.0e+10\n- 8\n");
}

TEST(JsonYaml, TypesPlainScalarsByTheCoreSchema) {
  struct Row {
    std::string yaml;
    std::string json;
  };
  const std::vector<Row> rows = {
      {"a:", R"({"a":null})"},
      {"[~, null, Null, NULL]", "[null,null,null,null]"},
      {"[true, True, TRUE, false, False, FALSE]", "[true,true,true,false,false,false]"},
      {"[yes, no, on, off, y, n, tRUE]", R"(["yes","no","on","off","y","n","tRUE"])"},
      {"[0, 8, -8, +8, 007, -0]", "[0,8,-8,8,7,-0]"},
      {"[0x1F, 0o17, 0b1, 1_000]", R"([31,15,"0b1","1_000"])"},
      {"[0xffffffffffffffff, 0x10000000000000000]",
       R"([18446744073709551615,"0x10000000000000000"])"},
      {"[1.50, .5, 5., 1e3, 1E-3, -1.5e+3]", "[1.50,0.5,5,1e3,1E-3,-1.5e+3]"},
      {"[.inf, .nan, 1e, 2024-01-01, 1:30, 10.0.0.1]",
       R"([".inf",".nan","1e","2024-01-01","1:30","10.0.0.1"])"},
      {"[\"8\", 'true', \"\", '']", R"(["8","true","",""])"},
      {"a: |\n  8\n", R"({"a":"8\n"})"},
      {"a: >-\n  true\n", R"({"a":"true"})"},
      {"8: x\ntrue: y", R"({"8":"x","true":"y"})"},
      {"123456789012345678901234567890", "123456789012345678901234567890"},
  };
  for (const Row& row : rows) EXPECT_EQ(read(row.yaml), row.json) << row.yaml;
}

TEST(JsonYaml, GivesBackEveryReviewAsItWas) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(
           std::filesystem::path(BERTH_SOURCE_DIR) / "tests/data/cases/reviews")) {
    if (entry.path().extension() != ".json") continue;
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    base::Arena arena;
    const auto value = parse_json(text.str(), arena);
    ASSERT_TRUE(value.has_value()) << entry.path();
    base::Problems problems;
    const auto back = base::parse_yaml(base::SourceText("review.yaml", to_yaml(*value)), problems);
    ASSERT_TRUE(problems.empty()) << base::to_text(problems.list()[0]);
    ASSERT_EQ(back.size(), 1U);
    EXPECT_EQ(to_json(to_json(back[0], arena)), to_json(*value)) << entry.path();
    ++count;
  }
  EXPECT_GT(count, 100);
}

}  // namespace
}  // namespace berth::kube
