// Strings: tests, search, cutting and joining, in code points. Kubernetes' strings library, version
// 2, with strings.quote, reverse, and base64.
#include <algorithm>
#include <array>

#include "rules/cel/library.h"
#include "rules/cel/text.h"
#include "rules/cel/utf8.h"

namespace berth::rules::cel {
namespace {

using Arguments = std::span<const Value>;

Value starts_with(Frame&, Arguments a) {
  return Value::boolean(a[0].text().starts_with(a[1].text()));
}

Value ends_with(Frame&, Arguments a) {
  return Value::boolean(a[0].text().ends_with(a[1].text()));
}

Value contains_text(Frame&, Arguments a) {
  return Value::boolean(a[0].text().find(a[1].text()) != std::string_view::npos);
}

// Byte position of a code point; nothing where the text is shorter. The end counts.
bool byte_position(std::string_view text, std::int64_t index, std::size_t* out) {
  if (index < 0) return false;
  std::size_t at = 0;
  for (; index > 0; --index) {
    if (at >= text.size()) return false;
    at += utf8_step(text.substr(at));
  }
  *out = at;
  return true;
}

Value char_at(Frame&, Arguments a) {
  std::size_t at = 0;
  if (!byte_position(a[0].text(), a[1].as_int(), &at)) return fail(kIndexOutOfBounds);
  const auto rest = a[0].text().substr(at);
  return Value::string(rest.empty() ? rest : rest.substr(0, utf8_step(rest)));
}

Value position(std::string_view text, std::size_t found) {
  if (found == std::string_view::npos) return Value::integer(-1);
  return Value::integer(static_cast<std::int64_t>(code_points(text.substr(0, found))));
}

Value index_of(Frame&, Arguments a) {
  std::size_t from = 0;
  if (a.size() == 3 && !byte_position(a[0].text(), a[2].as_int(), &from)) {
    return a[1].size() == 0 ? a[2] : fail(kIndexOutOfBounds);
  }
  return position(a[0].text(), a[0].text().find(a[1].text(), from));
}

Value last_index_of(Frame&, Arguments a) {
  std::size_t from = a[0].size();
  if (a.size() == 3 && !byte_position(a[0].text(), a[2].as_int(), &from)) {
    return a[1].size() == 0 ? a[2] : fail(kIndexOutOfBounds);
  }
  return position(a[0].text(), a[0].text().rfind(a[1].text(), from));
}

template <typename Change>
Value changed(Frame& frame, std::string_view text, Change change) {
  const auto room = frame.make_text(text.size());
  if (room.data() == nullptr) return fail(kCostLimit);
  std::transform(text.begin(), text.end(), room.begin(), change);
  return Value::string({room.data(), room.size()});
}

Value lower_ascii(Frame& frame, Arguments a) {
  return changed(frame, a[0].text(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
}

Value upper_ascii(Frame& frame, Arguments a) {
  return changed(frame, a[0].text(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
}

Value replace_limited(Frame& frame, Value value, Value from, Value to, std::int64_t limit) {
  TextBuilder out(frame.arena(), text_limit(frame));
  auto text = value.text();
  const auto old = from.text();
  while (limit != 0 && !out.full()) {
    if (old.empty()) {
      out.append(to.text());
      if (text.empty()) break;
      const auto step = utf8_step(text);
      out.append(text.substr(0, step));
      text.remove_prefix(step);
    } else {
      const auto at = text.find(old);
      if (at == std::string_view::npos) break;
      out.append(text.substr(0, at));
      out.append(to.text());
      text.remove_prefix(at + old.size());
    }
    if (limit > 0) --limit;
  }
  out.append(text);
  return built_text(frame, out);
}

Value replace(Frame& frame, Arguments a) {
  return replace_limited(frame, a[0], a[1], a[2], a.size() == 4 ? a[3].as_int() : -1);
}

// How many parts a split gives, at most `limit`.
std::size_t count_parts(std::string_view text, std::string_view separator, std::size_t limit) {
  if (separator.empty()) return std::min(code_points(text), limit);
  std::size_t parts = 1;
  for (auto at = text.find(separator); at != std::string_view::npos && parts < limit;
       at = text.find(separator, at + separator.size())) {
    ++parts;
  }
  return std::min(parts, limit);
}

Value split(Frame& frame, Arguments a) {
  const auto limit = a.size() == 3 && a[2].as_int() >= 0 ? static_cast<std::size_t>(a[2].as_int())
                                                         : static_cast<std::size_t>(-1);
  auto text = a[0].text();
  const auto separator = a[1].text();
  const auto items = frame.make_items(count_parts(text, separator, limit));
  if (items.data() == nullptr) return fail(kCostLimit);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool last = i + 1 == items.size();
    const auto end = last                ? text.size()
                     : separator.empty() ? utf8_step(text)
                                         : text.find(separator);
    items[i] = Value::string(text.substr(0, end));
    text.remove_prefix(last ? end : end + separator.size());
  }
  return Value::list(items);
}

Value substring(Frame&, Arguments a) {
  const auto text = a[0].text();
  std::size_t begin = 0;
  std::size_t end = text.size();
  if (!byte_position(text, a[1].as_int(), &begin)) return fail(kIndexOutOfBounds);
  if (a.size() == 3) {
    if (a[2].as_int() < a[1].as_int()) return fail(kBadSlice);
    if (!byte_position(text, a[2].as_int(), &end)) return fail(kIndexOutOfBounds);
  }
  return Value::string(text.substr(begin, end - begin));
}

bool is_blank(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

Value trim(Frame&, Arguments a) {
  auto text = a[0].text();
  while (!text.empty() && is_blank(utf8_first(text))) text.remove_prefix(utf8_step(text));
  while (!text.empty()) {
    auto last = text.size() - 1;
    while (last > 0 && (static_cast<unsigned char>(text[last]) & 0xC0U) == 0x80U) --last;
    if (!is_blank(utf8_first(text.substr(last)))) break;
    text = text.substr(0, last);
  }
  return Value::string(text);
}

Value join(Frame& frame, Arguments a) {
  TextBuilder out(frame.arena(), text_limit(frame));
  for (std::size_t i = 0; i < a[0].size() && !out.full(); ++i) {
    const Value item = a[0].item(i);
    if (!item.is(Kind::kString)) return fail(kNoSuchOverload);
    if (i > 0 && a.size() == 2) out.append(a[1].text());
    out.append(item.text());
  }
  return built_text(frame, out);
}

Value quote(Frame& frame, Arguments a) {
  TextBuilder out(frame.arena(), text_limit(frame));
  append_quoted(out, a[0].text());
  return built_text(frame, out);
}

Value reverse(Frame& frame, Arguments a) {
  auto text = a[0].text();
  const auto room = frame.make_text(text.size());
  if (room.data() == nullptr) return fail(kCostLimit);
  auto end = room.size();
  while (!text.empty()) {
    const auto step = utf8_step(text);
    end -= step;
    text.copy(room.data() + end, step);
    text.remove_prefix(step);
  }
  return Value::string({room.data(), room.size()});
}

Value encode_base64(Frame& frame, Arguments a) {
  TextBuilder out(frame.arena(), text_limit(frame));
  append_base64(out, a[0].text());
  return built_text(frame, out);
}

int base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

Value decode_base64(Frame& frame, Arguments a) {
  auto text = a[0].text();
  for (int i = 0; i < 2 && text.ends_with('=') && a[0].size() % 4 == 0; ++i) text.remove_suffix(1);
  if (text.size() % 4 == 1) return fail(kBadBase64);
  const auto room = frame.make_text(text.size() * 3 / 4);
  if (room.data() == nullptr) return fail(kCostLimit);
  std::uint32_t group = 0;
  unsigned bits = 0;
  std::size_t size = 0;
  for (const char c : text) {
    const int digit = base64_digit(c);
    if (digit < 0) return fail(kBadBase64);
    group = group << 6 | static_cast<std::uint32_t>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    room[size++] = static_cast<char>(group >> bits & 0xFFU);
  }
  return Value::bytes({room.data(), size});
}

constexpr FunctionRow kRows[] = {
    {"string.startsWith(string) -> bool", starts_with, Work::kScan},
    {"string.endsWith(string) -> bool", ends_with, Work::kScan},
    {"string.contains(string) -> bool", contains_text, Work::kScanBoth},
    {"string.charAt(int) -> string", char_at, Work::kCopy},
    {"string.indexOf(string) -> int", index_of, Work::kScanBoth},
    {"string.indexOf(string, int) -> int", index_of, Work::kScanBoth},
    {"string.lastIndexOf(string) -> int", last_index_of, Work::kScanBoth},
    {"string.lastIndexOf(string, int) -> int", last_index_of, Work::kScanBoth},
    {"string.lowerAscii() -> string", lower_ascii, Work::kCopy},
    {"string.upperAscii() -> string", upper_ascii, Work::kCopy},
    {"string.replace(string, string) -> string", replace, Work::kMultiply},
    {"string.replace(string, string, int) -> string", replace, Work::kMultiply},
    {"string.split(string) -> list(string)", split, Work::kScanBoth},
    {"string.split(string, int) -> list(string)", split, Work::kScanBoth},
    {"string.substring(int) -> string", substring, Work::kCopy},
    {"string.substring(int, int) -> string", substring, Work::kCopy},
    {"string.trim() -> string", trim, Work::kCopy},
    {"list(string).join() -> string", join, Work::kJoin},
    {"list(string).join(string) -> string", join, Work::kJoin},
    {"strings.quote(string) -> string", quote, Work::kCopy},
    {"string.reverse() -> string", reverse, Work::kCopy},
    {"base64.encode(bytes) -> string", encode_base64, Work::kCopy},
    {"base64.decode(string) -> bytes", decode_base64, Work::kCopy},
};

}  // namespace

std::span<const FunctionRow> text_rows() {
  return kRows;
}

}  // namespace berth::rules::cel
