#include "mutate/editor.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace berth::mutate {
namespace {

using kube::Json;

class EditorOn {
 public:
  explicit EditorOn(std::string_view object, std::string_view root = "")
      : editor(parse(object), root, arena_) {}

  Json parse(std::string_view text) { return *kube::parse_json(text, arena_); }
  std::string patch() { return kube::to_json(to_patch(editor.changes(), arena_)); }
  std::string object() const { return kube::to_json(editor.object()); }

 private:
  base::Arena arena_;

 public:
  Editor editor;
};

TEST(Editor, CreatesMissingParentsInOneChangeAtTheTopmostMissing) {
  struct Row {
    std::string_view why, object, path, value, patch;
  };
  const Row rows[] = {
      {"A01: parent map missing", R"({"metadata":{}})",
       "/metadata/annotations/gpu.example.com~1rule", R"("r1")",
       R"([{"op":"add","path":"/metadata/annotations","value":{"gpu.example.com/rule":"r1"}}])"},
      {"A03 A04: parent there, key escaped", R"({"metadata":{"annotations":{"a":"1"}}})",
       "/metadata/annotations/gpu.example.com~1rule", R"("r1")",
       R"([{"op":"add","path":"/metadata/annotations/gpu.example.com~1rule","value":"r1"}])"},
      {"A07: null counts as absent", R"({"spec":{"affinity":null}})",
       "/spec/affinity/nodeAffinity/x", "1",
       R"([{"op":"add","path":"/spec/affinity","value":{"nodeAffinity":{"x":1}}}])"},
      {"A07: null beside a filled member", R"({"affinity":{"a":null,"b":{"c":1}}})",
       "/affinity/a/x", "1", R"([{"op":"add","path":"/affinity/a","value":{"x":1}}])"},
      {"A08: an empty parent is a parent", R"({"spec":{"affinity":{}}})",
       "/spec/affinity/nodeAffinity/x", "1",
       R"([{"op":"add","path":"/spec/affinity/nodeAffinity","value":{"x":1}}])"},
      {"nothing at all", "{}", "/a/b/c", R"("d")",
       R"([{"op":"add","path":"/a","value":{"b":{"c":"d"}}}])"},
      {"another value", R"({"a":{"b":1}})", "/a/b", "2",
       R"([{"op":"replace","path":"/a/b","value":2}])"},
      {"A22: the same value", R"({"a":{"b":1.0}})", "/a/b", "1", "[]"},
      {"a member of a list element", R"({"l":[{"n":"x"},{"n":"y"}]})", "/l/1/v", R"("w")",
       R"([{"op":"add","path":"/l/1/v","value":"w"}])"},
      {"A30: keys that differ in escaping only", R"({"m":{"x~1y":"1","x/y":"2"}})", "/m/x~1y",
       R"("3")", R"([{"op":"replace","path":"/m/x~1y","value":"3"}])"},
      {"A30: the other of the two", R"({"m":{"x~1y":"1","x/y":"2"}})", "/m/x~01y", R"("3")",
       R"([{"op":"replace","path":"/m/x~01y","value":"3"}])"},
  };
  for (const Row& row : rows) {
    EditorOn on(row.object);
    EXPECT_TRUE(on.editor.set(row.path, on.parse(row.value))) << row.why;
    EXPECT_EQ(on.patch(), row.patch) << row.why;
    EXPECT_TRUE(kube::equal(on.editor.get(row.path), on.parse(row.value))) << row.why;
  }
}

TEST(Editor, CreatesAParentOnceForTwoEdits) {  // A09
  EditorOn on(R"({"metadata":{"name":"p"}})");
  on.editor.set("/metadata/annotations/a", Json::string("1"));
  on.editor.set("/metadata/annotations/b", Json::string("2"));
  EXPECT_EQ(on.patch(), R"([{"op":"add","path":"/metadata/annotations","value":{"a":"1"}},)"
                        R"({"op":"add","path":"/metadata/annotations/b","value":"2"}])");
  EXPECT_EQ(on.object(), R"({"metadata":{"name":"p","annotations":{"a":"1","b":"2"}}})");
}

TEST(Editor, AppendsByIndexAndNeverToAMissingList) {
  struct Row {
    std::string_view why, object, patch, result;
  };
  const Row rows[] = {
      {"A06: list missing", "{}", R"([{"op":"add","path":"/l","value":[1]}])", R"({"l":[1]})"},
      {"A07: list null", R"({"l":null})", R"([{"op":"add","path":"/l","value":[1]}])",
       R"({"l":[1]})"},
      {"empty list", R"({"l":[]})", R"([{"op":"add","path":"/l/0","value":1}])", R"({"l":[1]})"},
      {"A26: one add of one element", R"({"l":[9,8]})", R"([{"op":"add","path":"/l/2","value":1}])",
       R"({"l":[9,8,1]})"},
  };
  for (const Row& row : rows) {
    EditorOn on(row.object);
    EXPECT_TRUE(on.editor.append("/l", Json::number("1"))) << row.why;
    EXPECT_EQ(on.patch(), row.patch) << row.why;
    EXPECT_EQ(on.object(), row.result) << row.why;
  }
}

TEST(Editor, RemovesMembersAndNamedElements) {  // A25: the caller goes from the back
  EditorOn on(R"({"l":["a","b","c","d"],"m":{"x":1,"y":2}})");
  EXPECT_TRUE(on.editor.remove("/l/3"));
  EXPECT_TRUE(on.editor.remove("/l/1"));
  EXPECT_TRUE(on.editor.remove("/m/x"));
  EXPECT_TRUE(on.editor.remove("/m/absent"));
  EXPECT_EQ(on.object(), R"({"l":["a","c"],"m":{"y":2}})");
  EXPECT_EQ(on.patch(), R"([{"op":"remove","path":"/l/3"},{"op":"remove","path":"/l/1"},)"
                        R"({"op":"remove","path":"/m/x"}])");
}

TEST(Editor, LeavesValuesOfAnotherTypeAlone) {
  EditorOn on(R"({"text":"t","list":[1,null],"map":{}})");
  EXPECT_FALSE(on.editor.set("/text/a", Json::number("1")));
  EXPECT_FALSE(on.editor.set("/list/a", Json::number("1")));
  EXPECT_FALSE(on.editor.set("/list/7/a", Json::number("1")));
  EXPECT_FALSE(on.editor.set("/list/1/a", Json::number("1")));
  EXPECT_FALSE(on.editor.append("/text", Json::number("1")));
  EXPECT_FALSE(on.editor.append("/map", Json::number("1")));
  EXPECT_FALSE(on.editor.remove("/text/a"));
  EXPECT_FALSE(on.editor.remove(""));
  EXPECT_EQ(on.patch(), "[]");
}

TEST(Editor, WritesBelowItsRootAndOnTheObject) {
  EditorOn on(R"({"metadata":{},"spec":{"template":{"spec":{}}}})", "/spec/template");
  on.editor.set("/spec/runtimeClassName", Json::string("nvidia"));
  on.editor.set_on_object("/metadata/labels/q", Json::string("x"));
  EXPECT_EQ(on.patch(),
            R"([{"op":"add","path":"/spec/template/spec/runtimeClassName","value":"nvidia"},)"
            R"({"op":"add","path":"/metadata/labels","value":{"q":"x"}}])");
  EXPECT_EQ(kube::to_json(on.editor.get("/spec")), R"({"runtimeClassName":"nvidia"})");
}

TEST(Editor, RemembersBeforeAfterRuleAndPlace) {
  rules::Rule rule;
  rule.id = "set/rule";
  EditorOn on(R"({"a":1,"b":null,"c":3})");
  const base::Place place{"rules.yaml", 7, 5};
  on.editor.attribute_to(&rule, &place);
  on.editor.set("/a", Json::number("2"));
  on.editor.attribute_to(nullptr, nullptr);
  on.editor.set("/b", Json::number("2"));
  on.editor.remove("/c");
  const Changes& changes = on.editor.changes();
  ASSERT_EQ(changes.size(), 3u);
  EXPECT_EQ(changes[0].op, Op::kReplace);
  EXPECT_EQ(kube::to_json(changes[0].before) + kube::to_json(changes[0].after), "12");
  EXPECT_EQ(changes[0].rule, &rule);
  EXPECT_EQ(changes[0].place, &place);
  EXPECT_EQ(changes[1].op, Op::kAdd) << "null was not there";
  EXPECT_TRUE(changes[1].before.is_null());
  EXPECT_EQ(changes[1].rule, nullptr);
  EXPECT_EQ(changes[2].op, Op::kRemove);
  EXPECT_TRUE(changes[2].after.is_null());
}

TEST(Editor, KeepsWhatItDoesNotKnow) {  // A19 A20
  EditorOn on(R"({"spec":{"big":9007199254740993,"futureField":{"x":1.50},"a":1}})");
  on.editor.set("/spec/a", Json::number("2"));
  EXPECT_EQ(on.object(), R"({"spec":{"big":9007199254740993,"futureField":{"x":1.50},"a":2}})");
}

}  // namespace
}  // namespace berth::mutate
