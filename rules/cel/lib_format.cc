// format(): "%s %d %.2f".format([...]), as the strings library of CEL has it.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include "rules/cel/library.h"
#include "rules/cel/text.h"
#include "rules/cel/time.h"
#include "rules/cel/type.h"

namespace berth::rules::cel {
namespace {

constexpr int kMaxPrecision = 100;

bool append_plain(Frame& frame, TextBuilder& out, Value value);

void append_real(TextBuilder& out, double value) {
  if (std::isinf(value)) return out.append(value > 0 ? "Infinity" : "-Infinity");
  out.append_double(value);
}

bool append_plain_list(Frame& frame, TextBuilder& out, Value list) {
  out.append('[');
  for (std::size_t i = 0; i < list.size() && !out.full(); ++i) {
    if (i > 0) out.append(", ");
    if (!append_plain(frame, out, list.item(i))) return false;
  }
  out.append(']');
  return true;
}

// Entries sorted by the text of their keys, so that the result does not depend on their order.
bool append_plain_map(Frame& frame, TextBuilder& out, Value map) {
  struct Line {
    std::string_view key;
    Value value;
  };
  if (!frame.spend(static_cast<std::int64_t>(map.size()))) return false;
  const auto lines = frame.arena().make_array<Line>(map.size());
  for (std::size_t i = 0; i < map.size(); ++i) {
    TextBuilder key(frame.arena(), text_limit(frame));
    if (!append_plain(frame, key, map.key_at(i))) return false;
    lines[i] = {key.view(), map.value_at(i)};
  }
  std::sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.key < b.key; });
  out.append('{');
  for (const auto& line : lines) {
    if (&line != lines.data()) out.append(", ");
    out.append(line.key);
    out.append(": ");
    if (out.full() || !append_plain(frame, out, line.value)) return false;
  }
  out.append('}');
  return true;
}

// %s
bool append_plain(Frame& frame, TextBuilder& out, Value value) {
  switch (value.kind()) {
    case Kind::kList:
      return append_plain_list(frame, out, value);
    case Kind::kMap:
      return append_plain_map(frame, out, value);
    case Kind::kDouble:
      append_real(out, value.as_double());
      return true;
    case Kind::kBytes:
      out.append(value.text());
      return true;
    case Kind::kNull:
    case Kind::kBool:
    case Kind::kInt:
    case Kind::kUint:
    case Kind::kString:
    case Kind::kType:
    case Kind::kTimestamp:
    case Kind::kDuration:
    case Kind::kQuantity:
      append_value(out, value, Style::kMessage);
      return true;
    case Kind::kError:
    case Kind::kOptional:
    case Kind::kStruct:
      break;
  }
  return false;
}

// %d
bool append_decimal(TextBuilder& out, Value value) {
  const bool odd = value.is(Kind::kDouble) && !std::isfinite(value.as_double());
  if (odd) {
    append_real(out, value.as_double());
    return true;
  }
  if (!value.is(Kind::kInt) && !value.is(Kind::kUint)) return false;
  append_value(out, value, Style::kMessage);
  return true;
}

// %f and %e
bool append_float(TextBuilder& out, Value value, int precision, const char* pattern) {
  if (!value.is_number()) return false;
  const double number = value.is(Kind::kInt)    ? static_cast<double>(value.as_int())
                        : value.is(Kind::kUint) ? static_cast<double>(value.as_uint())
                                                : value.as_double();
  if (!std::isfinite(number)) {
    append_real(out, number);
    return true;
  }
  std::array<char, 512> buffer{};
  const int size = pattern[0] == 'f'
                       ? std::snprintf(buffer.data(), buffer.size(), "%.*f", precision, number)
                       : std::snprintf(buffer.data(), buffer.size(), "%.*e", precision, number);
  out.append({buffer.data(), static_cast<std::size_t>(size)});
  return true;
}

void append_upper(TextBuilder& out, char c) {
  out.append(c >= 'a' && c <= 'f' ? static_cast<char>(c - 32) : c);
}

bool append_hex_bytes(TextBuilder& out, std::string_view bytes, char form) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    for (const char digit : {kDigits[byte >> 4U], kDigits[byte & 15U]}) {
      form == 'X' ? append_upper(out, digit) : out.append(digit);
    }
    if (out.full()) break;
  }
  return true;
}

// %b, %o, %x, %X
bool append_based(Frame& frame, TextBuilder& out, Value value, char form) {
  const bool hex = form == 'x' || form == 'X';
  if (hex && (value.is(Kind::kString) || value.is(Kind::kBytes))) {
    return append_hex_bytes(out, value.text(), form);
  }
  if (form == 'b' && value.is(Kind::kBool)) {
    out.append(value.as_bool() ? '1' : '0');
    return true;
  }
  if (!value.is(Kind::kInt) && !value.is(Kind::kUint)) return false;
  const bool negative = value.is(Kind::kInt) && value.as_int() < 0;
  if (negative) out.append('-');
  const auto size = negative ? 0 - value.as_uint() : value.as_uint();
  TextBuilder digits(frame.arena(), 80);
  digits.append_uint(size, form == 'b' ? 2 : form == 'o' ? 8 : 16);
  for (const char digit : digits.view()) {
    form == 'X' ? append_upper(out, digit) : out.append(digit);
  }
  return true;
}

