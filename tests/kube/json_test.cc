#include "kube/json.h"

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace berth::kube {
namespace {

std::string round_trip(std::string_view text) {
  base::Arena arena;
  const auto parsed = parse_json(text, arena);
  return parsed ? to_json(*parsed) : "error: " + parsed.error().text;
}

TEST(Json, KeepsNumbersDigitByDigit) {
  for (const char* text :
       {"9007199254740993", "18446744073709551616", "1e2", "1e308", "1e-400", "1.10", "-0"}) {
    EXPECT_EQ(round_trip(text), text);
  }
}

TEST(Json, RefusesWhatIsNoJson) {
  struct Row {
    const char* name;
    std::string text;
    const char* expected;
  };
  const Row rows[] = {
      {"empty", "", "empty text"},
      {"two documents", "{} {}", "must not be followed"},
      {"byte order mark", "\xEF\xBB\xBF{}", "byte order mark"},
      {"NUL", std::string("{}\0", 3), "NUL at byte 2"},
      {"invalid UTF-8", "\"\xff\"", "UTF-8"},
      {"lone surrogate", R"("\ud800")", "not valid JSON"},
      {"duplicate key", R"({"a":1,"b":2,"a":3})", "key 'a' stands twice"},
      {"control character", "\"a\nb\"", "not valid JSON"},
      {"too deep", std::string(200, '[') + std::string(200, ']'), "nesting above 128"},
      {"a million levels", std::string(1'000'000, '[') + std::string(1'000'000, ']'),
       "nesting above 128"},
      {"a million levels, not closed", std::string(1'000'000, '['), "nesting above 128"},
      {"lone low surrogate", R"("\udc00")", "not valid JSON"},
      {"unknown escape", R"(["a\x"])", "not valid JSON"},
      {"escape at the end", R"(["\"])", "not valid JSON"},
      {"word", "[nul]", "not valid JSON"},
      {"longer word", "[nulls]", "not valid JSON"},
      {"number with a zero before it", "[01]", "not valid JSON"},
      {"number without digits behind the point", "[1.]", "not valid JSON"},
      {"number above all doubles", "[1e400]", "too big"},
      {"negative number below all doubles", "[-1E+309]", "too big"},
      {"number of too many digits", "[1" + std::string(310, '0') + "]", "too big"},
      {"number without power", "[1e]", "not valid JSON"},
      {"minus alone", "[-]", "not valid JSON"},
      {"plus", "[+1]", "not valid JSON"},
      {"word behind a number", "[1x]", "not valid JSON"},
      {"two numbers", "[1 2]", "not valid JSON"},
      {"two root numbers", "1 2", "must not be followed"},
      {"two root strings", R"("a" "b")", "must not be followed"},
      {"comma at the end of a list", "[1,]", "not valid JSON"},
      {"comma at the end of an object", R"({"a":1,})", "not valid JSON"},
      {"no comma", R"({"a":1 "b":2})", "not valid JSON"},
      {"no colon", R"({"a" 1})", "not valid JSON"},
      {"key that is no string", "{1:2}", "not valid JSON"},
      {"wrong end", R"({"a":[1}])", "not valid JSON"},
      {"not closed within", R"({"a":[1})", "not valid JSON"},
      {"text behind a string", R"(["a"b])", "not valid JSON"},
      {"comment", "[1 /* one */]", "not valid JSON"},
      {"space only", " \n ", "not valid JSON"},
      {"duplicate key by its meaning", R"({"a":1,"\u0061":2})", "key 'a' stands twice"},
      {"truncated", R"({"a":)", "not valid JSON"},
  };
  for (const Row& row : rows) {
    const std::string got = round_trip(row.text);
    EXPECT_NE(got.find("error: "), std::string::npos) << row.name;
    EXPECT_NE(got.find(row.expected), std::string::npos) << row.name << ": " << got;
  }
}

TEST(Json, ReadsEscapesAndSpaceEverywhere) {
  EXPECT_EQ(round_trip(" \n\t{ \"a\" : [ 1 , \"x\" , null , true , false , { } , [ ] ] } \r\n"),
            R"({"a":[1,"x",null,true,false,{},[]]})");
  EXPECT_EQ(round_trip(R"({"k\"\\\/\u00e9":"\u0041\ud83d\ude00\b\f\n\r\t\"\\\/"})"),
            "{\"k\\\"\\\\/\u00e9\":\"A\U0001F600\\b\\f\\n\\r\\t\\\"\\\\/\"}");
  for (const char* root : {"1", "\"a\"", "null", "true", "-1.5e-300", "[]", "{}", "\"\""}) {
    EXPECT_EQ(round_trip(std::string("  ") + root + " \n"), root);
  }
}

TEST(Json, LeavesOutArraysThatNobodyReads) {
  const auto read = [](std::string_view text) {
    base::Arena arena;
    const auto parsed = parse_json(text, arena, {.left_out = "skip"});
    return parsed ? to_json(*parsed) : "error: " + parsed.error().text;
  };
  EXPECT_EQ(read(R"({"a":"\n","skip":[{"x":"]\"}","y":[{}]},2],"b":"\t","skip2":[1]})"),
            R"({"a":"\n","b":"\t","skip2":[1]})");
  EXPECT_EQ(read(R"({"skip":[]})"), "{}");
  EXPECT_EQ(read(R"({"skip":"text","o":{"skip":[3]}})"), R"({"skip":"text","o":{}})");
  EXPECT_NE(read(R"({"skip":[1,{"x":2})").find("not valid JSON"), std::string::npos);
  EXPECT_NE(read(R"({"skip":[1] 2})").find("not valid JSON"), std::string::npos);
}

