#include "kube/json_yaml.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace berth::kube {
namespace {

// A key longer than this cannot stand before a colon on one line (YAML allows 1024 characters).
constexpr std::size_t kLongestPlainKey = 1000;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Takes the longest run of characters that `wanted` accepts.
template <typename Wanted>
std::string_view take(std::string_view& rest, Wanted wanted) {
  const auto end =
      static_cast<std::size_t>(std::find_if_not(rest.begin(), rest.end(), wanted) - rest.begin());
  const std::string_view run = rest.substr(0, end);
  rest.remove_prefix(end);
  return run;
}

bool is_one_of(std::string_view text, std::span<const std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

// ---------------------------------------------------------------- what a reader makes of a text

// Words that some reader takes for null, a boolean, a merge key or a float.
bool is_reserved(std::string_view text) {
  constexpr std::array<std::string_view, 39> kWords = {
      "~",    "null", "Null", "NULL", "true", "True", "TRUE", "false", "False", "FALSE",
      "yes",  "Yes",  "YES",  "no",   "No",   "NO",   "on",   "On",    "ON",    "off",
      "Off",  "OFF",  "y",    "Y",    "n",    "N",    "<<",   "=",     ".inf",  ".Inf",
      ".INF", ".nan", ".NaN", ".NAN", "---",  "...",  "-",    "?",     ":"};
  return is_one_of(text, kWords);
}

// The tail of "1:30:00" or "1:30.5": base 60 in YAML 1.1.
bool is_base_sixty_tail(std::string_view rest) {
  while (!rest.empty() && rest.front() == ':') {
    rest.remove_prefix(1);
    const std::string_view digits = take(rest, is_digit);
    if (digits.empty() || digits.size() > 2 || (digits.size() == 2 && digits[0] > '5')) {
      return false;
    }
  }
  if (!rest.empty() && rest.front() == '.') {
    rest.remove_prefix(1);
    take(rest, [](char c) { return is_digit(c) || c == '_'; });
  }
  return rest.empty();
}

bool is_exponent(std::string_view rest) {
  if (rest.empty() || (rest.front() != 'e' && rest.front() != 'E')) return rest.empty();
  rest.remove_prefix(1);
  if (!rest.empty() && (rest.front() == '+' || rest.front() == '-')) rest.remove_prefix(1);
  return !take(rest, is_digit).empty() && rest.empty();
}

bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == '_';
}

bool is_octal_digit(char c) {
  return (c >= '0' && c <= '7') || c == '_';
}

bool is_binary_digit(char c) {
  return c == '0' || c == '1' || c == '_';
}

// A number in YAML 1.1 or 1.2.
bool is_number(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  if (text == ".inf" || text == ".Inf" || text == ".INF") return true;
  const auto all = [&](auto accepted) {
    return text.size() > 2 && std::all_of(text.begin() + 2, text.end(), accepted);
  };
  if (text.starts_with("0x")) return all(is_hex_digit);
  if (text.starts_with("0o")) return all(is_octal_digit);
  if (text.starts_with("0b")) return all(is_binary_digit);
  const auto wanted = [](char c) { return is_digit(c) || c == '_'; };
  std::string_view rest = text;
  std::string_view whole;
  if (!rest.empty() && is_digit(rest.front())) whole = take(rest, wanted);
  if (!whole.empty() && rest.starts_with(':')) return is_base_sixty_tail(rest);
  std::string_view fraction;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    fraction = take(rest, wanted);
  }
  return whole.size() + fraction.size() > 0 && is_exponent(rest);
}

// A date or timestamp in YAML 1.1.
bool is_date(std::string_view text) {
  std::string_view rest = text;
  if (take(rest, is_digit).size() != 4) return false;
  for (int part = 0; part < 2; ++part) {
    if (!rest.starts_with('-')) return false;
    rest.remove_prefix(1);
    const std::size_t digits = take(rest, is_digit).size();
    if (digits < 1 || digits > 2) return false;
  }
  if (rest.empty()) return true;
  if (rest.front() == 'T' || rest.front() == 't') return rest.size() > 1 && is_digit(rest[1]);
  return take(rest, [](char c) { return c == ' '; }).size() > 0 && !rest.empty() &&
         is_digit(rest.front());
}

// Code points that a reader may refuse or change: controls, line ends of Unicode, byte order mark.
// The number of bytes of the sequence at `at` goes to `length`.
bool is_special(std::string_view text, std::size_t at, std::size_t& length) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const unsigned first = byte(at);
  length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (first < 0x20 || first == 0x7f) return true;
  if (first == 0xc2) return byte(at + 1) < 0xa0;
  if (first == 0xe2) return byte(at + 1) == 0x80 && (byte(at + 2) == 0xa8 || byte(at + 2) == 0xa9);
  if (first == 0xef) {
    return (byte(at + 1) == 0xbb && byte(at + 2) == 0xbf) ||
           (byte(at + 1) == 0xbf && byte(at + 2) >= 0xbe);
  }
  return false;
}