// One clause behind its %, taken from the front of the pattern.
struct Clause {
  char form = 0;
  int precision = 6;
};

bool take_clause(std::string_view& pattern, Clause* clause) {
  if (pattern.starts_with('.')) {
    pattern.remove_prefix(1);
    clause->precision = 0;
    bool any = false;
    while (!pattern.empty() && pattern[0] >= '0' && pattern[0] <= '9') {
      any = true;
      clause->precision = clause->precision * 10 + (pattern[0] - '0');
      if (clause->precision > kMaxPrecision) return false;
      pattern.remove_prefix(1);
    }
    if (!any) return false;
  }
  if (pattern.empty()) return false;
  clause->form = pattern[0];
  pattern.remove_prefix(1);
  return true;
}

bool append_clause(Frame& frame, TextBuilder& out, const Clause& clause, Value value) {
  switch (clause.form) {
    case 's':
      return append_plain(frame, out, value);
    case 'd':
      return append_decimal(out, value);
    case 'f':
      return append_float(out, value, clause.precision, "f");
    case 'e':
      return append_float(out, value, clause.precision, "e");
    case 'b':
    case 'o':
    case 'x':
    case 'X':
      return append_based(frame, out, value, clause.form);
    default:
      return false;
  }
}

Value format(Frame& frame, std::span<const Value> a) {
  TextBuilder out(frame.arena(), text_limit(frame));
  auto pattern = a[0].text();
  std::size_t used = 0;
  while (!pattern.empty() && !out.full()) {
    const auto percent = pattern.find('%');
    out.append(pattern.substr(0, percent));
    if (percent == std::string_view::npos) break;
    pattern.remove_prefix(percent + 1);
    if (pattern.starts_with('%')) {
      out.append('%');
      pattern.remove_prefix(1);
      continue;
    }
    Clause clause;
    if (!take_clause(pattern, &clause) || used >= a[1].size()) return fail(kBadFormat);
    if (!append_clause(frame, out, clause, a[1].item(used++))) return fail(kBadFormat);
  }
  return built_text(frame, out);
}

// What a clause takes, as a text for people; empty where it takes the kind.
std::string_view clause_wants(char form, TypeKind kind) {
  const bool number = kind == TypeKind::kInt || kind == TypeKind::kUint;
  switch (form) {
    case 'd':
      return number || kind == TypeKind::kDouble ? "" : "an int";
    case 'f':
    case 'e':
      return number || kind == TypeKind::kDouble ? "" : "a double";
    case 'b':
      return number || kind == TypeKind::kBool ? "" : "an int or a bool";
    case 'o':
      return number ? "" : "an int";
    case 'x':
    case 'X':
      return number || kind == TypeKind::kString || kind == TypeKind::kBytes
                 ? ""
                 : "an int, a string or bytes";
    default:
      return "";
  }
}

constexpr FunctionRow kRows[] = {
    {"string.format(list(dyn)) -> string", format, Work::kJoin},
};

}  // namespace

std::string format_problem(std::string_view pattern, std::span<const Type* const> arguments) {
  std::size_t used = 0;
  for (auto percent = pattern.find('%'); percent != std::string_view::npos;
       percent = pattern.find('%')) {
    pattern.remove_prefix(percent + 1);
    if (pattern.starts_with('%')) {
      pattern.remove_prefix(1);
      continue;
    }
    Clause clause;
    const std::string rest(pattern.substr(0, 4));
    const bool known = take_clause(pattern, &clause) &&
                       std::string_view("sdfeboxX").find(clause.form) != std::string_view::npos;
    if (!known) return "'%" + rest + "' is no clause of a format; a percent sign is '%%'";
    if (used >= arguments.size()) {
      return "the format has more clauses than the list has items (" +
             std::to_string(arguments.size()) + ")";
    }
    const Type& type = *arguments[used++];
    if (type.is(TypeKind::kDyn) || type.is(TypeKind::kUnknown)) continue;
    const auto wanted = clause_wants(clause.form, type.kind);
    if (!wanted.empty()) {
      return std::string("'%") + clause.form + "' wants " + std::string(wanted) + ", item " +
             std::to_string(used) + " is of type " + to_text(type);
    }
  }
  if (used == arguments.size()) return {};
  return "the list has " + std::to_string(arguments.size()) + " items, the format uses " +
         std::to_string(used);
}

std::span<const FunctionRow> format_rows() {
  return kRows;
}

}  // namespace berth::rules::cel
