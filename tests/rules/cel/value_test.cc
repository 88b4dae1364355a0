// Values: texts, JSON, equality and look-up.
#include "rules/cel/value.h"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "rules/cel/failure.h"
#include "rules/cel/type.h"

namespace berth::rules::cel {
namespace {

Value json(std::string_view text, base::Arena& arena) {
  return Value::json(*kube::parse_json(text, arena));
}

TEST(Value, PrintsForMessagesAndAsSource) {
  base::Arena arena;
  const auto memory = *kube::Quantity::parse(std::string_view("18Gi"));
  const Value some = Value::some(arena, Value::integer(1));
  struct Row {
    Value value;
    const char* message;
    const char* source;
  };
  const Row rows[] = {
      {Value(), "null", "null"},
      {Value::boolean(true), "true", "true"},
      {Value::integer(-8), "-8", "-8"},
      {Value::unsigned_integer(8), "8", "8u"},
      {Value::real(1.5), "1.5", "1.5"},
      {Value::real(INFINITY), "+Inf", "+Inf"},
      {Value::string("a\"b"), "a\"b", "\"a\\\"b\""},
      {Value::bytes("hi"), "aGk=", "b\"hi\""},
      {json(R"(["a", 1, 1.5, null, {"k": true}])", arena), "[a, 1, 1.5, null, {k: true}]",
       "[\"a\", 1, 1.5, null, {\"k\": true}]"},
      {Value::type("int"), "int", "int"},
      {Value::timestamp({1234567890, 500000000}), "2009-02-13T23:31:30.5Z",
       "timestamp(\"2009-02-13T23:31:30.5Z\")"},
      {Value::duration(90'000'000'000), "90s", "duration(\"90s\")"},
      {Value::duration(-500'000'000), "-0.5s", "duration(\"-0.5s\")"},
      {Value::quantity(&memory), "18Gi", "quantity('18Gi')"},
      {Value::none(), "optional.none()", "optional.none()"},
      {some, "optional.of(1)", "optional.of(1)"},
      {fail(kDivideByZero), "?", "divide by zero"},
      {Value::error(arena, "no such key", "team"), "?", "no such key 'team'"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(to_text(row.value), row.message);
    EXPECT_EQ(to_source(row.value), row.source);
  }
}

TEST(Value, ReadsJsonNumbersAsIntsWhereTheyAreWhole) {
  base::Arena arena;
  EXPECT_TRUE(json("8", arena).is(Kind::kInt));
  EXPECT_TRUE(json("-9223372036854775808", arena).is(Kind::kInt));
  EXPECT_TRUE(json("8.0", arena).is(Kind::kDouble));
  EXPECT_TRUE(json("1e3", arena).is(Kind::kDouble));
  EXPECT_TRUE(json("9223372036854775808", arena).is(Kind::kDouble));
}

TEST(Value, ComparesAcrossKindsOfNumbersAndByContent) {
  base::Arena arena;
  EXPECT_TRUE(equal(Value::integer(1), Value::unsigned_integer(1)));
  EXPECT_TRUE(equal(Value::integer(1), Value::real(1)));
  EXPECT_FALSE(equal(Value::real(NAN), Value::real(NAN)));
  EXPECT_FALSE(equal(Value::integer(1), Value::string("1")));
  EXPECT_TRUE(
      equal(json(R"([1, {"a": 2, "b": 3}])", arena), json(R"([1.0, {"b": 3, "a": 2}])", arena)));
  EXPECT_FALSE(equal(json(R"({"a": 1})", arena), json(R"({"b": 1})", arena)));
  EXPECT_TRUE(equal(Value::none(), Value::none()));
  EXPECT_FALSE(equal(Value::none(), Value::some(arena, Value())));
}

TEST(Value, FindsKeys) {
  base::Arena arena;
  Value found;
  EXPECT_TRUE(find(json(R"({"a": null})", arena), "a", &found));
  EXPECT_TRUE(found.is_null());
  EXPECT_FALSE(find(json(R"({"a": 1})", arena), "b", &found));
  const std::array entries = {Entry{Value::integer(1), Value::string("one")}};
  EXPECT_TRUE(find(Value::map(entries), Value::real(1), &found));
  EXPECT_EQ(found.text(), "one");
  EXPECT_FALSE(find(Value::map(entries), Value::string("1"), &found));
}

TEST(Value, BecomesJson) {
  base::Arena arena;
  const std::array items = {Value::integer(1),
                            Value::string("x"),
                            Value::real(0.5),
                            Value::none(),
                            Value::duration(1'000'000'000),
                            Value::real(NAN)};
  const std::array entries = {Entry{Value::integer(7), Value::list(items)}};
  EXPECT_EQ(kube::to_json(to_json(arena, Value::map(entries))),
            R"({"7":[1,"x",0.5,null,"1s",null]})");
  const Value viewed = json(R"({"a":[1]})", arena);
  EXPECT_TRUE(to_json(arena, viewed).shares(viewed.viewed_json()));
}

TEST(Value, KeepsTheFirstPlaceOfAnError) {
  EXPECT_EQ(fail(kDivideByZero).at_offset(5).at_offset(9).error_offset(), 5U);
  EXPECT_EQ(Value::integer(1).at_offset(5).as_int(), 1);
}

}  // namespace
}  // namespace berth::rules::cel
