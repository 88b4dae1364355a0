#include "kube/json_patch.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::kube {
namespace {

TEST(JsonPatch, AppliesEveryOperation) {
  struct Row {
    std::string document;
    std::string patch;
    std::string result;
  };
  const std::vector<Row> rows = {
      {R"({"a":1})", R"([])", R"({"a":1})"},
      {R"({"a":1})", R"([{"op":"add","path":"/b","value":null}])", R"({"a":1,"b":null})"},
      {R"({"a":1,"b":2})", R"([{"op":"add","path":"/a","value":3}])", R"({"a":3,"b":2})"},
      {R"([1,2])", R"([{"op":"add","path":"/-","value":3}])", R"([1,2,3])"},
      {R"([1,2])", R"([{"op":"add","path":"/2","value":3}])", R"([1,2,3])"},
      {R"([1,2])", R"([{"op":"add","path":"/0","value":3}])", R"([3,1,2])"},
      {R"({"a":{"b/c":[{"~":1}]}})", R"([{"op":"replace","path":"/a/b~1c/0/~0","value":2}])",
       R"({"a":{"b/c":[{"~":2}]}})"},
      {R"({"a":1,"b":2})", R"([{"op":"remove","path":"/a"}])", R"({"b":2})"},
      {R"([1,2,3])", R"([{"op":"remove","path":"/1"}])", R"([1,3])"},
      {R"({"a":[1,2],"b":[]})", R"([{"op":"move","from":"/a/0","path":"/b/-"}])",
       R"({"a":[2],"b":[1]})"},
      {R"({"a":1})", R"([{"op":"move","from":"/a","path":"/a"}])", R"({"a":1})"},
      {R"({"a":1})", R"([{"op":"copy","from":"","path":"/b"}])", R"({"a":1,"b":{"a":1}})"},
      {R"({"a":1.0})", R"([{"op":"test","path":"/a","value":1}])", R"({"a":1.0})"},
      {R"({"a":1})", R"([{"op":"add","path":"","value":7}])", "7"},
  };
  for (const Row& row : rows) {
    base::Arena arena;
    const Json document = parse_json(row.document, arena).value();
    const auto result = apply_patch(document, parse_json(row.patch, arena).value(), arena);
    ASSERT_TRUE(result.has_value()) << row.patch << ": " << result.error().text;
    EXPECT_EQ(to_json(*result), row.result) << row.patch;
    EXPECT_EQ(to_json(document), row.document) << "the document itself must stay";
  }
}

TEST(JsonPatch, SaysWhichOperationFailedAndWhy) {
  struct Row {
    std::string patch;
    std::string error;
  };
  const std::string document = R"({"a":[1,2],"s":"x"})";
  const std::vector<Row> rows = {
      {R"({})", "expected an array of operations, found object"},
      {R"([7])", "operation 0 is no object"},
      {R"([{"path":"/a"}])",
       "operation 0 (no op /a): the op is none of add, remove, replace, move, copy, test"},
      {R"([{"op":"add","path":"/b","value":1},{"op":"remove","path":"/c"}])",
       "operation 1 (remove /c): there is no member 'c'"},
      {R"([{"op":"add","path":"/b"}])", "operation 0 (add /b): there is no value"},
      {R"([{"op":"add","value":1}])", "operation 0 (add no path): there is no text in 'path'"},
      {R"([{"op":"add","path":"b","value":1}])",
       "operation 0 (add b): pointer 'b' does not start with '/'"},
      {R"([{"op":"add","path":"/a/3","value":1}])",
       "operation 0 (add /a/3): index '3' is beyond an array of 2"},
      {R"([{"op":"add","path":"/a/01","value":1}])",
       "operation 0 (add /a/01): '01' is no array index"},
      {R"([{"op":"add","path":"/a/+1","value":1}])",
       "operation 0 (add /a/+1): '+1' is no array index"},
      {R"([{"op":"replace","path":"/a/-","value":1}])",
       "operation 0 (replace /a/-): index '-' is beyond an array of 2"},
      {R"([{"op":"add","path":"/x/y","value":1}])",
       "operation 0 (add /x/y): there is no member 'x'"},
      {R"([{"op":"add","path":"/s/y","value":1}])",
       "operation 0 (add /s/y): 'y' is looked for in a string"},
      {R"([{"op":"replace","path":"/b","value":1}])",
       "operation 0 (replace /b): there is no member 'b'"},
      {R"([{"op":"remove","path":""}])",
       "operation 0 (remove ): the whole document cannot be removed"},
      {R"([{"op":"test","path":"/s","value":"y"}])",
       "operation 0 (test /s): the value there is another one"},
      {R"([{"op":"move","path":"/b","from":"/z"}])",
       "operation 0 (move /b): in 'from': there is no member 'z'"},
      {R"([{"op":"copy","path":"/b"}])", "operation 0 (copy /b): there is no text in 'from'"},
      {R"([{"op":"move","path":"/a/0","from":"/a"}])",
       "operation 0 (move /a/0): a value cannot move into itself"},
  };
  for (const Row& row : rows) {
    base::Arena arena;
    const auto result = apply_patch(parse_json(document, arena).value(),
                                    parse_json(row.patch, arena).value(), arena);
    ASSERT_FALSE(result.has_value()) << row.patch;
    EXPECT_EQ(result.error().text, row.error);
  }
}

TEST(JsonPatch, StopsADocumentThatGrowsWithoutEnd) {
  std::string doubling = "[";
  std::string nesting = "[";
  std::string path;
  for (int i = 0; i < 64; ++i) {
    const std::string comma = i == 0 ? "" : ",";
    doubling += comma + R"({"op":"copy","from":"","path":"/)" + std::to_string(i) + "\"}";
    path += "/a/a/a/a/a/a/a/a/a/a";
    nesting += comma + R"({"op":"add","path":")" + path.substr(0, path.size() - 18) +
               R"(","value":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{}}}}}}}}}}})";
  }
  for (const std::string& patch : {doubling + "]", nesting + "]"}) {
    base::Arena arena;
    const auto result = apply_patch(Json::object({}), parse_json(patch, arena).value(), arena);
    ASSERT_FALSE(result.has_value());
    EXPECT_THAT(result.error().text, testing::AnyOf(testing::HasSubstr("copies too much"),
                                                    testing::HasSubstr("nest deeper than 512")));
  }
}

