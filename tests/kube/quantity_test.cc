#include "kube/quantity.h"

#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::kube {
namespace {

using Form = Quantity::Form;

Quantity parsed(std::string_view text) {
  const auto value = Quantity::parse(text);
  EXPECT_TRUE(value.has_value()) << text;
  return value.value_or(Quantity::of(-1));
}

TEST(Quantity, ReadsEverySuffix) {
  struct Row {
    std::string text;
    std::string plain;  // decimal form
  };
  const std::vector<Row> rows = {
      {"1n", "1n"},
      {"1u", "1u"},
      {"1m", "1m"},
      {"1", "1"},
      {"1k", "1k"},
      {"1M", "1M"},
      {"1G", "1G"},
      {"1T", "1T"},
      {"1P", "1P"},
      {"1E", "1E"},
      {"1Ki", "1024"},
      {"1Mi", "1048576"},
      {"1Gi", "1073741824"},
      {"1Ti", "1099511627776"},
      {"1Pi", "1125899906842624"},
      {"1Ei", "1152921504606846976"},
      {"1e0", "1"},
      {"1e3", "1k"},
      {"1E3", "1k"},
      {"1e+3", "1k"},
      {"1e-3", "1m"},
      {"12.5e-1", "1250m"},
      {"0.008k", "8"},
      {"8000m", "8"},
      {"1000000000n", "1"},
      {"0.5Ki", "512"},
      {"1.5Gi", "1610612736"},
      {"5.", "5"},
      {".5", "500m"},
      {"+2", "2"},
      {"-2", "-2"},
      {"-1500m", "-1500m"},
      {"007", "7"},
      {"0", "0"},
      {"-0", "0"},
      {"0.000", "0"},
      {"0e999999999999", "0"},
      {"0.0000000000000000000001e22", "1"},
      {"10000000000000000000000e-22", "1"},
  };
  for (const Row& row : rows)
    EXPECT_EQ(parsed(row.text).to_text(Form::kDecimal), row.plain) << row.text;
}

TEST(Quantity, RoundsUpBeyondNineDecimals) {
  EXPECT_EQ(parsed("0.0000000001"), parsed("1n"));
  EXPECT_EQ(parsed("-0.0000000001"), parsed("-1n"));
  EXPECT_EQ(parsed("1.0000000001"), parsed("1.000000001"));
  EXPECT_EQ(parsed("1.000000000000000000000000000000000000000000000001"), parsed("1.000000001"));
  EXPECT_EQ(parsed("1e-999999999999"), parsed("1n"));
  EXPECT_EQ(parsed("0.1n"), parsed("1n"));
  // A third of a KiB has no end in binary: up to the next nano.
  EXPECT_EQ(parsed("0.3333333333333333Ki").to_text(Form::kDecimal), "341333333334n");
  // 2^-60 has 60 decimals, and as many Ei are exactly one byte.
  const std::string digit = "0.000000000000000000867361737988403547205962240695953369140625Ei";
  EXPECT_EQ(parsed(digit), parsed("1"));
}

TEST(Quantity, CapsAtTheLargestWholeNumber) {
  const std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  for (const std::string text :
       {"9223372036854775807", "9223372036854775808", "8Ei", "100E", "1e30", "1e999999999999",
        "99999999999999999999999999999999999999999"}) {
    EXPECT_EQ(parsed(text).whole(), largest) << text;
    EXPECT_EQ(parsed("-" + text).whole(), -largest) << text;
  }
  EXPECT_EQ(parsed("9223372036854775806.5").rounded_up(), largest);
  EXPECT_EQ(parsed("9223372036854775807.5").whole(), largest);
  EXPECT_EQ((parsed("8Ei") + parsed("8Ei")).whole(), largest);
  EXPECT_EQ((parsed("-8Ei") - parsed("8Ei")).whole(), -largest);
  EXPECT_EQ((parsed("8Ei") * largest).whole(), largest);
  EXPECT_EQ((parsed("-8Ei") * largest).whole(), -largest);
}

TEST(Quantity, RefusesWhatTheApiServerRefuses) {
  struct Row {
    std::string text;
    std::string why;
  };
  const std::vector<Row> rows = {
      {"", "is empty"},
      {" ", "has a blank in it"},
      {"1 ", "has a blank in it"},
      {" 1", "has a blank in it"},
      {"9.5 Gi", "has a blank in it"},
      {"1\n", "has a blank in it"},
      {"9500MB", "has the unit 'MB'; did you mean 'M' or 'Mi'?"},
      {"8GiB", "has the unit 'GiB'; did you mean 'Gi'?"},
      {"8KB", "has the unit 'KB'; did you mean 'k' or 'Ki'?"},
      {"8K", "has the unit 'K'"},
      {"9,5Gi", "has a comma in it"},
      {"+", "does not start with a number"},
      {"-", "does not start with a number"},
      {".", "does not start with a number"},
      {"+.", "does not start with a number"},
      {"Gi", "does not start with a number"},
      {"--1", "does not start with a number"},
      {"1-", "has the unit '-'"},
      {"1.2.3", "has the unit '.3'"},
      {"1e", "has the unit 'e'"},
      {"1e+", "has the unit 'e+'"},
      {"1e3k", "has the unit 'e3k'"},
      {"1i", "has the unit 'i'"},
      {"1gi", "has the unit 'gi'"},
      {"1mi", "has the unit 'mi'"},
      {"0x10", "has the unit 'x10'"},
      {"one", "does not start with a number"},
  };
  for (const Row& row : rows) {
    const auto value = Quantity::parse(row.text);
    ASSERT_FALSE(value.has_value()) << row.text;
    EXPECT_EQ(value.error().code, base::ErrorCode::kInvalid);
    EXPECT_EQ(value.error().text, "'" + row.text + "' is no quantity: it " + row.why +
                                      "; write a number and a suffix, like 500m, 2 or 18Gi");
  }
}

TEST(Quantity, QuotesAtMostTheBeginningOfALongText) {
  const auto value = Quantity::parse(std::string(100'000, 'x'));
  ASSERT_FALSE(value.has_value());
  EXPECT_LT(value.error().text.size(), 400U);
}

TEST(Quantity, ReadsJsonStringsAndNumbersOnly) {
  EXPECT_EQ(Quantity::parse(Json::number("1.5e3")).value_or({}), Quantity::of(1500));
  EXPECT_EQ(Quantity::parse(Json::string("18Gi")).value_or({}), parsed("18Gi"));
  for (const Json& wrong : {Json(), Json::boolean(true), Json::array({}), Json::object({})}) {
    const auto value = Quantity::parse(wrong);
    ASSERT_FALSE(value.has_value());
    EXPECT_THAT(value.error().text, testing::StartsWith("a "));
  }
}

TEST(Quantity, PrintsLikeTheApiServer) {
  struct Row {
    std::string text;
    std::string canonical;
  };
  const std::vector<Row> rows = {
      {"1024Mi", "1Gi"},    {"0.5", "500m"},   {"1000m", "1"},      {"1000", "1k"},
      {"1500", "1500"},     {"100", "100"},    {"1024Ki", "1Mi"},   {"1536Mi", "1536Mi"},
      {"0.5Gi", "512Mi"},   {"1.5Ki", "1536"}, {"0.5Ki", "512"},    {"0.0001Ki", "102400u"},
      {"1000Ki", "1000Ki"}, {"1024Pi", "1Ei"}, {"1e3", "1e3"},      {"1E3", "1e3"},
      {"12e5", "1200e3"},   {"1000e0", "1e3"}, {"0.5e3", "500"},    {"5e-4", "500e-6"},
      {"1E", "1E"},         {"18Gi", "18Gi"},  {"-1024Mi", "-1Gi"}, {"0Gi", "0"},
      {"9500MB", "9500MB"}, {"", ""},
  };
  for (const Row& row : rows) {
    const std::string once = canonical_quantity(row.text);
    EXPECT_EQ(once, row.canonical) << row.text;
    EXPECT_EQ(canonical_quantity(once), once);
  }
}

TEST(Quantity, PrintsBytesInTheFormAskedFor) {
  EXPECT_EQ(parsed("18Gi").to_text(Form::kBinary), "18Gi");
  EXPECT_EQ(parsed("18Gi").to_text(Form::kDecimal), "19327352832");
  EXPECT_EQ(parsed("1k").to_text(Form::kBinary), "1k");  // below 1024
  EXPECT_EQ(parsed("10k").to_text(Form::kBinary), "10000");
  EXPECT_EQ(parsed("1024.5").to_text(Form::kBinary), "1024500m");
  EXPECT_EQ(parsed("9223372036.854775807").to_text(Form::kDecimal), "9223372036854775807n");
  EXPECT_EQ(parsed("92233720368.54775807").to_text(Form::kDecimal), "92233720368547758070n");
  EXPECT_EQ(parsed("-1000000000000000000.000000001").to_text(Form::kDecimal),
            "-1000000000000000000000000001n");
}

TEST(Quantity, ComparesAcrossSuffixes) {
  EXPECT_EQ(parsed("1Gi"), parsed("1024Mi"));
  EXPECT_LT(parsed("1G"), parsed("1Gi"));
  EXPECT_GT(parsed("1"), parsed("999m"));
  EXPECT_LT(parsed("-1"), parsed("1n"));
  EXPECT_EQ(parsed("0.008k"), Quantity::of(8));
}

TEST(Quantity, TellsWholeNumbersFromFractions) {
  EXPECT_EQ(parsed("8").whole(), 8);
  EXPECT_EQ(parsed("8000m").whole(), 8);
  EXPECT_EQ(parsed("7999m").whole(), std::nullopt);
  EXPECT_EQ(parsed("7999m").rounded_up(), 8);
  EXPECT_EQ(parsed("-1500m").rounded_up(), -1);
  EXPECT_EQ(parsed("0.5").as_double(), 0.5);
  EXPECT_EQ(parsed("1Ti").as_double(), 1099511627776.0);
  EXPECT_EQ(parsed("1n").sign(), 1);
  EXPECT_EQ(parsed("-1n").sign(), -1);
  EXPECT_EQ(Quantity().sign(), 0);
}

TEST(Quantity, AddsSubtractsAndMultiplies) {
  EXPECT_EQ(parsed("1500m") + parsed("500m"), Quantity::of(2));
  EXPECT_EQ(parsed("1Gi") - parsed("1024Mi"), Quantity());
  EXPECT_EQ(parsed("250m") * 8, Quantity::of(2));
}

}  // namespace
}  // namespace berth::kube