// No special code point, line feeds apart where they are allowed.
enum class LineFeeds { kAllowed, kSpecial };
bool is_printable(std::string_view text, LineFeeds line_feeds) {
  std::size_t length = 1;
  for (std::size_t i = 0; i < text.size(); i += length) {
    if (!is_special(text, i, length)) continue;
    if (text[i] != '\n' || line_feeds == LineFeeds::kSpecial) return false;
  }
  return true;
}

bool reads_back_plain(std::string_view text) {
  if (text.empty() || text.front() == ' ' || text.back() == ' ' || text.back() == ':') return false;
  constexpr std::string_view kIndicators = "?:,[]{}#&*!|>'\"%@`";
  if (kIndicators.find(text.front()) != std::string_view::npos) return false;
  if (text.starts_with("- ") || text.starts_with("--- ") || text.starts_with("... ")) return false;
  if (text.find(": ") != std::string_view::npos || text.find(" #") != std::string_view::npos) {
    return false;
  }
  return is_printable(text, LineFeeds::kSpecial) && !is_reserved(text) && !is_number(text) &&
         !is_date(text);
}

// As a literal block the text comes back byte for byte, and a person sees all of it.
bool reads_back_literal(std::string_view text) {
  if (text.find('\n') == std::string_view::npos) return false;
  if (text.front() == '\n' || text.front() == ' ') return false;
  if (text.find(" \n") != std::string_view::npos || text.back() == ' ') return false;
  return is_printable(text, LineFeeds::kAllowed);
}

// ---------------------------------------------------------------- printing

void append_escape(std::string& out, std::string_view sequence) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(sequence[i]); };
  unsigned code = byte(0);
  if (sequence.size() == 2) code = ((code & 0x1fU) << 6U) | (byte(1) & 0x3fU);
  if (sequence.size() == 3) {
    code = ((code & 0x0fU) << 12U) | ((byte(1) & 0x3fU) << 6U) | (byte(2) & 0x3fU);
  }
  out.append(code < 0x100 ? "\\x" : "\\u");
  if (code >= 0x100) {
    out.push_back(kHex[(code >> 12U) & 15U]);
    out.push_back(kHex[(code >> 8U) & 15U]);
  }
  out.push_back(kHex[(code >> 4U) & 15U]);
  out.push_back(kHex[code & 15U]);
}

void append_double_quoted(std::string& out, std::string_view text) {
  out.push_back('"');
  std::size_t length = 1;
  for (std::size_t i = 0; i < text.size(); i += length) {
    const bool special = is_special(text, i, length);
    const char c = text[i];
    if (c == '"' || c == '\\') {
      out.append({'\\', c});
    } else if (c == '\n') {
      out.append("\\n");
    } else if (c == '\t') {
      out.append("\\t");
    } else if (c == '\r') {
      out.append("\\r");
    } else if (special) {
      append_escape(out, text.substr(i, length));
    } else {
      out.append(text.substr(i, length));
    }
  }
  out.push_back('"');
}

void append_single_quoted(std::string& out, std::string_view text) {
  out.push_back('\'');
  for (const char c : text) out.append(c == '\'' ? 2 : 1, c);
  out.push_back('\'');
}

void append_scalar_text(std::string& out, std::string_view text) {
  if (reads_back_plain(text)) {
    out.append(text);
  } else if (text.find_first_of("\"\\") != std::string_view::npos &&
             is_printable(text, LineFeeds::kSpecial)) {
    append_single_quoted(out, text);
  } else {
    append_double_quoted(out, text);
  }
}

