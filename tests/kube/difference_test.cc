#include "kube/difference.h"

#include <gtest/gtest.h>

namespace berth::kube {
namespace {

std::string told(const char* before, const char* after) {
  base::Arena arena;
  std::string out;
  for (const Difference& one : differences(*parse_json(before, arena), *parse_json(after, arena))) {
    out += one.pointer + ": " + to_json(one.before) + " -> " + to_json(one.after) + "\n";
  }
  return out;
}

TEST(Difference, GoesDownToSingleValues) {
  struct Row {
    const char* before;
    const char* after;
    const char* told;
  };
  const Row rows[] = {
      {"{}", "{}", ""},
      {R"({"a":1,"b":{"c":[1,2]}})", R"({"b":{"c":[1,2]},"a":1})", ""},
      {R"({"a":1})", R"({"a":2})", "/a: 1 -> 2\n"},
      {R"({"a":1})", R"({})", "/a: 1 -> null\n"},
      {"{}", R"({"m":{"l":{"x":"y","a/b":"z"}}})",
       "/m/l/x: null -> \"y\"\n/m/l/a~1b: null -> \"z\"\n"},
      {R"({"m":{"x":"y"}})", "{}", "/m/x: \"y\" -> null\n"},
      {R"({"l":[{"a":1},{"b":2}]})", R"({"l":[{"a":1},{"b":3},{"c":4}]})",
       "/l/1/b: 2 -> 3\n/l/2: null -> {\"c\":4}\n"},
      {R"({"l":[1,2]})", R"({"l":[1]})", "/l/1: 2 -> null\n"},
      {"{}", R"({"l":[1]})", "/l: null -> [1]\n"},
      {R"({"a":{"b":1}})", R"({"a":"b"})", "/a: {\"b\":1} -> \"b\"\n"},
      {"{}", R"({"e":{}})", "/e: null -> {}\n"},
  };
  for (const Row& row : rows) EXPECT_EQ(told(row.before, row.after), row.told) << row.after;
}

}  // namespace
}  // namespace berth::kube