TEST(Json, FindsDuplicatesInWideObjects) {
  std::string text = "{";
  for (int i = 0; i < 1000; ++i)
    text += "\"k" + std::to_string(i) + "\":" + std::to_string(i) + ",";
  EXPECT_EQ(round_trip(text + "\"z\":0}"), text + "\"z\":0}");
  EXPECT_NE(round_trip(text + "\"k500\":0}").find("'k500' stands twice"), std::string::npos);
}

TEST(Json, ReadsWrongTypesAsAbsent) {
  base::Arena arena;
  const Json value = *parse_json(R"({"a":[1,{"b":"x"}],"n":null,"s":"t","big":1e3})", arena);
  EXPECT_EQ(value["a"].at(1)["b"].string_or_empty(), "x");
  EXPECT_TRUE(value["a"]["b"].is_null());
  EXPECT_TRUE(value["s"].at(3).is_null());
  EXPECT_NE(value.find("n"), nullptr);
  EXPECT_EQ(value.find("absent"), nullptr);
  EXPECT_EQ(value["big"].as_int(), 1000);
  EXPECT_EQ(value["s"].as_int(), std::nullopt);
}

TEST(Json, ChangesShareTheRest) {
  base::Arena arena;
  const Json old = *parse_json(R"({"a":{"x":1},"b":[1,2,3]})", arena);
  const Json changed =
      with_member(arena, old, "b", with_inserted(arena, old["b"], 1, make_int(arena, 9)));
  EXPECT_EQ(to_json(changed), R"({"a":{"x":1},"b":[1,9,2,3]})");
  EXPECT_EQ(to_json(old), R"({"a":{"x":1},"b":[1,2,3]})");
  EXPECT_TRUE(changed["a"].shares(old["a"]));
  EXPECT_EQ(to_json(without_item(arena, old["b"], 0)), "[2,3]");
  EXPECT_EQ(to_json(without_member(arena, old, "a")), R"({"b":[1,2,3]})");
  EXPECT_EQ(to_json(with_member(arena, Json(), "k", Json::boolean(true))), R"({"k":true})");
}

TEST(Json, ComparesByValue) {
  struct Row {
    const char* a;
    const char* b;
    bool same;
  };
  const Row rows[] = {{"1", "1.0", true},        {"100", "1e2", true},
                      {"0", "-0.00", true},      {"9007199254740993", "9007199254740992", false},
                      {"1", "-1", false},        {R"({"a":1,"b":2})", R"({"b":2,"a":1})", true},
                      {"[1,2]", "[2,1]", false}, {R"({"a":null})", "{}", false},
                      {"\"1\"", "1", false},     {R"("é")", R"("\u00e9")", true}};
  for (const Row& row : rows) {
    base::Arena arena;
    EXPECT_EQ(equal(*parse_json(row.a, arena), *parse_json(row.b, arena)), row.same)
        << row.a << " " << row.b;
  }
}

TEST(Json, EscapesWhatItPrints) {
  EXPECT_EQ(round_trip(R"("a\"\\\n\u0001\u2028")"), "\"a\\\"\\\\\\n\\u0001\xE2\x80\xA8\"");
}

TEST(Json, EscapesAtEveryPlaceOfATextOfAnyLength) {
  std::string out;
  append_json_string(out, std::string_view());  // without bytes behind it
  EXPECT_EQ(out, R"("")");
  for (std::size_t length = 1; length < 20; ++length) {
    for (std::size_t place = 0; place < length; ++place) {
      for (const char special : {'"', '\\', '\x01', '\x1f', '!', '\x7f', '\xc3'}) {
        std::string text(length, 'a');
        text[place] = special;
        out.clear();
        append_json_string(out, text);
        const bool escaped = special == '"' || special == '\\' || (special > 0 && special < ' ');
        EXPECT_EQ(out == '"' + text + '"', !escaped) << length << " " << place;
      }
    }
  }
}

TEST(Json, AcceptsValidUtf8Only) {
  EXPECT_FALSE(base::is_utf8("eight letters and then\xff"));
  EXPECT_TRUE(base::is_utf8("plain ascii that is longer than eight bytes é € 😀"));
  for (const char* bad :
       {"\x80", "\xC0\xAF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xC3"}) {
    EXPECT_FALSE(base::is_utf8(bad));
  }
}

}  // namespace
}  // namespace berth::kube
