// Operators (for the checker), size() and conversions between types.
#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "base/utf8.h"
#include "rules/cel/library.h"
#include "rules/cel/operators.h"
#include "rules/cel/text.h"
#include "rules/cel/time.h"
#include "rules/cel/type.h"

namespace berth::rules::cel {
namespace {

using Arguments = std::span<const Value>;

constexpr double kTwo63 = 9223372036854775808.0;
constexpr double kTwo64 = 18446744073709551616.0;

Value size(Frame&, Arguments a) {
  return size_of(a[0]);
}

Value same(Frame&, Arguments a) {
  return a[0];
}

template <typename T>
bool read_number(std::string_view text, T* out) {
  const auto end = text.data() + text.size();
  if (!text.empty() && text[0] == '+') text.remove_prefix(1);
  if (!text.empty() && text[0] == '+') return false;
  const auto result = std::from_chars(text.data(), end, *out);
  return result.ec == std::errc() && result.ptr == end;
}

Value to_int(Frame&, Arguments a) {
  switch (a[0].kind()) {
    case Kind::kUint:
      if (a[0].as_uint() >> 63U != 0) return fail(kOutOfRange);
      return Value::integer(static_cast<std::int64_t>(a[0].as_uint()));
    case Kind::kDouble: {
      const double value = a[0].as_double();
      if (!(value > -kTwo63 && value < kTwo63)) return fail(kOutOfRange);
      return Value::integer(static_cast<std::int64_t>(value));
    }
    case Kind::kString: {
      std::int64_t out = 0;
      return read_number(a[0].text(), &out) ? Value::integer(out) : fail(kBadConversion);
    }
    case Kind::kTimestamp:
      return Value::integer(a[0].as_timestamp().seconds);
    case Kind::kDuration:
      return Value::integer(a[0].as_duration());
    case Kind::kInt:
    case Kind::kError:
    case Kind::kNull:
    case Kind::kBool:
    case Kind::kBytes:
    case Kind::kList:
    case Kind::kMap:
    case Kind::kType:
    case Kind::kQuantity:
    case Kind::kOptional:
    case Kind::kStruct:
      break;
  }
  return a[0];
}

Value to_uint(Frame&, Arguments a) {
  if (a[0].is(Kind::kInt)) {
    if (a[0].as_int() < 0) return fail(kOutOfRange);
    return Value::unsigned_integer(static_cast<std::uint64_t>(a[0].as_int()));
  }
  if (a[0].is(Kind::kDouble)) {
    const double value = a[0].as_double();
    if (!(value >= 0 && value < kTwo64)) return fail(kOutOfRange);
    return Value::unsigned_integer(static_cast<std::uint64_t>(value));
  }
  if (a[0].is(Kind::kString)) {
    std::uint64_t out = 0;
    return read_number(a[0].text(), &out) ? Value::unsigned_integer(out) : fail(kBadConversion);
  }
  return a[0];
}

Value text_to_double(std::string_view text) {
  const bool signed_text = !text.empty() && (text[0] == '+' || text[0] == '-');
  const double sign = signed_text && text[0] == '-' ? -1 : 1;
  const auto word = signed_text ? text.substr(1) : text;
  if (word == "Inf" || word == "Infinity" || word == "inf" || word == "infinity") {
    return Value::real(sign * HUGE_VAL);
  }
  if (text == "NaN" || text == "nan") return Value::real(std::nan(""));
  // from_chars would take "nan(x)" and "infinity" in any case.
  if (word.empty() || word.find_first_not_of("0123456789.eE+-") != std::string_view::npos) {
    return fail(kBadConversion);
  }
  double out = 0;
  const auto end = word.data() + word.size();
  const auto result = std::from_chars(word.data(), end, out);
  if (result.ec != std::errc() || result.ptr != end || word[0] == '-') return fail(kBadConversion);
  return Value::real(sign * out);
}

Value to_double(Frame&, Arguments a) {
  if (a[0].is(Kind::kInt)) return Value::real(static_cast<double>(a[0].as_int()));
  if (a[0].is(Kind::kUint)) return Value::real(static_cast<double>(a[0].as_uint()));
  if (a[0].is(Kind::kString)) return text_to_double(a[0].text());
  return a[0];
}

Value to_bool(Frame&, Arguments a) {
  if (a[0].is(Kind::kBool)) return a[0];
  static constexpr std::array<std::string_view, 5> kTrue = {"1", "t", "true", "TRUE", "True"};
  static constexpr std::array<std::string_view, 5> kFalse = {"0", "f", "false", "FALSE", "False"};
  for (const auto word : kTrue) {
    if (a[0].text() == word) return Value::boolean(true);
  }
  for (const auto word : kFalse) {
    if (a[0].text() == word) return Value::boolean(false);
  }
  if (a[0].text() == "T") return Value::boolean(true);
  return a[0].text() == "F" ? Value::boolean(false) : fail(kBadConversion);
}

Value to_string(Frame& frame, Arguments a) {
  if (a[0].is(Kind::kString)) return a[0];
  if (a[0].is(Kind::kBytes)) {
    return base::is_utf8(a[0].text()) ? Value::string(a[0].text()) : fail(kBadUtf8);
  }
  TextBuilder out(frame.arena(), text_limit(frame));
  append_value(out, a[0], Style::kMessage);
  return built_text(frame, out);
}

Value to_bytes(Frame&, Arguments a) {
  return Value::bytes(a[0].text());
}

Value to_type(Frame&, Arguments a) {
  if (a[0].is(Kind::kStruct)) return Value::type(a[0].as_struct().type->name);
  return Value::type(type_name(a[0].kind()));
}

Value to_timestamp(Frame&, Arguments a) {
  if (a[0].is(Kind::kTimestamp)) return a[0];
  if (a[0].is(Kind::kString)) return parse_timestamp(a[0].text());
  if (a[0].as_int() < kMinSeconds || a[0].as_int() > kMaxSeconds) return fail(kTimeRange);
  return Value::timestamp({a[0].as_int(), 0});
}

Value to_duration(Frame&, Arguments a) {
  return a[0].is(Kind::kDuration) ? a[0] : parse_duration(a[0].text());
}

// Nodes of their own evaluate operators; the rows are what the checker reads.
constexpr FunctionRow kOperators[] = {
    {"+(int, int) -> int"},
    {"+(uint, uint) -> uint"},
    {"+(double, double) -> double"},
    {"+(string, string) -> string"},
    {"+(bytes, bytes) -> bytes"},
    {"+(list(A), list(A)) -> list(A)"},
    {"+(timestamp, duration) -> timestamp"},
    {"+(duration, timestamp) -> timestamp"},
    {"+(duration, duration) -> duration"},
    {"-(int, int) -> int"},
    {"-(uint, uint) -> uint"},
    {"-(double, double) -> double"},
    {"-(timestamp, timestamp) -> duration"},
    {"-(timestamp, duration) -> timestamp"},
    {"-(duration, duration) -> duration"},
    {"*(int, int) -> int"},
    {"*(uint, uint) -> uint"},
    {"*(double, double) -> double"},
    {"/(int, int) -> int"},
    {"/(uint, uint) -> uint"},
    {"/(double, double) -> double"},
    {"%(int, int) -> int"},
    {"%(uint, uint) -> uint"},
    {"==(A, A) -> bool"},
    {"!=(A, A) -> bool"},
    {"in(A, list(A)) -> bool"},
    {"in(A, map(A, B)) -> bool"},
    {"neg(int) -> int"},
    {"neg(double) -> double"},
    {"not(bool) -> bool"},
    {"<(bool, bool) -> bool"},
    {"<(int, int) -> bool"},
    {"<(int, uint) -> bool"},
    {"<(int, double) -> bool"},
    {"<(uint, int) -> bool"},
    {"<(uint, uint) -> bool"},
    {"<(uint, double) -> bool"},
    {"<(double, int) -> bool"},
    {"<(double, uint) -> bool"},
    {"<(double, double) -> bool"},
    {"<(string, string) -> bool"},
    {"<(bytes, bytes) -> bool"},
    {"<(timestamp, timestamp) -> bool"},
    {"<(duration, duration) -> bool"},
    {"<(quantity, quantity) -> bool"},
};

constexpr FunctionRow kConversions[] = {
    {"size(string) -> int", size, Work::kScan},
    {"size(bytes) -> int", size},
    {"size(list(A)) -> int", size},
    {"size(map(A, B)) -> int", size},
    {"string.size() -> int", size, Work::kScan},
    {"bytes.size() -> int", size},
    {"list(A).size() -> int", size},
    {"map(A, B).size() -> int", size},
    {"int(int) -> int", same},
    {"int(uint) -> int", to_int},
    {"int(double) -> int", to_int},
    {"int(string) -> int", to_int},
    {"int(timestamp) -> int", to_int},
    {"int(duration) -> int", to_int},
    {"uint(uint) -> uint", same},
    {"uint(int) -> uint", to_uint},
    {"uint(double) -> uint", to_uint},
    {"uint(string) -> uint", to_uint},
    {"double(double) -> double", same},
    {"double(int) -> double", to_double},
    {"double(uint) -> double", to_double},
    {"double(string) -> double", to_double},
    {"bool(bool) -> bool", to_bool},
    {"bool(string) -> bool", to_bool},
    {"string(string) -> string", to_string},
    {"string(bool) -> string", to_string},
    {"string(int) -> string", to_string},
    {"string(uint) -> string", to_string},
    {"string(double) -> string", to_string},
    {"string(bytes) -> string", to_string, Work::kScan},
    {"string(timestamp) -> string", to_string},
    {"string(duration) -> string", to_string},
    {"string(quantity) -> string", to_string},
    {"bytes(bytes) -> bytes", same},
    {"bytes(string) -> bytes", to_bytes},
    {"timestamp(timestamp) -> timestamp", to_timestamp},
    {"timestamp(string) -> timestamp", to_timestamp},
    {"timestamp(int) -> timestamp", to_timestamp},
    {"duration(duration) -> duration", to_duration},
    {"duration(string) -> duration", to_duration},
    {"type(A) -> type(A)", to_type},
    {"dyn(A) -> dyn", same},
};

}  // namespace

std::span<const FunctionRow> operator_rows() {
  return kOperators;
}

std::span<const FunctionRow> conversion_rows() {
  return kConversions;
}

}  // namespace berth::rules::cel