// The texts of the objects in an array of objects. The suite has one with a key that stands twice,
// which only the rest of the suite may be read without.
std::vector<std::string> objects_in(const std::string& text) {
  std::vector<std::string> out;
  int depth = 0;
  bool quoted = false;
  std::size_t start = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == '{') {
      if (depth++ == 0) start = i;
    } else if (!quoted && c == '}' && --depth == 0) {
      out.push_back(text.substr(start, i + 1 - start));
    }
  }
  return out;
}

bool conforms(const std::string& text, base::Arena& arena) {
  const auto row = parse_json(text, arena);
  if (!row) return row.error().text.find("key 'op' stands twice") != std::string::npos;
  const auto result = apply_patch((*row)["doc"], (*row)["patch"], arena);
  if (result.has_value() == row->has("error")) return false;
  return !row->has("expected") || equal(*result, (*row)["expected"]);
}

// The suite of json-patch/json-patch-tests, where the shared folder is there.
TEST(JsonPatch, ConformsToThePublicSuite) {
  const std::filesystem::path folder =
      std::filesystem::path(BERTH_SHARED_DIR) / "conformance" / "json-patch";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no suite at " << folder;
  int enabled = 0;
  int passed = 0;
  for (const char* name : {"tests.json", "spec_tests.json"}) {
    std::ifstream file(folder / name);
    std::stringstream text;
    text << file.rdbuf();
    for (const std::string& row : objects_in(text.str())) {
      if (row.find(R"("disabled": true)") != std::string::npos) continue;
      base::Arena arena;
      ++enabled;
      if (conforms(row, arena)) {
        ++passed;
      } else {
        ADD_FAILURE() << row;
      }
    }
  }
  std::cout << "json-patch suite: " << passed << " of " << enabled << " enabled cases\n";
  EXPECT_EQ(enabled, 108);
}

}  // namespace
}  // namespace berth::kube