void append_literal(std::string& out, std::string_view text, std::size_t indent) {
  const bool ends = text.back() == '\n';
  const bool ends_twice = ends && text.size() > 1 && text[text.size() - 2] == '\n';
  out.append(!ends ? "|-" : ends_twice ? "|+" : "|");
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out.push_back('\n');
    if (end > 0) out.append(indent, ' ').append(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// A number that readers of YAML 1.1 take for one, too: they want a point and a sign for an
// exponent.
void append_number(std::string& out, std::string_view text) {
  const std::size_t exponent = text.find_first_of("eE");
  if (exponent == std::string_view::npos) {
    out.append(text);
    return;
  }
  out.append(text.substr(0, exponent));
  if (text.substr(0, exponent).find('.') == std::string_view::npos) out.append(".0");
  out.push_back('e');
  std::string_view power = text.substr(exponent + 1);
  if (!power.starts_with('-') && !power.starts_with('+')) out.push_back('+');
  out.append(power);
}

bool is_nested(Json value) {
  return (value.is_object() || value.is_array()) && value.size() > 0;
}

class YamlPrinter {
 public:
  std::string take() { return std::move(out_); }

  // Requires: the cursor stands where the value starts, `indent` columns from the left for nested
  // ones.
  void print(Json value, std::size_t indent) {
    switch (value.type()) {
      case JsonType::kNull:
        out_.append("null");
        break;
      case JsonType::kBool:
        out_.append(value.bool_or(false) ? "true" : "false");
        break;
      case JsonType::kNumber:
        append_number(out_, value.number_text());
        break;
      case JsonType::kString:
        print_text(value.string_or_empty(), indent);
        break;
      case JsonType::kArray:
        print_items(value, indent);
        break;
      case JsonType::kObject:
        print_members(value, indent);
        break;
    }
  }

 private:
  void print_text(std::string_view text, std::size_t indent) {
    if (reads_back_literal(text)) {
      append_literal(out_, text, std::max<std::size_t>(indent, 2));
    } else {
      append_scalar_text(out_, text);
    }
  }

  void start_line(std::size_t indent) { out_.append("\n").append(indent, ' '); }

  void print_items(Json array, std::size_t indent) {
    if (array.size() == 0) out_.append("[]");
    for (std::size_t i = 0; i < array.size(); ++i) {
      if (i > 0) start_line(indent);
      out_.append("- ");
      print(array.at(i), indent + 2);
    }
  }

  void print_members(Json object, std::size_t indent) {
    if (object.size() == 0) out_.append("{}");
    for (std::size_t i = 0; i < object.size(); ++i) {
      const JsonMember& member = object.members()[i];
      if (i > 0) start_line(indent);
      print_key(member.key, indent);
      // A list stands below its key without more indentation, as kubectl prints it.
      const std::size_t inner = member.value.is_array() ? indent : indent + 2;
      if (is_nested(member.value)) {
        start_line(inner);
      } else {
        out_.push_back(' ');
      }
      print(member.value, inner);
    }
  }

  void print_key(std::string_view key, std::size_t indent) {
    const std::size_t before = out_.size();
    append_scalar_text(out_, key);
    if (out_.size() - before > kLongestPlainKey) {
      out_.insert(before, "? ");
      start_line(indent);
    }
    out_.push_back(':');
  }

  std::string out_;
};

// ---------------------------------------------------------------- reading

std::optional<Json> read_integer(std::string_view text, base::Arena& arena) {
  const bool hex = text.starts_with("0x");
  if (!hex && !text.starts_with("0o")) return std::nullopt;
  const std::uint64_t base = hex ? 16 : 8;
  std::uint64_t value = 0;
  text.remove_prefix(2);
  if (text.empty()) return std::nullopt;
  for (const char c : text) {
    if (c == '_' || (hex ? !is_hex_digit(c) : !is_octal_digit(c))) return std::nullopt;
    const auto digit = static_cast<std::uint64_t>(is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
    if (value > (UINT64_MAX - digit) / base) return std::nullopt;
    value = value * base + digit;
  }
  return Json::number(arena.copy(std::string_view(std::to_string(value))));
}

// Decimal integers and floats of the core schema, rewritten to what JSON allows.
std::optional<Json> read_decimal(std::string_view text, base::Arena& arena) {
  std::string out;
  if (text.starts_with('-')) out.push_back('-');
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  std::string_view whole = take(text, is_digit);
  std::string_view fraction;
  const bool point = text.starts_with('.');
  if (point) {
    text.remove_prefix(1);
    fraction = take(text, is_digit);
  }
  if (whole.empty() && fraction.empty()) return std::nullopt;
  if (!is_exponent(text)) return std::nullopt;
  while (whole.size() > 1 && whole.front() == '0') whole.remove_prefix(1);
  out.append(whole.empty() ? "0" : whole);
  if (!fraction.empty()) out.append(".").append(fraction);
  out.append(text);
  return Json::number(arena.copy(std::string_view(out)));
}

Json read_plain(std::string_view text, base::Arena& arena) {
  constexpr std::array<std::string_view, 5> kNull = {"", "~", "null", "Null", "NULL"};
  constexpr std::array<std::string_view, 3> kTrue = {"true", "True", "TRUE"};
  constexpr std::array<std::string_view, 3> kFalse = {"false", "False", "FALSE"};
  if (is_one_of(text, kNull)) return {};
  if (is_one_of(text, kTrue)) return Json::boolean(true);
  if (is_one_of(text, kFalse)) return Json::boolean(false);
  if (const auto number = read_integer(text, arena)) return *number;
  if (const auto number = read_decimal(text, arena)) return *number;
  return make_string(arena, text);
}

}  // namespace

std::string to_yaml(Json value) {
  YamlPrinter printer;
  printer.print(value, 0);
  return printer.take().append("\n");
}

Json to_json(const base::YamlNode& node, base::Arena& arena) {
  switch (node.kind) {
    case base::YamlKind::kNull:
      return {};
    case base::YamlKind::kScalar:
      return node.plain ? read_plain(node.text, arena) : make_string(arena, node.text);
    case base::YamlKind::kSequence: {
      const auto items = arena.make_array<Json>(node.items.size());
      for (std::size_t i = 0; i < items.size(); ++i) items[i] = to_json(node.items[i], arena);
      return Json::array(items);
    }
    case base::YamlKind::kMapping: {
      const auto members = arena.make_array<JsonMember>(node.members.size());
      for (std::size_t i = 0; i < members.size(); ++i) {
        const base::YamlMember& member = node.members[i];
        members[i] = {arena.copy(std::string_view(member.key)), to_json(member.value, arena)};
      }
      return Json::object(members);
    }
  }
  return {};
}

}  // namespace berth::kube
